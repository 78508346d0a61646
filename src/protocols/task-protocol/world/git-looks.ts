import type { Json } from "../../../core/values/json.ts";
import { unknown } from "../../../core/values/unknown.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { parseChangelog } from "../files/changelog-md.ts";
import { parsePlanMd, unplannedFiles, untouchedPlans } from "../files/plan-md.ts";
import { freedNames, parseTodo } from "../files/todo-md.ts";
import type { Look, World } from "../../../ports/family.ts";
import { lookOtherSettings } from "./elsewhere.ts";
import { foreignEntries, lookForeign } from "./foreign.ts";
import { readFixes } from "./fixes.ts";
import { readTaskMd } from "./looks.ts";
import type { Ahead, TaskPlaces } from "./places.ts";
import { lookOthers, workOf } from "./work.ts";
import { text, texts } from "../../../core/values/json-read.ts";
import { listsOf, rootDir, settingsOf } from "./settings.ts";
import { hasPart } from "../table/agents.ts";
import { isPlain, isProse } from "../table/risk.ts";
import { VARS } from "../table/vars.ts";
import { broughtIn } from "../table/states.ts";
import { lookBrings, lookLateSource, lookLost, lookOwnSource } from "./brought.ts";

/** Facts from git: worktrees, branches, who committed what. */
export function gitLooks(places: TaskPlaces): Readonly<Record<string, Look>> {
  const main = (state: Workflow): string => text(state.vars["main"]) || "main";
  return {
    worktree: async (world, of, state) =>
      lookWorktree(await places.worktrees(world), world, of, state),
    cwd: async (world, _, state) => await lookCwd(places, world, state),
    // The words in the task list change while tasks run and are committed with the task, so they do not count as
    // uncommitted changes.
    main: async (world) => {
      const list = text(settingsOf(world.config)["todo"]) || text(VARS["todo"]);
      const dirty = await places.dirty(".");
      return dirty?.every((path) => path === list) ?? unknown("its main worktree is not there");
    },
    config: async ({ settings }) => settings.uncounted().map(({ path }) => path),
    "other-settings": async (world, _, { vars }) => await lookOtherSettings(places, world, vars),
    remote: async () => await places.remote(),
    // A task's files are kept with the main worktree. Another worktree would get a second set of them.
    linked: async (world) =>
      (await places.worktrees(world))
        .map((one) => one.path)
        .filter((path) => path === world.workspace.root),
    branch: async (_, name) => (await places.head(name)) !== undefined,
    head: async (_, task) => (await places.head(task))?.commit ?? null,
    tree: async (_, branch, state) =>
      (await places.head(Object.hasOwn(state.units, branch) ? `${state.id}-${branch}` : branch))
        ?.tree ?? null,
    work: async (world, _, state) => await workOf(places, world, state),
    patch: async (_, task) => (await places.head(task))?.patch ?? null,
    clean: async (world, of, state) => {
      const dir = `${rootDir(state.vars, world.config)}/${state.id}`;
      const agent = state.units[of]?.kind === "agent";
      const path = agent ? `${dir}/agents/${of}/code` : `${dir}/code`;
      return (await places.dirty(path)) ?? unknown(`${path} is not there`);
    },
    commits: async (_, task, state) => (await places.ahead(task, main(state))).commits.length,
    ff: async (_, task, state) => {
      const base = await places.head(main(state));
      return base !== undefined && (await places.contains(task, base.commit));
    },
    "on-main": async (_, task, state) => {
      const head = await places.head(task);
      return head !== undefined && (await places.contains(main(state), head.commit));
    },
    merged: async (world, agent, state) => await lookMerged(places, world, agent, state),
    archived: async (_, task, state) => await lookArchived(places, task, state),
    deferred: async (_, task, state) => {
      const list = await places.file(task, text(state.vars["todo"]));
      const known = parseTodo(list ?? "").entries.map((one) => one.name);
      return deferredNames(state).filter((name) => !known.includes(name));
    },
    ...planLooks(places),
  };
}

