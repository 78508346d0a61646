import type { Command } from "../core/commands.ts";
import { isFresh } from "../core/guard.ts";
import { canonicalJson, isJsonArray, isJsonObject, member, showJson } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { matchAnswer } from "../core/match-answer.ts";
import type { RunRow } from "../core/protocol.ts";
import { ROOT } from "../core/state.ts";
import type { Bound, Finding, Workflow } from "../core/state.ts";
import type { CheckConfig, Family } from "../ports/family.ts";
import type { RunResult } from "../ports/runner.ts";
import { handle } from "./handle.ts";
import { lookUp } from "./look.ts";
import type { Failed } from "./outcome.ts";
import { openWorld } from "./parts.ts";
import type { Parts } from "./parts.ts";

export type Ran = { readonly kind: "ran"; readonly runs: readonly string[] } | Failed;

/**
 * Run the checks a command's row asks for, unless a result for exactly this tree is there already. Each
 * result is a finding, bound to what it ran on: it goes stale by itself when that changes.
 */
export async function runChecks(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  command: Command,
): Promise<Ran> {
  const runs: string[] = [];
  for (const row of rowsOf(family, state, command)) {
    const checks = await configured(parts, family, state, row.check);
    if (checks.length === 0) continue;
    const unit = unitOf(state, command);
    const bound = await bindRow(parts, { family, state }, row, unit);
    if (isKnown(state, row.check, bound, checks)) continue;
    const ran = await runAll(parts, checks, family.checks.at(state, unit));
    const after = await bindRow(parts, { family, state }, row, unit);
    const recorded = await record(parts, { family, state }, { row, bound, after, ran });
    if (recorded !== undefined) return recorded;
    runs.push(row.check);
  }
  return { kind: "ran", runs };
}

/** The repository names its checks in the configuration, a workflow may bring its own. */
async function configured(
  parts: Parts,
  family: Family,
  state: Workflow,
  name: string,
): Promise<readonly CheckConfig[]> {
  const check = parts.config.checks[name];
  if (check !== undefined) return [check];
  return await family.checks.own(openWorld(parts), state, name);
}

interface CheckRun {
  readonly check: CheckConfig;
  readonly result: RunResult;
  readonly at: string;
}

/** Every check runs, also after one failed: a person wants to see all that is wrong. */
async function runAll(
  parts: Parts,
  checks: readonly CheckConfig[],
  at: string,
): Promise<readonly CheckRun[]> {
  const { root } = parts.workspace;
  const cwd = at === "" ? root : `${root}/${at}`;
  const ran: CheckRun[] = [];
  for (const check of checks) {
    const options = { cwd, msMax: check.minutes * 60_000 };
    const at = parts.clock.now();
    ran.push({ check, result: await parts.runner.run(check.run, options), at });
  }
  return ran;
}

function rowsOf(family: Family, state: Workflow, command: Command): readonly RunRow[] {
  const { kinds, root, dispatches } = family.protocol;
  if (command.type === "unit.move") {
    const kind = state.units[command.unit]?.kind ?? root;
    const at = state.units[command.unit]?.at ?? "";
    const row = kinds[kind]?.moves.find((one) => one.id === command.move && one.from.includes(at));
    return row?.runs ?? [];
  }
  if (command.type === "dispatch.report") {
    const rows = dispatches[state.dispatches[command.dispatch]?.spec ?? ""]?.runs ?? [];
    return rows.filter((row) => row.outcomes?.includes(command.claim.outcome) ?? true);
  }
  if (command.type !== "decision.answer") return [];
  if (!resubmits(family, state, command)) return [];
  const parked = Object.values(state.dispatches).find((one) => one.status === "parked");
  return dispatches[parked?.spec ?? ""]?.runs ?? [];
}

/** An answer may set a parked report free again, which then needs its checks; looking at details does not. */
function resubmits(
  { protocol }: Family,
  { decisions }: Workflow,
  { decision: id, text }: Extract<Command, { type: "decision.answer" }>,
): boolean {
  const decision = member(decisions, id);
  const question = protocol.questions[decision?.question ?? ""];
  if (decision === undefined || question === undefined) return false;
  const option = matchAnswer(question, decision, text)?.option;
  return typeof option === "object" && option.does.some((one) => one.do === "resubmit");
}

/** The unit a command is about: what it moves, or whose report it is. */
function unitOf(state: Workflow, command: Command): string {
  if (command.type === "unit.move") return command.unit;
  if (command.type === "dispatch.report") return state.dispatches[command.dispatch]?.unit ?? ROOT;
  return ROOT;
}

async function bindRow(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  row: RunRow,
  unit: string,
): Promise<Bound> {
  const keys = row.binds.map((key) => key.replaceAll("{id}", state.id).replaceAll("{unit}", unit));
  return await lookUp(family, openWorld(parts), state, keys);
}

