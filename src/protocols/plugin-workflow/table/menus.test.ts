// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import {
  ID,
  PHASED,
  SIMPLE,
  adopted,
  done,
  phases,
  plugin,
  startedPlugin,
} from "../../../../test/plugin.ts";
import type { Given } from "../../../../test/plugin.ts";
import { AGENT, ENGINE } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { pluginWorkflow } from "./protocol.ts";

const EXPRESS = { type: "vars.set", name: "express", value: true } as const;
const AUTO = { type: "vars.set", name: "auto_phase", value: true } as const;
const MOCKUP: Given = { [`mockup:${ID}`]: true };

/** The menu after stage 2 of a simple plugin: continue, review, pause, Other. */
function menu(given?: Given): Story {
  const told = adopted("s0", given).send("foundation");
  return done(told).settle().expectHeld("stage-2-complete");
}

describe("menus", () => {
  test("[PW-228][PW-225] Other is last, the first is recommended", () => {
    const [asked] = menu().open;
    expect(asked?.options.map((one) => one.id)).toEqual(["continue", "review", "pause", "other"]);
    expect(asked?.options[0]?.recommended).toBe(true);
  });

  test("[PW-233][PW-235] a number or a keyword in any case runs the option", () => {
    for (const text of ["1", "continue", "CONTINUE", " Continue "]) {
      const told = menu().reply("stage-2-complete", text).expectAccepted();
      expect(told.state.dispatches["W-2"]).toMatchObject({ spec: "dsp", status: "open" });
    }
    for (const text of ["3", "pause", "PAUSE"]) {
      const told = menu().reply("stage-2-complete", text).expectAccepted();
      expect(told.state.dispatches).not.toHaveProperty("W-2");
    }
  });

  test("[PW-234][PW-238] anything else is refused, and the menu stays", () => {
    const told = menu();
    for (const text of ["0", "5", "-1", "1.5", "foo", "", "🎛️", "x".repeat(10_240)]) {
      const code = text === "" ? "answer-empty" : "not-an-option";
      told.reply("stage-2-complete", text).expectRefused(code);
      expect(told.refusals[0]?.fix).toContain("1 Build the audio engine");
    }
    expect(told.open).toHaveLength(1);
  });

  test("[PW-236] a keyword without an option is refused", () => {
    const told = adopted("s5", { "check:tests": true }).move("validate");
    told.expectHeld("validation-failed").reply("validation-failed", "review");
    told.expectRefused("not-an-option");
  });

  test("[PW-237] Other takes a text and shows the menu again", () => {
    const told = menu();
    told.reply("stage-2-complete", "4").expectRefused("other-needs-text");
    told.reply("stage-2-complete", "other: rename it first").expectHeld("stage-2-complete");
    expect(told.state.notes.at(-1)).toMatchObject({
      list: "other",
      text: "rename it first (person:ada)",
    });
    expect(told.state.dispatches).not.toHaveProperty("W-2");
  });

  test("[PW-239] looking shows the menu again, deciding moves", () => {
    const told = menu().reply("stage-2-complete", "review").expectHeld("stage-2-complete");
    told.reply("stage-2-complete", "2").expectHeld("stage-2-complete");
    told.reply("stage-2-complete", "1").expectAccepted();
  });

  test("[PW-242][PW-243] an answer is taken once; the second is told the outcome", () => {
    const told = menu();
    const decision = told.open[0]?.id ?? "";
    told.reply("stage-2-complete", "pause");
    expect(told.state.decisions[decision]?.settled).toMatchObject({
      option: "pause",
      by: "person:ada",
      at: told.state.updatedAt,
    });
    told.when({ type: "decision.answer", decision, text: "1" }).expectRefused("already-answered");
    expect(told.refusals[0]?.message).toContain('"pause" by person:ada');
  });

  test("[PW-215] only a person answers", () => {
    menu().reply("stage-2-complete", "1", AGENT).expectRefused("person-required");
    menu().reply("stage-2-complete", "1", ENGINE).expectRefused("person-required");
  });

  test("[PW-230][PW-232] labels and selection come from the repository's menu", () => {
    const custom = [
      { label: "Weiter", action: "continue", recommended: true },
      { label: "Halt", action: "pause" },
    ];
    const told = menu({ "menu:stage_2_complete": custom });
    expect(told.open[0]?.options.map((one) => one.label)).toEqual(["Weiter", "Halt", "Other"]);
    told.reply("stage-2-complete", "2").expectAccepted();
    expect(told.state.dispatches).not.toHaveProperty("W-2");
  });

  test("[PW-230][PW-235] a menu never loses the option that leads on", () => {
    const told = menu({ "menu:stage_2_complete": [{ label: "Halt", action: "pause" }] });
    const [first] = told.open[0]?.options ?? [];
    expect(first).toMatchObject({ id: "continue", recommended: true });
    told.reply("stage-2-complete", "continue").expectAccepted();
    expect(told.state.dispatches).toHaveProperty("W-2");
  });

  test("[PW-241] discovery marks point to research, design sync, templates", () => {
    const { questions } = pluginWorkflow;
    const marks = (name: string): readonly string[] =>
      questions[name]?.options.flatMap((one) => (one.discovery === undefined ? [] : [one.id])) ??
      [];
    expect(marks("stage-0-complete")).toEqual(["research"]);
    expect(marks("stage-3-complete")).toEqual(["design-sync"]);
    expect(marks("stage-4-complete")).toEqual(["template"]);
    expect(marks("stage-failed")).toEqual(["investigate"]);
  });

  test("[PW-178] no menu speaks of stage numbers", () => {
    for (const { prompt, options } of Object.values(pluginWorkflow.questions))
      for (const text of [prompt, ...options.map((one) => one.label)])
        expect(text).not.toMatch(/stage \d/i);
  });
});