/** Compares the branch with the plan and with what agents brought. */
function planLooks(places: TaskPlaces): Readonly<Record<string, Look>> {
  const main = (state: Workflow): string => text(state.vars["main"]) || "main";
  return {
    deviations: async (world, task, state) => {
      const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
      const { files } = await places.ahead(task, main(state));
      const own = listsOf(state.vars);
      const beside = plan === undefined ? files : unplannedFiles(plan, files);
      const others = await lookOthers(places, state, plan?.manifest);
      return [...beside.filter((path) => !own.includes(path)), ...others];
    },
    undelivered: async (world, task, state) => {
      const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
      const { files } = await places.ahead(task, main(state));
      const own = listsOf(state.vars);
      return plan === undefined
        ? ["the plan itself"]
        : untouchedPlans(plan, files).filter((path) => !own.includes(path));
    },
    // Foreign commits that the change is based on count too, even if the change itself is only text.
    "source-changed": async (world, task, state) => {
      const { entries } = await places.ahead(task, main(state));
      return changesSource(entries) || changesSource(await foreignEntries(places, world, state));
    },
    foreign: async (world, _, state) => await lookForeign(places, world, state),
    // The fixes beyond the limit.
    fixes: async (_, __, state) =>
      (await readFixes(places, state)).slice(Number(state.vars["fixes_max"] ?? VARS["fixes_max"])),
    "own-source": async (_, task, state) => await lookOwnSource(places, task, state),
    "late-source": async (_, task, state) => await lookLateSource(places, task, state),
    lost: async (world, task, state) => {
      const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
      return await lookLost(places, task, state, plan?.manifest ?? []);
    },
    brings: async (_, agent, state) => await lookBrings(places, agent, state),
    parts: async (world, agent, state) => {
      const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
      return hasPart(agent, plan?.said["Implementation Sequence"] ?? []);
    },
  };
}

/** Whether a change is more than text. A link or an executable is not text, whatever its name. */
export function changesSource(entries: Ahead["entries"]): boolean {
  return Object.entries(entries).some(([path, entry]) => !isProse(path) || !isPlain(entry));
}

function lookWorktree(
  worktrees: Awaited<ReturnType<TaskPlaces["worktrees"]>>,
  world: World,
  of: string,
  state: Workflow,
): Json {
  const dir = `${rootDir(state.vars, world.config)}/${state.id}`;
  const path = of === "." ? `${dir}/code` : `${dir}/agents/${of}/code`;
  const found = worktrees.find((one) => one.path === path);
  return found === undefined ? null : { path, branch: found.branch };
}

/** The caller's directory is unknown, so the rule cannot be checked. */
async function lookCwd(places: TaskPlaces, world: World, state: Workflow): Promise<Json> {
  const dir = `${rootDir(state.vars, world.config)}/${state.id}`;
  const required = `${dir}/code`;
  const current = await places.cwd();
  if (current === undefined) return { current: null, required, same: true, inside: false };
  return { current, required, same: current === required, inside: current.startsWith(`${dir}/`) };
}

async function lookMerged(
  places: TaskPlaces,
  world: World,
  agent: string,
  state: Workflow,
): Promise<Json> {
  const dir = `${rootDir(state.vars, world.config)}/${state.id}/agents/${agent}/code`;
  const branch = await places.head(`${state.id}-${agent}`);
  if (branch === undefined) return true;
  const dirty = (await places.dirty(dir)) ?? [];
  if (dirty.length > 0) return false;
  return (
    broughtIn(state, agent).includes(branch.commit) ||
    (await places.contains(state.id, branch.commit))
  );
}

/** The commit itself must close the entry and, if there is a changelog, name the task in it. */
async function lookArchived(places: TaskPlaces, task: string, state: Workflow): Promise<Json> {
  const todo = text(state.vars["todo"]);
  const changelog = text(state.vars["changelog"]);
  const list = await places.file(task, todo);
  const changes = await places.file(task, changelog);
  const open = parseTodo(list ?? "").entries.some((one) => one.name === task && !one.done);
  const marks = state.vars["completion"] === "mark";
  const named = marks || parseChangelog(changes ?? "").some((one) => one.task === task);
  const waiting = freedNames(list ?? "", task).map((name) => `${name} as READY in ${todo}`);
  return [...(open ? [todo] : []), ...(named ? [] : [changelog]), ...waiting];
}

/** Names under which deferred issues must be in the task list. */
export function deferredNames(state: Workflow): readonly string[] {
  const items = Object.values(state.dispatches)
    .filter((one) => one.spec === "scope" && one.outcome === "DEFER")
    .flatMap((one) => texts(one.claim?.["deferrable"]));
  return [...new Set(items.map(slug))];
}

function slug(item: string): string {
  const words = item.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 8).join("-");
}
