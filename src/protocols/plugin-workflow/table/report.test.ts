// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import {
  HANDOFF,
  ID,
  REGISTRY,
  TODAY,
  adopted,
  done,
  doneAndWritten,
  phases,
  startedPlugin,
} from "../../../../test/plugin.ts";
import type { Given } from "../../../../test/plugin.ts";
import { GONE } from "../../../core/values/measured.ts";
import { AGENT, ENGINE } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { positionOf } from "./position.ts";

const PLAN = `plugins/${ID}/.ideas/plan.md`;
const at31 = (given?: Given): Story =>
  adopted("s2", given, { units: phases() }).send("dsp-phase", "3.1");

describe("what a report must prove", () => {
  test("[PW-063] a report from another agent is refused", () => {
    const told = adopted("s2").send("dsp");
    done(told, { agent: "gui-agent" }).expectRefused("agent-mismatch");
    done(told, { agent: "" }).expectRefused("agent-mismatch");
    done(told).expectAccepted();
  });

  test("[PW-062] a report has one of five outcomes", () => {
    const told = adopted("s2").send("dsp");
    for (const outcome of ["", "done", "partial", "constructor"])
      done(told, { outcome }).expectRefused("outcome-unknown");
  });

  test("[PW-096] the stage that was handed out, and no other", () => {
    const told = adopted("s2").send("dsp");
    done(told, { stage: 2 }).expectRefused("stage-mismatch");
    done(told, { stage: 4 }).expectRefused("stage-mismatch");
    done(told, { stage: null }).expectAccepted();
  });

  test("[PW-082] stages 0, 2 and unphased work have no phases", () => {
    const told = adopted("s0").send("foundation");
    done(told, { phase: "2.1" }).expectRefused("stage-mismatch", "phase-unknown");
    const single = adopted("s2").send("dsp");
    done(single, { phase: "3.1" }).expectRefused("stage-mismatch", "phase-unknown");
  });

  test("[PW-093] a phase the plan does not have", () => {
    const told = at31();
    done(told, { phase: "3.7" }).expectRefused("stage-mismatch", "phase-unknown");
    expect(told.refusals[1]?.message).toBe("phase 3.7 is not in plan.md, which has 3.1, 3.2, 3.3");
  });

  test("[PW-066][PW-300] phased work names the phase that was handed out", () => {
    const told = at31();
    done(told, { phase: null }).expectRefused("stage-mismatch");
    done(told, { phase: "3.2" }).expectRefused("stage-mismatch");
    done(told, { phase: "3.1" }).expectAccepted();
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-072] files that are not there refuse, files that did not change are asked about", () => {
    const a = "plugins/Gain/a.cpp";
    const b = "plugins/Gain/b.cpp";
    const files = [a, b];
    const told = adopted("s2", { [`digest:${b}`]: null }).send("dsp");
    done(told, { files }).expectRefused("files-missing");
    expect(told.refusals[0]?.message).toBe(`the report names files that do not exist: ${b}`);
    const changed = { files: { [b]: [null, "f 1"] }, moved: {}, commits: [] };
    told.given({ [`digest:${b}`]: "x", "change:W-1": changed });
    done(told, { files }).expectHeld("no-work");
    expect(told.open[0]?.about["message"]).toBe(`the report names files that did not change: ${a}`);
  });

  test("[PW-149][PW-069] nothing measured, nothing done: a person agrees, or it is done again", () => {
    const nothing = { files: {}, moved: {}, commits: [] };
    for (const outcome of ["success", "state-failure"]) {
      const told = adopted("s2", { "change:W-1": nothing }).send("dsp");
      done(told, { files: [], outcome }).expectHeld("no-work");
      expect(told.state.units["."]?.at).toBe("s2");
      const again = told.fork().reply("no-work", "retry").expectAccepted();
      expect(Object.values(again.state.dispatches).at(-1)).toMatchObject({ status: "open" });
      told.reply("no-work", "accept", { reason: "it was there already" });
      expect(told.state.units["."]?.at).toBe("s3");
    }
  });

  test("[PW-149] what a person agreed to counts for that work alone", () => {
    const nothing = { files: {}, moved: {}, commits: [] };
    const told = adopted("s2", { "change:W-1": nothing, "change:W-2": nothing }).send("dsp");
    done(told, { files: [] }).reply("no-work", "accept", { reason: "there" }).settle();
    told.reply("stage-3-complete", "headless");
    done(told, { files: [] }).expectHeld("no-work");
  });

  test("[PW-099][PW-072] what was committed, changed outside or not named is remarked", () => {
    const files = {
      "plugins/Gain/Source/PluginProcessor.cpp": ["f 1", "f 2"],
      "plugins/Gain/Source/Hidden.cpp": [null, "f 2"],
      "CMakeLists.txt": ["f 1", "f 2"],
    };
    const change = { files, moved: {}, commits: ["abc1234 mine"] };
    const told = adopted("s2", { "change:W-1": change }).send("dsp");
    doneAndWritten(told).expectAccepted();
    expect(remarks(told)).toEqual(["files-unnamed", "work-outside", "agent-committed"]);
  });

  test("[PW-099] a checkpoint that is gone, or another branch, is asked about", () => {
    const files = { "plugins/Gain/Source/PluginProcessor.cpp": ["f 1", "f 2"] };
    const commits = [`0123456789ab ${GONE}`, "abc1234 rewritten"];
    const gone = adopted("s2", { "change:W-1": { files, moved: {}, commits } }).send("dsp");
    doneAndWritten(gone).expectHeld("history-changed");
    expect(gone.open[0]?.about["message"]).toContain("commit 0123456789ab is no longer");
    gone.fork().reply("history-changed", "accept").expectRefused("reason-missing");
    gone.fork().reply("history-changed", "again").expectHeld("history-changed");
    gone.reply("history-changed", "accept", { reason: "squashed" }).expectAccepted();
    const other = adopted("s2")
      .send("dsp")
      .given({ [`branch:${ID}`]: "mine" });
    done(other).expectHeld("history-changed");
    expect(other.open[0]?.about["message"]).toContain(
      "handed out on main, and mine is checked out",
    );
    other.given({ [`branch:${ID}`]: "main" });
    other.fork().reply("history-changed", "again").expectAccepted();
    done(other.reply("history-changed", "retry")).expectAccepted();
  });

  test("[PW-096][PW-175] a handoff that stands elsewhere refuses the report", () => {
    const told = adopted("s2").send("dsp");
    const stands = (stage: number, phase: string | null): Story =>
      done(told.fork().given({ [HANDOFF]: { kind: "read", stage, phase } }));
    stands(0, null).expectRefused("state-mismatch");
    stands(5, null).expectRefused("state-mismatch");
    stands(2, null).expectAccepted();
    stands(3, null).expectAccepted();
    stands(3, "3.1").expectRefused("state-mismatch");
    told.send("gui").expectRefused("dispatch-illegal");
  });

  test("[PW-102] a late report of a cancelled dispatch changes nothing", () => {
    const told = at31().when({ type: "dispatch.cancel", dispatch: "W-1", reason: "hung" });
    told.send("dsp-phase", "3.1");
    const claim = { agent: "dsp-agent", outcome: "success", stage: 3, phase: "3.1" };
    const { state } = told;
    told.when({ type: "dispatch.report", dispatch: "W-1", claim }, AGENT);
    told.expectRefused("report-stale");
    expect(told.state).toEqual(state);
    done(told).expectAccepted();
  });

  test("[PW-101] only one session works on a plugin", () => {
    const told = adopted("s2").send("dsp");
    told.send("dsp", ".", { session: "s-2" }).expectRefused("lease-held");
    told.send("dsp").expectRefused("dispatch-open");
  });
});

