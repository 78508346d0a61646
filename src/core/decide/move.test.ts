// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, PERSON } from "../../../test/story.ts";
import type { As } from "../../../test/story.ts";
import { at, inReview, planned, shipping, started, withMoves } from "../../../test/toy.ts";

describe("moves", () => {
  test("[C19] a move that does not start here is refused, naming those that do", () => {
    const told = planned().move("close").expectRefused("transition-illegal");
    expect(told.refusals[0]).toMatchObject({
      message: '"close" starts from shipped; Toy is at doing',
      fix: "From doing these moves exist: replan, block, paint, check-all, hurry, strict.",
    });
    told.move("fly").expectRefused("transition-illegal");
    expect(told.refusals[0]?.message).toBe('"fly" is not a move of toy');
    told.move("roll-up").expectRefused("transition-illegal");
    const closed = shipping().settle().reply("shipped", "1").move("close").settle();
    closed.move("plan").expectRefused("transition-illegal");
    expect(closed.refusals[0]?.fix).toBe("closed is an end: there is no move from here.");
  });

  test("[C20] a row that names who may ask refuses everybody else", () => {
    const editor: As = { actor: { kind: "agent", name: "bo", role: "editor" } };
    const told = inReview();
    const asked = { reason: "thin" };
    told
      .fork()
      .move("rework", { ...asked, ...AGENT })
      .expectRefused("person-required");
    told
      .fork()
      .move("rework", { ...asked, ...editor })
      .expectAccepted();
    told
      .fork()
      .move("rework", { ...asked, ...PERSON })
      .expectAccepted();
  });

  test("[C20] a row for nobody follows from a report only", () => {
    const told = planned().move("only-by-report").expectRefused("actor-not-allowed");
    expect(told.refusals[0]?.message).toBe(
      '"only-by-report" cannot be asked for: it follows from a report',
    );
    told.move("built", { unit: "a" }).expectRefused("actor-not-allowed");
    told.send("build", "a").report().expectAccepted();
    expect(told.state.units["a"]?.at).toBe("built");
  });

  test("[C21] a reason is wanted, recorded, and usable in texts", () => {
    const told = inReview();
    for (const reason of ["", "  \n"])
      told.move("rework", { reason }).expectRefused("reason-missing");
    told.move("rework", { reason: "thin" }).expectAccepted();
    expect(told.events).toContainEqual(
      expect.objectContaining({ type: "unit.moved", move: "rework", reason: "thin" }),
    );
    expect(told.state.notes.at(-1)).toMatchObject({ text: "planned, because why not" });
  });

  test("[C22] a question, an effect and open work each stand in the way", () => {
    planned().move("hurry").move("replan").expectRefused("held");
    planned().move("hurry").send("write").expectRefused("held");
    shipping().move("close").expectRefused("effect-pending");
    planned().send("write").move("replan").expectRefused("dispatch-open");
    planned().send("write").send("audit").expectRefused("dispatch-open");
  });

  test("[C23] while held means past questions, not past effects or open work", () => {
    const held = planned().move("hurry").move("block").expectHeld("go-on");
    expect(at(held.state)).toBe("stuck");
    planned().send("write").move("block").expectRefused("dispatch-open");
    planned()
      .when({ type: "unit.open", kind: "part", unit: "c", data: {} })
      .move("block")
      .expectRefused("effect-pending");
  });

  test("[C24] what a row does happens in the record of the move", () => {
    const told = started()
      .when({ type: "unit.move", unit: ".", move: "plan", reason: "r", input: { lane: 2 } })
      .expectAccepted();
    expect(told.events.map((event) => event.type)).toEqual([
      "unit.moved",
      "vars.changed",
      "artifact.sealed",
      "artifact.sealed",
      "unit.opened",
      "unit.opened",
      "note.added",
    ]);
    expect(told.state.vars).toMatchObject({ mode: "planned", lane: 2, size: 3 });
    expect(told.state.notes.at(-1)).toMatchObject({ tag: "Toy", text: "planned, because r" });
    const reworked = inReview().move("rework", { reason: "thin" });
    expect(Object.keys(reworked.state.units)).toEqual(["."]);
    expect(reworked.state.decisions["D-1"]?.status).toBe("void");
  });

  test("[C25] sowing again closes what was sown before; odd entries are passed over", () => {
    const told = planned();
    expect(told.state.units["b"]).toMatchObject({
      kind: "part",
      at: "open",
      data: { after: ["a"] },
    });
    told
      .given({ parts: [{ id: "c" }, 7, { id: 3 }, null, "d"] })
      .move("replan")
      .expectAccepted();
    expect(Object.keys(told.state.units)).toEqual([".", "c"]);
    told.given({ parts: null }).move("replan").expectAccepted();
    expect(Object.keys(told.state.units)).toEqual(["."]);
  });

  test("[C26] of rows with one name the first that fits counts", () => {
    const told = planned().move("paint").expectAccepted();
    expect(told.state.vars["paint"]).toBe("warm");
    told.when({ type: "vars.set", name: "colour", value: "blue" }).move("paint").expectAccepted();
    expect(told.state.vars["paint"]).toBe("cold");
  });

  test("[C27] automatic rows move in the same record", () => {
    const told = planned().send("build", "a").report().expectAccepted();
    expect(at(told.state)).toBe("doing");
    told.send("build", "b").report().expectHeld("approve");
    const moves = told.events.flatMap((event) => (event.type === "unit.moved" ? [event.move] : []));
    expect(moves).toEqual(["built", "roll-up"]);
    expect(told.state.units["."]?.entered["review"]).toBe(told.state.seq);
  });

  test("[C27] rows that chase each other are a mistake of the protocol", () => {
    const chase = withMoves(
      { id: "tick", from: ["stuck"], to: "lost", auto: true, rule: "T" },
      { id: "tock", from: ["lost"], to: "stuck", auto: true, rule: "T" },
    );
    expect(() => planned({}, chase).move("block")).toThrow(
      'Cannot settle "Toy": automatic moves do not come to rest',
    );
  });

  test("[C85] a step inside a state does its part, and is no entry into it", () => {
    const notes = [{ list: "steps", tag: "dust", text: "{input.reason}" }];
    const dust = { id: "dust", from: ["doing"], to: "doing", inside: true, notes, rule: "T" };
    const before = planned({}, withMoves(dust));
    const entered = before.state.units["."]?.entered;
    const told = before.move("dust", { reason: "it is grey" }).expectAccepted();
    expect(told.state.units["."]?.entered).toEqual(entered);
    expect(told.state.notes.at(-1)).toMatchObject({ list: "steps", text: "it is grey" });
  });

  test("[C28] a unit is opened in the right state, once, past its guards", () => {
    const open = (
      unit: string,
      reason = "",
    ): Parameters<ReturnType<typeof planned>["when"]>[0] => ({
      type: "unit.open",
      kind: "part",
      unit,
      data: { size: 1 },
      reason,
    });
    started().when(open("c")).expectRefused("open-illegal");
    const told = planned().when(open("c")).expectAccepted();
    expect(told.state.units["c"]).toMatchObject({ at: "open", data: { size: 1 } });
    expect(told.state.effects["E-1"]).toMatchObject({ kind: "shelf", args: { for: "c" } });
    told.settle().when(open("c")).expectRefused("open-illegal");
    told.when(open(".")).expectRefused("open-illegal");
    told.when(open("d", "shout")).expectRefused("loud");
    told.given({ "digest:plan.md": "p2" }).when(open("d")).expectHeld("plan-changed");
    expect(told.state.units).not.toHaveProperty("d");
  });

  test("[C28] opening a unit voids the questions its kind names", () => {
    const told = planned().move("hurry").expectHeld("go-on");
    told.when({ type: "unit.open", kind: "part", unit: "c", data: {} }).expectAccepted();
    expect(told.state.decisions["D-1"]).toMatchObject({
      status: "void",
      settled: { by: "engine" },
    });
  });
});

describe("detours", () => {
  test("[C29] a detour returns where it left, the innermost first", () => {
    const told = planned().move("block").move("wander").expectAccepted();
    expect(told.state.units["."]).toMatchObject({ at: "lost", back: ["doing", "stuck"] });
    told.move("return").expectAccepted();
    expect(told.state.units["."]).toMatchObject({ at: "stuck", back: ["doing"] });
    told.move("return").expectAccepted();
    expect(told.state.units["."]).toMatchObject({ at: "doing", back: [] });
  });

  test("[C29] a gate stands on the way back too", () => {
    const told = inReview().reply("approve", "yes").move("block").move("return");
    told.expectHeld("approve");
  });

  test("[C30] going back without a detour is refused", () => {
    const away = withMoves({ id: "stray", from: ["doing"], to: "stuck", rule: "T" });
    const told = planned({}, away).move("stray").move("return");
    told.expectRefused("way-back-unknown");
    expect(at(told.state)).toBe("stuck");
  });
});
