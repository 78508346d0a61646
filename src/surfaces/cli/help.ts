/** The text of `--help`, made from the operations and their verbs. */
import { objects, text } from "../../core/values/json-read.ts";
import { nearest } from "../../core/values/nearest.ts";
import type { Answer, Context } from "../../operations/operation.ts";
import { usage } from "../../operations/parts/answers.ts";
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import type { Family } from "../../ports/family.ts";
import { optionsOf, toOption, usageOf, wordsOf } from "./args.ts";
import type { StartOptionsOf } from "./args.ts";
import { COMMANDS } from "./commands.ts";
import type { Command } from "./commands.ts";
import { commandLine } from "./text/phrase.ts";
import { said } from "./text/said.ts";
import type { Reply, Verb } from "./verb.ts";
import { VERBS } from "./verbs/index.ts";

export function helpReply(): Reply {
  const rows = Object.entries(VERBS).map(
    ([name, { operation }]) => `  ${name.padEnd(10)}  ${operation.purpose}`,
  );
  const lines = [
    "holdpoint: workflows that agents cannot skip, fake or lose",
    "",
    "Usage: holdpoint <verb> [arguments] [--json] [--cwd <directory>]",
    "",
    ...rows,
    ...Object.entries(COMMANDS).map(([name, { purpose }]) => `  ${name.padEnd(10)}  ${purpose}`),
    "",
    "Examples: holdpoint help <verb>. What all verbs take: holdpoint help options.",
    "Exit codes: 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease, 13 left to be taken in.",
  ];
  return {
    exit: 0,
    json: { ok: true, verbs: [...Object.keys(VERBS), ...Object.keys(COMMANDS)] },
    text: lines.join("\n"),
  };
}

export function commandHelp(name: string, command: Command): Reply {
  const { purpose, usage, options, examples } = command;
  const line = `${name} ${usage}`.trim();
  const lines = [
    purpose,
    "",
    `Usage: holdpoint ${line}`,
    "",
    ...aligned(Object.entries(options).map(([option, about]) => `  ${option}  ${about}`)),
    ...(Object.keys(options).length === 0 ? [] : [""]),
    "Examples:",
    ...examples.map((one) => `  ${one}`),
  ];
  return { exit: 0, json: { ok: true, verb: name, usage: line }, text: lines.join("\n") };
}

export function verbHelp(verb: Verb, protocols: readonly Family[] = []): Reply {
  const { name, purpose, examples } = verb.operation;
  const [only, second] = protocols;
  const asked = second === undefined ? only : undefined;
  const shown = examples.filter(
    (one) => asked === undefined || one["protocol"] === asked.protocol.name,
  );
  const lines = [
    asked === undefined ? purpose : `${purpose}: ${asked.protocol.title}`,
    "",
    usageOf(verb),
    "",
    ...aligned([
      ...optionLines(verb),
      ...(asked === undefined ? [] : startLines(asked.starting.options)),
    ]),
    "",
    `Also: ${alsoOf(verb).join(" ")} (holdpoint help options)`,
    ...(second === undefined ? [] : ["", "Protocols, each with options of its own:"]),
    ...(second === undefined ? [] : protocols.map(({ protocol }) => protocolLine(protocol))),
    ...(shown.length === 0 ? [] : ["", "Examples:"]),
    ...shown.map((input) => `  ${commandLine(VERBS, { operation: name, input })}`),
  ];
  const usage = usageOf(verb).replace("Usage: holdpoint ", "");
  return { exit: 0, json: { ok: true, verb: name, usage }, text: lines.join("\n") };
}

/** Aligns options in one column and their descriptions in another; a long option gets a line of its own. */
function aligned(lines: readonly string[]): readonly string[] {
  const rows = lines.map((line) => /^( {2}\S.*?) {2,}(.*)$/s.exec(line) ?? [line, line, ""]);
  const width = Math.max(...rows.map(([, name = ""]) => name.length).filter((one) => one <= 30));
  return rows.map(([, name = "", about = ""]) => `${name.padEnd(width)}  ${about}`.trimEnd());
}

/** Names of the options that all verbs share; they are described once for all verbs. */
function alsoOf(verb: Verb): readonly string[] {
  const own = Object.keys(optionsOf(verb)).map((name) => `--${name}`);
  const names = [...COMMON_LINES, ...(changes(verb) ? CHANGING : [])].map((line) => line.trim());
  return names.map((line) => line.split(" ", 1).join()).filter((name) => !own.includes(name));
}

