/** Guards that are asked again, about a record that keeps only part of what they were asked about. */
import { describe, expect, test } from "vitest";
import { event, wrongIn } from "../../../test/replayed.ts";
import { planned, toy, toyTable } from "../../../test/toy.ts";
import type { Story } from "../../../test/story.ts";
import type { Json } from "../values/json.ts";
import type { Guard, Move, Protocol } from "../table/protocol.ts";
import type { Recorded } from "./scene.ts";

/** The toy with one more move, which asks this guard. */
function asking(check: Guard, move: Partial<Move> = {}): Protocol {
  const row = { guard: "odd", code: "odd", fix: "Mend it.", rule: "T-1" };
  const moves: Move[] = [
    { id: "try", from: ["doing"], to: "doing", needs: [row], rule: "T-1", ...move },
  ];
  const job = { ...toyTable.kinds["job"], moves } as Protocol["kinds"][string];
  const guards = { ...toyTable.guards, odd: check };
  return { ...toy, guards, kinds: { ...toyTable.kinds, job } };
}

function tried(
  protocol: Protocol,
  record: Partial<Recorded> = {},
  told: Story = planned(),
): unknown {
  const events = [event("unit.moved", { move: "try" })];
  const [wrong] = wrongIn(told, { command: "unit.move", events, ...record }, { protocol });
  return wrong?.replace('Toy moves from "doing" to "doing" by "try", but ', "");
}

describe("a guard that is asked again", () => {
  test("says no about what the record keeps", () => {
    expect(tried(asking(() => "no"))).toBe("no");
    expect(tried(asking(() => undefined))).toBeUndefined();
    expect(tried(asking(({ workflow }) => workflow.id))).toBe("Toy");
  });

  test("says nothing about what a command was given: that is not in the record", () => {
    expect(tried(asking(({ input }) => (input["size"] === 1 ? undefined : "no")))).toBeUndefined();
    expect(tried(asking(({ input }) => ("size" in input ? undefined : "no")))).toBeUndefined();
    expect(
      tried(asking(({ input }) => (Object.hasOwn(input, "size") ? undefined : "no"))),
    ).toBeUndefined();
    expect(
      tried(asking(({ input }) => (Object.keys(input).length > 0 ? undefined : "no"))),
    ).toBeUndefined();
  });

  test("is told a fact that the record keeps, and not one of which it keeps the digest", () => {
    const guard: Guard = ({ fact }) => (fact("odd") === 1 ? undefined : "odd is not 1");
    expect(tried(asking(guard), { used: { odd: 1 } })).toBeUndefined();
    expect(tried(asking(guard), { used: { odd: 2 } })).toBe("odd is not 1");
    expect(tried(asking(guard))).toBe("nobody looked at odd, which it asks for");
    expect(tried(asking(guard), { used: { odd: { sha256: "0" } } })).toBeUndefined();
    // An object that has more than a digest is a fact like any other.
    expect(tried(asking(guard), { used: { odd: { sha256: "0", more: 1 } } })).toBe("odd is not 1");
  });

  test("knows a long fact again from what was bound to it", () => {
    const long = { sha256: "long" };
    const short = (value: Json): Json => (value === "a long text" ? long : value);
    const guard: Guard = ({ fact }) => (fact("odd") === "a long text" ? "too long" : undefined);
    const told = planned({ "digest:Toy.md": "t1" }).send("write").report({ pages: 1 });
    const bound = { odd: "a long text" };
    const events = [event("unit.moved", { move: "try" })];
    const wrong = (state: object): readonly string[] => {
      const at = { state: { ...told.state, ...state } };
      const record = { command: "unit.move", events, used: { odd: long } };
      return wrongIn(at, record, { protocol: asking(guard), recordedAs: short });
    };
    const no = ['Toy moves from "doing" to "doing" by "try", but too long'];
    const finding = { unit: ".", kind: "tests", by: "x", value: 1, seq: 1, at: "" };
    expect(wrong({})).toEqual([]);
    expect(wrong({ findings: { f: { ...finding, bound } } })).toEqual(no);
    expect(wrong({ findings: { f: { ...finding, bound: { odd: "another" } } } })).toEqual([]);
    expect(wrong({ findings: { f: { ...finding, bound: { other: "a long text" } } } })).toEqual([]);
    const ended = told.state.dispatches["W-1"];
    expect(wrong({ dispatches: { "W-1": { ...ended, baseline: bound } } })).toEqual(no);
    const decision = { id: "D-1", question: "approve", unit: ".", status: "answered", bound };
    expect(wrong({ decisions: { "D-1": decision } })).toEqual(no);
  });

  test("says nothing of a condition that it cannot see, and no of one that it sees fail", () => {
    const plain: Guard = () => undefined;
    const when = [{ guard: "fact", args: { fact: "odd", in: [1] } }];
    expect(tried(asking(plain, { when }), { used: { odd: 1 } })).toBeUndefined();
    expect(tried(asking(plain, { when }), { used: { odd: 2 } })).toBe(
      "its conditions did not hold",
    );
    expect(tried(asking(plain, { when }), { used: { odd: { sha256: "0" } } })).toBeUndefined();
  });

  test("sees the report and what the answered question was about", () => {
    const told = planned().send("write").given({ "digest:plan.md": "p2" });
    told.report({ pages: 1 }).expectHeld("plan-changed");
    const id = told.open[0]?.id ?? "";
    const about: Guard = ({ fill }) => `about "${fill("{about.code}")}"`;
    const base = asking(about);
    const does = [{ move: "try" }] as const;
    const options = [{ id: "retry", label: "Again", does }];
    const question = { ...toyTable.questions["plan-changed"], options };
    const protocol = { ...base, questions: { ...toyTable.questions, "plan-changed": question } };
    const settled = event("decision.settled", { decision: id, option: "retry" });
    const moved = event("unit.moved", { move: "try" });
    const used = { ...told.open[0]?.bound };
    const record = { command: "decision.answer", used, events: [settled, moved] };
    expect(wrongIn(told, record, { protocol: protocol as Protocol })).toEqual([
      'Toy moves from "doing" to "doing" by "try", but about "plan-changed"',
    ]);
    expect(tried(asking(about))).toBe('about ""');
    const claimed: Guard = ({ claim }) => `claims ${String(claim?.outcome)}`;
    const { write } = toyTable.work;
    const outcomes = { success: does };
    const work = { ...toyTable.work, write: { ...write, accepts: [], outcomes } };
    const reporting = { ...asking(claimed), work } as Protocol;
    const events = [event("dispatch.ended"), moved];
    const out = planned().send("write");
    expect(wrongIn(out, { command: "dispatch.report", events }, { protocol: reporting })).toEqual([
      'Toy moves from "doing" to "doing" by "try", but claims success',
    ]);
  });
});
