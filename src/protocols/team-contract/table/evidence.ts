import { rootOf } from "../../../core/state/evolve.ts";
import { isJsonArray, isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Finding, Workflow } from "../../../core/state/state.ts";
import { isSingleFinal } from "./verdicts.ts";

/** The evidence that it works: commands run by the engine, and what named persons vouched for. */
export interface Run {
  readonly name: string;
  readonly passed: boolean;
  /** `exit 1`, `timeout`, or why it could not be run. */
  readonly ended: string;
  readonly at: string;
  /** Digest of its whole output. */
  readonly output: string;
  readonly tail: string;
}

/** The commands of one recorded run. */
export function runsIn({ detail }: Finding): readonly Run[] {
  const runs = detail?.["runs"];
  return (isJsonArray(runs) ? runs : []).flatMap((one) =>
    isJsonObject(one)
      ? [
          {
            name: showJson(one["name"] ?? ""),
            passed: one["passed"] === true,
            ended: showJson(one["ended"] ?? ""),
            at: showJson(one["at"] ?? ""),
            output: showJson(one["output"] ?? ""),
            tail: showJson(one["tail"] ?? ""),
          },
        ]
      : [],
  );
}

/** Judged files that a run wrote itself, such as a coverage report that is not ignored. */
export function leftByRun({ detail }: Finding): readonly string[] {
  return [...texts(detail?.["wrote"]), ...texts(detail?.["changed"])];
}

/** The same for all runs since a record. No worker wrote these files. */
export function leftByRuns({ findings }: Workflow, since: number): readonly string[] {
  return Object.values(findings)
    .filter((one) => one.seq > since && (one.kind === "checks" || isOfTask(one)))
    .flatMap(leftByRun);
}

/**
 * Files that a run changed itself and nobody has changed since. The run judged content that no longer exists, so
 * repeating it can never give a result that counts.
 */
export function looseFiles(run: Finding, now: Json | undefined): readonly string[] {
  const before = run.bound["changes:."];
  if (!isJsonObject(before) || !isJsonObject(now)) return [];
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  const other = [...paths].filter(
    (path) => showJson(before[path] ?? "") !== showJson(now[path] ?? ""),
  );
  const left = leftByRun(run);
  return other.every((path) => left.includes(path)) ? other : [];
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.map(showJson) : [];
}

/** The latest run since INTEGRATE was entered; an older one is not evidence. */
export function latestRuns(workflow: Workflow): readonly Run[] {
  const found = workflow.findings[`${ROOT} checks engine`];
  const since = rootOf(workflow).entered["INTEGRATE"] ?? 0;
  return found === undefined || found.seq <= since ? [] : runsIn(found);
}

export function failedRuns(workflow: Workflow): readonly Run[] {
  return latestRuns(workflow).filter((run) => !run.passed);
}

/** What failed in the latest run, in one line. */
export function tellFailed(workflow: Workflow): string {
  const failed = failedRuns(workflow).map(({ name, ended }) => `${name}: ${ended}`);
  const latest = workflow.findings[`${ROOT} checks engine`];
  const loose = latest === undefined ? [] : tellLoose(latest);
  return [...failed, ...loose].join("; ") || "the checks are red";
}

function tellLoose(run: Finding): readonly string[] {
  const left = leftByRun(run);
  return left.length === 0
    ? []
    : [`the checks write ${left.join(", ")} while they run; let git ignore what they write`];
}

/**
 * The check that runs a task's own commands before it is completed, or those of all tasks if they are checked
 * together.
 */
export const TASK_CHECKS = "tasks";

export function taskChecks(workflow: Workflow, unit: string): string {
  return isSingleFinal(workflow) ? TASK_CHECKS : `${TASK_CHECKS}:${unit}`;
}

/** The latest result of a task's own commands, with their output, for whoever repairs it. */
export function redTask(workflow: Workflow): JsonObject | undefined {
  const [found] = Object.values(workflow.findings)
    .filter(isOfTask)
    .toSorted((a, b) => b.seq - a.seq);
  if (found === undefined) return undefined;
  const red = runsIn(found).filter((run) => !run.passed);
  return {
    seq: found.seq,
    failure: [...red.map(({ name, ended }) => `${name}: ${ended}`), ...tellLoose(found)].join("; "),
    feedback: red.map(({ name, tail }) => `${name} printed:\n${tail.trim()}`),
  };
}

function isOfTask({ kind }: Finding): boolean {
  return kind === TASK_CHECKS || kind.startsWith(`${TASK_CHECKS}:`);
}

/** `cmd: npm test: exit 1 at 2026-…, output sha256 0123456789ab` */
export function tellRun({ name, ended, at, output }: Run): string {
  return `${name}: ${ended} at ${at}, output sha256 ${output.slice(0, DIGEST_SHOWN)}`;
}

const DIGEST_SHOWN = 12;

/** All evidence of the session, one line each. */
export function evidenceLines(workflow: Workflow): readonly string[] {
  const of = (word: string): readonly Finding[] =>
    Object.values(workflow.findings).filter((one) => one.kind.startsWith(`${word}:`));
  const why = (gate: string): string =>
    workflow.notes.findLast((one) => one.list === "waivers" && one.tag === gate)?.text ?? "";
  const rest = (kind: string): string => kind.slice(kind.indexOf(":") + 1);
  return [
    ...latestRuns(workflow).map(tellRun),
    ...of("attest").map(({ kind, by, at }) => `${rest(kind)}: seen by ${by} at ${at}`),
    ...of("waiver").map(
      ({ kind, by, at }) => `${rest(kind)}: waived by ${by} at ${at}, ${why(rest(kind))}`,
    ),
  ];
}
