import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject, parseJson, showJson, toJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { failedAnswer, refusedAnswer, usage } from "../../operations/parts/answers.ts";
import type { Taken } from "../../operations/parts/answers.ts";
import { inputProblem } from "../../operations/index.ts";
import { next } from "../../operations/next.ts";
import type { NextSteps } from "../../operations/next.ts";
import type { Answer, Context } from "../../operations/operation.ts";
import type { StatusAnswer } from "../../operations/status.ts";
import { startable } from "../../operations/start.ts";
import type { Family } from "../../ports/family.ts";
import { fenceBreaches } from "../../engine/fence/standing.ts";
import { readInput, readWords, usageOf } from "./args.ts";
import type { StartOptionsOf, Typed } from "./args.ts";
import { Unanswered } from "./terminal/ask-here.ts";
import { callerOf } from "./caller.ts";
import { fit, widthOf } from "./terminal/fit.ts";
import { useFull } from "./terminal/fold.ts";
import { shortCardOf, withAgain } from "./text/short-card.ts";
import { confirmHere } from "./confirm.ts";
import { COMMANDS } from "./commands.ts";
import type { Command } from "./commands.ts";
import { beforeCommand, helpReply, incomplete, noVerb, optionsHelp, verbHelp } from "./help.ts";
import { open } from "./open.ts";
import { err, out } from "./terminal/out.ts";
import type { Opened } from "./open.ts";
import { packageRoot } from "./package-root.ts";
import { phrased } from "./text/phrase.ts";
import { terminalOf } from "./terminal/terminal.ts";
import { exitOf, failedText, isFailed, isRefused, isTaken, refusedText } from "./text/reply.ts";
import { failureOf } from "../failure.ts";
import { startTicker, tickingParts } from "./terminal/ticker.ts";
import {
  printable,
  printableJson,
  safe,
  styleFor,
  useStyle,
  wantsColour,
} from "./terminal/style.ts";
import type { More, Reply, Verb } from "./verb.ts";
import { VERBS } from "./verbs/index.ts";

/** Runs one command line: prints the answer and returns the exit code. Nothing a user does makes it throw. */
export async function main(argv: readonly string[]): Promise<number> {
  useFull(argv.includes("--full"));
  useStyle(styleFor(wantsColour(out, process.env)), { rules: argv.includes("--rules") });
  const json = argv.includes("--json");
  const reply = await run(argv, json).catch((error: unknown) =>
    error instanceof Unanswered ? replyTo(refusedAnswer([error.refusal])) : crashed(error),
  );
  print(reply, json);
  return reply.exit;
}

/** Answers go to standard output, errors to standard error. */
function print(reply: Reply, json: boolean): void {
  if (json) out.write(`${printableJson(reply.json)}\n`);
  else if (reply.text !== "") {
    const stream = "error" in reply.json ? err : out;
    const text = reply.whole === true ? reply.text : fit(reply.text, widthOf(stream, process.env));
    stream.write(`${printable(text)}\n`);
  }
}

function crashed(error: unknown): Reply {
  if (process.env["HOLDPOINT_DEBUG"] !== undefined && error instanceof Error)
    err.write(`${printable(error.stack ?? "")}\n`);
  return replyTo(failureOf(error));
}

async function run(argv: readonly string[], json: boolean): Promise<Reply> {
  const [name, ...rest] = argv;
  const helps = name === "--help" || name === "-h" || name === "help";
  if (helps && rest[0] === "options") return optionsHelp();
  if (helps && rest[0] !== undefined) return await run([...rest, "--help"], json);
  if (name === undefined || helps) return helpReply();
  if (name === "--version") return versionReply();
  // `doctor store` works even if the store cannot be opened.
  if (name === "doctor" && rest[0] === "store")
    return await run(["store", "check", ...rest.slice(1)], json);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return await runCommand(name, command, rest);
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb === undefined) return replyTo(noVerb(name));
  if (verb.hides !== undefined) return await runStart(verb, rest, json);
  const typed = readWords(verb, rest);
  if ("ok" in typed) return replyTo(typed);
  if (typed.flags["help"] === true) return verbHelp(verb);
  return await runVerb(verb, typed, json);
}