describe("reports that complete nothing", () => {
  test.each([
    ["failure", "stage-failed", "PW-155"],
    ["not-ready", "not-ready", "PW-070"],
    ["unreadable", "report-unreadable", "PW-073"],
  ])("[PW-069][PW-070][PW-073][PW-155] %s asks %s", (outcome, question, rule) => {
    const told = adopted("s2").send("dsp").report({ outcome, stateUpdated: true });
    told.expectHeld(question);
    expect(told.state.units["."]?.at).toBe("s2");
    expect(Object.keys(told.state.effects)).toEqual([]);
    told.send("dsp").expectRefused("held");
    expect(told.refusals[0]?.rule).toBe(rule);
    const again = told.fork().reply(question, "retry").expectAccepted();
    expect(again.state.dispatches["W-2"]).toMatchObject({ spec: "dsp", status: "open" });
    told.reply(question, "manual").expectAccepted();
    expect(told.state.dispatches).not.toHaveProperty("W-2");
  });

  test("[PW-067][PW-068][PW-132] only the state was not written: the work counts, with a remark", () => {
    const told = adopted("s2").send("dsp");
    done(told, { outcome: "state-failure", stateError: "disk full" }).expectAccepted();
    expect(told.state.units["."]?.at).toBe("s3");
    expect(told.state.dispatches["W-1"]?.outcome).toBe("state-failure");
    expect(remarks(told)).toContain("state_update_error");
  });

  test("[PW-301] a failed phase stops the loop; 3.3 is not handed out", () => {
    const told = adopted("s2", {}, { units: phases("3.1") }).send("dsp-phase", "3.2");
    told.report({ outcome: "failure" }).expectHeld("stage-failed");
    told.send("dsp-phase", "3.3").expectRefused("held", "phase-order");
    told.reply("stage-failed", "retry").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ unit: "3.2", status: "open" });
  });

  test("[PW-155] retrying hands out what failed, not what fits first", () => {
    const told = adopted("s0").send("foundation").report({ outcome: "failure" });
    told.reply("stage-failed", "retry").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({ spec: "foundation" });
    const plan = adopted("s0").send("research").report({ outcome: "failure" });
    plan.reply("stage-failed", "retry").expectAccepted();
    expect(plan.state.dispatches["W-2"]).toMatchObject({ spec: "research" });
  });
});

