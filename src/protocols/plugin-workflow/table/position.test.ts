import { describe, expect, test } from "vitest";
import {
  ID,
  PHASED,
  SIMPLE,
  adopted,
  done,
  phases,
  startedPlugin,
} from "../../../../test/plugin.ts";
import { AGENT } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { positionOf } from "./position.ts";

type Row = readonly [
  finished: string,
  place: () => Story,
  stage: number,
  phase: string | null,
  status: string,
  nextAction: string | null,
  nextPhase: string | null,
  registry: string,
];

const gui = { gui_type: "webview" };
const all3 = ["3.1", "3.2", "3.3"];
const plan3: readonly string[] = all3;
const only = (...stages: readonly number[]) =>
  phases(...all3).filter((unit) => stages.includes(Number(unit.data["stage"])));

/** Where every field stands after each completion, as the rules give it. */
const TABLE: readonly Row[] = [
  [
    "stage 0",
    () => adopted("s0"),
    0,
    null,
    "complete",
    "invoke_foundation_shell_agent",
    null,
    "🚧 Stage 0",
  ],
  [
    "stage 2, score below 3",
    () => adopted("s2"),
    2,
    null,
    "complete",
    "invoke_dsp_agent",
    null,
    "🚧 Stage 2",
  ],
  [
    "stage 2, score 3 or more",
    () => adopted("s2", {}, { units: phases() }),
    2,
    null,
    "complete",
    "invoke_dsp_agent",
    "3.1",
    "🚧 Stage 2",
  ],
  [
    "stage 3, single pass",
    () => adopted("s3"),
    3,
    null,
    "complete",
    "invoke_gui_agent",
    null,
    "🚧 Stage 3",
  ],
  [
    "phase 3.1",
    () => adopted("s2", {}, { units: phases("3.1") }),
    3,
    "3.1",
    "complete",
    "continue_dsp_phase_3.2",
    "3.2",
    "🚧 Stage 3.1",
  ],
  [
    "phase 3.2",
    () => adopted("s2", {}, { units: phases("3.1", "3.2") }),
    3,
    "3.2",
    "complete",
    "continue_dsp_phase_3.3",
    "3.3",
    "🚧 Stage 3.2",
  ],
  [
    "stage 3 rolled up, GUI phased",
    () => adopted("s3", {}, { units: phases(...plan3) }),
    3,
    null,
    "complete",
    "invoke_gui_agent",
    "4.1",
    "🚧 Stage 3",
  ],
  [
    "stage 3 rolled up, GUI in one pass",
    () => adopted("s3", {}, { units: only(3) }),
    3,
    null,
    "complete",
    "invoke_gui_agent",
    null,
    "🚧 Stage 3",
  ],
  [
    "pause at the choice",
    () => adopted("s3", {}, { vars: { paused: "gui" }, units: phases(...plan3) }),
    3,
    null,
    "complete",
    "gui_decision_gate",
    null,
    "🚧 Stage 3",
  ],
  [
    "stage 4, single pass",
    () => adopted("s4", {}, { vars: gui }),
    4,
    null,
    "complete",
    "begin_stage_5",
    null,
    "🚧 Stage 4",
  ],
  [
    "stage 4, headless",
    () => adopted("s4", {}, { vars: { gui_type: "headless" } }),
    4,
    null,
    "complete",
    "run_validation",
    null,
    "🚧 Stage 4",
  ],
  [
    "phase 4.1",
    () => adopted("s3", {}, { vars: gui, units: phases(...plan3, "4.1") }),
    4,
    "4.1",
    "complete",
    "continue_gui_phase_4.2",
    "4.2",
    "🚧 Stage 4.1",
  ],
  [
    "phase 4.2",
    () => adopted("s3", {}, { vars: gui, units: phases(...plan3, "4.1", "4.2") }),
    4,
    "4.2",
    "complete",
    "continue_gui_phase_4.3",
    "4.3",
    "🚧 Stage 4.2",
  ],
  [
    "stage 4 rolled up",
    () => adopted("s4", {}, { vars: gui, units: phases(...plan3, "4.1", "4.2", "4.3") }),
    4,
    null,
    "complete",
    "begin_stage_5",
    null,
    "🚧 Stage 4",
  ],
  [
    "validation begun",
    () => adopted("s5"),
    5,
    null,
    "in_progress",
    "begin_stage_5",
    null,
    "🚧 Stage 5",
  ],
  ["stage 5", () => adopted("working"), 5, null, "workflow_complete", null, null, "✅ Working"],
];

