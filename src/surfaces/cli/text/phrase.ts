/** Something to ask of Holdpoint, as one would type it. */
import type { Act } from "../../../core/decide/answer.ts";
import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { toOption } from "../args.ts";
import type { Verb } from "../verb.ts";

export type Verbs = Readonly<Record<string, Verb>>;

/** `holdpoint reconcile TapeDelay --restore`; what must be filled in stands in angle brackets. */
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
  // A value that looks like an option is none only behind an equals sign.
  return /^["']?-/.test(word) ? [`--${name}=${word}`] : [`--${name}`, word];
}

/** One word for a shell. */
function quote(value: Json): string {
  if (typeof value !== "string") return `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
  if (/^(?:<[\w -]+>|[\w@%+=:,/-][\w@%+=:,./-]*)$/.test(value)) return value;
  return `"${value.replaceAll(/["\\$`]/g, (one) => `\\${one}`)}"`;
}

/** A remedy as a sentence, with the command where there is one. */
export function phraseFix(verbs: Verbs, fix: string | Act): string {
  if (typeof fix === "string") return fix;
  return sayFix(fix, commandLine(verbs, fix));
}

/** What it is for and how it is asked for. Whoever may not do it is told whose it is: else they would try. */
export function sayFix({ says, by }: Act, line: string): string {
  const typed = by === undefined ? line : `${by === "person" ? "a person" : by}, not you: ${line}`;
  return says === undefined ? typed : `${says}: ${typed}`;
}

/** An answer whose remedies and choices are said in words; what a remedy is as data stays beside it. */
export function phrased(verbs: Verbs, value: Json): Json {
  if (isJsonArray(value)) return value.map((one) => phrased(verbs, one));
  if (!isJsonObject(value)) return value;
  const act = actOf(value);
  if (act !== undefined) return phraseFix(verbs, act);
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    // What a person, an agent or a protocol said is passed on as it is.
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
