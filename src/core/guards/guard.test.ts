// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE } from "../../../test/story.ts";
import type { Story } from "../../../test/story.ts";
import { at, inReview, must, planned, started, toyTable, withMoves } from "../../../test/toy.ts";
import { checkedProtocol } from "../table/define.ts";
import type { Json } from "../values/json.ts";
import type { RuledNeed, Protocol } from "../table/protocol.ts";

describe("rows of guards", () => {
  test("[C11] all rows are checked, in table order", () => {
    const told = planned({ odd: 2 });
    told
      .when({
        type: "unit.move",
        unit: ".",
        move: "check-all",
        reason: "shout",
        input: { size: "xl" },
      })
      .expectRefused("claim", "input", "var", "fact", "loud");
    expect(told.refusals.map((one) => one.message)).toEqual([
      'the report says x is null, expected "Toy"',
      'size is "xl", expected s or m',
      'colour is "red"',
      "odd is 2",
      "do not shout",
    ]);
  });

  test("[C11] one cause is named once, though several rows ask for it", () => {
    const row = (code: string, says: string): RuledNeed => ({
      guard: "fact",
      args: { fact: "odd", in: [1], says },
      code,
      fix: "Mend it.",
      rule: "T",
    });
    const rows = [row("first", "it is odd"), row("second", "it is odd"), row("third", "else")];
    const told = planned(
      { odd: 2 },
      withMoves({ id: "thrice", from: ["doing"], to: "doing", needs: rows, rule: "T" }),
    );
    told.move("thrice").expectRefused("first", "third");
  });

  test("[C12] a row whose condition does not hold is not checked, but its facts are fetched", () => {
    started({ ready: false }).move("plan").expectRefused("not-ready");
    const told = started({ ready: false }, inMode("half")).move("plan").expectAccepted();
    expect(told.answer).not.toHaveProperty(["used", "ready"]);
    const failed = planned({ odd: 2 }).send("write").report({ outcome: "failure" });
    expect(failed.answer).toMatchObject({ kind: "held", used: { odd: 2 } });
  });

  test("[C13] one of several is enough; without any, all are named", () => {
    const told = inReview().reply("approve", "yes");
    told.move("ship").expectRefused("untested");
    expect(told.refusals[0]?.message).toBe(
      "no fresh tests passed; or no fresh waiver:tests waived",
    );
    told.when(tests("passed"), ENGINE).move("ship").expectAccepted();
  });

  test("[C14] a soft row leaves a remark on the dispatch and refuses nothing", () => {
    const told = planned({ odd: 7 }).send("write").report({ pages: 1, text: "done" });
    told.expectAccepted();
    const remark = { code: "dusty", message: "odd is 7", rule: "T-dusty" };
    expect(told.state.dispatches["W-1"]).toMatchObject({ status: "ended", notes: [remark] });
    expect(told.answer).toMatchObject({ notes: [remark] });
  });

  test("[C15] a row that asks opens its question, and nothing moves", () => {
    const told = planned().given({ "digest:plan.md": "p2" }).move("strict");
    told.expectHeld("plan-changed");
    expect(told.events.map((event) => event.type)).toEqual(["decision.asked"]);
    expect(told.open[0]?.about).toEqual({
      code: "plan-changed",
      message: "plan.md changed since it was sealed",
      rule: "T-plan-changed",
    });
  });

  test("[C15] nothing is asked when another row refuses", () => {
    const told = planned().given({ "digest:plan.md": "p2", tidy: false }).move("strict");
    told.expectRefused("untidy");
    expect(told.open).toEqual([]);
  });
});

describe("what vouches", () => {
  test("[C16] a finding counts while what it is bound to reads the same", () => {
    const told = inReview({ tree: { size: 3 } }).reply("approve", "yes");
    told.when(tests("passed", { tree: { size: 3 } }), ENGINE);
    told.fork().move("ship").expectAccepted();
    told
      .given({ tree: { size: 4 } })
      .move("ship")
      .expectRefused("untested");
    told
      .given({ tree: { size: 3 } })
      .move("ship")
      .expectAccepted();
  });

  test("[C16] a finding from before the last entry into the state does not count", () => {
    const told = planned().when(tests("passed"), ENGINE);
    for (const part of ["a", "b"]) told.send("build", part).report();
    told.reply("approve", "yes").move("ship").expectRefused("untested");
  });

  test("[C16] a later failure replaces an earlier pass", () => {
    const told = inReview().reply("approve", "yes");
    told.when(tests("passed"), ENGINE).when(tests("failed"), ENGINE);
    told.move("ship").expectRefused("untested");
  });

  test("[C17] a release counts while what it is bound to reads the same", () => {
    const told = inReview().reply("approve", "yes").when(tests("passed"), ENGINE);
    told.given({ "digest:plan.md": "p2" }).move("ship").expectRefused("unapproved");
    told.given({ "digest:plan.md": "p1" }).move("ship").expectAccepted();
    expect(at(told.state)).toBe("shipped");
  });

  test("[C17] an option that is not among the wanted ones releases nothing", () => {
    const told = inReview().reply("approve", "no", { reason: "thin" }).expectAccepted();
    expect(at(told.state)).toBe("doing");
    expect(told.state.decisions["D-1"]?.settled).toMatchObject({ option: "no", text: "no (thin)" });
  });
});

