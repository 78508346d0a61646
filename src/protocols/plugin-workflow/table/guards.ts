import { isJsonArray, isJsonObject, showJson as show } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { guardSameHistory, guardSameWorktree } from "./worktree.ts";
import { phaseOrder } from "./phase-order.ts";
import { filesAgree, rowAgrees } from "./agree.ts";
import { claimedFiles, filesChanged, filesNamed, workedOnCode, workedOnIdeas } from "./work.ts";
import type { Guard, Scope } from "../../../core/table/protocol.ts";
import { finishedPosition, phasesOf, targetOf } from "./position.ts";
import { resumed } from "./resume.ts";
import { nextVersion } from "./version.ts";

/** Guards of this family: what a report may claim, and what the agent should have written. */
export const guards: Readonly<Record<string, Guard>> = {
  "claimed-position": claimedPosition,
  "claimed-files": claimedFiles,
  "files-changed": filesChanged,
  "files-named": filesNamed,
  "worked-on-code": workedOnCode,
  "worked-on-ideas": workedOnIdeas,
  "phase-planned": phasePlanned,
  "files-agree": filesAgree,
  "row-agrees": rowAgrees,
  "files-at-predecessor": filesAtPredecessor,
  "next-version": nextVersion,
  "phase-order": phaseOrder,
  "same-worktree": guardSameWorktree,
  "same-history": guardSameHistory,
  resumed,
  written,
};

/** The report must complete exactly the stage and phase that were sent out, or no phase if there was none. */
function claimedPosition(scope: Scope): string | undefined {
  const expected = expectedTarget(scope);
  const stage = scope.claim?.["stage"] ?? null;
  const phase = scope.claim?.["phase"] ?? null;
  if (stage !== null && stage !== expected.stage) {
    return `the report completes stage ${show(stage)}, but stage ${expected.stage} was handed out`;
  }
  if (phase === expected.phase) return undefined;
  if (expected.phase === null)
    return `the report completes phase ${show(phase)}, but stage ${expected.stage} is done in one pass`;
  return `the report completes phase ${show(phase)}, but phase ${expected.phase} was handed out`;
}

function expectedTarget(scope: Scope): { stage: number; phase: string | null } {
  const dispatch = scope.before.dispatches[scope.dispatch ?? ""];
  return dispatch === undefined ? { stage: 0, phase: null } : targetOf(dispatch);
}

function phasePlanned(scope: Scope): string | undefined {
  const phase = scope.claim?.["phase"] ?? null;
  if (typeof phase !== "string" || Object.hasOwn(scope.workflow.units, phase)) return undefined;
  const { stage } = expectedTarget(scope);
  const planned = phasesOf(scope.workflow, stage).map((unit) => unit.id);
  return `phase ${phase} is not in plan.md${planned.length === 0 ? "" : `, which has ${planned.join(", ")}`}`;
}

/**
 * Before its report an agent may have updated the files from the previous step to this one, or left them alone.
 * Anything else means that it worked on something else.
 */
function filesAtPredecessor(scope: Scope): string | undefined {
  const handoff = scope.fact(`handoff:${scope.workflow.id}`);
  if (!isJsonObject(handoff) || handoff["kind"] !== "read") return undefined;
  const before = finishedPosition(scope.before).handoff;
  const target = expectedTarget(scope);
  const { stage, phase } = handoff;
  const fits =
    (stage === before?.stage && phase === before?.phase) ||
    (stage === target.stage && (phase === target.phase || phase === null));
  if (before === null || fits) return undefined;
  return `.continue-here.md says stage ${show(stage)}${phase === null ? "" : `, phase ${show(phase)}`}; expected ${place(before)} or ${place(target)}`;
}

function place({
  stage,
  phase,
}: {
  readonly stage: number;
  readonly phase: string | null;
}): string {
  return phase === null ? `stage ${stage}` : `phase ${phase}`;
}

/** One named check of what the agent wrote, compared with the workflow's new state. */
function written(scope: Scope, args: JsonObject): string | undefined {
  return checkWritten(scope).find((failure) => failure.code === args["code"])?.message;
}

export interface WrittenFailure {
  readonly code: string;
  /** The check's stable name in the validity test. */
  readonly check: string;
  readonly message: string;
}

/** The validity test: runs every check and names every failure. */
export function checkWritten(scope: Scope): readonly WrittenFailure[] {
  const position = finishedPosition(scope.workflow).handoff;
  const handoff = scope.fact(`handoff:${scope.workflow.id}`);
  const registry = scope.fact(`registry:${scope.workflow.id}`);
  if (handoff === undefined || registry === undefined || position === null) return [];
  return [
    ...flagFailures(scope),
    ...handoffFailures(scope, handoff),
    ...registryFailures(scope, registry),
  ];
}

/**
 * Both flags are reported separately: an agent that says that it could not write the state has not lied about it.
 */
function flagFailures({ claim }: Scope): readonly WrittenFailure[] {
  const error = claim?.["stateError"];
  const check = "state flag";
  const unsaid = fail("stateUpdated_false", check, "the agent did not say that it wrote the state");
  return [
    ...(claim?.["stateUpdated"] === true ? [] : [unsaid]),
    ...(typeof error === "string" && error !== ""
      ? [fail("state_update_error", check, `the agent could not write the state: ${error}`)]
      : []),
  ];
}

