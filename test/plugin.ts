/** A plugin called Gain, and a world in which everything its workflow looks at is in order. */
import type { Command, Import } from "../src/core/state/commands.ts";
import { evolve } from "../src/core/state/evolve.ts";
import type { Json, JsonObject } from "../src/core/values/json.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { positionOf, targetOf } from "../src/protocols/plugin-workflow/table/position.ts";
import type { HandoffPosition } from "../src/protocols/plugin-workflow/table/position.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { AGENT, story } from "./story.ts";
import type { As, Story } from "./story.ts";

export const ID = "Gain";
export const HANDOFF: string = `handoff:${ID}`;
export const REGISTRY: string = `registry:${ID}`;
export const TODAY = "2026-03-01";

export type Given = Readonly<Record<string, Json>>;

/** Three phases for the audio engine and three for the interface, as a plan of score 5.0 lists them. */
export const PHASES: readonly (JsonObject & { readonly id: string })[] = [3, 4].flatMap((stage) =>
  [1, 2, 3].map((number) => ({
    id: `${stage}.${number}`,
    stage,
    title: `part ${number}`,
    after: number === 1 ? [] : [`${stage}.${number - 1}`],
  })),
);

export const SIMPLE: Given = {
  [`plan:${ID}`]: { score: 1.2, phased: false },
  [`phases:${ID}`]: [],
};

export const PHASED: Given = {
  [`plan:${ID}`]: { score: 5, phased: true },
  [`phases:${ID}`]: PHASES,
};

/** Facts by the word before the colon. Files say what the journal says: the agent has written nothing yet. */
const WORLD: Readonly<Record<string, (of: string, state: Workflow) => Json>> = {
  digest: (path) => `sha256:${path}`,
  changed: () => true,
  git: () => "repository",
  drift: () => null,
  handoff: (_, state) => handoffFact(positionOf(state).handoff, state),
  registry: (_, state) => registryFact(positionOf(state).registry, state),
  plan: () => ({ score: 1.2, phased: false }),
  planned: () => true,
  phases: () => [],
  check: () => ({ none: "a story" }),
  tree: () => "tree-1",
  around: () => "around-1",
  branch: () => "main",
  worktree: () => ".",
  "main-worktree": () => "",
  mockup: () => false,
  mockups: () => null,
  "mockup-path": (id) => `plugins/${id}/.ideas/mockups/v1-ui.html`,
  "mockup-handoff": () => false,
  menu: () => null,
  built: () => true,
  artifacts: () => [],
  backup: () => true,
  improvement: () => true,
  changelog: () => true,
  dirty: () => [],
  later: () => [],
};

/** Whoever has work does it, and names it. */
function workOf({ spec }: { readonly spec: string }): string {
  const file = spec === "research" ? ".ideas/plan.md" : "Source/PluginProcessor.cpp";
  return `plugins/${ID}/${file}`;
}

function changeOf(state: Workflow, id: string): Json {
  const dispatch = state.dispatches[id];
  const files = dispatch === undefined ? {} : { [workOf(dispatch)]: ["f 1", "f 2"] };
  return { files, moved: {}, commits: [] };
}

export function plugin(given: Given = {}): Story {
  const facts = (key: string, state: Workflow): Json | undefined => {
    const [look = "", ...of] = key.split(":");
    if (look === "change") return changeOf(state, of.join(":"));
    if (!pluginWorkflow.looks.includes(look)) return undefined;
    return WORLD[look]?.(of.join(":"), state);
  };
  return story(pluginWorkflow, { workflow: ID, facts }).given(given);
}

export function handoffFact(position: HandoffPosition | null, state: Workflow): Json {
  if (position === null) return { kind: "absent" };
  const { stage, phase, status } = position;
  return {
    kind: "read",
    stage,
    phase,
    status,
    lastUpdated: TODAY,
    checksums: 4,
    missing: [],
    missingSections: [],
    completed: tagsOf(state, "completed"),
  };
}

export function registryFact(status: string, state: Workflow): Json {
  return { row: status, entry: status, timeline: tagsOf(state, "timeline") };
}

function tagsOf(state: Workflow, list: string): readonly string[] {
  return state.notes.filter((note) => note.list === list).map((note) => note.tag);
}

export const START: Command = { type: "workflow.start", workflow: ID, vars: {} };

export function startedPlugin(given?: Given): Story {
  return plugin(given).when(START).expectAccepted();
}

/** Jump to a state, as adopting files does. Nothing is open there. */
export function adopted(at: string, given: Given = {}, from: Partial<Import> = {}): Story {
  const sealed = ["creative-brief.md", "parameter-spec.md", "architecture.md", "plan.md"].map(
    (name) => [`plugins/${ID}/.ideas/${name}`, `sha256:plugins/${ID}/.ideas/${name}`] as const,
  );
  const import_: Import = {
    at,
    vars: { handoff: true, version: "1.0.0" },
    units: [],
    notes: [],
    seals: ["ideated", "drafted", "installed", "improving"].includes(at)
      ? {}
      : Object.fromEntries(sealed),
    why: "test",
    from: {},
    ...from,
  };
  return plugin(given).when({ type: "workflow.adopt", workflow: ID, import: import_ });
}

/** Phase units of which those named are done. */
export function phases(...done: readonly string[]): Import["units"] {
  return PHASES.map(({ id, ...data }) => {
    return { id, kind: "phase", at: done.includes(id) ? "done" : "todo", data };
  });
}

/** What the agent that is at work would report if it did what it was told. */
export function honest(told: Story, extra: Given = {}): Given {
  const dispatch = Object.values(told.state.dispatches).findLast((one) => one.status !== "ended");
  if (dispatch === undefined) throw new Error("Nothing is handed out in this story");
  const description = `work on ${dispatch.unit === "." ? dispatch.spec : dispatch.unit}`;
  return {
    ...targetOf(dispatch),
    files: [workOf(dispatch)],
    stateUpdated: true,
    stateError: null,
    parameters: "3 parameters implemented",
    description,
    ...extra,
  };
}

/** Report success. The agent leaves the state files to Holdpoint. */
export function done(told: Story, extra?: Given, as: As = AGENT): Story {
  return told.report(honest(told, extra), as);
}

/** Report success after writing the state files just as the protocol wants them. */
export function doneAndWritten(told: Story, change: Given = {}, extra?: Given): Story {
  const trial = done(told.fork(), extra);
  if (trial.answer.kind !== "accepted" && trial.answer.kind !== "held") return done(told, extra);
  const { state } = trial;
  const position = positionOf(state);
  return done(
    told.given({
      [HANDOFF]: handoffFact(position.handoff, state),
      [REGISTRY]: registryFact(position.registry, state),
      ...change,
    }),
    extra,
  );
}

/** Every registry status a story went through since it stood at `before`, which comes first. */
export function statusesOf(before: Workflow, told: Story, since: number): readonly string[] {
  const stamp = { seq: before.seq + 1, at: told.state.updatedAt };
  const seen = [positionOf(before).registry];
  let state = before;
  for (const event of told.history.slice(since)) {
    state = evolve(state, event, stamp);
    const status = positionOf(state).registry;
    if (status !== seen.at(-1)) seen.push(status);
  }
  return seen;
}