describe("where a plugin stands", () => {
  test.each(TABLE)(
    "[PW-078][PW-079][PW-083][PW-084][PW-085][PW-087][PW-088][PW-090] after %s",
    (_, place, ...expected) => {
      const { handoff, registry } = positionOf(place().state);
      const { stage, phase, status, nextAction, nextPhase } = handoff ?? {};
      expect([stage, phase, status, nextAction, nextPhase, registry]).toEqual(expected);
    },
  );

  test.each([
    ["installed", "📦 Installed", "Deployed"],
    ["improving", "🚧 Improving", "Improving"],
    ["removed", "", "Removed"],
  ])("[PW-092] %s has no handoff", (at, registry, milestone) => {
    expect(positionOf(adopted(at).state)).toEqual({ registry, handoff: null, milestone });
  });

  test("[PW-081][PW-077] the timeline says what the table says", () => {
    const told = startedPlugin(SIMPLE).move("draft").send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "1");
    done(told).settle().reply("stage-2-complete", "1");
    done(told, { description: "gain with smoothing" }).settle();
    const lines = told.state.notes.filter((note) => note.list === "timeline");
    expect(lines.map(({ tag, text }) => [tag, text])).toEqual([
      ["", "Creative brief created"],
      ["Stage 0", "Research & Planning complete - Complexity 1.2"],
      ["Stage 2", "Foundation complete - Build system operational"],
      ["Stage 3", "Audio engine complete - gain with smoothing"],
    ]);
  });

  test("[PW-080] the completed bullet of stage 2 counts the parameters", () => {
    const told = adopted("s0").send("foundation");
    done(told, { parameters: "7 parameters implemented" });
    expect(told.state.notes.at(-1)?.text).toBe(
      "Foundation complete - Build system operational, 7 parameters implemented",
    );
  });

  test("[PW-069][PW-220] work that came back without success leaves its stage in progress", () => {
    const told = adopted("s2", {}, { units: phases("3.1") }).send("dsp-phase", "3.2");
    const out = { phase: "3.2", status: "in_progress", nextPhase: "3.2" };
    expect(positionOf(told.state)).toMatchObject({ registry: "🚧 Stage 3.1", handoff: out });
    told.report({ outcome: "failure" });
    expect(positionOf(told.state)).toMatchObject({
      registry: "🚧 Stage 3.1",
      handoff: { stage: 3, phase: "3.2", status: "in_progress", nextPhase: "3.2" },
    });
    told.reply("stage-failed", "retry");
    done(told);
    expect(positionOf(told.state).handoff).toMatchObject({ phase: "3.2", status: "complete" });
  });

  test("[PW-007][PW-102] work that is called off leaves the last finished step", () => {
    const told = adopted("s2").send("dsp");
    expect(positionOf(told.state).handoff).toMatchObject({ stage: 3, status: "in_progress" });
    told.when({ type: "dispatch.cancel", dispatch: "W-1", reason: "no" }).expectAccepted();
    expect(positionOf(told.state).handoff).toMatchObject({ stage: 2, status: "complete" });
  });

  test("[PW-220] stage 0 can be resumed: it has a handoff as soon as it is handed out", () => {
    const told = startedPlugin(PHASED);
    expect(positionOf(told.state).handoff).toBeNull();
    told.send("research", ".", AGENT);
    expect(positionOf(told.state)).toMatchObject({
      registry: "💡 Ideated",
      handoff: { stage: 0, phase: null, status: "in_progress" },
    });
  });

  test("[PW-310] after a reset nothing of the old work is left in the handoff", () => {
    const told = adopted("s2").send("dsp").report({ outcome: "failure" });
    told.move("reset", { reason: "start over" }).settle().expectAccepted();
    expect(positionOf(told.state)).toEqual({
      registry: "💡 Ideated",
      handoff: null,
      milestone: "Concept Ready",
    });
    const planned = startedPlugin(SIMPLE).send("research", ".", AGENT);
    done(planned).settle().reply("stage-0-complete", "1");
    done(planned).settle().move("reset", { reason: "start over" }).settle();
    expect(positionOf(planned.state).handoff).toBeNull();
    expect(planned.state.id).toBe(ID);
  });

  test("[PW-310] a removed plugin has no handoff, whatever failed before", () => {
    const told = adopted("s2").send("dsp").report({ outcome: "failure" });
    told.move("destroy", { reason: "no use" });
    expect(positionOf(told.state).handoff).toBeNull();
  });

  test("[PW-302][PW-178] people see milestones and progress, not numbers", () => {
    expect(positionOf(adopted("s2", {}, { units: phases("3.1") }).state).milestone).toBe(
      "Audio engine: 1 of 3 phases done",
    );
    const names = ["s0", "s2", "s3", "s4", "s5", "working"].map(
      (at) => positionOf(adopted(at).state).milestone,
    );
    expect(names.filter((name) => /stage/i.test(name))).toEqual([]);
  });
});