describe("sealed contracts", () => {
  const held = (): Story => {
    const told = at31().given({ [`digest:${PLAN}`]: "sha256:other" });
    return done(told).expectHeld("contract-changed");
  };

  test("[PW-053][PW-060][PW-183] a changed contract holds the report, with three ways and a fourth", () => {
    const told = held();
    expect(told.state.dispatches["W-1"]?.status).toBe("parked");
    expect(told.state.seals[PLAN]?.digest).toBe(`sha256:${PLAN}`);
    expect(told.open[0]).toMatchObject({
      prompt: "CONTRACT DRIFT DETECTED",
      about: { message: `${PLAN} changed since it was sealed` },
    });
    expect(told.open[0]?.options.map((one) => one.id)).toEqual([
      "restore",
      "update",
      "improve",
      "hand-back",
      "other",
    ]);
    expect(told.open[0]?.options[0]?.recommended).toBe(true);
  });

  test("[C91] a report that was kept for a question ends with it, and never counts later", () => {
    const told = held().move("reset", { reason: "another idea" }).expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({ status: "ended", outcome: "void" });
    expect(told.state.lease).toBeNull();
    done(told.settle().send("research").expectAccepted()).expectAccepted();
    expect(told.state.dispatches["W-2"]?.outcome).toBe("success");
  });

  test("[PW-055] a missing contract is told apart from a changed one", () => {
    const told = at31().given({ [`digest:${PLAN}`]: null });
    done(told).expectHeld("contract-changed");
    expect(told.open[0]?.about["message"]).toBe(`${PLAN} is gone since it was sealed`);
  });

  test("[PW-057] restoring: an effect, then the report is taken in", () => {
    const told = held().reply("contract-changed", "restore").expectAccepted();
    expect(told.state.effects["E-1"]).toMatchObject({ kind: "restore", status: "wanted" });
    told
      .given({ [`digest:${PLAN}`]: `sha256:${PLAN}` })
      .settle()
      .expectHeld("contract-restored");
    told.reply("contract-restored", "1").expectAccepted();
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-059] accepting: a reason, new seals, and the report is taken in", () => {
    const told = held();
    told.reply("contract-changed", "update").expectRefused("reason-missing");
    told.reply("contract-changed", "update", { reason: "typo" }).expectAccepted();
    expect(told.state.seals[PLAN]).toMatchObject({
      digest: "sha256:other",
      by: "person:ada",
      why: "typo",
    });
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-060] improve instead, or hand the work back", () => {
    const told = held().reply("contract-changed", "improve").expectHeld("contract-changed");
    told.reply("contract-changed", "hand-back").expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({ outcome: "contract-changed" });
    expect(told.state.units["3.1"]?.at).toBe("todo");
    expect(told.state.lease).toBeNull();
  });

  test("[PW-054][PW-183] a changed contract holds before anything is handed out", () => {
    for (const [state, spec] of [
      ["s0", "foundation"],
      ["s2", "dsp"],
    ] as const) {
      const told = adopted(state, { [`digest:${PLAN}`]: "sha256:other" }).send(spec);
      told.expectHeld("contract-changed");
      expect(told.state.dispatches).toEqual({});
    }
    adopted("s4", { [`digest:${PLAN}`]: "x" })
      .move("begin-validation")
      .expectHeld("contract-changed");
  });

  test("[PW-183] every changed contract is named", () => {
    const brief = `plugins/${ID}/.ideas/creative-brief.md`;
    const told = adopted("s2", { [`digest:${PLAN}`]: "x", [`digest:${brief}`]: null }).send("dsp");
    expect(told.open[0]?.about["message"]).toBe(
      `${brief} is gone since it was sealed; ${PLAN} changed since it was sealed`,
    );
  });
});

