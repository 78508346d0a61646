import type { Decision, Workflow } from "../../../core/state/state.ts";
import { snapshotOf } from "../files/audit-snapshot.ts";
import { freeDependants, freedNames, parseTodo, setTodoWord } from "../files/todo-md.ts";
import { reportName } from "../files/requirements-report.ts";
import { addAgentSection } from "../files/task-md.ts";
import type { Rendered, View } from "../../../ports/family.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { behindAdopted, isAdopted } from "./adopted.ts";
import { jsonView } from "./json-view.ts";
import { text } from "../../../core/values/json-read.ts";
import { trailFields } from "./render-audit.ts";
import {
  additionsOf,
  agentFields,
  releaseOf,
  sessionOf,
  stateFields,
  taskFields,
  todoWordOf,
} from "./render.ts";
import { requiredAgents } from "../table/states.ts";

/** Every file of a task, written from its journal. When the task is over, the folder has been archived. */
export function viewsOf(state: Workflow): readonly View[] {
  const dir = `${text(state.vars["root"])}/${state.id}`;
  const over = state.units["."]?.at === "CLEANUP" && !isArchiving(state);
  // A task that was already over when adopted is left as it is.
  if (over && isAdopted(state) && !wasArchived(state)) return [];
  // No owner's files are made up for a task that nobody has.
  if (isAdopted(state) && sessionOf(state) === "") return [todoView(state)];
  const trail = trailFields(state);
  const merged = state.vars["ended"] === "merged" && !over;
  const file = (name: string, owned: JsonObject | undefined): View =>
    jsonView(`${dir}/${name}`, owned && behindAdopted(state, name, owned));
  return [
    file("task.json", state.lease === null || over ? undefined : taskFields(state)),
    file("state.json", over ? undefined : stateFields(state)),
    ...requiredAgents(state).flatMap((agent) => agentView(state, `${dir}/agents/${agent}`, over)),
    flagView(
      `${dir}/user-plan-approval-obtained.flag`,
      over ? undefined : releaseOf(state, "plan"),
    ),
    flagView(`${dir}/user-approval-obtained.flag`, over ? undefined : releaseOf(state, "change")),
    ...documentView(state, `${dir}/task.md`, over),
    file("audit-trail.json", over ? undefined : trail),
    jsonView(`${dir}/audit-snapshot.json`, merged ? snapshotOf(trail, state.updatedAt) : undefined),
    todoView(state),
  ];
}

function agentView(state: Workflow, dir: string, over: boolean): readonly View[] {
  const agent = dir.slice(dir.lastIndexOf("/") + 1);
  const fields = over ? undefined : agentFields(state, agent);
  // Until its first order here, the agent's file says what it did elsewhere.
  if (fields === undefined && !over && isAdopted(state)) return [];
  return [jsonView(`${dir}/status.json`, fields)];
}

/** A flag file for programs that look for one. It proves nothing, and a forged one is removed. */
function flagView(path: string, release: Decision | undefined): View {
  const { by = "", at = "" } = release?.settled ?? {};
  const bound = Object.entries(release?.bound ?? {}).map(
    ([fact, value]) => `${fact} ${text(value)}`,
  );
  const says =
    release === undefined ? null : [`released by ${by} at ${at}`, ...bound, ""].join("\n");
  return {
    path,
    shared: false,
    render: (): Rendered => (says === null ? { kind: "absent" } : { kind: "text", text: says }),
    drift: (found) => {
      if (found === says) return [];
      return [
        `${path}: ${says === null ? "nobody released anything" : "it is not what was released"}`,
      ];
    },
  };
}

/** `task.md` belongs to the coordinator. Agents that join later are entered by the step that adds them. */
function documentView(state: Workflow, path: string, over: boolean): readonly View[] {
  const added = additionsOf(state).map((one) => ({
    agent: text(one["agent"]),
    state: text(one["added_at_state"]),
    reason: text(one["justification"]),
    report: reportName(state.id, text(one["agent"])),
  }));
  if (added.length === 0 || over) return [];
  const enter = (document: string): string => added.reduce(addAgentSection, document);
  return [
    {
      path,
      shared: false,
      render: (found): Rendered =>
        found === null ? { kind: "absent" } : { kind: "text", text: enter(found) },
      drift: (found) =>
        found === null || enter(found) === found
          ? []
          : [`${path}: an agent that joined has no entry there`],
    },
  ];
}

/** The files are kept until they are in the archive. */
function isArchiving({ effects }: Workflow): boolean {
  return Object.values(effects).some((one) => one.kind === "archive" && one.status === "wanted");
}

function wasArchived({ effects }: Workflow): boolean {
  return Object.values(effects).some((one) => one.kind === "archive");
}

/** The task's own entry in the shared list. Closing it is part of the task's commit, and not of this view. */
function todoView(state: Workflow): View {
  const word = todoWordOf(state);
  const list = text(state.vars["todo"]);
  // The commit frees tasks that waited for this one; a list edited meanwhile is corrected here.
  const render = (found: string): string =>
    word === "closed" ? freeDependants(found, state.id) : setTodoWord(found, state.id, word);
  return {
    path: list,
    shared: true,
    render: (found): Rendered =>
      found === null ? { kind: "absent" } : { kind: "text", text: render(found) },
    drift: (found) => {
      if (word === "closed")
        return state.units["."]?.at === "CLEANUP"
          ? []
          : freedNames(found ?? "", state.id).map(
              (name) => `${list}: \`${name}\` waits for nothing now`,
            );
      const entry = parseTodo(found ?? "").entries.find((one) => one.name === state.id);
      if (entry === undefined || entry.status === word) return [];
      return [`${list}: \`${state.id}\` is ${entry.status}, the journal says ${word}`];
    },
    carry: (head, shown) => {
      const entry = parseTodo(shown).entries.find((one) => one.name === state.id);
      return entry === undefined ? head : setTodoWord(head, state.id, entry.status);
    },
    reads: (found) =>
      parseTodo(found).entries.map(({ name, text: own }) => ({ owner: name, text: own })),
  };
}
