import type { RunRequest } from "../../core/decide/answer.ts";
import { isFresh } from "../../core/guards/fresh.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  member,
  showJson,
} from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Bound, Finding, Workflow } from "../../core/state/state.ts";
import type { CheckConfig, Family } from "../../ports/family.ts";
import type { RunResult } from "../../ports/runner.ts";
import { ENGINE } from "../caller.ts";
import { handle } from "../handle.ts";
import type { Request } from "../handle.ts";
import { watch } from "./judged.ts";
import type { Written } from "./judged.ts";
import { checksOf, lookUp } from "./look.ts";
import type { Failed, Outcome, Ran } from "../outcome.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";

/** Handles a command and runs the checks that its rows require. */
export async function handleChecked(parts: Parts, request: Omit<Request, "run">): Promise<Outcome> {
  const { family } = request;
  const run: Request["run"] = async (state, runs) =>
    await runChecks(parts, { family, state }, runs);
  return await handle(parts, { ...request, run });
}

/**
 * Runs the checks that `decide` asked for, unless there is already a result for exactly this tree. Each result
 * becomes a finding bound to what the check ran on, so it goes stale when that changes.
 */
async function runChecks(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  runs: readonly RunRequest[],
): Promise<Ran | Failed> {
  const warnings: string[] = [];
  for (const run of runs) {
    const checks = await checksOf(openWorld(parts), family, state, run.check);
    if (checks.length === 0) continue;
    const look = (): Promise<Bound> => lookUp(family, openWorld(parts), state, run.binds);
    const bound = await look();
    if (isKnown(state, run.check, bound)) continue;
    const at = family.checks.at(state, run.unit);
    const watched = await watch(parts, { family, state, at, bound });
    const ran = await runAll(parts, checks, at);
    const written = await watched.written();
    const after = await look();
    const seen = { check: run.check, bound, after, written, ran };
    const recorded = await record(parts, { family, state }, seen);
    if (recorded.kind === "failed") return recorded;
    warnings.push(...recorded.warnings);
  }
  return { kind: "ran", warnings };
}

interface CheckRun {
  readonly check: CheckConfig;
  readonly result: RunResult;
  readonly at: string;
}

/** Runs every check even after one failed, so that a person sees everything that is wrong. */
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

/** Whether a passing result is already known. A failure may have been the machine's fault and is run again. */
function isKnown(state: Workflow, check: string, bound: Bound): boolean {
  return Object.values(state.findings).some(
    (one) =>
      one.kind === check &&
      one.value === "passed" &&
      Object.keys(bound).every((key) => Object.hasOwn(one.bound, key)) &&
      isFresh((key) => bound[key], one.bound),
  );
}

function nameOf({ name, run }: CheckConfig): string {
  return name ?? run.join(" ");
}

const TAIL_CHARS = 2_000;

/** How much of the output is kept in the workflow's state. */
const KEPT_CHARS = 500;

async function record(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  run: {
    readonly check: string;
    readonly bound: Bound;
    readonly after: Bound;
    /** Judged files that were written during the run, even if they have the same content again. */
    readonly written: Written;
    readonly ran: readonly CheckRun[];
  },
): Promise<Ran | Failed> {
  const { check, bound, after, ran, written } = run;
  const left = leftBehind(state.findings[`${ROOT} ${check} engine`], bound, after);
  const isOther = isOtherDigest(bound, after);
  const isVoid = isOther || (written.touched.length > 0 && isSame(bound, after));
  const changed = isOther ? [...written.touched, ...written.added] : written.touched;
  const evidence = true as const;
  const request = { family, workflow: state.id, actor: ENGINE, session: "engine", evidence };
  // The output is stored before the result, so that no result is recorded without its evidence.
  const all = await Promise.all(ran.map((one) => evidenceOf(parts, one)));
  const runs = isVoid ? all.map((one) => ({ ...one, passed: false })) : all;
  const text = runs.map(tell).join("\n");
  const noted = await handle(parts, {
    ...request,
    command: { type: "note.add", list: "runs", tag: check, text },
  });
  if (noted.kind === "failed") return noted;
  const finding = await handle(parts, {
    ...request,
    command: {
      type: "finding.record",
      unit: ROOT,
      kind: check,
      by: "engine",
      value: isVoid ? "void" : valueOf(ran),
      // A void result (the check changed the files it judged) is bound to the files as they are now.
      bound: isVoid ? after : bound,
      detail: {
        runs: runs.map((one) => ({ ...one, tail: one.tail.slice(-KEPT_CHARS) })),
        ...left,
        ...(isVoid ? { changed: changed.slice(0, PATHS_MAX) } : {}),
      },
    },
  });
  if (finding.kind === "failed") return finding;
  return { kind: "ran", warnings: [noted, finding].flatMap(({ warnings = [] }) => warnings) };
}

function hasPassed(result: RunResult): boolean {
  return result.kind === "exited" && result.code === 0;
}

function valueOf(ran: readonly CheckRun[]): "passed" | "failed" | "not-run" {
  if (ran.every(({ result }) => hasPassed(result))) return "passed";
  return ran.some(({ result }) => result.kind !== "failed" && !hasPassed(result))
    ? "failed"
    : "not-run";
}

function isSame(before: Bound, after: Bound): boolean {
  return canonicalJson(before) === canonicalJson(after);
}

/**
 * Whether a digest has changed. Facts that list files are left out: the family decides what their changes mean.
 */
function isOtherDigest(before: Bound, after: Bound): boolean {
  return Object.entries(after).some(
    ([key, now]) => !isJsonObject(now) && canonicalJson(before[key] ?? null) !== canonicalJson(now),
  );
}

const PATHS_MAX = 100;

/** Files that the run created or changed among those it was judging. */
function leftBehind(last: Finding | undefined, before: Bound, after: Bound): JsonObject {
  // What an earlier run wrote may no longer be in the facts, but it is still not anybody's work.
  const known = [last?.detail?.["wrote"], last?.detail?.["changed"]];
  const wrote = new Set(known.flatMap((one) => (isJsonArray(one) ? one.map(showJson) : [])));
  const changed = new Set<string>();
  for (const [key, now] of Object.entries(after)) {
    const was = before[key];
    if (!isJsonObject(was) || !isJsonObject(now)) continue;
    for (const path of new Set([...Object.keys(was), ...Object.keys(now)])) {
      if (canonicalJson(member(was, path) ?? null) === canonicalJson(member(now, path) ?? null))
        continue;
      (Object.hasOwn(was, path) ? changed : wrote).add(path);
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
  readonly program?: string;
}

/** The command, how and when it ended, the digest of its whole output, and the end of the output. */
async function evidenceOf(parts: Parts, { check, result, at }: CheckRun): Promise<Evidence> {
  const output = result.kind === "failed" ? result.message : result.output;
  return {
    name: nameOf(check),
    passed: hasPassed(result),
    ended: endOf(result),
    at,
    ms: result.kind === "failed" ? 0 : result.ms,
    output: await parts.blobs.put(output),
    tail: output.slice(-TAIL_CHARS),
    ...("program" in result ? { program: result.program } : {}),
  };
}

function endOf(result: RunResult): string {
  if (result.kind === "exited") return `exit ${result.code}`;
  return result.kind === "timeout" ? "timeout" : result.message;
}

/** One line for each run, followed by its output, if any. */
function tell({ name, ended, ms, output, tail, program }: Evidence): string {
  const said = tail.trimEnd();
  const by = program === undefined ? "" : ` (${program})`;
  return `${name}${by}: ${ended} after ${ms} ms, output ${output}${said === "" ? "" : `\n${said}`}`;
}
