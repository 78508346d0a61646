import { canonicalJson, isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { appendHistory, parseHistory } from "../files/history-jsonl.ts";
import { sessionPath } from "../files/session-name.ts";
import type { Edited } from "../../../files/edited.ts";
import { counted, createStatus, editStatus } from "../files/status-edit.ts";
import { parseStatus } from "../files/status-json.ts";
import { editTaskStatuses } from "../files/tasks-edit.ts";
import { parseTasks } from "../files/tasks-yaml.ts";
import type { Rendered, View } from "../../../ports/family.ts";
import { reportViews } from "./report-view.ts";
import { historyLines, ownedStatus, statusLists, taskStatuses } from "./render.ts";

/** The session's files that follow the journal. */
export function viewsOf(state: Workflow): readonly View[] {
  return [statusView(state), tasksView(state), historyView(state), ...reportViews(state)];
}

function statusView(state: Workflow): View {
  const path = sessionPath(state.id, "status.json");
  return {
    path,
    shared: false,
    render: (text) =>
      text === null
        ? { kind: "text", text: createStatus(ownedStatus(state), statusLists(state)) }
        : rendered(editStatus(text, ownedStatus(state), statusLists(state))),
    drift: (text) => (text === null ? [`${path} is missing`] : statusDrift(state, path, text)),
  };
}

function rendered({ text, problems }: Edited): Rendered {
  const [problem] = problems;
  return problem === undefined
    ? { kind: "text", text }
    : { kind: "broken", message: problem.message };
}

/** The time of the last write is not compared. */
function statusDrift(state: Workflow, path: string, text: string): readonly string[] {
  const { value, problems } = parseStatus(text);
  if (value === undefined) return [`${path} cannot be read: ${problems[0]?.message ?? ""}`];
  const { last_update: _, ...mine } = ownedStatus(state);
  const owned = { ...mine, retry_counts: counted(value.raw["retry_counts"], mine.retry_counts) };
  return Object.entries(owned).flatMap(([key, expected]) =>
    differences(value.raw[key] ?? null, expected ?? null, key)
      .slice(0, DIFFERENCES_MAX)
      .map(
        ({ at, found, wanted }) =>
          `${path} says ${at} ${short(found)}, the journal says ${short(wanted)}`,
      ),
  );
}

const DIFFERENCES_MAX = 5;

/**
 * In objects that others may extend, only our own keys are compared, because rendering leaves the others alone.
 */
const SHARED: readonly string[] = ["user_decisions", "gate_tracking", "runtime_flags"];

interface Difference {
  readonly at: string;
  readonly found: Json;
  readonly wanted: Json;
}

/** Names the single field: that two long lists differ would not help anybody. */
function differences(found: Json, wanted: Json, at: string): readonly Difference[] {
  const shared = SHARED.some((key) => at.startsWith(key));
  if (isJsonArray(wanted) && isJsonArray(found) && found.length === wanted.length)
    return wanted.flatMap((one, index) =>
      differences(found[index] ?? null, one, `${at}[${index}]`),
    );
  if (shared && isJsonObject(wanted) && isJsonObject(found))
    return Object.entries(wanted).flatMap(([key, one]) =>
      differences(found[key] ?? null, one, `${at}.${key}`),
    );
  return canonicalJson(found) === canonicalJson(wanted) ? [] : [{ at, found, wanted }];
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function tasksView(state: Workflow): View {
  const path = sessionPath(state.id, "tasks.yaml");
  const statuses = taskStatuses(state);
  return {
    path,
    shared: false,
    render: (text) => {
      const planned = Object.keys(statuses).length > 0;
      if (text === null) return { kind: "absent", lost: planned };
      // Before there are tasks, the engine owns nothing in this file, so a half-written plan stays as it is.
      if (!planned) return { kind: "text", text };
      return rendered(editTaskStatuses(text, statuses));
    },
    drift: (text) => {
      if (Object.keys(statuses).length === 0) return [];
      if (text === null) return [`${path} is missing`];
      const { value, problems } = parseTasks(text);
      if (value === undefined) return [`${path} cannot be read: ${problems[0]?.message ?? ""}`];
      const there = new Map(value.tasks.map(({ id, status }) => [id, status]));
      return Object.entries(statuses).flatMap(([id, expected]) => {
        const found = there.get(id);
        return found === expected
          ? []
          : [`${path} says ${id} ${found ?? "nothing"}, the journal says ${expected}`];
      });
    },
  };
}

function historyView(state: Workflow): View {
  const path = sessionPath(state.id, "approve-design-history.jsonl");
  const lines = historyLines(state);
  return {
    path,
    shared: false,
    render: (text) =>
      text === null && lines.length === 0
        ? { kind: "absent" }
        : { kind: "text", text: appendHistory(text ?? "", lines) },
    drift: (text) => {
      if (lines.length === 0) return [];
      if (text === null) return [`${path} is missing`];
      const there = parseHistory(text).value;
      return lines
        .filter((line) => !there.some((one) => one["answer"] === line.answer))
        .map((line) => `${path} lacks ${line.eventId}`);
    },
  };
}
