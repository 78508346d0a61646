import { isJsonArray, isJsonObject, showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { texts } from "../../../core/values/json-read.ts";
import { tellUnordered } from "../../../core/values/measured.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { buildInput } from "../files/input-json.ts";
import { AGENTS, PROJECT_TYPES, type ProjectType, type Worker } from "../files/names.ts";
import { sessionPath } from "../files/session-name.ts";
import type { Task } from "../files/tasks.ts";
import { parseTasks } from "../files/tasks-yaml.ts";
import type { Order, World } from "../../../ports/family.ts";
import { sessionChanges } from "../world/changes.ts";
import { COPILOT } from "../world/copilot.ts";
import { failedRuns } from "../table/evidence.ts";
import { sessionFiles } from "../world/looks.ts";
import { remark } from "./feedback.ts";
import { META_GOALS, renderPrompt } from "./prompt.ts";
import { ciResult } from "../world/render.ts";
import { saidSince, UNORDERED } from "../../../family/said.ts";
import { teamContract } from "../table/protocol.ts";
import { isSingleFinal } from "../table/verdicts.ts";

/** A worker's order: one input, always built in the same way, and the text around it. */
export async function orderOf(world: World, state: Workflow, dispatch: Dispatch): Promise<Order> {
  const agent = workerOf(dispatch.role);
  const files = new Set(await sessionFiles(world, state.id));
  const task = await taskOf(world, state, dispatch);
  const changed = await sessionChanges(world, state);
  const copilot = (await world.workspace.digest(COPILOT)) !== undefined;
  const projectType = typeOf(state);
  const question = showJson(state.vars["research_question"] ?? "");
  const input = buildInput({
    agent,
    session: state.id,
    task,
    title: task?.title ?? TITLES[dispatch.spec] ?? dispatch.spec,
    goal: goalOf(state, dispatch, task),
    files,
    corrects: corrected(dispatch, state, files),
    changed,
    constraints: constraintsOf(state, dispatch),
    projectType,
    repo: { branch: await branchOf(world), ci: ciResult(state), failed: failedStep(state) },
    tools: TOOLS,
    lean: state.vars["mode"] === "lean",
    ...(agent === "Researcher" && question !== "" ? { researchQuestion: question } : {}),
  });
  const { base } = state.vars;
  const changesKnown = changed !== undefined && !(isJsonObject(base) && base["whole"] === false);
  return {
    dispatch: dispatch.id,
    role: agent,
    prompt: renderPrompt({ agent, session: state.id, input, copilot, projectType, changesKnown }),
    files: texts(isJsonObject(input["task"]) ? input["task"]["context_files"] : []),
    data: input,
  };
}

const TOOLS: readonly string[] = [
  "read_file",
  "write_file",
  "apply_patch",
  "run_cmd",
  "search_repo",
];

const TITLES: Readonly<Record<string, string>> = {
  specify: "Write the specification",
  "specify-lean": "Set up a lean session",
  research: "Research",
  architect: "Design the architecture",
  design: "Design the interface",
  plan: "Plan the tasks",
  "review-all": "Review the whole session",
  "test-all": "Test the whole session",
  "secure-all": "Check the whole session for security",
  integrate: "Bring it together",
  "fix-build": "Repair the build",
  "fix-build-coder": "Repair the build",
  "review-late": "Review what changed since the review",
  "test-late": "Test what changed since the tests",
  "secure-late": "Check what changed since the security check",
  document: "Write the documentation",
  release: "Prepare the release",
};

function workerOf(role: string): Worker {
  const agent = AGENTS.filter((one) => one !== "Orchestrator").find((one) => one === role);
  if (agent === undefined) throw new Error(`Cannot write an order for "${role}": no such agent`);
  return agent;
}

async function taskOf(
  world: World,
  state: Workflow,
  { unit }: Dispatch,
): Promise<Task | undefined> {
  if (unit === ROOT) return undefined;
  const file = await world.workspace.read(sessionPath(state.id, "tasks.yaml"));
  const tasks = file.kind === "text" ? parseTasks(file.text).value?.tasks : undefined;
  return tasks?.find((one) => one.id === unit);
}

/** The files that a correction is about, which its author must read. */
function corrected(
  { spec }: Dispatch,
  { id }: Workflow,
  files: ReadonlySet<string>,
): readonly string[] {
  const pattern = CORRECTED[spec];
  if (pattern === undefined) return [];
  return [...files].filter((file) => pattern.test(file)).map((file) => sessionPath(id, file));
}

const CORRECTED: Readonly<Record<string, RegExp>> = {
  "correct-spec": /^(?:spec\.md|acceptance\.json)$/,
  "correct-architecture": /^(?:architecture\.md|adr\/.+)$/,
  "correct-design": /^design-specs\//,
};

/** "HEAD" if the HEAD is detached, "none" without git. */
async function branchOf({ git, place }: World): Promise<string> {
  return place.kind === "repository" ? ((await git.branch()) ?? "HEAD") : "none";
}

/** What failed last, as long as it still does. */
function failedStep(state: Workflow): string | null {
  if (ciResult(state) !== "red") return null;
  const failed = failedRuns(state).map((run) => run.name);
  return failed.join("; ") || showJson(state.vars["failure"] ?? "") || "acceptance checks";
}

function typeOf({ vars }: Workflow): ProjectType {
  return PROJECT_TYPES.find((one) => one === vars["project_type"]) ?? "mixed";
}

function goalOf(state: Workflow, { spec }: Dispatch, task: Task | undefined): string {
  if (task !== undefined) return task.goal;
  if (spec === "review-all" || spec === "review-late")
    return META_GOALS[isSingleFinal(state) ? "single-final" : "per-batch"];
  return showJson(state.vars["goal"] ?? "") || (TITLES[spec] ?? spec);
}

/** What was said about this work since the role last finished some of it, and what it must repair. */
function constraintsOf(state: Workflow, dispatch: Dispatch): readonly string[] {
  const { spec, role } = dispatch;
  const given = state.vars["constraints"];
  const orders = [
    ...(spec.startsWith("correct-")
      ? [`Change this: ${showJson(state.vars["changes"] ?? "")}`]
      : []),
    ...(spec.startsWith("fix-") ? repairsOf(state, dispatch) : []),
  ];
  const said = saidSince(teamContract, state, dispatch, { words: wordsOf }).map((one) => one.text);
  return [
    ...(isJsonArray(given) ? given.map(showJson) : []),
    // Left out if the order itself already says it.
    ...said
      .filter((one) => !spec.startsWith("fix-build") || !one.startsWith("The last run of"))
      .filter((one) => role !== "Reviewer" || !one.startsWith(UNORDERED)),
    ...orders,
    ...(role === "Reviewer" ? strayOf(state) : []),
  ];
}

/** An unreadable reply says nothing. What a person was asked about is covered by the answers. */
function wordsOf(claim: JsonObject): readonly string[] {
  const { outcome, summary, feedback } = claim;
  if (outcome === "UNREADABLE") return [];
  return [showJson(summary ?? ""), ...(outcome === "BLOCKED" ? texts(feedback) : [])];
}

/** What must be repaired, in the checker's own words; for the build, the last output of each failed command. */
function repairsOf(state: Workflow, dispatch: Dispatch): readonly string[] {
  const { failure, feedback } = state.vars;
  const red = dispatch.spec.startsWith("fix-build") ? failedRuns(state) : [];
  const chosen = chosenFindings(state, dispatch);
  const said = [
    ...(chosen ?? [showJson(failure ?? ""), ...texts(feedback)]),
    ...red.flatMap((run) =>
      run.tail.trim() === "" ? [] : [`${run.name} printed:\n${run.tail.trim()}`],
    ),
  ];
  return said.filter((one) => one !== "").map((one) => `Repair this: ${one}`);
}

/**
 * If Security left the choice to a person: only what that person wants fixed now. Undefined if nobody was asked.
 */
function chosenFindings(
  { decisions, findings, units }: Workflow,
  { spec, unit }: Dispatch,
): readonly string[] | undefined {
  const verdict = findings[`${unit} security Security`];
  const since = units[ROOT]?.entered["INTEGRATE"] ?? 0;
  const late = spec.startsWith("fix-build") && (verdict?.seq ?? 0) > since;
  if (!late && !spec.startsWith("fix-security")) return undefined;
  const asked = Object.values(decisions).filter(
    (one) => one.question === "security-finding" && one.askedSeq === verdict?.seq,
  );
  if (asked.length === 0) return undefined;
  return asked
    .filter((one) => one.settled?.option === "fix-now")
    .map(({ about }) => remark(about, "description", "recommended_fix"));
}

/** Changes that nobody has reported or explained. */
function strayOf({ unordered }: Workflow): readonly string[] {
  return unordered.map((one) => `Look closely: ${tellUnordered(one.changed)}`);
}