describe("pausing", () => {
  test("[PW-219][PW-215] after a pause an agent gets no further than the question", () => {
    const told = adopted("s2", {}, { units: phases() }).send("dsp-phase", "3.1");
    done(told).settle().reply("phase-complete", "pause").expectAccepted();
    expect(told.state.lease).toBeNull();
    told.send("dsp-phase", "3.2", AGENT).expectHeld("resume");
    expect(told.state.dispatches).not.toHaveProperty("W-2");
    told.reply("resume", "stay").expectAccepted();
    told.send("dsp-phase", "3.2", AGENT).expectHeld("resume");
    told.reply("resume", "continue").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ unit: "3.2", status: "open" });
  });

  test("[PW-219] resuming goes on to the next stage, and asks once", () => {
    const told = startedPlugin(SIMPLE).send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "pause").expectAccepted();
    told.send("foundation", ".", AGENT).expectHeld("resume").reply("resume", "resume");
    expect(told.expectAccepted().state.dispatches["W-2"]).toMatchObject({ spec: "foundation" });
    done(told).settle().reply("stage-2-complete", "1").expectAccepted();
  });

  test("[PW-250] where the mock-up has a handoff of its own, a person chooses between the two", () => {
    const told = startedPlugin({ ...SIMPLE, [`mockup-handoff:${ID}`]: true }).send("research");
    done(told).settle().reply("stage-0-complete", "pause").expectAccepted();
    told.send("foundation", ".", AGENT).expectHeld("resume-which");
    told.reply("resume-which", "mockup").expectAccepted();
    told.send("foundation", ".", AGENT).expectHeld("resume-which");
    told.reply("resume-which", "1").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ spec: "foundation", status: "open" });
  });

  test("[PW-215] validation and installing are a person's to begin", () => {
    adopted("s4").move("begin-validation", AGENT).expectRefused("person-required");
    adopted("working").move("install", AGENT).expectRefused("person-required");
  });
});

