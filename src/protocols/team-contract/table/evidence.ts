import { rootOf } from "../../../core/evolve.ts";
import { isJsonArray, isJsonObject, showJson } from "../../../core/json.ts";
import type { Json } from "../../../core/json.ts";
import { ROOT } from "../../../core/state.ts";
import type { Finding, Workflow } from "../../../core/state.ts";

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

/** What runs of the checks wrote, such as a coverage report; nobody's work, unless it was claimed. */
export function writtenByChecks(workflow: Workflow): readonly string[] {
  const claimed = new Set(
    Object.values(workflow.dispatches).flatMap(({ claim }) => texts(claim?.["files"])),
  );
  return Object.values(workflow.findings)
    .filter((one) => one.kind === "checks")
    .flatMap(({ detail }) => [...texts(detail?.["wrote"]), ...texts(detail?.["changed"])])
    .filter((path) => !claimed.has(path));
}

/** Files that the latest run changed while it ran: then it judged nothing. */
export function changedByChecks({ detail }: Finding): readonly string[] {
  return texts(detail?.["changed"]);
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
  const changed = latest === undefined ? [] : changedByChecks(latest);
  const loose = `the checks change ${changed.join(", ")} while they run; let git ignore what they write`;
  return [...failed, ...(changed.length === 0 ? [] : [loose])].join("; ") || "the checks are red";
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
