// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import {
  HANDOFF,
  ID,
  PHASED,
  REGISTRY,
  SIMPLE,
  adopted,
  done,
  doneAndWritten,
  startedPlugin,
} from "../../../../test/plugin.ts";
import type { Given } from "../../../../test/plugin.ts";
import { AGENT, ENGINE } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { positionOf } from "./position.ts";

const MOCKUP: Given = { [`mockup:${ID}`]: true, [`mockups:${ID}`]: "v1 abc" };

describe("whole paths", () => {
  test("[PW-170][PW-209][PW-216][PW-217] a simple plugin, score 1.2, from idea to installed", () => {
    const told = startedPlugin(SIMPLE).move("draft").send("research", ".", AGENT);
    const seen = [status(told)];
    for (const [question, mockup] of [
      ["stage-0-complete", false],
      ["stage-2-complete", false],
      ["stage-3-complete", true],
    ] as const) {
      done(told).expectAccepted();
      told.settle().expectHeld(question);
      seen.push(status(told));
      told
        .given(mockup ? MOCKUP : {})
        .reply(question, "continue")
        .expectAccepted();
    }
    done(told).settle().expectHeld("stage-4-complete");
    seen.push(status(told));
    told.reply("stage-4-complete", "1").expectAccepted();
    seen.push(status(told));
    told.move("validate", AGENT).settle().expectHeld("stage-5-complete");
    seen.push(status(told));
    told.reply("stage-5-complete", "1").settle().expectAccepted();
    seen.push(status(told));
    expect(seen).toEqual([
      "💡 Ideated (Draft Params)",
      "🚧 Stage 0",
      "🚧 Stage 2",
      "🚧 Stage 3",
      "🚧 Stage 4",
      "🚧 Stage 5",
      "✅ Working",
      "📦 Installed",
    ]);
    expect(subjects(told)).toEqual([
      "feat: Gain Stage 0 - research & planning complete",
      "feat: Gain Stage 2 - build system ready",
      "feat: Gain Stage 3 - audio engine working",
      "feat: Gain Stage 4 - UI integrated",
      "feat: Gain Stage 5 - validation complete",
      "feat: Gain installed",
    ]);
  });

  test("[PW-170][PW-300][PW-061] a complex plugin, three phases each, from idea to installed", () => {
    const told = startedPlugin(PHASED).move("draft").send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "continue");
    done(told).settle().reply("stage-2-complete", "continue");
    const seen: string[] = [];
    for (const phase of ["3.1", "3.2", "3.3", "4.1", "4.2", "4.3"]) {
      expect(openWork(told)).toEqual([phase]);
      done(told).expectAccepted();
      told.settle();
      seen.push(status(told));
      const question = phase.endsWith("3") ? `stage-${phase[0]}-complete` : "phase-complete";
      told.given(MOCKUP).expectHeld(question).reply(question, "1").expectAccepted();
    }
    expect(seen).toEqual([
      "🚧 Stage 3.1",
      "🚧 Stage 3.2",
      "🚧 Stage 3",
      "🚧 Stage 4.1",
      "🚧 Stage 4.2",
      "🚧 Stage 4",
    ]);
    told.move("validate").settle().reply("stage-5-complete", "1").settle().expectAccepted();
    expect(status(told)).toBe("📦 Installed");
    expect(subjects(told).slice(2, 8)).toEqual(
      ["3.1", "3.2", "3.3", "4.1", "4.2", "4.3"].map(
        (phase) => `feat: Gain Stage ${phase} - work on ${phase}`,
      ),
    );
  });

  test("[PW-085] the last phase and its roll-up are one record, with both timeline lines", () => {
    const told = throughPhase("3.2");
    const before = told.state.notes.length;
    done(told).expectAccepted();
    const lines = told.state.notes.slice(before).filter((note) => note.list === "timeline");
    expect(lines.map(({ tag, text }) => [tag, text])).toEqual([
      ["Stage 3.3", "Phase 3.3 complete - work on 3.3"],
      ["Stage 3", "Audio engine complete - all phases done"],
    ]);
    expect(Object.values(told.state.effects).filter((one) => one.status === "wanted")).toHaveLength(
      1,
    );
  });

  test("[PW-214][PW-204] the menu comes after the commit, and nothing moves before it", () => {
    const told = startedPlugin(SIMPLE).send("research", ".", AGENT);
    done(told).expectAccepted();
    expect(told.open).toEqual([]);
    told.send("foundation").expectRefused("effect-pending");
    told.settle().expectHeld("stage-0-complete");
    told.send("foundation").expectRefused("held");
  });

  test("[PW-213] without git there is no commit, a warning, and the menu at once", () => {
    const told = startedPlugin({ ...SIMPLE, git: "git is not installed" });
    done(told.send("research", ".", AGENT)).expectHeld("stage-0-complete");
    expect(told.state.effects).toEqual({});
    expect(told.events).toContainEqual({
      type: "warned",
      about: "commit",
      text: "No commit: git is not available here",
    });
  });

  test("[PW-076][PW-299] score and phases come from the plan when stage 0 ends", () => {
    const told = startedPlugin(PHASED).send("research", ".", AGENT);
    expect(told.state.vars).toMatchObject({ complexity_score: null, phased_implementation: null });
    done(told);
    expect(told.state.vars).toMatchObject({ complexity_score: 5, phased_implementation: true });
    expect(Object.keys(told.state.units)).toEqual([".", "3.1", "3.2", "3.3", "4.1", "4.2", "4.3"]);
  });

  test("[PW-299] a plan that cannot be used, or is not there, ends no stage 0", () => {
    const told = startedPlugin({ [`planned:${ID}`]: { why: "no complexity score" } });
    done(told.send("research", ".", AGENT)).expectRefused("plan-invalid");
    expect(told.refusals[0]?.message).toBe("plan.md cannot be used: no complexity score");
    told.given({ [`planned:${ID}`]: true, [`digest:plugins/${ID}/.ideas/plan.md`]: null });
    done(told).expectRefused("contract-missing");
  });

  test("[PW-051] stage 0 seals all four contracts", () => {
    const told = startedPlugin(SIMPLE).send("research", ".", AGENT);
    done(told);
    expect(Object.keys(told.state.seals).map((path) => path.split("/").at(-1))).toEqual([
      "creative-brief.md",
      "parameter-spec.md",
      "architecture.md",
      "plan.md",
    ]);
  });

  test("[PW-306] planning again from stage 0 sows anew and seals what is there now", () => {
    const told = startedPlugin(PHASED).send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "pause").expectAccepted();
    told.given({ ...SIMPLE, [`digest:plugins/${ID}/.ideas/plan.md`]: "sha256:new" });
    done(told.send("research", ".", AGENT))
      .settle()
      .expectHeld("stage-0-complete");
    expect(Object.keys(told.state.units)).toEqual(["."]);
    expect(told.state.seals[`plugins/${ID}/.ideas/plan.md`]?.digest).toBe("sha256:new");
    expect(status(told)).toBe("🚧 Stage 0");
  });

  test("[PW-086] whether the interface is phased is decided from its own phases", () => {
    const only3 = { ...PHASED, [`phases:${ID}`]: [{ id: "3.1", stage: 3, after: [] }] };
    const told = startedPlugin(only3).send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "1");
    done(told).settle().reply("stage-2-complete", "1");
    done(told).settle().expectHeld("stage-3-complete");
    expect(positionOf(told.state).handoff).toMatchObject({ stage: 3, nextPhase: null });
    told.given(MOCKUP).reply("stage-3-complete", "1").expectAccepted();
    expect(openSpecs(told)).toEqual(["gui"]);
  });
});