async function runCommand(name: string, command: Command, args: readonly string[]): Promise<Reply> {
  const first = beforeCommand(name, command, args);
  if (first !== undefined) return "exit" in first ? first : replyTo(first);
  // It prints its own progress.
  for (const one of [out, err]) one.stream();
  const reply = await command.run(args);
  return "exit" in reply ? reply : replyTo(reply);
}

/** The options of `start` depend on the protocol, so the protocols are loaded before the words are read. */
async function runStart(verb: Verb, args: readonly string[], json: boolean): Promise<Reply> {
  const helps = args.includes("--help") || args.includes("-h");
  const opened = await open(resolve(rawOption(args, "cwd") ?? "."), helps);
  if (opened.kind === "failed") return replyTo(failedAnswer(opened));
  const { composed } = opened;
  try {
    const families = await startable(composed.parts);
    const names = families.map((one) => one.protocol.name);
    const named = rawOption(args, "protocol") ?? args.find((one) => helps && names.includes(one));
    const meant = families.filter((one) => one.protocol.name === named);
    const offered = meant.length > 0 ? meant : families;
    const options: StartOptionsOf = Object.assign({}, ...offered.map(optionsOf));
    const typed = readWords(verb, args, options);
    if ("ok" in typed) return replyTo(typed);
    if (helps) return verbHelp(verb, offered);
    return await runWith(verb, { typed, opened, json, options });
  } finally {
    await composed.parts.journal.close();
  }
}

function optionsOf({ starting }: Family): StartOptionsOf {
  return starting.options;
}

/** Reads an option before it is known which options exist. */
function rawOption(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  if (at >= 0) return args[at + 1];
  return args.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
}

async function runVerb(verb: Verb, typed: Typed, json: boolean): Promise<Reply> {
  const input = readInput(verb, typed);
  const looks = !isAnswer(input) && verb.operation.readOnly?.(input) === true;
  const cwd = resolve(textOf(typed.flags["cwd"]) ?? ".");
  const opened = await open(cwd, looks);
  if (opened.kind === "failed") return replyTo(failedAnswer(opened));
  try {
    return await runWith(verb, { typed, opened, json });
  } finally {
    await opened.composed.parts.journal.close();
  }
}

interface Run {
  readonly typed: Typed;
  readonly opened: Opened;
  readonly json: boolean;
  readonly options?: StartOptionsOf;
}

async function runWith(verb: Verb, { typed, opened, json, options }: Run): Promise<Reply> {
  const { composed } = opened;
  const { flags } = typed;
  const caller = callerOf(process.env, {
    as: textOf(flags["as"]),
    session: textOf(flags["session"]),
    fence: textOf(flags["fence"]),
  });
  if (typeof caller === "string") return replyTo(usage(caller, "Example: --as agent:dsp-agent"));
  const input = readInput(verb, typed, options);
  if (isAnswer(input)) return replyTo(input);
  const terminal = terminalOf(json);
  const progress = (line: string): void => terminal.note(safe(line));
  const { parts } = composed;
  const confirm = confirmHere(parts.signatures, {
    signs: flags["sign"] === true,
    key: textOf(flags["key"]),
    toSign: textOf(flags["to-sign"]),
    signature: textOf(flags["signature"]),
    top: parts.place.kind === "repository" ? parts.place.top : "",
  });
  const context = { parts, caller: { ...caller, confirm }, progress };
  const ready = (await verb.prepare?.({ context, flags, terminal, phrase }, input)) ?? input;
  if (isAnswer(ready)) return replyTo(ready, verb);
  const wrong = inputProblem(verb.operation, ready);
  if (wrong !== undefined) return replyTo(await incomplete(verb, context, wrong));
  const id = textOf(flags["id"]);
  const workflow = asText(ready["workflow"]);
  if (id === undefined) {
    const { name } = verb.operation;
    const ticker = startTicker(err, ASKING.has(name) ? undefined : name);
    const told = (line: string): void => {
      ticker.clear();
      progress(line);
    };
    const ticking = { ...context, parts: tickingParts(parts, ticker), progress: told };
    const done = await runOrLeave(verb, ticking, ready, opened).finally(ticker.stop);
    const answer = json || !isTaken(done) ? done : await withAgain(parts, done);
    const ahead = json ? undefined : await aheadOf(context, answer);
    const card = json || !asks(answer) ? undefined : await shortCardOf(parts, answer);
    return replyTo(answer, verb, {
      flags,
      ...(ahead === undefined ? {} : { ahead }),
      ...(card === undefined ? {} : { card }),
    });
  }
  if (workflow === undefined || verb.operation.readOnly?.(ready) === true)
    return replyTo(usage("--id is for commands that change a workflow.", usageOf(verb)));
  const { runOnce } = await import("../../operations/parts/once.ts");
  return replyTo(await runOnce(verb.operation, context, ready, { id, workflow }), verb);
}

