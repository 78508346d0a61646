/** What the published protocols' own examples say, given to the command line as they are written there. */
import { describe, expect, test } from "vitest";
import { copyOf, preparedOnce } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  noteCodes,
  planText,
  pluginAt,
  questionOf,
  today,
  writeRegistry,
} from "./plugin.ts";
import {
  classified,
  gathered,
  ID,
  implemented,
  implementing,
  planned,
  reviewed,
  SCOPES,
  started,
  taskRepository,
  validated,
} from "./task.ts";

/** Work is out for this phase of the audio engine; those before it are done. */
function orderedFor(phase: "3.2" | "3.3"): Scratch {
  const prepared = preparedOnce(`sources-${phase}`, () => {
    const scratch = phase === "3.2" ? pluginAt("p0") : orderedFor("3.2");
    if (phase === "3.2") {
      finish(scratch, "0", { plan: planText("5.0", ["3.1", "3.2", "3.3"]) });
      for (const step of ["2", "3.1"]) {
        answer(scratch, "1");
        finish(scratch, step);
      }
    } else finish(scratch, "3.2");
    answer(scratch, "1");
    return scratch;
  });
  return copyOf(prepared);
}

/** The examples' report: the files by their names, the phase as text, nothing of the plugin's name. */
function exampleReport(phase: string, more: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    agent: "dsp-agent",
    status: "success",
    outputs: {
      stage_completed: 3,
      phase_completed: phase,
      files_modified: ["PluginProcessor.cpp"],
      state_files_updated: [handoffOf(), "PLUGINS.md"],
    },
    issues: [],
    ready_for_next_stage: true,
    ...more,
  });
}

const UPDATED = { stateUpdated: true, stateUpdateError: null };

interface Example {
  readonly phase: string;
  readonly next: string;
  readonly nextPhase: string;
  readonly tag: string;
}

/** The examples' front matter in place of ours: phases without quotes, no checksums, no mode. */
function writeExample(scratch: Scratch, { phase, next, nextPhase, tag }: Example): void {
  const front = [
    `plugin: ${NAME}`,
    "stage: 3",
    `phase: ${phase}`,
    "status: complete",
    `last_updated: ${today()}`,
    "complexity_score: 5.0",
    "phased_implementation: true",
    `next_action: ${next}`,
    `next_phase: ${nextPhase}`,
  ];
  scratch.edit(handoffOf(), (text) =>
    text
      .replace(/^---\n[^]*?\n---\n/, `---\n${front.join("\n")}\n---\n`)
      .replace(/\n+## Next Steps/, `\n- **${tag}:** In the agent's words\n\n## Next Steps`),
  );
  writeRegistry(scratch, { registry: `🚧 ${tag}`, tags: [tag] });
}

function frontOf(scratch: Scratch): string {
  return scratch.git("show", `HEAD:${handoffOf()}`).split("\n---\n")[0] ?? "";
}

/** It counts: one commit, the menu of the step, and nobody is called a liar. */
function expectTaken(scratch: Scratch, reply: Reply, question: string): void {
  expect({ codes: codesOf(reply), at: questionOf(reply) }, reply.stdout).toEqual({
    codes: [],
    at: question,
  });
  expect(reply.json.commits).toHaveLength(1);
  expect(noteCodes(reply)).not.toContain("status_mismatch");
  expect(noteCodes(reply)).not.toContain("plugins_md_not_updated");
  expect(scratch.hold(`verify ${NAME}`).exit).toBe(0);
}

describe("the sources' phased example", () => {
  test.each([
    ["with the state it says it wrote", UPDATED],
    ["without a word about the state", {}],
  ])("[PW-066][PW-074] as a report %s is taken", (_, more) => {
    const scratch = orderedFor("3.2");
    doWork(scratch, "3.2");
    const example = {
      phase: "3.2",
      next: "continue_dsp_phase_3.3",
      nextPhase: "3.3",
      tag: "Stage 3.2",
    };
    writeExample(scratch, example);
    const reply = giveReport(scratch, exampleReport("3.2", more));
    expectTaken(scratch, reply, "phase-complete");
    // What the example leaves out is put back, and a phase is text.
    expect(frontOf(scratch)).toMatch(/^phase: "3\.2"$/m);
    expect(frontOf(scratch)).toMatch(/^ {2}plan: sha256:[0-9a-f]{64}$/m);
  });

  test.each([
    ["as itself", { phase: "3.3", next: "null", nextPhase: "null", tag: "Stage 3.3" }],
    [
      "as its stage",
      { phase: "null", next: "invoke_gui_agent", nextPhase: "null", tag: "Stage 3" },
    ],
  ])("[PW-085][PW-112] the last phase written %s is no lie", (_, example) => {
    const scratch = orderedFor("3.3");
    doWork(scratch, "3.3");
    writeExample(scratch, example);
    const reply = giveReport(scratch, exampleReport("3.3", UPDATED));
    expectTaken(scratch, reply, "stage-3-complete");
    expect(frontOf(scratch)).toMatch(/^phase: null$/m);
    const registry = scratch.git("show", "HEAD:PLUGINS.md");
    for (const tag of ["Stage 3.3", "Stage 3"])
      expect(registry.split(`(${tag}):**`), tag).toHaveLength(2);
  });
});

interface Trail {
  readonly agent_invocations: readonly Readonly<
    Record<"agent_name" | "purpose" | "working_dir", string>
  >[];
  readonly state_transitions: readonly { readonly evidence: readonly string[] }[];
}

test("[TP-064] [TP-203] [TP-209] a task's trail says where each agent was, what each step rests on, and how many tests ran", () => {
  const file = SCOPES.HIGH;
  const run = ["node", "-e", String.raw`console.log("# tests 5\n# pass 5\n# fail 0")`];
  const scratch = taskRepository({ [ID]: file }, { checks: { build: { run }, tests: { run } } });
  const task = planned(gathered(classified(started(scratch, ID), file)), [file]);
  reviewed(validated(implemented(implementing(task), file)));
  const trail = JSON.parse(scratch.read(`${task.dir}/audit-trail.json`)) as Trail;
  for (const { agent_name: agent, purpose, working_dir: place } of trail.agent_invocations) {
    const own = `${task.dir}/agents/${agent}/code`;
    expect([agent, purpose, place]).toEqual([
      agent,
      purpose,
      purpose === "implementation" ? own : `${task.dir}/code`,
    ]);
  }
  expect(trail.agent_invocations).toHaveLength(4 * task.agents().length);
  expect(trail.state_transitions.map(({ evidence }) => evidence.length)).not.toContain(0);
  expect(trail).toMatchObject({
    build_verifications: expect.arrayContaining([
      expect.objectContaining({ tests_run: 5, tests_passed: 5, tests_failed: 0 }),
    ]) as unknown,
  });
});