describe("the interface", () => {
  test("[PW-276][PW-273][PW-275] headless: a minimal editor, no mock-up, no phases", () => {
    const told = throughPhase("3.3").settle().expectHeld("stage-3-complete");
    expect(told.open[0]?.options.slice(0, 2).map((one) => one.id)).toEqual([
      "continue",
      "headless",
    ]);
    told.reply("stage-3-complete", "headless").expectAccepted();
    expect(openSpecs(told)).toEqual(["editor"]);
    expect(told.state.vars["gui_type"]).toBe("headless");
    done(told).settle().expectHeld("stage-4-complete");
    expect(positionOf(told.state).handoff).toMatchObject({
      stage: 4,
      phase: null,
      nextAction: "run_validation",
    });
    expect(told.state.notes.at(-1)?.text).toBe(
      "GUI complete - Minimal editor (headless, uses DAW controls)",
    );
  });

  test("[PW-277] the custom path needs a finished mock-up; the question stays", () => {
    const told = throughPhase("3.3").settle();
    told.reply("stage-3-complete", "custom-ui").expectRefused("mockup-missing");
    expect(told.open.map((one) => one.question)).toEqual(["stage-3-complete"]);
    expect(told.state.vars["gui_type"]).toBeNull();
    told.given(MOCKUP).reply("stage-3-complete", "webview").expectAccepted();
    expect(told.state.vars["gui_type"]).toBe("webview");
  });

  test("[PW-272] gui_type has two values, and only a person sets it", () => {
    const told = adopted("s3");
    const set = { type: "vars.set", name: "gui_type" } as const;
    told.when({ ...set, value: "curses" }).expectRefused("value-illegal");
    told.when({ ...set, value: "headless" }, AGENT).expectRefused("person-required");
    told.when({ ...set, value: "headless" }).expectAccepted();
    told.send("gui").expectRefused("dispatch-illegal");
    told.send("editor").expectAccepted();
  });

  test("[PW-219] pausing at the choice of interface is a place of its own", () => {
    const told = throughPhase("3.3").settle().reply("stage-3-complete", "pause").expectAccepted();
    expect(positionOf(told.state)).toMatchObject({
      registry: "🚧 Stage 3",
      handoff: {
        stage: 3,
        phase: null,
        status: "complete",
        nextAction: "gui_decision_gate",
        nextPhase: null,
      },
    });
    told.given(MOCKUP).send("gui-phase", "4.1", AGENT).expectHeld("stage-3-complete");
    told.reply("stage-3-complete", "1").expectAccepted();
    expect(openWork(told)).toEqual(["4.1"]);
  });
});