/** Verbs that may ask for a passphrase get no progress line, except while checks run. */
const ASKING: ReadonlySet<string> = new Set(["answer", "approve", "keys", "policy", "fence"]);

/**
 * Runs the command, or leaves it in the inbox if an agent's shell may not write to the store. Commands left
 * earlier are taken in first.
 */
async function runOrLeave(
  verb: Verb,
  context: Context,
  input: JsonObject,
  { composed, shut }: Opened,
): Promise<Answer> {
  const { operation } = verb;
  if (operation.readOnly?.(input) === true) {
    // Warnings about the fence are shown with every command that changes something.
    if (operation.name !== "fence")
      for (const line of await fenceBreaches(context.parts)) context.progress?.(`! ${line}`);
    return await operation.run(context, input);
  }
  const { leaveCommand, isDenied, isShut, isUnwritten, takeInLeft } = await import("./left.ts");
  const agent = context.caller.actor.kind === "agent";
  if (shut !== undefined) return agent ? leaveCommand(verb, context, input) : failedAnswer(shut);
  await takeInLeft(context);
  const leaves = (): boolean => agent && isShut(composed.dir);
  try {
    const answer = await operation.run(context, input);
    return isUnwritten(answer) && leaves() ? leaveCommand(verb, context, input) : answer;
  } catch (error) {
    if (isDenied(error) && leaves()) return leaveCommand(verb, context, input);
    throw error;
  }
}

/** Looks up what can be done next, if the answer shows a workflow without an open question. */
async function aheadOf(context: Context, answer: Answer): Promise<NextSteps | undefined> {
  if (!stands(answer) || answer.held.length > 0 || answer.closing !== undefined) return undefined;
  const told = await next.run(context, { workflow: `${answer.protocol}:${answer.workflow}` });
  if (!("candidates" in told)) return undefined;
  return phrase(told);
}

function phrase<T extends Answer>(answer: T): T {
  const said = phrased(VERBS, toJson(answer));
  return isJsonObject(said) ? { ...answer, ...said } : answer;
}

function stands(answer: Answer): answer is Taken | StatusAnswer {
  return isTaken(answer) || "details" in answer;
}

function asks(answer: Answer): answer is Taken | StatusAnswer | NextSteps {
  return stands(answer) || "candidates" in answer;
}

function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Tells an answer apart from typed input, which is also an object. */
function isAnswer(value: JsonObject | Answer): value is Answer {
  return typeof value["ok"] === "boolean";
}

/** The answer for the command line: one object, one text, one exit code. */
function replyTo(answer: Answer, verb?: Verb, more: More = { flags: {} }): Reply {
  const told = phrased(VERBS, toJson(answer));
  const json = isJsonObject(told) ? told : {};
  const { remarks: _remarks, page: _page, ...lean } = json;
  const said: Answer = { ...json, ok: answer.ok };
  if (isFailed(said)) return { exit: exitOf(said), json: lean, text: failedText(said) };
  if (isRefused(said)) return { exit: exitOf(said), json: lean, text: refusedText(said) };
  return {
    exit: verb?.exit?.(said) ?? exitOf(said),
    json: lean,
    text: verb?.text(said, more) ?? "",
    ...(verb?.whole === true ? { whole: true } : {}),
  };
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function versionReply(): Reply {
  const parsed = parseJson(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  const version = isJsonObject(parsed) ? showJson(parsed["version"]) : "unknown";
  return { exit: 0, json: { ok: true, version }, text: version };
}