describe("the library", () => {
  test.each<[string, Partial<RuledNeed>, Readonly<Record<string, Json>>, string | undefined]>([
    ["exists", { args: { paths: ["a.md", "{id}.md"] } }, { "digest:a.md": "x" }, undefined],
    ["exists", { args: { paths: ["a.md"] } }, { "digest:a.md": null }, "a.md does not exist"],
    [
      "exists",
      { args: { paths: ["a.md", "b.md"] } },
      { "digest:a.md": null, "digest:b.md": null },
      "a.md, b.md do not exist",
    ],
    ["sealed", {}, {}, undefined],
    ["sealed", {}, { "digest:plan.md": null }, "plan.md is gone since it was sealed"],
    ["sealed", {}, { "digest:plan.md": "p2" }, "plan.md changed since it was sealed"],
    ["fact", { args: { fact: "odd", in: [{ a: 1 }] } }, { odd: { a: 1 } }, undefined],
    ["fact", { args: { fact: "odd", in: [true] } }, { odd: "x" }, 'odd is "x"'],
    [
      "fact",
      { args: { fact: "odd", in: [true], says: "{id} is off" } },
      { odd: { why: "no power" } },
      "Toy is off: no power",
    ],
    ["var", { args: { name: "colour", in: ["red"] } }, {}, undefined],
    ["var", { args: { name: "shape", in: ["round"] } }, {}, "shape is null"],
    ["claim", { args: { field: "x", in: [1] } }, {}, "the report says x is null, expected 1"],
    ["is", { args: { text: "{input.size}" } }, {}, "size is not given"],
    ["is", { args: { text: "{input.reason}" } }, {}, undefined],
    ["units", { args: { kind: "part", in: ["open"] } }, {}, undefined],
    ["units", { args: { kind: "part", in: ["built"] } }, {}, "a, b not yet built"],
    ["units", { args: { kind: "part", where: { x: 1 }, in: ["built"] } }, {}, undefined],
    [
      "units",
      { args: { kind: "part", where: { x: 1 }, in: ["built"], some: true } },
      {},
      "there is no part",
    ],
    ["finding", { args: { kind: "k", in: ["ok"] } }, {}, "no fresh k ok"],
    [
      "released",
      { args: { question: "approve", options: ["yes"] } },
      {},
      '"approve" is not released for what is there now',
    ],
    ["quiet", {}, {}, undefined],
  ])("[C18] %s %j with %j", (guard, rest, facts, says) => {
    const row: RuledNeed = { guard, code: "tried", fix: "Mend it.", rule: "T", ...rest };
    const told = planned({}, tryOut(row)).given(facts);
    told.move("try", { reason: "r" });
    expect(told.refusals.map((one) => one.message)).toEqual(says === undefined ? [] : [says]);
  });

  test("[C18] quiet names what waits for an answer", () => {
    const row: RuledNeed = { guard: "quiet", code: "tried", fix: "Answer.", rule: "T" };
    const told = planned({}, tryOut(row)).move("hurry").move("try");
    told.expectRefused("tried");
    expect(told.refusals[0]?.message).toBe("D-1 waits for an answer");
  });

  test("[C18] a guard of the protocol's own says what is wrong", () => {
    const told = planned().send("build", "b").report();
    told.expectRefused("order");
    expect(told.refusals[0]?.message).toBe("b comes after a, which is not done");
  });
});

test("[C17] what was released for one unit is not released for another", () => {
  const released = { question: "free-ask", options: ["sure"] };
  const row = { guard: "released", code: "unreleased", fix: "Ask.", rule: "T" };
  const on = (args: RuledNeed["args"] = {}): Protocol => {
    const part = must(toyTable.kinds, "part");
    const moves = part.moves.map((move) => ({ ...move, needs: [{ ...row, args }] }));
    return checkedProtocol({
      ...toyTable,
      kinds: { ...toyTable.kinds, part: { ...part, moves } },
    });
  };
  const ask = (unit: string, protocol: Protocol): Story =>
    planned({}, protocol)
      .when({ type: "decision.ask", question: "free-ask", unit, about: {} }, AGENT)
      .reply("free-ask", "sure")
      .send("build", "b");
  ask("a", on(released)).report().expectRefused("unreleased");
  ask("b", on(released)).report().expectAccepted();
  ask("b", on({ ...released, on: "root" }))
    .report()
    .expectRefused("unreleased");
  ask(".", on({ ...released, on: "root" }))
    .report()
    .expectAccepted();
});

function tests(value: string, bound: Readonly<Record<string, Json>> = {}) {
  return { type: "finding.record", unit: ".", kind: "tests", by: "ci", value, bound } as const;
}

/** The toy with a move `try` that has one guard, and may be asked for while a question is open. */
function tryOut(row: RuledNeed): Protocol {
  const from = { from: ["doing"], to: "doing", whileHeld: true };
  return withMoves({ id: "try", ...from, needs: [row], rule: "T" });
}

function inMode(mode: string): Protocol {
  return checkedProtocol({ ...toyTable, vars: { ...toyTable.vars, mode } });
}
