import { rootOf } from "../../../core/state/evolve.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { parseAgentStatus } from "../files/agent-status.ts";
import { lintDelegation, parsePlanMd } from "../files/plan-md.ts";
import { parseRequirementsReport, reportName } from "../files/requirements-report.ts";
import { parseTaskJson } from "../files/task-json.ts";
import type { Advice, World } from "../../../ports/family.ts";
import type { TaskPlaces } from "../world/places.ts";
import { workOf } from "../world/work.ts";
import { number, text } from "../../../core/values/json-read.ts";
import { planRecovery, resumption } from "../world/recovery.ts";
import type { AgentPlan, AgentView, Limits } from "../world/recovery.ts";
import { classifyBuildFailure, findCorruption, missingEvidence } from "../world/resume.ts";
import type { Condition } from "../world/resume.ts";
import { elsewhere } from "./elsewhere.ts";
import { leftHere } from "./left.ts";
import { ownerOf } from "../table/selection.ts";
import { enteredAt, modeOf, requiredAgents, roundOf } from "../table/states.ts";

/** What to do now, according to the files and the clock. Nothing is done automatically. */
export async function adviceFor(
  places: TaskPlaces,
  world: World,
  state: Workflow,
): Promise<readonly Advice[]> {
  const { at } = rootOf(state);
  if (at === "CLEANUP") return await leftHere(places, world, state);
  const here: Here = { places, world, state, dir: `${text(state.vars["root"])}/${state.id}` };
  return [
    ...(await corruptionAdvice(here)),
    ...(await evidenceAdvice(here)),
    ...(await agentAdvice(here)),
    ...buildAdvice(state),
    ...(await wordingAdvice(here)),
  ];
}

interface Here {
  readonly places: TaskPlaces;
  readonly world: World;
  readonly state: Workflow;
  readonly dir: string;
}

/** Agents have no worktrees before they are selected, nor while a person looks at the change. */
const WITHOUT_AGENTS: readonly string[] = ["INIT", "AWAITING_USER_APPROVAL", "COMPLETE"];

async function corruptionAdvice({ places, world, state, dir }: Here): Promise<readonly Advice[]> {
  const { at } = rootOf(state);
  const made = new Set((await places.worktrees(world)).map((one) => one.path));
  const required = WITHOUT_AGENTS.includes(at) ? [] : requiredAgents(state);
  const found = findCorruption({
    lock: state.lease === null ? "mine" : await lockOf(world, dir, state.lease.session),
    taskWorktree: at === "COMPLETE" || made.has(`${dir}/code`),
    agentWorktrees: required.filter((agent) => made.has(`${dir}/agents/${agent}/code`)),
    requiredAgents: required,
    // An empty log is only right in INIT.
    logEntries: 1,
  });
  return found.map(({ code, message }) => {
    const repair = REPAIRS[code]?.(state.id) ?? `holdpoint reconcile ${state.id} --restore`;
    const there = code === "worktree-missing" ? elsewhere(state, dir) : undefined;
    return { action: code, why: message, run: [repair], ...there };
  });
}

const REPAIRS: Readonly<Record<string, (id: string) => string>> = {
  "worktree-missing": (id) => `holdpoint advance ${id} worktree-lost`,
  "agent-worktree-missing": (id) => `holdpoint advance ${id} restore-agents`,
};

async function lockOf(world: World, dir: string, session: string): Promise<Condition["lock"]> {
  const file = await world.workspace.read(`${dir}/task.json`);
  if (file.kind === "absent") return "missing";
  const { value } = parseTaskJson(file.kind === "text" ? file.text : "");
  const owner = ownerOf(value?.sessionId, session);
  return owner === "none" ? "missing" : owner;
}

/** Evidence for the current state that has changed. */
async function evidenceAdvice({ places, world, state, dir }: Here): Promise<readonly Advice[]> {
  const facts = new Map<string, Json>();
  for (const key of Object.values(state.findings).flatMap((one) => Object.keys(one.bound))) {
    const colon = key.indexOf(":");
    const [word, of] = [key.slice(0, colon), key.slice(colon + 1)];
    if (word === "digest") facts.set(key, (await world.workspace.digest(of)) ?? null);
    if (word === "tree") facts.set(key, (await places.head(of))?.tree ?? null);
    if (word === "clean") facts.set(key, (await places.dirty(`${dir}/code`)) ?? []);
    if (word === "work") facts.set(key, await workOf(places, world, state));
  }
  const run = [`holdpoint next ${state.id}`];
  return missingEvidence(state, (key) => facts.get(key)).map((why) => ({
    action: "evidence-missing",
    why,
    run,
  }));
}

