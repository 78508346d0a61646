import { compareTexts, isJsonArray } from "../../../core/json.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Dispatch, Refused, Workflow } from "../../../core/state.ts";
import { logOf } from "../table/log.ts";
import { backward } from "../table/moves-back.ts";
import { forward } from "../table/moves.ts";
import { object, text } from "../../../core/json-read.ts";
import { sessionOf } from "./render.ts";
import { modeOf } from "../table/states.ts";

/** The refusals the journal has, and those of the log beside it that no record has taken in yet. */
export function refusedOf(state: Workflow, later: readonly Refused[] = []): readonly Refused[] {
  const last = state.refused.at(-1)?.at ?? "";
  return [...state.refused, ...later.filter((one) => one.at > last)];
}

/** `audit-trail.json`: complete by construction, because nothing happens that is not in the workflow. */
export function trailFields(state: Workflow, later: readonly Refused[] = []): JsonObject {
  const refused = refusedOf(state, later);
  return {
    task_name: state.id,
    session_id: sessionOf(state),
    started_at: state.startedAt,
    state_transitions: transitionsOf(state, refused),
    agent_invocations: Object.values(state.dispatches).map((one) => invocationOf(state, one)),
    tool_usage: toolsOf(state),
    commits: commitsOf(state),
    build_verifications: buildsOf(state),
    refusals: refused.map(({ at, command, step, by, codes }) => ({
      timestamp: at,
      command,
      step,
      by,
      reasons: codes,
    })),
  };
}

function transitionsOf(state: Workflow, refused: readonly Refused[]): readonly JsonObject[] {
  const done = logOf(state).map((one) => ({
    from_state: one.from,
    to_state: one.to,
    timestamp: one.timestamp,
    verification_passed: true,
  }));
  const not = refused
    .filter((one) => one.command === "unit.move")
    .map((one) => {
      const from = stateAt(state, one.at);
      return {
        from_state: from,
        to_state: targetOfMove(from, one.step),
        timestamp: one.at,
        verification_passed: false,
        reasons: one.codes,
      };
    });
  return [...done, ...not].toSorted((a, b) => compareTexts(a.timestamp, b.timestamp));
}

/** Where a step would have led; one that does not exist there leads nowhere. */
function targetOfMove(from: string, step: string): string {
  const moves = [...forward, ...backward];
  return moves.find((one) => one.id === step && one.from.includes(from))?.to ?? step;
}

function stateAt(state: Workflow, at: string): string {
  return logOf(state).findLast((one) => one.timestamp <= at)?.to ?? "INIT";
}

const FINAL: Readonly<Record<string, string>> = {
  ERROR: "failed",
  MALFORMED: "failed",
  TIMED_OUT: "timed_out",
  cancelled: "cancelled",
};

/** Each run is its own entry, told apart by its id: ending one never ends another. */
function invocationOf(state: Workflow, dispatch: Dispatch): JsonObject {
  const { id, unit, spec, status, outcome, sentAt, endedAt } = dispatch;
  const root = text(state.vars["root"]);
  const over = state.units["."]?.at === "CLEANUP" ? "cancelled" : "running";
  return {
    id,
    agent_name: unit,
    agent_mode: modeOf(spec),
    purpose: spec,
    working_dir: `${root}/${state.id}/agents/${unit}/code`,
    invocation_timestamp: sentAt,
    completion_timestamp: endedAt,
    report_location:
      spec === "requirements" ? `${root}/${state.id}/${state.id}-${unit}-requirements.md` : null,
    status: status === "ended" ? (FINAL[outcome ?? ""] ?? "completed") : over,
  };
}

/** Edits that hooks saw; coordination and implementation are told apart by who and where. */
function toolsOf(state: Workflow): readonly JsonObject[] {
  const seen = state.notes
    .filter((note) => note.list === "tools")
    .map((note): JsonObject => {
      const [tool = "", agent = ""] = note.tag.split(" ");
      const kind = agent === "" || agent === "main" ? "coordination" : "implementation";
      return { tool, agent_name: agent, file_path: note.text, timestamp: note.at, note: kind };
    });
  const invoked = Object.values(state.dispatches).map((one): JsonObject => ({
    tool: "Task",
    agent_name: one.unit,
    timestamp: one.sentAt,
    working_dir: `${text(state.vars["root"])}/${state.id}/code`,
  }));
  return [...seen, ...invoked].toSorted((a, b) =>
    compareTexts(text(a["timestamp"]), text(b["timestamp"])),
  );
}

/** What merges brought in, as the engine recorded it. */
export function commitsOf(state: Workflow): readonly JsonObject[] {
  return Object.values(state.effects)
    .filter((one) => one.kind === "merge-ff" && one.status === "done")
    .flatMap((one) => {
      const listed = one.detail["commits"];
      const agent = text(one.args["agent"]) || "main";
      if (isJsonArray(listed)) return listed.map((commit) => commitOf(commit, agent, one.args));
      const oid = one.detail["oid"];
      return typeof oid === "string" ? [commitOf({ sha: oid }, agent, one.args)] : [];
    });
}

function commitOf(commit: Json, agent: string, args: JsonObject): JsonObject {
  const given = object(commit);
  return {
    sha: text(given["sha"]),
    agent,
    branch: args["from"] ?? null,
    timestamp: given["at"] ?? null,
    files_created: given["created"] ?? [],
    files_modified: given["modified"] ?? [],
    message: text(given["subject"]),
  };
}

function buildsOf(state: Workflow): readonly JsonObject[] {
  return Object.values(state.notes)
    .filter((note) => note.list === "runs")
    .map((note) => {
      const passed = /^[^\n]*: exit 0\b/.test(note.text);
      const [command = ""] = note.text.split(/: (?:exit|failed|timeout)/);
      return {
        timestamp: note.at,
        command,
        check: note.tag,
        result: passed ? "SUCCESS" : "FAILURE",
        ...testCounts(note.text),
      };
    });
}

/** Counts as common tools print them; null where the output gives none. */
export function testCounts(output: string): JsonObject {
  const maven = /Tests run: (\d+), Failures: (\d+), Errors: (\d+)/.exec(output);
  if (maven !== null) {
    const [run, failures, errors] = [Number(maven[1]), Number(maven[2]), Number(maven[3])];
    return counts(run, failures + errors);
  }
  const passed = /(\d+) (?:passed|passing)/.exec(output);
  const failed = /(\d+) (?:failed|failing)/.exec(output);
  if (passed === null && failed === null) return counts(null, null);
  const bad = Number(failed?.[1] ?? 0);
  return counts(Number(passed?.[1] ?? 0) + bad, bad);
}

function counts(run: number | null, failed: number | null): JsonObject {
  return {
    tests_run: run,
    tests_passed: run === null || failed === null ? null : run - failed,
    tests_failed: failed,
  };
}