describe("before stage 2", () => {
  test("[PW-304][PW-303] with mock-ups, brief and mock-up are compared first", () => {
    const told = startedPlugin({ ...SIMPLE, ...MOCKUP }).send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "1").expectHeld("design-sync");
    expect(told.state.decisions["D-1"]?.status).toBe("answered");
    told.send("foundation").expectRefused("held");
    told.fork().reply("design-sync", "in-sync").expectAccepted();
    told.fork().reply("design-sync", "accept").expectRefused("reason-missing");
    told.fork().reply("design-sync", "accept", { reason: "bolder" }).expectAccepted();
    const waived = told.fork().reply("design-sync", "override", { reason: "no time" });
    expect(waived.expectAccepted().state.notes).toContainEqual(
      expect.objectContaining({ list: "overrides", tag: "design-sync", text: "no time" }),
    );
    expect(openSpecs(waived)).toEqual(["foundation"]);
    const paused = told.fork().reply("design-sync", "fix").expectAccepted();
    expect(openSpecs(paused)).toEqual([]);
    paused.send("foundation").expectHeld("design-sync");
  });

  test("[PW-304] a release of the design goes stale when the mock-up changes", () => {
    const told = adopted("s0", MOCKUP)
      .send("foundation")
      .reply("design-sync", "1")
      .expectAccepted();
    told.report({ outcome: "failure" }).expectHeld("stage-failed");
    told.given({ [`mockups:${ID}`]: "v2 def" }).reply("stage-failed", "retry");
    told.expectHeld("design-sync");
  });

  test("[PW-056][PW-157] the draft is enough to plan, not to build", () => {
    const spec = { [`digest:plugins/${ID}/.ideas/parameter-spec.md`]: null };
    const told = startedPlugin({ ...SIMPLE, ...spec }).send("research", ".", AGENT);
    done(told).settle();
    told.reply("stage-0-complete", "1").expectRefused("contract-missing");
    expect(told.refusals[0]?.message).toBe(`plugins/${ID}/.ideas/parameter-spec.md does not exist`);
    expect(told.refusals[0]?.fix).toContain("UI mock-up step");
    const neither = { ...spec, [`digest:plugins/${ID}/.ideas/parameter-spec-draft.md`]: null };
    startedPlugin(neither).send("research").expectRefused("contract-missing");
    const brief = { [`digest:plugins/${ID}/.ideas/creative-brief.md`]: null };
    startedPlugin(brief).send("research").expectRefused("contract-missing");
  });

  test("[PW-182] files that disagree with the journal stop every dispatch", () => {
    const told = adopted("s2", { [`drift:${ID}`]: ["registry says Stage 3", "handoff says 2"] });
    told.send("dsp").expectRefused("state-mismatch");
    expect(told.refusals[0]?.message).toBe("registry says Stage 3; handoff says 2");
    adopted("s4", { [`drift:${ID}`]: ["x"] })
      .move("begin-validation")
      .expectRefused("state-mismatch");
  });
});