/** The work of agents in each state, and the step that follows when all are done. */
const WORK: Readonly<Record<string, { readonly spec: string; readonly step: string }>> = {
  REQUIREMENTS: { spec: "requirements", step: "synthesize" },
  IMPLEMENTATION: { spec: "implementation", step: "validate" },
  REVIEW: { spec: "review", step: "present" },
  SCOPE_NEGOTIATION: { spec: "scope", step: "defer" },
};

async function agentAdvice(here: Here): Promise<readonly Advice[]> {
  const { state, world } = here;
  const { at } = rootOf(state);
  const work = WORK[at];
  const required = requiredAgents(state);
  if (work === undefined || required.length === 0) return [];
  const orders = required.flatMap((agent) => latestOf(state, agent, work.spec) ?? []);
  const started = orders.map((one) => one.unit);
  const views = await Promise.all(orders.map((order) => viewOf(here, order)));
  const recovery = planRecovery(views, world.now, limitsOf(state)).plans;
  const plans = recovery.map((plan) => (at === "IMPLEMENTATION" ? orUnmerged(state, plan) : plan));
  const done = plans.filter((plan) => plan.action === "NONE").map((plan) => plan.agent);
  const next = resumption(required, [...done, ...started]);
  const fresh = next.kind === "TRANSITION_TO_SYNTHESIS" ? [] : next.agents;
  const send = (agent: string): string =>
    `holdpoint advance ${state.id} ${work.spec} --unit ${agent}`;
  return [
    ...(fresh.length === 0
      ? []
      : [
          {
            action: next.kind,
            why: `not asked yet, all at once: ${fresh.join(", ")}`,
            run: fresh.map(send),
          },
        ]),
    ...plans
      .filter((plan) => plan.action !== "NONE")
      .map((plan) =>
        planAdvice(state, plan, { send, dispatch: orders.find((one) => one.unit === plan.agent) }),
      ),
    ...(fresh.length === 0 && done.length === required.length
      ? [objection(state, orders) ?? allDone(state, at, work.step)]
      : []),
  ];
}

function allDone(state: Workflow, at: string, step: string): Advice {
  const why =
    at === "IMPLEMENTATION"
      ? "every agent is done: make it one commit, let all look at the whole, then move on"
      : `every agent is done: ${step}`;
  return { action: "ALL_DONE", why, run: followUp(state, at, step) };
}

const AGAINST: Readonly<Record<string, string>> = { REJECTED: "rework", RESOLVE_NOW: "reduce" };

/** A single rejection decides; its text is the reason. */
function objection(state: Workflow, orders: readonly Dispatch[]): Advice | undefined {
  const against = orders.find((one) => (one.outcome ?? "") in AGAINST);
  const step = AGAINST[against?.outcome ?? ""];
  if (against === undefined || step === undefined) return undefined;
  const said = text(against.claim?.["feedback"]) || text(against.claim?.["justification"]);
  const why = `${against.unit}: ${against.outcome ?? ""}${said === "" ? "" : `, ${said}`}`;
  return {
    action: step,
    why,
    run: [`holdpoint advance ${state.id} ${step} --reason "${against.unit}"`],
  };
}

function followUp(state: Workflow, at: string, then: string): readonly string[] {
  const id = state.id;
  if (at !== "IMPLEMENTATION") return [`holdpoint advance ${id} ${then}`];
  return [
    `holdpoint advance ${id} close`,
    ...requiredAgents(state).map((agent) => `holdpoint advance ${id} round-review --unit ${agent}`),
    `holdpoint advance ${id} ${then}`,
  ];
}

function latestOf(state: Workflow, agent: string, spec: string): Dispatch | undefined {
  const since = enteredAt(state, rootOf(state).at);
  return Object.values(state.dispatches).findLast(
    (one) => one.unit === agent && one.spec === spec && one.sentSeq > since,
  );
}