/** Only a pass is reused: a failure may have been the machine's, and is worth another run. */
function isKnown(
  state: Workflow,
  check: string,
  bound: Bound,
  checks: readonly CheckConfig[],
): boolean {
  return Object.values(state.findings).some(
    (one) =>
      one.kind === check &&
      one.value === "passed" &&
      isFresh((key) => bound[key], one.bound) &&
      speaksFor(one, checks),
  );
}

/** A check that was added since has not been run, whatever the others came to. */
function speaksFor({ detail }: Finding, checks: readonly CheckConfig[]): boolean {
  const runs = detail?.["runs"];
  if (!isJsonArray(runs)) return true;
  const ran = new Set(runs.map((one) => (isJsonObject(one) ? one["name"] : one)));
  return checks.every((check) => ran.has(nameOf(check)));
}

function nameOf({ name, run }: CheckConfig): string {
  return name ?? run.join(" ");
}

const TAIL_CHARS = 2_000;

/** Of the output, what the state itself carries along. */
const KEPT_CHARS = 500;

async function record(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  run: {
    readonly row: RunRow;
    readonly bound: Bound;
    readonly after: Bound;
    readonly ran: readonly CheckRun[];
  },
): Promise<Failed | undefined> {
  const { row, bound, after, ran } = run;
  const value = ran.every(({ result }) => hasPassed(result)) ? "passed" : "failed";
  const request = { family, workflow: state.id, actor: ENGINE, session: "engine" };
  // What was run and what it printed comes first: a result never stands there without its evidence.
  const runs = await Promise.all(ran.map((one) => evidenceOf(parts, one)));
  const text = runs.map(tell).join("\n");
  const noted = await handle(parts, {
    ...request,
    command: { type: "note.add", list: "runs", tag: row.check, text },
  });
  if (noted.kind === "failed") return noted;
  const finding = await handle(parts, {
    ...request,
    command: {
      type: "finding.record",
      unit: ROOT,
      kind: row.check,
      by: "engine",
      value,
      bound,
      detail: {
        runs: runs.map((one) => ({ ...one, tail: one.tail.slice(-KEPT_CHARS) })),
        ...leftBehind(state.findings[`${ROOT} ${row.check} engine`], bound, after),
      },
    },
  });
  return finding.kind === "failed" ? finding : undefined;
}

const ENGINE = { kind: "engine", name: "holdpoint" } as const;

function hasPassed(result: RunResult): boolean {
  return result.kind === "exited" && result.code === 0;
}

/** What a run left behind in the files it was to judge: new ones, and ones it changed under its own feet. */
function leftBehind(last: Finding | undefined, before: Bound, after: Bound): JsonObject {
  // What an earlier run wrote may be left out of the facts by now; it is still not anybody's work.
  const known = [last?.detail?.["wrote"], last?.detail?.["changed"]];
  const wrote = new Set(known.flatMap((one) => (isJsonArray(one) ? one.map(showJson) : [])));
  const changed = new Set<string>();
  for (const [key, now] of Object.entries(after)) {
    const was = before[key];
    if (!isJsonObject(was) || !isJsonObject(now)) continue;
    for (const path of new Set([...Object.keys(was), ...Object.keys(now)])) {
      if (canonicalJson(was[path] ?? null) === canonicalJson(now[path] ?? null)) continue;
      (path in was ? changed : wrote).add(path);
    }
  }
  return {
    ...(wrote.size === 0 ? {} : { wrote: [...wrote] }),
    ...(changed.size === 0 ? {} : { changed: [...changed] }),
  };
}

interface Evidence {
  readonly name: string;
  readonly passed: boolean;
  readonly ended: string;
  readonly at: string;
  readonly ms: number;
  readonly output: string;
  readonly tail: string;
}

/** What was run, how and when it ended, the digest of all it printed, and the end of it. */
async function evidenceOf(parts: Parts, { check, result, at }: CheckRun): Promise<Evidence> {
  const output = result.kind === "failed" ? result.message : result.output;
  return {
    name: nameOf(check),
    passed: hasPassed(result),
    ended: result.kind === "exited" ? `exit ${result.code}` : result.kind,
    at,
    ms: result.kind === "failed" ? 0 : result.ms,
    output: await parts.blobs.put(output),
    tail: output.slice(-TAIL_CHARS),
  };
}

/** One line for each; what it printed follows, if it printed anything. */
function tell({ name, ended, ms, output, tail }: Evidence): string {
  const said = tail.trimEnd();
  return `${name}: ${ended} after ${ms} ms, output ${output}${said === "" ? "" : `\n${said}`}`;
}
