import { rootOf } from "../../../core/state/evolve.ts";
import { isJsonArray, isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Finding, Workflow } from "../../../core/state/state.ts";
import { isSingleFinal } from "./verdicts.ts";

/** What shows that it works: commands the engine ran, and what persons vouched for by name. */
export interface Run {
  readonly name: string;
  readonly passed: boolean;
  /** `exit 1`, `timeout`, or why it could not be run. */
  readonly ended: string;
  readonly at: string;
  /** Digest of all it printed. */
  readonly output: string;
  readonly tail: string;
}

/** The commands of one run, as it was recorded. */
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

/** What a run wrote into the files it was to judge, such as a coverage report that git does not ignore. */
export function leftByRun({ detail }: Finding): readonly string[] {
  return [...texts(detail?.["wrote"]), ...texts(detail?.["changed"])];
}

/** The same of all runs since a record: no worker has written these. */
export function leftByRuns({ findings }: Workflow, since: number): readonly string[] {
  return Object.values(findings)
    .filter((one) => one.seq > since && (one.kind === "checks" || isOfTask(one)))
    .flatMap(leftByRun);
}

/**
 * Files that a run itself changed, and nothing else did since: then it judged something that is not there any more, and
 * no run of it will ever count.
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

/** The latest run since the session came to INTEGRATE; an older one is no evidence. */
export function latestRuns(workflow: Workflow): readonly Run[] {
  const found = workflow.findings[`${ROOT} checks engine`];
  const since = rootOf(workflow).entered["INTEGRATE"] ?? 0;
  return found === undefined || found.seq <= since ? [] : runsIn(found);
}

export function failedRuns(workflow: Workflow): readonly Run[] {
  return latestRuns(workflow).filter((run) => !run.passed);
}

/** What went wrong in the latest run, in a line. */
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

/** The run of a task's own commands, before it counts as completed; of all tasks where they are checked together. */
export const TASK_CHECKS = "tasks";

export function taskChecks(workflow: Workflow, unit: string): string {
  return isSingleFinal(workflow) ? TASK_CHECKS : `${TASK_CHECKS}:${unit}`;
}

/** What the latest run of a task's own commands came to, and what they printed; for whoever repairs it. */
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

/** Everything that vouches for the session, one line each. */
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