/** The result of an order, or what the agent writes itself while it is out. */
async function viewOf({ places, world, state, dir }: Here, dispatch: Dispatch): Promise<AgentView> {
  const agent = dispatch.unit;
  const file = await world.workspace.read(`${dir}/agents/${agent}/status.json`);
  const { value } = parseAgentStatus(file.kind === "text" ? file.text : "");
  const round = roundOf(state, agent, dispatch.spec);
  const current = value?.mode === modeOf(dispatch.spec) && value.round === round;
  const wrote = current && (value.updatedAt ?? "") > dispatch.sentAt;
  const ended = dispatch.status === "ended";
  const report = await world.workspace.read(`${dir}/${reportName(state.id, agent)}`);
  const written = report.kind === "text" ? parseRequirementsReport(report.text).bytes : null;
  return {
    agent,
    status: ended ? endOf(dispatch) : wrote ? (value.status ?? null) : null,
    reportBytes: dispatch.spec === "requirements" ? written : Number.MAX_SAFE_INTEGER,
    worktree: (await places.worktrees(world)).some(
      (one) => one.path === `${dir}/agents/${agent}/code`,
    ),
    sentAt: dispatch.sentAt,
    updatedAt: wrote ? (value.updatedAt ?? null) : null,
    errorMessage: text(dispatch.claim?.["error_message"]) || (dispatch.outcome ?? ""),
    retries: state.spent[`retries/${agent}`] ?? 0,
  };
}

const DONE: readonly string[] = [
  "COMPLETE",
  "APPROVED",
  "REJECTED",
  "DEFER",
  "RESOLVE_NOW",
  "DONE",
];

function endOf({ outcome }: Dispatch): string {
  if (outcome === "BLOCKED") return outcome;
  return DONE.includes(outcome ?? "") ? "COMPLETE" : "ERROR";
}

function limitsOf({ vars }: Workflow): Limits {
  return {
    retries: number(vars["retries_max"], 2),
    statusMinutes: number(vars["status_minutes_max"], 5),
    staleMinutes: number(vars["stale_minutes_max"], 30),
    waitMinutes: number(vars["wait_minutes_max"], 60),
    reportBytes: number(vars["report_bytes_min"], 100),
  };
}

/** The work is done but its merge failed, so it is not on the task branch. */
function orUnmerged(state: Workflow, plan: AgentPlan): AgentPlan {
  const last = Object.values(state.effects).findLast(
    (one) => one.kind === "merge-ff" && one.args["agent"] === plan.agent,
  );
  if (plan.action !== "NONE" || last?.status !== "failed") return plan;
  return { agent: plan.agent, action: "REINVOKE", why: text(last.detail["message"]) };
}

interface Sending {
  readonly send: (agent: string) => string;
  readonly dispatch: Dispatch | undefined;
}

function planAdvice(state: Workflow, plan: AgentPlan, { send, dispatch }: Sending): Advice {
  const { action, agent } = plan;
  const late = dispatch !== undefined && dispatch.status === "open";
  const end = `echo '{"outcome":"TIMED_OUT"}' | holdpoint report ${state.id} - --dispatch ${dispatch?.id ?? ""}`;
  const again = [...(late ? [end] : []), send(agent)];
  const runs: Readonly<Record<string, readonly string[]>> = {
    WAIT: [],
    ESCALATE: late ? [end] : [`holdpoint answer ${state.id}`],
    REVIEW_MODE: [`holdpoint advance ${state.id} clarification --unit ${agent}`],
    RETURN_TO_CLASSIFIED: [`holdpoint advance ${state.id} reclassify --reason "${plan.why}"`],
  };
  return { action, why: `${agent}: ${plan.why}`, run: runs[action] ?? again };
}

/** Phases of the plan that do not name their agent: allowed, but worth a look before a person reads the plan. */
async function wordingAdvice({ world, state, dir }: Here): Promise<readonly Advice[]> {
  if (rootOf(state).at !== "SYNTHESIS") return [];
  const file = await world.workspace.read(`${dir}/task.md`);
  const plan = parsePlanMd(file.kind === "text" ? file.text : "");
  return (plan?.said["Implementation Sequence"] ?? [])
    .filter((line) => lintDelegation(line).severity === "warning")
    .map((line) => ({ action: "say-who", why: `"${line}" names no agent`, run: [] }));
}

/** A failed build, and who should look at it. */
function buildAdvice(state: Workflow): readonly Advice[] {
  if (rootOf(state).at !== "VALIDATION") return [];
  const run = state.notes.findLast((note) => note.list === "runs");
  const failed = Object.values(state.findings).some(
    (one) => one.kind === run?.tag && one.value === "failed",
  );
  if (run === undefined || !failed) return [];
  const { kind, route } = classifyBuildFailure(run.text);
  const why = `${run.tag} failed (${kind}); for ${route}`;
  return [
    {
      action: "rework",
      why,
      run: [`holdpoint advance ${state.id} rework --reason "${run.tag} failed"`],
    },
  ];
}
