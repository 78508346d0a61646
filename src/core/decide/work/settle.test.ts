// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE, PERSON } from "../../../../test/story.ts";
import { at, inReview, planned, shipping, withMoves } from "../../../../test/toy.ts";

describe("effects", () => {
  test("[C56] what a move wants is recorded, with its arguments filled in", () => {
    const told = shipping();
    expect(told.state.effects["E-1"]).toEqual({
      id: "E-1",
      kind: "publish",
      args: { what: "Toy in red" },
      unit: ".",
      status: "wanted",
      detail: {},
      asks: { question: "shipped", unit: ".", about: {} },
      undo: { units: [{ id: ".", at: "review", back: [] }], vars: {}, asks: "publish-failed" },
    });
  });

  test("[C56] what cannot be had here is not wanted, and a warning says so", () => {
    const told = shipping().settle().reply("shipped", "fine").given({ net: "down" }).move("close");
    told.expectAccepted();
    expect(Object.keys(told.state.effects)).toEqual(["E-1"]);
    expect(told.events).toContainEqual({
      type: "warned",
      about: "mail",
      text: "No mail: the net is down",
    });
  });

  test("[C57] the question waits for the effect", () => {
    const told = shipping().expectAccepted();
    expect(told.open).toEqual([]);
    told.settle().expectHeld("shipped");
    expect(told.state.effects["E-1"]?.status).toBe("done");
  });

  test("[C58] only the engine says what became of it, and once", () => {
    const told = shipping();
    const done = { type: "effect.settle", effect: "E-1", status: "done", detail: {} } as const;
    told.when(done, AGENT).expectRefused("actor-not-allowed");
    told.when(done, PERSON).expectRefused("actor-not-allowed");
    told.when({ ...done, status: "skipped" }, AGENT).expectRefused("actor-not-allowed");
    told.fork().when(done, ENGINE).when(done, ENGINE).expectRefused("effect-settled");
    told.when({ ...done, status: "skipped" }, PERSON).expectHeld("shipped");
    expect(told.state.effects["E-1"]?.status).toBe("skipped");
  });

  test("only the engine says which branch it moves, and only for what is wanted", () => {
    const told = shipping();
    const aim = { ref: "refs/heads/main", from: "a", to: "b" };
    const aims = { type: "effect.aim", effect: "E-1", aim } as const;
    for (const actor of [AGENT, PERSON]) told.when(aims, actor).expectRefused("actor-not-allowed");
    told.fork().settle().when(aims, ENGINE).expectRefused("effect-settled");
    told.when({ ...aims, effect: "E-9" }, ENGINE).expectRefused("effect-settled");
    told.when(aims, ENGINE).expectAccepted();
    expect(told.state.effects["E-1"]).toMatchObject({ status: "wanted", aim });
  });

  test("[C59] failed: everything stands where it stood, and a person is asked", () => {
    const told = shipping().settle("failed").expectHeld("publish-failed");
    expect(at(told.state)).toBe("review");
    expect(told.open.map((one) => one.question)).toEqual(["publish-failed"]);
    expect(told.open[0]?.about).toEqual({ message: "disk full" });
    expect(told.events).toContainEqual(
      expect.objectContaining({ type: "unit.moved", move: "undo", reason: "publish failed" }),
    );
  });

  test("[C59] after that it can be tried again", () => {
    const told = shipping().settle("failed");
    told.when(
      { type: "finding.record", unit: ".", kind: "tests", by: "ci", value: "passed", bound: {} },
      ENGINE,
    );
    told.reply("publish-failed", "retry").expectAccepted();
    expect(at(told.state)).toBe("shipped");
    told.settle().expectHeld("shipped");
  });

  test("[C59] what the move had set is as it was, also where it was nothing", () => {
    const protocol = withMoves({
      id: "emerge",
      from: ["lost"],
      to: "@back",
      set: { colour: { value: "green" }, ended: { value: "well" } },
      effects: [{ kind: "publish", args: {}, failed: "publish-failed" }],
      rule: "T",
    });
    const told = planned({}, protocol).move("block").move("wander");
    const before = told.state.vars;
    told.move("emerge");
    expect(told.state.vars).toEqual({ ...before, colour: "green", ended: "well" });
    told.settle("failed");
    expect(told.state.vars).toEqual({ ...before, ended: null });
  });

  test("[C59] the ways back of detours are restored too", () => {
    const protocol = withMoves({
      id: "emerge",
      from: ["lost"],
      to: "@back",
      effects: [{ kind: "publish", args: {}, failed: "publish-failed" }],
      rule: "T",
    });
    const told = planned({}, protocol).move("block").move("wander").move("emerge");
    expect(told.state.units["."]).toMatchObject({ at: "stuck", back: ["doing"] });
    told.settle("failed").expectHeld("publish-failed");
    expect(told.state.units["."]).toMatchObject({ at: "lost", back: ["doing", "stuck"] });
    told.reply("publish-failed", "leave").move("emerge").settle().expectAccepted();
    told.move("return").expectAccepted();
    expect(told.state.units["."]).toMatchObject({ at: "doing", back: [] });
  });

  test("[C60] what cannot be taken back stays wanted, and says why", () => {
    const told = planned().when({ type: "unit.open", kind: "part", unit: "c", data: {} });
    told.settle("failed").expectAccepted();
    expect(told.state.effects["E-1"]).toMatchObject({
      status: "wanted",
      detail: { message: "disk full" },
    });
    told.move("replan").expectRefused("effect-pending");
    expect(told.refusals[0]?.message).toBe("shelf of Toy is not done yet: disk full");
    told.settle().move("replan").expectAccepted();
  });

  test("[C22] nothing is handed out while an effect is wanted", () => {
    const told = planned().when({ type: "unit.open", kind: "part", unit: "c", data: {} });
    told.send("write").expectRefused("effect-pending");
    expect(at(inReview().state)).toBe("review");
  });
});
