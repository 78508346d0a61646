/** Writes an operation to call as the command one would type. */
import type { Act } from "../../../core/decide/answer.ts";
import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { toOption } from "../args.ts";
import type { Verb } from "../verb.ts";

export type Verbs = Readonly<Record<string, Verb>>;

/** For example `holdpoint reconcile TapeDelay --restore`. What the reader must fill in is in angle brackets. */
export function commandLine(verbs: Verbs, { operation, input }: Act): string {
  const verb = Object.hasOwn(verbs, operation) ? verbs[operation] : undefined;
  if (verb === undefined) return `holdpoint ${operation} ${quote(input)}`;
  const words: string[] = [];
  const left = new Map(Object.entries(input));
  for (const arg of verb.args) {
    const name = arg.replaceAll(/^\.\.\.|!$/g, "");
    const value = left.get(name);
    const needed = verb.operation.input.required.includes(name);
    if (value === undefined && !needed) break;
    left.delete(name);
    if (arg.endsWith("!")) words.push(name);
    words.push(value === undefined ? (verb.shows?.[name] ?? `<${name}>`) : quote(value));
  }
  const options = [...left].flatMap(([name, value]) =>
    verb.hides?.includes(name) === true && isJsonObject(value)
      ? Object.entries(value).flatMap(([key, one]) => optionWords(key, one))
      : optionWords(toOption(name), value),
  );
  return ["holdpoint", operation, ...words, ...options].join(" ");
}

function optionWords(name: string, value: Json): readonly string[] {
  if (value === false) return [];
  if (value === true) return [`--${name}`];
  const word = quote(value);
  // A value that looks like an option must be joined with an equals sign.
  return /^["']?-/.test(word) ? [`--${name}=${word}`] : [`--${name}`, word];
}

/** Quotes a value as one word for a shell. */
function quote(value: Json): string {
  if (typeof value !== "string") return `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
  if (/^(?:<[\w -]+>|[\w@%+=:,/-][\w@%+=:,./-]*)$/.test(value)) return value;
  return `"${value.replaceAll(/["\\$`]/g, (one) => `\\${one}`)}"`;
}

/** A remedy as a sentence, with the command if there is one. */
export function phraseFix(verbs: Verbs, fix: string | Act): string {
  if (typeof fix === "string") return fix;
  return sayFix(fix, commandLine(verbs, fix));
}

/**
 * What it is for and how to type it. If somebody else must do it, that is said, because the reader would try
 * otherwise.
 */
export function sayFix({ says, by }: Act, line: string): string {
  const typed = by === undefined ? line : `${by === "person" ? "a person" : by}, not you: ${line}`;
  return says === undefined ? typed : `${says}: ${typed}`;
}

/** Puts an answer's remedies and choices into words. The data stays beside them. */
export function phrased(verbs: Verbs, value: Json): Json {
  if (isJsonArray(value)) return value.map((one) => phrased(verbs, one));
  if (!isJsonObject(value)) return value;
  const act = actOf(value);
  if (act !== undefined) return phraseFix(verbs, act);
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    // Words of a person, an agent or a protocol are passed on unchanged.
    members[name] = OPAQUE.includes(name) ? member : phrased(verbs, member);
    const remedy = name === "fix" && isJsonObject(member) ? actOf(member) : undefined;
    if (remedy !== undefined)
      members["remedy"] = {
        operation: remedy.operation,
        input: remedy.input,
        ...(remedy.by === undefined ? {} : { by: remedy.by }),
      };
  }
  return members;
}

const OPAQUE: readonly string[] = ["about", "order", "orders", "compliance", "value", "text"];

function actOf(value: JsonObject): Act | undefined {
  const { operation, input, says, by } = value;
  if (typeof operation !== "string" || !isJsonObject(input)) return undefined;
  return {
    operation,
    input,
    ...(typeof says === "string" ? { says } : {}),
    ...(typeof by === "string" ? { by } : {}),
  };
}
