import { compareTexts, isJsonArray } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Dispatch, Refused, Workflow } from "../../../core/state/state.ts";
import { isByAdoption, logOf } from "../table/log.ts";
import { backward } from "../table/moves/back.ts";
import { forward } from "../table/moves/moves.ts";
import { object, text } from "../../../core/values/json-read.ts";
import { evidenceFor } from "./evidence.ts";
import { sessionOf } from "./render.ts";
import { modeOf } from "../table/states.ts";

/** Refusals in the journal, and later ones from the log beside it that no record contains yet. */
export function refusedOf(state: Workflow, later: readonly Refused[] = []): readonly Refused[] {
  const last = state.refused.at(-1)?.at ?? "";
  return [...state.refused, ...later.filter((one) => one.at > last)];
}

/** `audit-trail.json`: complete, because everything that happens is in the workflow. */
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
  const done = logOf(state).map((one, _, log) => ({
    from_state: one.from,
    to_state: one.to,
    timestamp: one.timestamp,
    // If a person said where the task stands, the way there was not verified.
    verification_passed: !isByAdoption(one),
    evidence: evidenceFor(state, log, one),
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

/** Where a step would have led. A step that does not exist there is shown by its name. */
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

/** Each run is an entry with its own id, so that ending one never ends another. */
function invocationOf(state: Workflow, dispatch: Dispatch): JsonObject {
  const { id, unit, spec, status, outcome, sentAt, endedAt } = dispatch;
  const root = text(state.vars["root"]);
  // An agent that writes source works in its own worktree; one that reads and judges is shown the task's.
  const place = spec === "implementation" ? `agents/${unit}/code` : "code";
  const over = state.units["."]?.at === "CLEANUP" ? "cancelled" : "running";
  return {
    id,
    agent_name: unit,
    agent_mode: modeOf(spec),
    purpose: spec,
    working_dir: `${root}/${state.id}/${place}`,
    invocation_timestamp: sentAt,
    completion_timestamp: endedAt,
    report_location:
      spec === "requirements" ? `${root}/${state.id}/${state.id}-${unit}-requirements.md` : null,
    status: status === "ended" ? (FINAL[outcome ?? ""] ?? "completed") : over,
  };
}

/** Edits seen by hooks. Coordination and implementation are distinguished by agent and place. */
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

/** Commits brought in by merges, as the engine recorded them. */
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

/** Test counts as common tools print them; null if the output has none. */
export function testCounts(output: string): JsonObject {
  for (const [shape, read] of COUNTS) {
    // The last match is the total, because some tools print one for each part before it.
    const found = [...output.matchAll(shape)].at(-1);
    if (found === undefined) continue;
    const [run, failed] = read(found.slice(1).map(Number));
    return counts(run, failed);
  }
  const passed = lastNumber(output, /(\d+) (?:passed|passing)/g);
  const failed = lastNumber(output, /(\d+) (?:failed|failing)/g);
  if (passed === undefined && failed === undefined) return counts(null, null);
  return counts((passed ?? 0) + (failed ?? 0), failed ?? 0);
}

type Counted = readonly [run: number, failed: number];

/**
 * Output formats of Maven and Surefire, Node's test runner (TAP or spec), CTest, unittest, RSpec, and JUnit's
 * console.
 */
const COUNTS: readonly (readonly [shape: RegExp, read: (n: readonly number[]) => Counted])[] = [
  [
    /Tests run: *(\d+), *Failures: *(\d+)(?:, *Errors: *(\d+))?/g,
    ([run = 0, failures = 0, errors = 0]) => [run, failures + (errors || 0)],
  ],
  [/^[#ℹ] pass (\d+)$[^]*?^[#ℹ] fail (\d+)$/gm, ([pass = 0, fail = 0]) => [pass + fail, fail]],
  [/(\d+) tests? failed out of (\d+)/g, ([failed = 0, run = 0]) => [run, failed]],
  [/(\d+) examples?, (\d+) failures?/g, ([run = 0, failed = 0]) => [run, failed]],
  [
    /^Ran (\d+) tests? in [^]*?^(?:OK|FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?)/gm,
    ([run = 0, failures = 0, errors = 0]) => [run, (failures || 0) + (errors || 0)],
  ],
  [/^OK \((\d+) tests?\)/gm, ([run = 0]) => [run, 0]],
];

function lastNumber(output: string, shape: RegExp): number | undefined {
  const found = [...output.matchAll(shape)].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}

function counts(run: number | null, failed: number | null): JsonObject {
  return {
    tests_run: run,
    tests_passed: run === null || failed === null ? null : run - failed,
    tests_failed: failed,
  };
}
