import type { Json } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { parseAgentStatus } from "../files/agent-status.ts";
import { lintDelegation, parsePlanMd } from "../files/plan-md.ts";
import { parseRequirementsReport, reportName } from "../files/requirements-report.ts";
import { parseSynthesis } from "../files/synthesis-md.ts";
import { parseTaskMd } from "../files/task-md.ts";
import { freedNames, parseTodo } from "../files/todo-md.ts";
import type { TodoEntry } from "../files/todo-md.ts";
import type { Look, World } from "../../../ports/family.ts";
import { choiceOf } from "./choice.ts";
import { readList } from "./elsewhere.ts";
import { mainOwner } from "../main-family.ts";
import { object, text } from "../../../core/values/json-read.ts";
import { classify } from "../table/risk.ts";
import type { Level } from "../table/risk.ts";
import { select } from "../table/selection.ts";
import { safetyOf } from "./safety.ts";
import { listsOf, patternsOf, rootDir } from "./settings.ts";
import { requiredAgents } from "../table/states.ts";
import type { Ahead, TaskPlaces } from "./places.ts";

/** Facts from files. Each look is quick and changes nothing. */
export function fileLooks(places: TaskPlaces): Readonly<Record<string, Look>> {
  return {
    todo: async (world, task, { vars }) => await lookTodo(places, world, task, vars),
    "next-task": async (world) => (await choiceOf(places, world))?.next ?? null,
    selection: (world, task) => lookSelection(world, places, task),
    "session-tasks": lookSessionTasks,
    "task-dir": async (world, task, { vars }) =>
      (await world.workspace.list(`${rootDir(vars, world.config)}/${task}`)).length > 0,
    "task-md": lookTaskMd,
    plan: lookPlan,
    "plan-digest": async (world, _, state) => {
      const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
      return plan === undefined ? null : `sha256:${world.sha256(plan.text)}`;
    },
    synthesis: lookSynthesis,
    classification: async (world, _, state) => await lookClassification(places, world, state),
    agents: async (world, _, state) => await lookAgents(places, world, state),
    report: lookReport,
    "agent-status": lookStatus,
    safety: async (world, task, state) => {
      // For a higher risk, the short way for small kinds of change does not depend on these gates.
      if (state.vars["risk_level"] !== "LOW") return [];
      const { files } = await places.ahead(task, text(state.vars["main"]));
      return await safetyOf(places, { world, state, branch: task, paths: files });
    },
    dependants: async (world, task, { vars }) =>
      freedNames((await readList(places, world, vars)) ?? "", task),
    "main-lock": async (world) => await mainOwner(world),
  };
}

async function read({ workspace }: World, path: string): Promise<string | undefined> {
  const file = await workspace.read(path);
  return file.kind === "text" ? file.text : undefined;
}

function dirOf(world: World, state: Workflow): string {
  return `${rootDir(state.vars, world.config)}/${state.id}`;
}

export async function readTaskMd(world: World, state: Workflow): Promise<string | undefined> {
  return await read(world, `${dirOf(world, state)}/task.md`);
}

async function lookTodo(
  places: TaskPlaces,
  world: World,
  task: string,
  vars: Workflow["vars"],
): Promise<Json> {
  const list = await readList(places, world, vars);
  const { entries } = parseTodo(list ?? "");
  const entry = entries.find((one) => one.name === task && !one.done);
  if (entry === undefined) return null;
  const { fields, status, dependencies } = entry;
  const open = dependencies.filter((name) => entries.some((one) => one.name === name && !one.done));
  const scope = (fields["scope"] ?? "") !== "";
  return {
    status: status === "BLOCKED" && open.length === 0 && dependencies.length > 0 ? "READY" : status,
    purpose: (fields["purpose"] ?? "") !== "",
    scope,
    // A scope that names files also names components.
    components: scope || (fields["components"] ?? "") !== "",
    blockedBy: open,
    digest: `sha256:${world.sha256(fields["scope"] ?? "")}`,
  };
}

/** Digest of the entry's scope. If it changes while the task runs, it was changed from outside. */
export async function scopeDigest(places: TaskPlaces, world: World, task: string): Promise<Json> {
  return object(await lookTodo(places, world, task, {}))["digest"] ?? null;
}

async function lookSelection(world: World, places: TaskPlaces, task: string): Promise<Json> {
  const dir = `${rootDir({}, world.config)}/${task}`;
  // There is no journal yet, so an existing lock was written by somebody else.
  const lock =
    (await world.workspace.read(`${dir}/task.json`)).kind === "absent" ? "none" : "another";
  const worktree = (await places.worktrees(world)).some((one) => one.path === `${dir}/code`);
  return select(lock, worktree);
}

/** Unfinished tasks whose summary names this session. */
async function lookSessionTasks(world: World, session: string): Promise<Json> {
  const all = await world.workflows();
  return all
    .map((one) => object(one.summary))
    .filter((one) => one["protocol"] === "task-protocol" && one["session"] === session)
    .filter((one) => one["at"] !== "CLEANUP")
    .map((one) => text(one["id"]));
}

