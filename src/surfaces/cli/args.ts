/** Turns typed words into an operation's input. What may be typed follows from the operation. */
import { parseArgs } from "node:util";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { usage } from "../../operations/parts/answers.ts";
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import { nearest } from "../../core/values/nearest.ts";
import type { InputProperty } from "../../operations/operation.ts";
import type { StartOption } from "../../ports/family.ts";
import type { Flags, Verb } from "./verb.ts";

/** Options that every verb has. */
export const COMMON = {
  json: { type: "boolean" },
  cwd: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  as: { type: "string" },
  session: { type: "string" },
  fence: { type: "string" },
  id: { type: "string" },
  rules: { type: "boolean" },
  full: { type: "boolean" },
  sign: { type: "boolean" },
  key: { type: "string" },
  "to-sign": { type: "string" },
  signature: { type: "string" },
} as const;

export type StartOptionsOf = Readonly<Record<string, StartOption>>;

export interface Typed {
  readonly flags: Flags;
  readonly words: readonly string[];
}

/** Separates options from words; `more` are the options of the protocol being started. */
export function readWords(
  verb: Verb,
  args: readonly string[],
  more: StartOptionsOf = {},
): Typed | FailedAnswer {
  const options = { ...parserOptions(more), ...parserOptions(optionsOf(verb)), ...COMMON };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    return { flags: values, words: positionals };
  } catch (error) {
    return notUnderstood(verb, error, Object.keys(options));
  }
}

function parserOptions(
  options: Readonly<Record<string, { readonly type: string }>>,
): Record<string, { readonly type: "string" | "boolean" }> {
  const rows = Object.entries(options).map(
    ([name, { type }]) => [name, { type: type === "boolean" ? type : "string" }] as const,
  );
  return Object.fromEntries(rows);
}

/** Every option of a verb, by the name it is typed with. */
export function optionsOf(verb: Verb): Readonly<Record<string, InputProperty>> {
  const { operation, hides = [], options = {} } = verb;
  const rows = Object.entries(operation.input.properties)
    .filter(([name]) => !hides.includes(name))
    .map(([name, property]) => [toOption(name), property] as const);
  return { ...Object.fromEntries(rows), ...options };
}

/** `dryRun` is typed `--dry-run`. */
export function toOption(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function notUnderstood(verb: Verb, error: unknown, known: readonly string[]): FailedAnswer {
  const said = error instanceof Error ? error.message : "The command line cannot be read.";
  const [, option] = /^Unknown option '--?([^']*)'/.exec(said) ?? [];
  if (option === undefined) return usage(said.split(". ")[0] ?? said, usageOf(verb));
  const like = nearest(option, known);
  const meant = like === undefined ? "" : ` Did you mean --${like}?`;
  return usage(`${verb.operation.name} has no option --${option}.${meant}`, usageOf(verb));
}

/** The typed input. Anything missing is reported by the operation's schema. */
export function readInput(
  verb: Verb,
  { flags, words }: Typed,
  more: StartOptionsOf = {},
): JsonObject | FailedAnswer {
  const input: Record<string, Json> = {};
  for (const [name, { type }] of Object.entries(verb.operation.input.properties)) {
    const given = flags[toOption(name)];
    if (given === undefined || verb.hides?.includes(name) === true) continue;
    const value = type === "object" ? readObject(String(given)) : given;
    if (value === undefined) return notAnObject(toOption(name));
    input[name] = value;
  }
  const options = Object.keys(more).flatMap((name) => {
    const given = flags[name];
    return given === undefined || Object.hasOwn(input, name) ? [] : [[name, given] as const];
  });
  if (options.length > 0) input["options"] = Object.fromEntries(options);
  const placed = placeWords(verb, words);
  return placed === undefined
    ? usage(`${verb.operation.name} takes fewer words.`, usageOf(verb))
    : { ...input, ...placed };
}

function notAnObject(option: string): FailedAnswer {
  return usage(
    `--${option} is not a JSON object.`,
    `Write it as one, --${option} '{"version":"1.1.0"}', or as --${option} version=1.1.0.`,
  );
}

/** `{"version":"1.1.0"}`, or `version=1.1.0` for one value. */
function readObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  if (isJsonObject(parsed)) return parsed;
  const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return undefined;
  return { [name]: value === "true" ? true : value === "false" ? false : value };
}

function placeWords({ args }: Verb, words: readonly string[]): JsonObject | undefined {
  const placed: Record<string, Json> = {};
  let left = words;
  for (const arg of args) {
    const [first, second] = left;
    if (first === undefined) break;
    if (arg.startsWith("...")) {
      placed[arg.slice(3)] = left.join(" ").trim();
      return placed;
    }
    if (arg.endsWith("!")) {
      if (first !== arg.slice(0, -1) || second === undefined) return undefined;
      placed[first] = second;
      left = left.slice(2);
      continue;
    }
    placed[arg] = first;
    left = left.slice(1);
  }
  return left.length > 0 ? undefined : placed;
}

export function usageOf(verb: Verb): string {
  const { name, input } = verb.operation;
  const args = verb.args.map((arg) => {
    const key = arg.replaceAll(/^\.\.\.|!$/g, "");
    const shown = verb.shows?.[key] ?? (arg.endsWith("!") ? `${key} <agent>` : `<${key}>`);
    return input.required.includes(key) && verb.shows?.[key] === undefined ? shown : `[${shown}]`;
  });
  const hasOptions = Object.keys(optionsOf(verb)).length > args.length;
  return ["Usage: holdpoint", name, ...args, ...(hasOptions ? ["[options]"] : [])].join(" ");
}

/** Names of the inputs that are typed as words. */
export function wordsOf({ args }: Verb): readonly string[] {
  return args.map((arg) => arg.replaceAll(/^\.\.\.|!$/g, ""));
}
