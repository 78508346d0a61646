import { isJsonArray, showJson } from "../../../core/json.ts";
import { ROOT } from "../../../core/state.ts";
import type { Dispatch, Workflow } from "../../../core/state.ts";
import { contextFilesFor } from "../files/context-files.ts";
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
import { META_GOALS, renderPrompt } from "./prompt.ts";
import { ciResult } from "../world/render.ts";
import { isSingleFinal } from "../table/verdicts.ts";

/** What a worker is given: one input, built the same way every time, and the words around it. */
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
    changed,
    constraints: constraintsOf(state, dispatch),
    projectType,
    repo: { branch: await branchOf(world), ci: ciResult(state), failed: failedStep(state) },
    tools: TOOLS,
    lean: state.vars["mode"] === "lean",
    ...(agent === "Researcher" && question !== "" ? { researchQuestion: question } : {}),
  });
  const changesKnown = changed !== undefined;
  return {
    dispatch: dispatch.id,
    role: agent,
    prompt: renderPrompt({ agent, session: state.id, input, copilot, projectType, changesKnown }),
    files: contextFilesFor(agent, state.id, files).required,
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

/** A detached HEAD has no name; neither has a directory without git. */
async function branchOf({ git, place }: World): Promise<string> {
  return place.kind === "repository" ? ((await git.branch()) ?? "HEAD") : "none";
}

/** What failed last, while it still does. */
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
  if (spec === "review-all") return META_GOALS[isSingleFinal(state) ? "single-final" : "per-batch"];
  if (spec.startsWith("correct-")) return showJson(state.vars["changes"] ?? "");
  return showJson(state.vars["goal"] ?? "") || (TITLES[spec] ?? spec);
}

/** What a person has said about this work, and why it is being repaired. */
function constraintsOf(state: Workflow, { spec, unit, role }: Dispatch): readonly string[] {
  const given = state.vars["constraints"];
  const about = unit === ROOT ? "meta" : unit;
  const guidance = state.notes.filter((one) => one.list === "guidance" && one.tag === about);
  const failure = spec.startsWith("fix-") ? repairsOf(state, spec) : [];
  return [
    ...(isJsonArray(given) ? given.map(showJson) : []),
    ...guidance.map((one) => one.text),
    ...failure,
    ...(role === "Reviewer" ? strayOf(state) : []),
  ];
}

/** The checker's own words, and for the build what each red command printed last. */
function repairsOf(state: Workflow, spec: string): readonly string[] {
  const { failure, feedback } = state.vars;
  const red = spec.startsWith("fix-build") ? failedRuns(state) : [];
  const said = [
    showJson(failure ?? ""),
    ...(isJsonArray(feedback) ? feedback.map(showJson) : []),
    ...red.flatMap((run) =>
      run.tail.trim() === "" ? [] : [`${run.name} printed:\n${run.tail.trim()}`],
    ),
  ];
  return said.filter((one) => one !== "").map((one) => `Repair this: ${one}`);
}

/** Nobody reported these changes, so nobody has explained them. */
function strayOf({ notes }: Workflow): readonly string[] {
  return notes.filter((one) => one.list === "remarks").map((one) => `Look closely: ${one.text}`);
}