async function lookTaskMd(world: World, _: string, state: Workflow): Promise<Json> {
  const found = await readTaskMd(world, state);
  if (found !== undefined) return { missing: parseTaskMd(found).missing };
  const stray = await read(world, `${dirOf(world, state)}/code/task.md`);
  return stray === undefined ? null : { missing: [], misplaced: true };
}

async function lookPlan(world: World, _: string, state: Workflow): Promise<Json> {
  const plan = parsePlanMd((await readTaskMd(world, state)) ?? "");
  if (plan === undefined) return null;
  const own = (plan.said["Implementation Sequence"] ?? [])
    .filter((line) => lintDelegation(line).severity === "error")
    .map((line) => `"${line}" leaves the work to the coordinator`);
  return { missing: plan.missing, problems: [...plan.problems, ...own] };
}

async function lookSynthesis(world: World, _: string, state: Workflow): Promise<Json> {
  const document = await readTaskMd(world, state);
  if (document === undefined) return null;
  const reports = await Promise.all(
    requiredAgents(state).map(async (agent) => {
      const report = await read(world, `${dirOf(world, state)}/${reportName(state.id, agent)}`);
      return parseRequirementsReport(report ?? "").requirements;
    }),
  );
  return { ...parseSynthesis(document, [...new Set(reports.flat())]) };
}

async function lookClassification(
  places: TaskPlaces,
  world: World,
  state: Workflow,
): Promise<Json> {
  const { vars } = state;
  const found = await readTaskMd(world, state);
  const entry = parseTodo((await readList(places, world, vars)) ?? "").entries.find(
    (one) => one.name === state.id,
  );
  const { paths, entries } = await touched(places, state, namedIn(found ?? "", entry));
  const classified = classify({
    paths,
    entries,
    description: `${text(vars["description"])} ${entry?.description ?? ""}`,
    override: overrideOf(vars["risk_override"]),
    patterns: patternsOf(world.config),
    rules: (world.config.protocols ?? []).map((file) => file.replace(/^\.\//, "")),
    safety: await safetyOf(places, { world, state, branch: state.id, paths }),
  });
  return { ...classified };
}

/** Until task.md says what is in scope, the entry in the list counts, if it names files and nothing else. */
function namedIn(document: string, entry: TodoEntry | undefined): readonly string[] {
  const named = [...parseTaskMd(document).inScope, ...(parsePlanMd(document)?.manifest ?? [])];
  if (named.length > 0) return named;
  const words = (entry?.fields["scope"] ?? "").split(/[\s,`]+/).filter((word) => word !== "");
  return words.every((word) => /^(?:[\w@-][\w@.-]*\/)*[\w@-]*\.\w+$/.test(word)) ? words : [];
}

/**
 * The paths named by the scope and the plan, and those the branch really changes. The class depends on all three.
 */
async function touched(
  places: TaskPlaces,
  { id, vars }: Workflow,
  named: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly entries: Ahead["entries"] }> {
  // If nobody has said what the task is about, the files it happens to change do not define it.
  if (named.length === 0) return { paths: [], entries: {} };
  const lists = listsOf(vars);
  const { files, entries } = await places.ahead(id, text(vars["main"]) || "main");
  const paths = [...new Set([...named, ...files.filter((path) => !lists.includes(path))])];
  return { paths, entries };
}

function overrideOf(value: Json | undefined): Level | "FULL" | null {
  return value === "HIGH" || value === "MEDIUM" || value === "LOW" || value === "FULL"
    ? value
    : null;
}

/** The selected agents, and those that had joined before, so that going back does not lose them. */
async function lookAgents(places: TaskPlaces, world: World, state: Workflow): Promise<Json> {
  const { agents, reason } = object(await lookClassification(places, world, state));
  const selected = Array.isArray(agents) ? agents.filter((one) => typeof one === "string") : [];
  const joined = Object.values(state.units).filter(
    (unit) => unit.kind === "agent" && unit.data["added_at"] !== undefined,
  );
  return [
    ...selected.map((id) => ({ id, domain: id, reason: text(reason) })),
    ...joined
      .filter((unit) => !selected.includes(unit.id))
      .map((unit) => ({ id: unit.id, ...unit.data })),
  ];
}

async function lookReport(world: World, agent: string, state: Workflow): Promise<Json> {
  const report = await read(world, `${dirOf(world, state)}/${reportName(state.id, agent)}`);
  return report === undefined ? null : { bytes: parseRequirementsReport(report).bytes };
}

async function lookStatus(world: World, agent: string, state: Workflow): Promise<Json> {
  const status = await read(world, `${dirOf(world, state)}/agents/${agent}/status.json`);
  const { value } = parseAgentStatus(status ?? "");
  if (value === undefined) return null;
  const { mode = null, round = null, updatedAt = null } = value;
  return { status: value.status ?? null, mode, round, updated_at: updatedAt };
}