describe("tests", () => {
  const TESTED: Given = { "check:tests": true };
  const finding = (value: string) =>
    ({
      type: "finding.record",
      unit: ".",
      kind: "tests",
      by: "engine",
      value,
      bound: {
        [`tree:plugins/${ID}`]: "tree-1",
        [`around:${ID}`]: "around-1",
        "command:tests": "as configured",
      },
    }) as const;

  test("[PW-212][PW-156] failing tests park the report and ask; nothing is completed", () => {
    const told = at31(TESTED).when(finding("failed"), ENGINE);
    done(told).expectHeld("tests-failed");
    expect(told.state.units["3.1"]?.at).toBe("todo");
    expect(told.state.effects).toEqual({});
    done(told).expectRefused("held");
    told.fork().reply("tests-failed", "retry").expectHeld("tests-failed");
    told.when(finding("passed"), ENGINE).reply("tests-failed", "1").expectAccepted();
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-212] a pass of another tree does not count", () => {
    const told = at31(TESTED).when(finding("passed"), ENGINE);
    told.given({ [`tree:plugins/${ID}`]: "tree-2" });
    done(told).expectHeld("tests-failed");
  });

  test("[PW-212] an agent cannot record a pass itself", () => {
    const told = at31(TESTED).when(finding("passed"), AGENT).expectRefused("actor-not-allowed");
    done(told).expectHeld("tests-failed");
  });

  test("[PW-212] handing the work back ends it", () => {
    const told = at31(TESTED);
    done(told).reply("tests-failed", "manual").expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      status: "ended",
      outcome: "tests-failed",
    });
    expect(positionOf(told.state).handoff).toMatchObject({ phase: "3.1", status: "in_progress" });
  });

  test("[PW-212] a pass of another command does not count", () => {
    const told = at31(TESTED).when(finding("passed"), ENGINE);
    told.given({ "command:tests": "another one" });
    expect(done(told).expectHeld("tests-failed").open[0]?.about["message"]).toContain("is stale");
  });

  test("[PW-212] stages 0 and 2 run no tests; without a configured check a person is asked, unless the repository says why", () => {
    const told = startedPlugin(TESTED).send("research", ".", AGENT);
    done(told).settle().reply("stage-0-complete", "1");
    done(told).settle().expectHeld("stage-2-complete");
    const missing = done(at31({ "check:tests": false })).expectHeld("tests-failed");
    expect(missing.open[0]?.about["message"]).toContain("tests did not run");
    done(at31({ "check:tests": { none: "a prototype" } })).expectAccepted();
  });
});

