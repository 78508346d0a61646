import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compose } from "../../compose.ts";
import { isJsonObject, parseJson, showJson } from "../../core/json.ts";
import { packageRoot } from "./package-root.ts";
import type { Failed } from "../../engine/outcome.ts";
import { callerOf } from "./caller.ts";
import { interruption } from "./interruption.ts";
import { failedReply, usageReply } from "./reply.ts";
import { styleFor, useStyle, wantsColour } from "./style.ts";
import type { Reply, Terminal, Verb } from "./verb.ts";
import { adoptVerb } from "./verbs/adopt.ts";
import { advanceVerb } from "./verbs/advance.ts";
import { agentsVerb } from "./verbs/agents.ts";
import { answerVerb } from "./verbs/answer.ts";
import { approveVerb } from "./verbs/approve.ts";
import { askVerb } from "./verbs/ask.ts";
import { auditVerb } from "./verbs/audit.ts";
import { graphVerb } from "./verbs/graph.ts";
import { listVerb } from "./verbs/list.ts";
import { lockVerb } from "./verbs/lock.ts";
import { nextVerb } from "./verbs/next.ts";
import { reconcileVerb } from "./verbs/reconcile.ts";
import { reportVerb } from "./verbs/report.ts";
import { startVerb } from "./verbs/start.ts";
import { statusVerb } from "./verbs/status.ts";
import { verifyVerb } from "./verbs/verify.ts";

/**
 * Every verb. They are read with the program, because each file it is in costs more to open than the verbs
 * cost to read; what a workflow's family brings is large, and is read when it is met.
 */
const VERBS: Readonly<Record<string, Verb>> = {
  start: startVerb,
  list: listVerb,
  status: statusVerb,
  next: nextVerb,
  advance: advanceVerb,
  report: reportVerb,
  ask: askVerb,
  answer: answerVerb,
  approve: approveVerb,
  verify: verifyVerb,
  reconcile: reconcileVerb,
  adopt: adoptVerb,
  lock: lockVerb,
  agents: agentsVerb,
  audit: auditVerb,
  graph: graphVerb,
};

const COMMON = {
  json: { type: "boolean" },
  cwd: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  as: { type: "string" },
  session: { type: "string" },
  fence: { type: "string" },
} as const;

/** Run one command line. Prints the answer and gives the exit code; nothing a user can do makes it throw. */
export async function main(argv: readonly string[]): Promise<number> {
  useStyle(styleFor(wantsColour(process.stdout, process.env)));
  // Whoever read our answer may stop reading: what was done is done, and the exit code still says so.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const json = argv.includes("--json");
  const reply = await run(argv, json).catch((error: unknown) => crashed(error));
  print(reply, json);
  return reply.exit;
}