describe("grants", () => {
  test("[PW-218] a phase waits, unless a person allowed it to go on", () => {
    const told = adopted("s2", {}, { units: phases() });
    told.when(AUTO, AGENT).expectRefused("person-required");
    const waits = told.fork().send("dsp-phase", "3.1");
    done(waits).settle().expectHeld("phase-complete");
    told.when(AUTO).send("dsp-phase", "3.1");
    done(told).settle().expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ unit: "3.2", status: "open" });
    expect(Object.values(told.state.decisions)[0]?.settled?.by).toBe("grant:auto_phase");
    done(told).settle();
    done(told).settle().expectHeld("stage-3-complete");
  });

  test("[PW-312] express goes from stage to stage and stops at the last menu", () => {
    const told = startedPlugin(SIMPLE).when(EXPRESS).send("research", ".", AGENT);
    done(told).settle().expectAccepted();
    done(told).settle().expectAccepted();
    done(told.given(MOCKUP)).settle().expectAccepted();
    done(told).settle().expectAccepted();
    expect(told.state.units["."]?.at).toBe("s5");
    told.move("validate", AGENT).settle().expectHeld("stage-5-complete");
    expect(Object.values(told.state.dispatches).map((one) => one.spec)).toEqual([
      "research",
      "foundation",
      "dsp",
      "gui",
    ]);
  });

  test("[PW-312] express covers phases too", () => {
    const told = startedPlugin(PHASED).when(EXPRESS).send("research", ".", AGENT);
    for (let step = 0; step < 4; step += 1) done(told).settle().expectAccepted();
    expect(told.state.dispatches["W-5"]).toMatchObject({ unit: "3.3", status: "open" });
  });

  test("[PW-312][PW-301] any error hands the wheel back", () => {
    for (const outcome of ["failure", "not-ready", "unreadable"]) {
      const told = adopted("s2").when(EXPRESS).send("dsp").report({ outcome });
      expect(told.state.vars["express"]).toBe(false);
    }
    const tested = adopted("s2", { "check:tests": true }).when(EXPRESS).send("dsp");
    done(tested).expectHeld("tests-failed");
    tested
      .given({ "check:tests": { none: "a story" } })
      .reply("tests-failed", "1")
      .settle();
    tested.expectHeld("stage-3-complete");
    expect(tested.state.vars["express"]).toBe(false);
  });

  test("[PW-312][PW-277] where express cannot go on it asks, and says why", () => {
    const told = adopted("s2").when(EXPRESS).send("dsp");
    done(told).settle().expectHeld("stage-3-complete");
    expect(Object.values(told.state.effects).map((one) => one.status)).toEqual(["done"]);
    expect(told.open[0]?.about).toMatchObject({ code: "mockup-missing", rule: "PW-277" });
    told.reply("stage-3-complete", "headless").expectAccepted();
  });

  test("[PW-312][PW-304] express does not skip the design check", () => {
    const told = startedPlugin({ ...SIMPLE, ...MOCKUP, [`mockups:${ID}`]: "v1" }).when(EXPRESS);
    done(told.send("research", ".", AGENT))
      .settle()
      .expectHeld("design-sync");
    told.reply("design-sync", "1").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ spec: "foundation" });
  });

  test("[PW-312] an agent cannot give itself a grant, also not at the start", () => {
    const start = { type: "workflow.start", workflow: ID } as const;
    for (const name of ["express", "auto_phase"]) {
      startedPlugin()
        .when({ type: "vars.set", name, value: true }, AGENT)
        .expectRefused("person-required");
      plugin()
        .when({ ...start, vars: { [name]: true } }, AGENT)
        .expectRefused("person-required");
      plugin()
        .when({ ...start, vars: { [name]: false } }, AGENT)
        .expectAccepted();
      plugin()
        .when({ ...start, vars: { [name]: true } })
        .expectAccepted();
    }
  });
});