describe("commits that cannot be made", () => {
  test("[PW-203][PW-204] a rejected commit parks the report; retry or hand back", () => {
    const told = at31();
    const claim = { agent: "dsp-agent", outcome: "success", stage: 3, phase: "3.1" };
    const about = { code: "commit-rejected", message: "lint failed" };
    told.when({ type: "dispatch.park", dispatch: "W-1", claim, asks: "commit-failed", about });
    told.expectHeld("commit-failed");
    expect(told.state.units["3.1"]?.at).toBe("todo");
    told.send("dsp-phase", "3.1").expectRefused("held");
    told.fork().reply("commit-failed", "details").expectHeld("commit-failed");
    const back = told.fork().reply("commit-failed", "abort").expectAccepted();
    expect(back.state.dispatches["W-1"]?.outcome).toBe("commit-rejected");
    told.reply("commit-failed", "retry").expectAccepted();
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-141][PW-142] the recovery menu has its five choices in order", () => {
    const told = at31();
    const claim = { agent: "dsp-agent", outcome: "success", stage: 3, phase: "3.1" };
    told.when({ type: "dispatch.park", dispatch: "W-1", claim, asks: "recovery", about: {} });
    expect(told.open[0]?.options.map((one) => one.label)).toEqual([
      "Show error details",
      "Retry fallback",
      "Manual fix: mend the files, then retry",
      "Abort workflow: hand the work back",
      "Other",
    ]);
    told.reply("recovery", "abort").expectAccepted();
    expect(told.state.units["3.1"]?.at).toBe("todo");
  });
});

