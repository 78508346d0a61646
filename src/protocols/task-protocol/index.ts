import type { Refusal } from "../../core/decide/answer.ts";
import type { Command } from "../../core/state/commands.ts";
import { parseJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import type { Workflow } from "../../core/state/state.ts";
import { parseAgentStatus } from "./files/agent-status.ts";
import { checkTaskName } from "./files/task-name.ts";
import { parseTodo } from "./files/todo-md.ts";
import { verifyTaskTree } from "./files/verify/task-tree.ts";
import { defineFamily } from "../../family/define.ts";
import type {
  AuditEvidence,
  Compliance,
  EffectAdapter,
  Family,
  StartOption,
  StartOptions,
  Started,
  VerifiedWorkflow,
  World,
} from "../../ports/family.ts";
import { adopt } from "./world/adopt.ts";
import { AGENTS, COMMANDS } from "./words/agents.ts";
import { auditTask } from "./words/audit.ts";
import { briefOf } from "./words/brief.ts";
import { choiceOf } from "./world/choice.ts";
import { readReport } from "./world/claim.ts";
import { CALLED, describe } from "./words/describe.ts";
import { entryReport, exitReport } from "./words/gate-report.ts";
import { gitLooks } from "./world/git-looks.ts";
import { fileLooks, scopeDigest } from "./world/looks.ts";
import { MAIN } from "./table/main-protocol.ts";
import { orderOf } from "./words/order.ts";
import type { TaskPlaces } from "./world/places.ts";
import { taskRoots } from "./roots.ts";
import { taskProtocol } from "./table/protocol.ts";
import { text } from "../../core/values/json-read.ts";
import { badPaths, rootDir, settingsOf } from "./world/settings.ts";
import { modeOf, roundOf } from "./table/states.ts";
import { settingsFor } from "./table/languages.ts";
import { unneeded } from "./table/unneeded.ts";
import { VARS } from "./table/vars.ts";
import { viewsOf } from "./world/views.ts";
import { initialPace } from "./world/resume.ts";
import { watchTask } from "./world/watch.ts";

/** The task protocol, connected to its files and, through `places`, to git's worktrees and branches. */
export function taskFamily(places: TaskPlaces): Family {
  const git: EffectAdapter = { perform: performWith(places) };
  return defineFamily(taskProtocol, {
    names: { check: checkName },
    starting: {
      options: START_OPTIONS,
      vars: async (world, id, options) => await start(places, world, id, options),
      settings: settingsFor,
    },
    views: [viewsOf],
    looks: { ...fileLooks(places), ...gitLooks(places) },
    work: { order: orderOf, read: readReport, unneeded },
    effects: {
      worktree: git,
      "worktree-remove": git,
      "merge-ff": git,
      squash: git,
      archive: git,
      push: git,
    },
    checks: { at: checkedAt },
    edits: { commands: edits },
    adopt: {
      discover: async (world) =>
        (await verify(world, places)).map((one) => one.id).filter((id) => id !== MAIN),
      read: async (world, id, options) => await adopt(places, world, id, options),
    },
    verify: {
      judge: async (world) => await verify(world, places),
      headings: {
        0: "sound",
        1: "NO LOCK",
        2: "STATE MISMATCH",
        3: "RELEASE DOES NOT HOLD",
        4: "LEFT OVER",
      },
    },
    audit: { compliance, keepsRefusals: true },
    watch: watchTask,
    choice: async (world) => await choiceOf(places, world),
    words: {
      describe,
      gate,
      pace: initialPace,
      called: CALLED,
      brief: async (world, state) => await briefOf(places, world, state),
      agents: AGENTS,
      commands: COMMANDS,
    },
    roots: taskRoots,
  });
}

const START_OPTIONS: Readonly<Record<string, StartOption>> = {
  feasibility: {
    type: "string",
    about: "yes, or the three findings and what is the user's to choose, as JSON",
  },
  description: { type: "string", about: "what it is, if the task list says less" },
  "risk-level": { type: "string", about: "HIGH, MEDIUM or LOW (people only)" },
  "force-full-protocol": { type: "boolean", about: "every agent, every state" },
};

/** Checks run where the work is: in the agent's own worktree or the task's. */
function checkedAt(state: Workflow, unit: string): string {
  const dir = `${text(state.vars["root"])}/${state.id}`;
  return state.units[unit]?.kind === "agent" ? `${dir}/agents/${unit}/code` : `${dir}/code`;
}

function compliance(state: Workflow, evidence: AuditEvidence): Compliance {
  const refused = evidence.refused.map(({ at, command, step, actor, refusals }) => ({
    at,
    command,
    step,
    by: actor,
    codes: refusals.map((one) => one.code),
  }));
  // A name may have been used before; the records of earlier runs are skipped.
  const begun = evidence.records.findLastIndex(({ events }) =>
    events.some((event) => event.type === "workflow.started"),
  );
  const records = evidence.records.slice(Math.max(begun, 0));
  const report = auditTask({ ...evidence, records, state, refused });
  return { passed: report.verdict === "PASSED", markdown: report.markdown, json: report.json };
}

/** The checks of the two gates, in the words of the scripts that they replace. */
function gate(move: string, refusals: readonly Refusal[]): readonly string[] {
  if (move === "synthesize") return exitReport({ kind: "refused", refusals }).lines;
  return move === "implement" ? entryReport({ kind: "refused", refusals }).lines : [];
}

function checkName(id: string): Refusal | undefined {
  const message = checkTaskName(id);
  const fix = "Use lower-case words joined by single hyphens, such as add-parser.";
  return message === undefined ? undefined : { code: "name-illegal", message, fix, rule: "TP-053" };
}

/** The feasibility record is JSON, or a single word for yes to everything. */
async function start(
  places: TaskPlaces,
  world: World,
  id: string,
  options: StartOptions,
): Promise<Started> {
  const refusals = badPaths(world.config);
  if (refusals.length > 0) return { kind: "refused", refusals };
  const { feasibility, description, "risk-level": level } = options;
  const full = options["force-full-protocol"] === true ? "FULL" : null;
  const settings = { main: await mainBranch(places, world), ...settingsOf(world.config) };
  const vars = {
    ...settings,
    begun: (await places.head(text(settings.main)))?.commit ?? null,
    feasibility: feasibilityOf(feasibility),
    scope_digest: await scopeDigest(places, world, id),
    description: typeof description === "string" ? description : "",
    risk_override: typeof level === "string" ? level.toUpperCase() : full,
  };
  return { kind: "ready", vars };
}

/** The default branch: `main`, or else the one checked out in the main worktree. */
async function mainBranch(places: TaskPlaces, world: World): Promise<string> {
  const usual = text(VARS["main"]);
  if ((await places.head(usual)) !== undefined) return usual;
  const here = (await places.worktrees(world)).find((one) => one.path === ".");
  return here === undefined || here.branch === "" ? usual : here.branch;
}

function feasibilityOf(given: string | boolean | undefined): Json {
  const all = given === true || given === "yes";
  if (all || given === "no")
    return { deliverables_clear: all, no_external_blocker: all, within_capability: all };
  return typeof given === "string" ? (parseJson(given) ?? null) : null;
}

/** Git's result decides; whatever could not be done yet is tried again. */
function performWith(places: TaskPlaces): EffectAdapter["perform"] {
  return async (world, state, effect, memory) => {
    const outcome = await places.perform(world, state, effect, memory);
    if (outcome.kind !== "blocked") return outcome;
    const { code, message, fix } = outcome;
    return { kind: "pending", pending: { effect: effect.id, code, message, fix } };
  };
}

const ENDED: readonly string[] = ["COMPLETE", "ERROR", "BLOCKED"];

/** A status file in which an agent has ended counts as its report, if it is for the current order. */
async function edits(world: World, state: Workflow): Promise<readonly Command[]> {
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const commands = await Promise.all(
    out.map(async (dispatch): Promise<readonly Command[]> => {
      const dir = `${text(state.vars["root"])}/${state.id}/agents/${dispatch.unit}`;
      const file = await world.workspace.read(`${dir}/status.json`);
      if (file.kind !== "text") return [];
      const { value } = parseAgentStatus(file.text, { agent: dispatch.unit, task: state.id });
      const round = roundOf(state, dispatch.unit, dispatch.spec);
      const current = value?.mode === modeOf(dispatch.spec) && value.round === round;
      if (value?.status === undefined || !ENDED.includes(value.status) || !current) return [];
      const report = readReport(file.text, dispatch, state);
      if (report.kind !== "report") return [];
      return [{ type: "dispatch.report", dispatch: dispatch.id, claim: report.claim }];
    }),
  );
  return commands.flat();
}

async function verify(world: World, places: TaskPlaces): Promise<readonly VerifiedWorkflow[]> {
  const root = rootDir({}, world.config);
  const todo = text(settingsOf(world.config)["todo"]) || "todo.md";
  const worktrees = new Set((await places.worktrees(world)).map((one) => one.path));
  const texts = new Map<string, string>();
  for (const path of [todo, ...(await pathsBelow(world, root, DEPTH_MAX))]) {
    const file = await world.workspace.read(path);
    if (file.kind === "text") texts.set(path, file.text);
  }
  const known = parseTodo(texts.get(todo) ?? "").entries.length > 0;
  return verifyTaskTree({ root, texts, worktrees, ...(known ? { todo } : {}) });
}

const DEPTH_MAX = 3;

/** Texts in the tasks' own folders, without the code worktrees inside them. */
async function pathsBelow(world: World, dir: string, depth: number): Promise<readonly string[]> {
  const names = await world.workspace.list(dir);
  const below = await Promise.all(
    names.map(async (name) => {
      if (!name.endsWith("/")) return [`${dir}/${name}`];
      const own = depth > 0 && !name.startsWith(".") && name !== "code/";
      return own ? await pathsBelow(world, `${dir}/${name.slice(0, -1)}`, depth - 1) : [];
    }),
  );
  return below.flat();
}