export function optionsHelp(): Reply {
  const lines = [
    "What all verbs take",
    "",
    ...aligned(COMMON_LINES),
    "",
    "and those that change a workflow:",
    "",
    ...aligned(CHANGING),
  ];
  return { exit: 0, json: { ok: true, verb: "options" }, text: lines.join("\n") };
}

/** The answer before such a command starts: its help, or what is wrong with its words. */
export function beforeCommand(
  name: string,
  command: Command,
  args: readonly string[],
): Reply | FailedAnswer | undefined {
  const helps = args.includes("--help") || args.includes("-h");
  return helps ? commandHelp(name, command) : unknownOption(name, command, args);
}

/** Finds a misspelt option of a command that is not an operation and parses its own words. */
function unknownOption(
  name: string,
  { options, usage: how }: Command,
  args: readonly string[],
): FailedAnswer | undefined {
  const known = ["--json", ...Object.keys(options).map((one) => one.split(" ", 1)[0] ?? one)];
  const odd = args
    .flatMap((one) => (one.startsWith("--") ? [one.split("=", 1)[0] ?? one] : []))
    .find((one) => !known.includes(one));
  if (odd === undefined) return undefined;
  const meant = nearest(odd, known);
  const like = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return usage(`${name} has no option ${odd}.${like}`, `Usage: holdpoint ${name} ${how}`);
}

export function noVerb(name: string): Answer {
  const names = [...Object.keys(VERBS), ...Object.keys(COMMANDS)];
  const like = nearest(name, names);
  if (like === undefined)
    return usage(`There is no verb "${name}".`, "All of them: holdpoint help");
  return usage(`There is no verb "${name}". Did you mean ${like}?`, `holdpoint ${like} --help`);
}

/** Something is missing from the command. If it is the workflow, existing names are offered. */
export async function incomplete(
  verb: Verb,
  { parts }: Pick<Context, "parts">,
  { error }: FailedAnswer,
): Promise<Answer> {
  const message = `${error.message} ${said(error.fix)}`;
  if (!error.message.endsWith(" needs workflow.")) return usage(message, usageOf(verb));
  const streams = (await parts.journal.list()).flatMap(({ summary }) => objects([summary]));
  const choices = streams
    .slice(0, CHOICES_MAX)
    .map(({ id }) => ({ operation: verb.operation.name, input: { workflow: text(id) } }));
  return usage(message, usageOf(verb), choices);
}

const CHOICES_MAX = 5;

function changes({ operation }: Verb): boolean {
  const looks = "readOnly" in operation;
  return !looks && Object.hasOwn(operation.input.properties, "workflow");
}

const COMMON_LINES: readonly string[] = [
  "  --json  answer with one JSON object",
  "  --cwd <directory>  work there instead of here",
  "  --rules  name the code and the rule behind each refusal and finding",
  "  --full  long texts and lists in full",
];

const CHANGING: readonly string[] = [
  "  --as <kind:name>  who asks, such as agent:dsp-agent or person:ada",
  "  --session <name>  the session it belongs to; the lease is the session's",
  "  --fence <number>  refuse if the lease has changed hands since",
  "  --id <id>  an id of your own: the same one again answers what it answered before",
  "  --sign  sign it with your key, bound to what is shown",
  "  --key <file>  the key to sign with; without it, one of yours that counts here",
  "  --to-sign <file>  write what is to be signed on another machine; nothing is released yet",
  "  --signature <file>  hand in what ssh-keygen made of it there",
];

function optionLines(verb: Verb): readonly string[] {
  const words = wordsOf(verb).map(toOption);
  const named = Object.entries(optionsOf(verb));
  return [
    ...named
      .filter(([name]) => words.includes(name))
      .map(([name, { description }]) => `  <${name}>  ${description}`),
    ...named
      .filter(([name]) => !words.includes(name))
      .map(([name, { type, description }]) => `  --${name}${VALUES[type]}  ${description}`),
  ];
}

const VALUES = { string: " <value>", boolean: "", object: " <json>" } as const;

function startLines(options: StartOptionsOf): readonly string[] {
  return Object.entries(options).map(([name, { type, about, values = [] }]) => {
    const choice = values.length === 0 ? "" : ` (${values.join(", ")})`;
    return `  --${name}${VALUES[type]}  ${about}${choice}`;
  });
}

function protocolLine({ name, title }: Family["protocol"]): string {
  return `  ${name.padEnd(18)} ${title}; holdpoint start --help ${name}`;
}