describe("what the agent should have written", () => {
  const position = { kind: "read", stage: 3, phase: "3.1", status: "complete" };
  const handoff = (change: Given): Given => ({
    [HANDOFF]: {
      ...position,
      lastUpdated: TODAY,
      checksums: 4,
      missing: [],
      missingSections: [],
      completed: ["Stage 3.1"],
      ...change,
    },
  });
  const registry = (change: Given): Given => ({
    [REGISTRY]: {
      row: "🚧 Stage 3.1",
      entry: "🚧 Stage 3.1",
      timeline: ["Stage 3.1"],
      ...change,
    },
  });

  const CASES: readonly (readonly [string, Given, Given, readonly string[]])[] = [
    ["[PW-109] nothing is wrong", {}, {}, []],
    ["[PW-104] it says it did not write", {}, { stateUpdated: false }, ["stateUpdated_false"]],
    ["[PW-104][PW-065] it does not say", {}, { stateUpdated: null }, ["stateUpdated_false"]],
    [
      "[PW-105] it says writing failed",
      {},
      { stateError: "read-only", stateUpdated: true },
      ["state_update_error"],
    ],
    [
      "[PW-104][PW-105] it says that it did not write, and why",
      {},
      { stateError: "read-only", stateUpdated: false },
      ["stateUpdated_false", "state_update_error"],
    ],
    ["[PW-115] the handoff is missing", { [HANDOFF]: { kind: "absent" } }, {}, ["handoff_missing"]],
    [
      "[PW-115] the handoff cannot be read",
      { [HANDOFF]: { kind: "unreadable", why: "bad YAML" } },
      {},
      ["handoff_invalid"],
    ],
    ["[PW-119] fields are missing", handoff({ missing: ["plugin"] }), {}, ["fields_missing"]],
    [
      "[PW-106] the stage was left",
      handoff({ stage: 2, phase: null }),
      {},
      ["stage_mismatch", "phase_mismatch"],
    ],
    ["[PW-111] the phase was left", handoff({ phase: null }), {}, ["phase_mismatch"]],
    ["[PW-113] the status was left", handoff({ status: "in_progress" }), {}, ["status_mismatch"]],
    ["[PW-107] yesterday's date", handoff({ lastUpdated: "2026-02-28" }), {}, ["date_not_current"]],
    ["[PW-107] tomorrow's date", handoff({ lastUpdated: "2026-03-02" }), {}, ["date_not_current"]],
    ["[PW-107] no date", handoff({ lastUpdated: null }), {}, ["date_not_current"]],
    ["[PW-112] a checksum is missing", handoff({ checksums: 3 }), {}, ["checksums_missing"]],
    [
      "[PW-112] a section is missing",
      handoff({ missingSections: ["Next Steps"] }),
      {},
      ["sections_missing"],
    ],
    ["[PW-112] no completed bullet", handoff({ completed: [] }), {}, ["completed_missing"]],
    ["[PW-115] no entry in the registry", { [REGISTRY]: null }, {}, ["registry_entry_missing"]],
    [
      "[PW-108] the registry was left",
      registry({ row: "🚧 Stage 2", entry: "🚧 Stage 2" }),
      {},
      ["plugins_md_not_updated"],
    ],
    [
      "[PW-112] row and entry disagree",
      registry({ entry: "🚧 Stage 2" }),
      {},
      ["plugins_md_not_updated", "registry_drift"],
    ],
    [
      "[PW-110] Stage 3.1 is not Stage 3, nor Stage 30",
      registry({ row: "🚧 Stage 3", entry: "🚧 Stage 30" }),
      {},
      ["plugins_md_not_updated", "registry_drift"],
    ],
    [
      "[PW-116][PW-112] no timeline line",
      registry({ timeline: ["Stage 3"] }),
      {},
      ["timeline_missing"],
    ],
  ];

  test.each(CASES)("%s", (_, written, claim, codes) => {
    const told = at31();
    done(told.given({ ...handoff({}), ...registry({}), ...written }), claim);
    told.expectAccepted();
    expect(remarks(told)).toEqual(codes);
    expect(told.state.units["3.1"]?.at).toBe("done");
  });

  test("[PW-107] work that crosses midnight has two right dates", () => {
    for (const lastUpdated of [TODAY, "2026-03-02"]) {
      const told = at31();
      const at = "2026-03-02T00:30:00.000Z";
      told.given({ ...handoff({ lastUpdated }), ...registry({}) });
      done(told, {}, { ...AGENT, at }).expectAccepted();
      expect(remarks(told)).toEqual([]);
    }
  });

  test("[PW-117][PW-140] whatever was forgotten is remarked, and the menu comes as usual", () => {
    const told = at31();
    done(told, { stateUpdated: false }).settle().expectHeld("phase-complete");
    expect(told.state.dispatches["W-1"]?.notes.length).toBeGreaterThan(2);
    for (const { message, rule } of told.state.dispatches["W-1"]?.notes ?? []) {
      expect(message).toMatch(/\S/);
      expect(rule).toMatch(/^PW-\d{3}$/);
    }
  });

  test.each([
    ["as its stage", null, "🚧 Stage 3", "Stage 3"],
    ["as itself", "3.3", "🚧 Stage 3.3", "Stage 3.3"],
  ])("[PW-085][PW-112] a last phase written %s is no lie", (_, phase, status, tag) => {
    const told = adopted("s2", {}, { units: phases("3.1", "3.2") }).send("dsp-phase", "3.3");
    told.given({
      ...handoff({ stage: 3, phase, completed: [tag] }),
      ...registry({ row: status, entry: status, timeline: [tag] }),
    });
    done(told).expectAccepted();
    expect(remarks(told)).toEqual([]);
  });

  test("[PW-112] a last phase that is written nowhere is", () => {
    const told = adopted("s2", {}, { units: phases("3.1", "3.2") }).send("dsp-phase", "3.3");
    told.given({
      ...handoff({ stage: 3, phase: null, completed: ["Stage 3.2"] }),
      ...registry({ row: "🚧 Stage 3.2", entry: "🚧 Stage 3.2", timeline: ["Stage 3.2"] }),
    });
    done(told).expectAccepted();
    expect(remarks(told)).toEqual([
      "completed_missing",
      "plugins_md_not_updated",
      "timeline_missing",
    ]);
  });
});

function remarks(told: Story): readonly string[] {
  return (
    Object.values(told.state.dispatches)
      .at(-1)
      ?.notes.map((note) => note.code) ?? []
  );
}