/** An answer goes to standard output; that there is none, and why, goes to standard error. */
function print(reply: Reply, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(reply.json)}\n`);
  else if (reply.text !== "")
    ("error" in reply.json ? process.stderr : process.stdout).write(`${reply.text}\n`);
}

function crashed(error: unknown): Reply {
  const message = error instanceof Error ? error.message : String(error);
  if (process.env["HOLDPOINT_DEBUG"] !== undefined && error instanceof Error)
    process.stderr.write(`${error.stack ?? ""}\n`);
  const system = systemFailure(error);
  if (system !== undefined) return failedReply(system);
  return failedReply({
    code: "internal",
    message,
    fix: "This is a mistake in Holdpoint; HOLDPOINT_DEBUG=1 shows where.",
  });
}

/** A full disk or a missing right, met where nobody expected it: the machine's failure, not the program's. */
function systemFailure(error: unknown): Omit<Failed, "kind"> | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  const { message } = error;
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return {
        code: "disk-full",
        message: `The disk is full: ${message}`,
        fix: "Free some space, then try again; holdpoint status shows where the workflow stands.",
      };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return {
        code: "denied",
        message: `Not allowed: ${message}`,
        fix: "Give this user the right to read and write it, then try again.",
      };
    default:
      return {
        code: "io",
        message: `The system says ${message}`,
        fix: "Look at what it names, put it right, then try again.",
      };
  }
}

async function run(argv: readonly string[], json: boolean): Promise<Reply> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help")
    return helpReply();
  if (name === "--version") return versionReply();
  if (name === "demo") return await (await import("./demo/demo.ts")).runDemo(rest);
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb === undefined)
    return usageReply(
      `There is no verb "${name}".`,
      `Verbs: ${Object.keys(VERBS).join(", ")}, demo.`,
    );
  const parsed = parse(verb, rest);
  if ("exit" in parsed) return parsed;
  if (parsed.values["help"] === true) return verbHelp(name, verb);
  return await runVerb(verb, parsed, json);
}

interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

function parse(verb: Verb, args: readonly string[]): Parsed | Reply {
  const own = Object.fromEntries(
    Object.entries(verb.options).map(([option, { type }]) => [option, { type }]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...own, ...COMMON },
      allowPositionals: true,
    });
    return { values, positionals };
  } catch (error) {
    return usageReply(
      error instanceof Error ? error.message : "The command line cannot be read.",
      `Usage: holdpoint ${verb.usage}`,
    );
  }
}

async function runVerb(verb: Verb, { values, positionals }: Parsed, json: boolean): Promise<Reply> {
  const caller = callerOf(process.env, {
    as: text(values["as"]),
    session: text(values["session"]),
    fence: text(values["fence"]),
  });
  if (typeof caller === "string") return usageReply(caller, "Example: --as agent:dsp-agent");
  const cwd = resolve(text(values["cwd"]) ?? ".");
  const composed = await compose({ cwd, readOnly: verb.readOnly?.(values) === true });
  if (composed.kind === "failed") return failedReply(composed);
  const { parts } = composed;
  try {
    return await verb.run({
      parts,
      caller,
      args: positionals,
      flags: values,
      terminal: terminalOf(json),
    });
  } finally {
    await parts.journal.close();
  }
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const INPUT_CHARS_MAX = 4 * 1024 * 1024;

function terminalOf(json: boolean): Terminal {
  return {
    // In this order: only to look at standard input opens it, and most calls are not from a terminal.
    interactive: !json && process.stdout.isTTY && process.stdin.isTTY,
    json,
    readInput: async () => {
      let input = "";
      for await (const chunk of process.stdin.setEncoding("utf8")) {
        input += String(chunk);
        if (input.length > INPUT_CHARS_MAX) return undefined;
      }
      return input;
    },
    ask: async (prompt) => {
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return await lines.question(prompt);
      } finally {
        lines.close();
      }
    },
    note: (line) => process.stderr.write(`${line}\n`),
    print: (line) => process.stdout.write(`${line}\n`),
    ...interruption(),
  };
}

function helpReply(): Reply {
  const rows = Object.entries(VERBS).map(
    ([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`,
  );
  const lines = [
    "holdpoint: workflows that agents cannot skip, fake or lose",
    "",
    "Usage: holdpoint <verb> [arguments] [--json] [--cwd <directory>]",
    "",
    ...rows,
    `  ${"demo".padEnd(10)} Watch a whole workflow with agents that lie, cheat and die`,
    "",
    "Every verb has --help with examples.",
    "Exit codes: 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease.",
  ];
  return {
    exit: 0,
    json: { ok: true, verbs: [...Object.keys(VERBS), "demo"] },
    text: lines.join("\n"),
  };
}

function verbHelp(name: string, verb: Verb): Reply {
  const options = Object.entries(verb.options).map(
    ([option, { about, type }]) => `  --${option}${type === "string" ? " <value>" : ""}  ${about}`,
  );
  const lines = [
    verb.summary,
    "",
    `Usage: holdpoint ${verb.usage}`,
    "",
    ...options,
    "  --json  answer with one JSON object",
    "  --cwd <directory>  work there instead of here",
    "",
    "Examples:",
    ...verb.examples.map((example) => `  ${example}`),
  ];
  return { exit: 0, json: { ok: true, verb: name, usage: verb.usage }, text: lines.join("\n") };
}

function versionReply(): Reply {
  const parsed = parseJson(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  const version = isJsonObject(parsed) ? showJson(parsed["version"]) : "unknown";
  return { exit: 0, json: { ok: true, version }, text: version };
}
