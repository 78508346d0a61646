import { textBody } from "../files/text.ts";
import { checksIn } from "../core/guards/checked.ts";
import { parseJson, showJson } from "../core/values/json.ts";
import { object, texts } from "../core/values/json-read.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import { openWorld } from "../engine/parts.ts";
import { diffOf } from "../files/diff.ts";
import type { Schema } from "../files/json/schema.ts";
import type { Act, Refusal } from "../core/decide/answer.ts";
import type { Family } from "../ports/family.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { flag, inputOf, values } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { toolsIn } from "./parts/tools.ts";
import type { Tool } from "./parts/tools.ts";
import { FLAG, TEXT, TEXTS, CHOICES, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import { shownHere, startable } from "./start.ts";

export type InitInput = {
  readonly yes?: boolean;
  readonly checks?: JsonObject;
  readonly noCoAuthor?: boolean;
};

/** What was found in a repository, and a configuration for it. */
export interface SetUp extends Answer {
  /** Protocols with files or journals here. */
  readonly protocols: readonly { readonly name: string; readonly title: string }[];
  /** Checks required by these protocols' gates for which no command is known. */
  readonly unknown: readonly string[];
  readonly adoptable: readonly string[];
  readonly checks: readonly { readonly name: string; readonly run: string; readonly why: string }[];
  readonly file: string;
  /** The text of the configuration, now and afterwards. */
  readonly before: string | null;
  readonly after: string;
  readonly diff: string;
  readonly written: boolean;
  /** Whether there is a commit: settings are read from commits. */
  readonly git: boolean;
  /** The file to remove to undo this, as named from the current directory. */
  readonly undo?: string;
  /** Clients found on this machine or in this repository, if the caller knows them. */
  readonly clients?: readonly { readonly name: string; readonly installed: boolean }[];
  readonly next: readonly (string | Act)[];
}

const SET_UP: Schema = answers(
  shape(
    {
      ok: FLAG,
      protocols: listOf(shape({ name: TEXT, title: TEXT })),
      unknown: TEXTS,
      adoptable: TEXTS,
      checks: listOf(shape({ name: TEXT, run: TEXT, why: TEXT })),
      file: TEXT,
      before: orNull(TEXT),
      after: TEXT,
      diff: TEXT,
      written: FLAG,
      git: FLAG,
      next: CHOICES,
    },
    { undo: TEXT, clients: listOf(shape({ name: TEXT, installed: FLAG })) },
  ),
);

export const init: Operation<InitInput, Answered<SetUp>> = told({
  name: "init",
  purpose: "Set a repository up: what is here, and a configuration for it",
  input: inputOf<InitInput>({
    required: {},
    optional: {
      yes: flag("write the configuration; without it, only say what would be written"),
      checks: values("the command of each check by its name; an empty one says that there is none"),
      noCoAuthor: flag("commits name no agent as co-author"),
    },
  }),
  result: SET_UP,
  examples: [{}, { yes: true }, { checks: { tests: "make check", build: "" }, yes: true }],
  readOnly: ({ yes }) => yes !== true,
  run,
});

const FILE = "holdpoint.config.json";

const BARE: Refusal = {
  code: "repository-bare",
  message: "This is a bare repository: it has no files that a workflow could be about",
  fix: "Set it up in a clone of it.",
  rule: "core",
};

async function run({ parts }: Context, input: InitInput): Promise<Answered<SetUp>> {
  const { yes = false } = input;
  if (parts.place.kind === "none" && parts.place.why === "bare") return refusedAnswer([BARE]);
  const world = openWorld(parts);
  const families = await startable(parts);
  const shown = await shownHere(parts, families);
  const found = await Promise.all(families.map(async (one) => await one.adopt.discover(world)));
  const journals = new Set((await parts.journal.list()).map(({ stream }) => stream));
  const adoptable = families.flatMap((family, index) =>
    (found[index] ?? []).filter((id) => !journals.has(`${family.protocol.name}:${id}`)),
  );
  const said = commandsIn(input.checks ?? {});
  const tools = withSaid(await toolsIn(parts.workspace), said);
  const now = await parts.workspace.read(FILE);
  if (now.kind === "unreadable") return refusedAnswer([unreadable(now)]);
  const before = now.kind === "text" ? now.text : null;
  const languages = [...new Set(tools.map(({ language }) => language))];
  const settings: JsonObject = Object.assign(
    {},
    ...shown.map((one) => one.starting.settings(languages)),
    input.noCoAuthor === true ? { coAuthor: false } : {},
  );
  const none = Object.keys(said).filter((name) => said[name]?.length === 0);
  const after = before ?? configText(tools, none, settings);
  const asked =
    shown.length === 0 ? ["tests"] : shown.flatMap(({ protocol }) => checksIn(protocol));
  const configured = Object.entries(object(object(parseJson(textBody(before ?? "")))["checks"]));
  const known = [...tools.map(({ check }) => check), ...none, ...configured.map(([name]) => name)];
  const writes = yes && before === null;
  if (writes) {
    const installed = await parts.workspace.install(FILE, after, null);
    if (installed.kind === "failed") return refusedAnswer([unreadable(installed)]);
  }
  const git = parts.place.kind === "repository";
  return {
    ok: true,
    protocols: shown.map(({ protocol: { name, title } }) => ({ name, title })),
    unknown: [...new Set(asked)].filter((name) => !known.includes(name)),
    adoptable,
    checks: [
      ...configured.map(([name, one]) => ({ name, run: runOf(object(one)), why: FILE })),
      ...tools
        .filter(({ check }) => configured.every(([name]) => name !== check))
        .map(({ check, run: words, why }) => ({ name: check, run: words.join(" "), why })),
    ],
    file: FILE,
    before,
    after,
    diff: diffOf(before ?? undefined, after),
    written: writes,
    git,
    next: [
      ...(git ? [] : ["git init"]),
      ...(before === null ? [`git add :/${FILE} && git commit -m "Set Holdpoint up"`] : []),
      ...(adoptable.length > 0 ? [{ operation: "adopt", input: { all: true, dryRun: true } }] : []),
      ...(adoptable.length === 0 ? shown.slice(0, 1).map(startOf) : []),
    ],
  };
}

function runOf({ run: words }: JsonObject): string {
  return texts(words).join(" ") || "none";
}

function startOf({ protocol: { name } }: Family): Act {
  return { operation: "start", input: { protocol: name } };
}

/** The words of each command; none for a check that the repository does not have. */
function commandsIn(given: JsonObject): Readonly<Record<string, readonly string[]>> {
  const rows = Object.entries(given).map(
    ([name, line]) => [name, wordsOf(showJson(line))] as const,
  );
  return Object.fromEntries(rows);
}

function wordsOf(line: string): readonly string[] {
  return line.split(/\s+/).filter((word) => word !== "");
}

/** A command given by the user replaces the one that was detected. */
function withSaid(
  seen: readonly Tool[],
  said: Readonly<Record<string, readonly string[]>>,
): readonly Tool[] {
  const rest = seen.filter(({ check }) => !Object.hasOwn(said, check));
  const given = Object.entries(said).flatMap(([check, run]) =>
    run.length === 0 ? [] : [{ language: languageOf(seen), check, run, why: "as you say" }],
  );
  return [...given, ...rest];
}

function languageOf([first]: readonly Tool[]): string {
  return first?.language ?? "";
}

function unreadable({ message, fix }: { readonly message: string; readonly fix: string }): {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
} {
  return { code: "config-unreadable", message, fix, rule: "core" };
}

const LINE_MAX = 80;

/** If no tests were found, the configuration says that the checks do not exist, and the user can fill them in. */
function configText(tools: readonly Tool[], none: readonly string[], settings: JsonObject): string {
  const checks: Record<string, Json> = {};
  for (const check of none) checks[check] = { none: "there is none yet" };
  for (const { check, run } of tools) checks[check] = { run: [...run], minutes: 10 };
  const text = JSON.stringify({ checks, ...settings }, undefined, 2);
  // Lists of words are easier to read on one line.
  const lean = text.replaceAll(/\[\s+("[^[\]]*?")\s+\]/g, (whole, words: string) => {
    const line = `[${words.replaceAll(/,\s+/g, ", ")}]`;
    return line.length <= LINE_MAX ? line : whole;
  });
  return `${lean}\n`;
}
