import { rootOf } from "../../../core/state/evolve.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { text } from "../../../core/values/json-read.ts";
import { engineRule } from "../../../family/watch.ts";
import { MAIN_AGENT } from "../../../watch/watch.ts";
import type { Watched, WatchRule } from "../../../watch/watch.ts";
import { requiredAgents } from "../table/states.ts";
import { taskProtocol } from "../table/protocol.ts";
import { viewsOf } from "./views.ts";

/**
 * Who may write where while a task is under way. A task belongs to its owner's session, each agent has its own
 * worktree, the task's worktree is the coordinator's, and the main worktree needs its lock. Whatever this misses
 * is found by the gates, from the diff of each worktree.
 */
export function watchTask(state: Workflow): readonly Watched[] {
  const { lease } = state;
  if (lease === null) return [];
  const task: Task = {
    state,
    owner: lease.session,
    dir: `${text(state.vars["root"])}/${state.id}`,
  };
  return [
    mainPlace(task),
    taskPlace(task),
    ...requiredAgents(state).map((agent) => agentPlace(task, agent)),
  ];
}

interface Task {
  readonly state: Workflow;
  readonly owner: string;
  readonly dir: string;
}

/** Paths that need a task; documentation and build files do not. */
export const GUARDED_PATHS: readonly string[] = [
  "src/**",
  "test/**",
  "tests/**",
  "**/module-info.java",
];

function mainPlace(task: Task): Watched {
  const { state, dir } = task;
  const agents = requiredAgents(state);
  const own = agents.flatMap((agent) => [
    allowed(task, [`${dir}/agents/${agent}/**`, `${dir}/*-${agent}-requirements.md`], [agent]),
  ]);
  const rules: readonly WatchRule[] = [
    engineRule(taskProtocol, state, ownFiles(state, dir), { code: "view-owned", rule: "TP-067" }),
    allowed(task, [`${dir}/task.md`], [MAIN_AGENT]),
    ...own,
    coordinator(task, [`${dir}/**`], "view-owned", "TP-067", "is written by Holdpoint"),
    agent(task, [`${dir}/agents/**`], "worktree-foreign", "TP-154", "is another agent's place"),
    agent(task, [`${dir}/**`], "mode-invalid", "TP-092", "is not what this agent reports in"),
    foreign(task, [`${dir}/**`]),
    coordinator(
      task,
      ["**"],
      "main-lock-missing",
      "TP-043",
      "is in the main worktree, and a task's lock is no licence for that",
    ),
    agent(task, ["**"], "worktree-foreign", "TP-154", "is outside this agent's own worktree"),
    {
      ...held(task, GUARDED_PATHS, "task-required", "TP-228", "is changed by a task only"),
      kind: "lock",
      fix: "Take a task for it, and work in its worktree.",
    },
  ];
  const branches = [state.id, ...agents.map((one) => `${state.id}-${one}`)];
  return { place: "", git: "locked", branches, rules };
}

const MECHANICAL: readonly string[] = ["VALIDATION", "SYNTHESIS", "AWAITING_USER_APPROVAL"];

/** The task's worktree is the coordinator's, but not for source while agents implement. */
function taskPlace(task: Task): Watched {
  const { state, dir } = task;
  const { at } = rootOf(state);
  const lists = [text(state.vars["todo"]), text(state.vars["changelog"])].filter(
    (one) => one !== "",
  );
  const paths = MECHANICAL.includes(at) ? ["**"] : [...lists, "todo.md", "changelog.md"];
  const rules = [
    allowed(task, paths, [MAIN_AGENT]),
    coordinator(
      task,
      ["**"],
      "coordinator-implements",
      "TP-153",
      `is source, and in ${at} the coordinator writes none`,
    ),
    agent(task, ["**"], "worktree-foreign", "TP-154", "is outside this agent's own worktree"),
    foreign(task, ["**"]),
  ];
  return { place: `${dir}/code`, git: "free", rules };
}

function agentPlace(task: Task, name: string): Watched {
  const { at } = rootOf(task.state);
  const writes = at === "IMPLEMENTATION" ? [allowed(task, ["**"], [name])] : [];
  const rules = [
    ...writes,
    {
      ...agent(task, ["**"], "mode-invalid", "TP-092", `is source, and in ${at} agents write none`),
      roles: [name],
    },
    agent(task, ["**"], "worktree-foreign", "TP-154", `is the place of ${name} alone`),
    foreign(task, ["**"]),
  ];
  return { place: `${task.dir}/agents/${name}/code`, git: "free", rules };
}

/**
 * Everything the engine writes there, except what others may edit: an agent's status, and the coordinator's
 * task.md.
 */
function ownFiles(state: Workflow, dir: string): readonly string[] {
  return viewsOf(state)
    .filter(({ path, shared }) => !shared && !path.startsWith(`${dir}/agents/`))
    .map(({ path }) => path)
    .filter((path) => path !== `${dir}/task.md`);
}

function allowed(
  { state, owner }: Task,
  paths: readonly string[],
  roles: readonly string[],
): WatchRule {
  const words = { code: "", rule: "", message: "", fix: "", lift: "" };
  return { kind: "allowed", paths, roles, session: owner, workflow: state.id, ...words };
}

type Said = readonly [code: string, rule: string, why: string];

function held(
  { state, owner }: Task,
  paths: readonly string[],
  ...[code, rule, why]: Said
): WatchRule {
  return {
    kind: "worktree",
    paths,
    workflow: state.id,
    code,
    rule,
    message: `{path} ${why} (${state.id}, of session ${owner}).`,
    fix: "Write in your own worktree, and report; what is merged follows from that.",
    lift: "a person does it themselves, or gives the lock or the task to this session.",
  };
}

/** For the agent in the owner's session that talks to the user. */
function coordinator(task: Task, paths: readonly string[], ...said: Said): WatchRule {
  return { ...held(task, paths, ...said), roles: [MAIN_AGENT], session: task.owner };
}

/** For all other agents in the owner's session. */
function agent(task: Task, paths: readonly string[], ...said: Said): WatchRule {
  return { ...held(task, paths, ...said), session: task.owner };
}

function foreign(task: Task, paths: readonly string[]): WatchRule {
  return held(task, paths, "task-foreign", "TP-022", "belongs to another session's task");
}
