import { showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { text } from "../../../core/values/json-read.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { CONTRACT_KEYS } from "../files/handoff/handoff.ts";
import { parsePlan } from "../files/plan.ts";
import type { Order, World } from "../../../ports/family.ts";
import { highestMockup } from "../world/looks.ts";
import { saidSince } from "../../../family/said.ts";
import { contractOf, draftOf, handoffOf, homeOf } from "../table/paths.ts";
import { pluginWorkflow } from "../table/protocol.ts";
import { phasesOf, targetOf } from "../table/position.ts";

/** The agent's order: its task, what to read, what not to touch, and how to report. */
export async function orderOf(world: World, state: Workflow, dispatch: Dispatch): Promise<Order> {
  const target = targetOf(dispatch);
  const files = [
    ...(await contractsThere(world, state.id)),
    ...(dispatch.spec.startsWith("gui") ? await mockupThere(world, state.id) : []),
  ];
  const label = target.phase === null ? `stage ${target.stage}` : `phase ${target.phase}`;
  const lines = [
    `You are ${dispatch.role}. Do ${label} of the plugin ${state.id}: ${TASKS[dispatch.spec] ?? label}.`,
    `Dispatch ${dispatch.id}. Work in ${homeOf(state.id)}/.`,
    "",
    "Read first:",
    ...files.map((path) => `- ${path}${isSealed(state, path) ? " (sealed)" : ""}`),
    ...(target.phase === null ? [] : await phaseLines(world, state, target)),
    ...saidLines(state, dispatch),
    "",
    target.stage === 0
      ? "Write architecture.md and plan.md, with a line **Complexity Score:** X.X and, from 3.0 on, headings `### Phase N.M: title`."
      : "Do not change what is sealed: the report would be held for a person.",
    "Do not commit, do not start another stage, do not ask the user. Holdpoint checks, commits and asks.",
    "",
    `Answer with one JSON object: ${reportShape(dispatch.role, target)}`,
    `Then run: holdpoint report ${state.id} --dispatch ${dispatch.id} -`,
  ];
  return {
    dispatch: dispatch.id,
    role: dispatch.role,
    prompt: lines.join("\n"),
    files: [...files, handoffOf(state.id)],
    data: { stage: target.stage, phase: target.phase, plugin: state.id },
  };
}

/** People's answers, how earlier work failed, and the output of failed checks. */
function saidLines(state: Workflow, dispatch: Dispatch): readonly string[] {
  const said = saidSince(pluginWorkflow, state, dispatch, { words: wordsOf, whole: true });
  if (said.length === 0) return [];
  const items = said.map((one) => `- ${one.text.trim().replaceAll("\n", "\n  ")}`);
  return ["", "Said since you last finished some of it:", ...items];
}

function wordsOf(claim: JsonObject): readonly string[] {
  return [text(claim["why"])];
}

function isSealed({ seals }: Workflow, path: string): boolean {
  return typeof seals[path]?.digest === "string";
}

const TASKS: Readonly<Record<string, string>> = {
  research: "research similar designs, describe the signal processing, plan the implementation",
  foundation: "set up the build and implement every parameter of the parameter spec",
  dsp: "implement the audio engine as architecture.md describes it",
  "dsp-phase": "implement this phase of the audio engine",
  gui: "build the interface from the latest mock-up and bind every parameter",
  "gui-phase": "build this phase of the interface",
  editor: "add a minimal editor; the plugin stays headless and uses the host's controls",
};

async function contractsThere({ workspace }: World, plugin: string): Promise<readonly string[]> {
  const paths = [
    ...CONTRACT_KEYS.map((key) => contractOf(plugin, key)),
    draftOf(plugin),
    `${homeOf(plugin)}/.ideas/research.md`,
  ];
  const there = await Promise.all(
    paths.map(async (path) => ((await workspace.digest(path)) === undefined ? [] : [path])),
  );
  return there.flat();
}

async function mockupThere(world: World, plugin: string): Promise<readonly string[]> {
  const mockup = await highestMockup(world, plugin);
  return mockup === undefined ? [] : [mockup];
}

/** Only this phase's section, because an agent that sees all phases implements all of them. */
async function phaseLines(
  { workspace }: World,
  state: Workflow,
  { stage, phase }: { readonly stage: number; readonly phase: string | null },
): Promise<readonly string[]> {
  const phases = phasesOf(state, stage);
  const done = phases.filter((unit) => unit.at === "done").map((unit) => unit.id);
  const file = await workspace.read(contractOf(state.id, "plan"));
  const section =
    file.kind === "text"
      ? parsePlan(file.text).phases.find((one) => one.phase === phase)
      : undefined;
  const index = phases.findIndex((unit) => unit.id === phase) + 1;
  return [
    "",
    `Phase ${showJson(phase)} (${index} of ${phases.length})${section === undefined ? "" : `: ${section.title}`}`,
    ...(done.length === 0 ? [] : [`Done already: ${done.join(", ")}.`]),
    ...(section === undefined ? [] : [section.section.trim()]),
  ];
}

function reportShape(
  agent: string,
  { stage, phase }: { readonly stage: number; readonly phase: string | null },
): string {
  return JSON.stringify({
    agent,
    status: "success | failure",
    outputs: {
      stage_completed: stage,
      ...(phase === null ? {} : { phase_completed: phase }),
      files_modified: ["..."],
      state_files_updated: [],
    },
    issues: [],
    ready_for_next_stage: true,
    stateUpdated: false,
  });
}