describe("validation and installing", () => {
  test("[PW-089][PW-090][PW-091] validation has no agent, and needs a changelog and presets", () => {
    const told = adopted("s5", { [`digest:plugins/${ID}/Presets`]: null });
    for (const spec of ["research", "foundation", "dsp", "gui", "editor"])
      told.send(spec).expectRefused("dispatch-illegal");
    told.move("validate", AGENT).expectRefused("validation-incomplete");
    told.given({ [`digest:plugins/${ID}/Presets`]: "directory" }).move("validate", AGENT);
    told.settle().expectHeld("stage-5-complete");
    expect(positionOf(told.state)).toMatchObject({
      registry: "✅ Working",
      handoff: { stage: 5, phase: null, status: "workflow_complete", nextAction: null },
    });
    expect(told.state.vars["version"]).toBe("1.0.0");
  });

  test("[PW-309] installing needs a release build", () => {
    const told = adopted("working", { [`built:${ID}`]: false });
    told.move("install").expectRefused("build-missing");
    told
      .given({ [`built:${ID}`]: true })
      .move("install")
      .expectAccepted();
    expect(told.state.seals).toEqual({});
  });

  test("[PW-309] installing needs tests of the very tree that is installed", () => {
    const told = adopted("working", { "check:tests": true });
    told.move("install").expectRefused("tests-failed");
    const bound = {
      [`tree:plugins/${ID}`]: "tree-1",
      [`around:${ID}`]: "around-1",
      "command:tests": "as configured",
    };
    const run = { unit: ".", kind: "tests", by: "engine", value: "passed", bound };
    told.when({ type: "finding.record", ...run }, ENGINE);
    told.fork().move("install").expectAccepted();
    told
      .given({ [`tree:plugins/${ID}`]: "tree-2" })
      .move("install")
      .expectRefused("tests-failed");
  });

  test("[PW-309] installing needs the contracts that it was validated by", () => {
    const told = adopted("working");
    told.given({ [`digest:plugins/${ID}/.ideas/plan.md`]: "sha256:other" });
    told.move("install").expectHeld("contract-changed");
  });

  test("[PW-212][PW-156] failing tests at validation hold; a person has them run again", () => {
    const told = adopted("s5", { "check:tests": true }).move("validate", AGENT);
    told.expectHeld("validation-failed");
    expect(status(told)).toBe("🚧 Stage 5");
    told.move("validate", AGENT).expectRefused("held");
    told.reply("validation-failed", "retry").expectAccepted();
  });
});

test("[PW-109][PW-270] an agent that writes everything itself leaves no remark", () => {
  const told = startedPlugin(PHASED).send("research", ".", AGENT);
  doneAndWritten(told);
  expect(told.state.dispatches["W-1"]).toMatchObject({ outcome: "success", notes: [] });
  told.settle().reply("stage-0-complete", "1");
  doneAndWritten(told, { [HANDOFF]: { kind: "absent" } });
  expect(told.state.dispatches["W-2"]?.notes.map((one) => one.code)).toEqual(["handoff_missing"]);
  told.settle().reply("stage-2-complete", "1");
  doneAndWritten(told, { [REGISTRY]: null });
  expect(told.state.dispatches["W-3"]?.notes.map((one) => one.code)).toEqual([
    "registry_entry_missing",
  ]);
});

function status(told: Story): string {
  return positionOf(told.state).registry;
}

function subjects(told: Story): readonly unknown[] {
  return Object.values(told.state.effects).map((effect) => effect.args["subject"]);
}

function openWork(told: Story): readonly string[] {
  return Object.values(told.state.dispatches)
    .filter((one) => one.status === "open")
    .map((one) => one.unit);
}

function openSpecs(told: Story): readonly string[] {
  return Object.values(told.state.dispatches)
    .filter((one) => one.status === "open")
    .map((one) => one.spec);
}

/** A plan with phases, done up to this one; the next is handed out, or the commit wanted if it is the last. */
function throughPhase(last: string): Story {
  const told = startedPlugin(PHASED).send("research", ".", AGENT);
  done(told).settle().reply("stage-0-complete", "1");
  done(told).settle().reply("stage-2-complete", "1");
  for (const phase of ["3.1", "3.2", "3.3"]) {
    done(told);
    if (phase === last && last === "3.3") return told;
    told.settle().reply("phase-complete", "1");
    if (phase === last) return told;
  }
  return told;
}