function handoffFailures(scope: Scope, handoff: Json): readonly WrittenFailure[] {
  if (!isJsonObject(handoff) || handoff["kind"] === "absent") {
    return [fail("handoff_missing", "file exists", ".continue-here.md is missing")];
  }
  if (handoff["kind"] !== "read") {
    const why = show(handoff["why"]);
    return [fail("handoff_invalid", "valid YAML", `.continue-here.md cannot be read: ${why}`)];
  }
  return [...fieldFailures(scope, handoff), ...bodyFailures(scope, handoff)];
}

function fieldFailures(scope: Scope, handoff: JsonObject): readonly WrittenFailure[] {
  const expected = finishedPosition(scope.workflow).handoff;
  if (expected === null) return [];
  const { missing, stage, phase, status, lastUpdated, checksums } = handoff;
  const rows = [
    differs({
      code: "fields_missing",
      check: "required fields",
      what: "missing fields",
      found: missing,
      expected: [],
    }),
    differs({
      code: "stage_mismatch",
      check: "stage matches",
      what: "stage",
      found: stage,
      expected: expected.stage,
    }),
    phase === rolledUp(scope)
      ? undefined
      : differs({
          code: "phase_mismatch",
          check: "stage matches",
          what: "phase",
          found: phase,
          expected: expected.phase,
        }),
    differs({
      code: "status_mismatch",
      check: "status valid",
      what: "status",
      found: status,
      expected: expected.status,
    }),
    isCurrent(scope, lastUpdated)
      ? undefined
      : fail("date_not_current", "date current", `last_updated is ${show(lastUpdated)}`),
    differs({
      code: "checksums_missing",
      check: "checksums present",
      what: "checksums",
      found: checksums,
      expected: 4,
    }),
  ];
  return rows.filter((row) => row !== undefined);
}

function bodyFailures(scope: Scope, handoff: JsonObject): readonly WrittenFailure[] {
  const rows = [
    differs({
      code: "sections_missing",
      check: "sections present",
      what: "missing sections",
      found: handoff["missingSections"],
      expected: [],
    }),
    hasCompleted(scope, handoff["completed"])
      ? undefined
      : fail(
          "completed_missing",
          "completed section updated",
          "Completed So Far has no entry for this step",
        ),
  ];
  return rows.filter((row) => row !== undefined);
}

function registryFailures(scope: Scope, registry: Json): readonly WrittenFailure[] {
  if (!isJsonObject(registry)) {
    return [fail("registry_entry_missing", "entry updated", "PLUGINS.md does not know the plugin")];
  }
  const last = rolledUp(scope);
  const written = (found: Json | undefined): boolean =>
    last !== undefined && found === `🚧 Stage ${last}`;
  const status = finishedPosition(scope.workflow).registry;
  // The file may show a stage's last phase either as that phase or as the finished stage; both are right.
  const expected = written(registry["row"]) ? show(registry["row"]) : status;
  const rows: readonly (WrittenFailure | undefined)[] = [
    differs({
      code: "plugins_md_not_updated",
      check: "table updated",
      what: "the table row",
      found: registry["row"],
      expected: expected,
    }),
    differs({
      code: "plugins_md_not_updated",
      check: "entry updated",
      what: "the full entry",
      found: registry["entry"],
      expected: expected,
    }),
    differs({
      code: "registry_drift",
      check: "consistency",
      what: "row and entry",
      found: registry["row"],
      expected: registry["entry"] ?? null,
    }),
    hasTimeline(scope, registry["timeline"])
      ? undefined
      : fail("timeline_missing", "timeline updated", "the timeline has no line for this step"),
  ];
  return rows.filter((row) => row !== undefined);
}

/** Any day from dispatch to now is accepted, because work may cross midnight. */
function isCurrent(scope: Scope, date: Json | undefined): boolean {
  const from = (scope.before.dispatches[scope.dispatch ?? ""]?.sentAt ?? scope.envelope.at).slice(
    0,
    10,
  );
  return typeof date === "string" && date >= from && date <= scope.envelope.at.slice(0, 10);
}

/** The tags of the steps that this command finished. A last phase also finishes its stage. */
function freshTags(scope: Scope, list: string): readonly string[] {
  return scope.workflow.notes
    .slice(scope.before.notes.length)
    .filter((note) => note.list === list)
    .map((note) => note.tag);
}

function hasTimeline(scope: Scope, timeline: Json | undefined): boolean {
  return hasFresh(scope, "timeline", timeline);
}

function hasCompleted(scope: Scope, completed: Json | undefined): boolean {
  return hasFresh(scope, "completed", completed);
}

/** For a last phase and the stage that it finishes, one line is enough. */
function hasFresh(scope: Scope, list: string, found: Json | undefined): boolean {
  const tags = freshTags(scope, list);
  const isThere = (tag: string): boolean => isJsonArray(found) && found.includes(tag);
  return rolledUp(scope) === undefined ? tags.every(isThere) : tags.some(isThere);
}

/** The phase that was sent out, if it was the last of its stage. */
function rolledUp(scope: Scope): string | undefined {
  const { phase } = expectedTarget(scope);
  const { handoff } = finishedPosition(scope.workflow);
  return phase !== null && handoff?.phase === null ? phase : undefined;
}

function differs(row: {
  readonly code: string;
  readonly check: string;
  readonly what: string;
  readonly found: Json | undefined;
  readonly expected: Json;
}): WrittenFailure | undefined {
  const { code, check, what, found, expected } = row;
  if (JSON.stringify(found ?? null) === JSON.stringify(expected)) return undefined;
  return fail(code, check, `${what}: found ${show(found)}, expected ${JSON.stringify(expected)}`);
}

function fail(code: string, check: string, message: string): WrittenFailure {
  return { code, check, message };
}
