/** Units that come, move and go in a record that nobody decided. */
import { describe, expect, test } from "vitest";
import { event, wrongIn } from "../../../test/replayed.ts";
import { inReview, planned, shipping, started, toy, toyTable } from "../../../test/toy.ts";
import type { Event } from "../state/events.ts";
import type { Protocol } from "../table/protocol.ts";
import type { Recorded } from "./scene.ts";

const MOVE: Partial<Recorded> = { command: "unit.move" };
const foreign: Protocol = { ...toy, version: 2 };

describe("a unit that is opened", () => {
  const open = (fields: Parameters<typeof event<"unit.opened">>[1] = {}): readonly Event[] => [
    event("unit.opened", fields),
  ];

  test("is of a kind of the table, at a state where its kind begins", () => {
    const record = { command: "unit.open" };
    expect(wrongIn(planned(), { ...record, events: open() })).toEqual([]);
    const kind = ['c is of the kind "toString", which the table does not have'];
    expect(wrongIn(planned(), { ...record, events: open({ kind: "toString" }) })).toEqual(kind);
    const state = ['c begins at "doing", which is no state of part'];
    expect(wrongIn(planned(), { ...record, events: open({ at: "doing" }) })).toEqual(state);
    const late = ['c begins at "built"; nothing begins there'];
    expect(wrongIn(planned(), { ...record, events: open({ at: "built" }) })).toEqual(late);
    const odd = { ...record, events: open({ kind: "odd", at: "odd" }) };
    expect(wrongIn(planned(), odd, { protocol: foreign })).toEqual([]);
    const part = { ...toyTable.kinds["part"], starts: [{ id: "add", to: "built", rule: "T-1" }] };
    const kinds = { ...toyTable.kinds, part } as Protocol["kinds"];
    const there = { ...record, events: open({ at: "built" }) };
    expect(wrongIn(planned(), there, { protocol: { ...toy, kinds } })).toEqual([]);
  });

  test("is opened by a command, a row that sows its kind, or a consequence that opens it", () => {
    const none = ['nothing in the record opens "c" (part)'];
    expect(wrongIn(planned(), { events: open() })).toEqual(none);
    const replan = [event("unit.moved"), ...open()];
    expect(wrongIn(planned(), { ...MOVE, events: replan })).toEqual([]);
    const paint = [event("unit.moved", { move: "paint" }), ...open()];
    expect(wrongIn(planned(), { ...MOVE, events: paint })).toEqual(none);
    const told = planned().when(
      { type: "decision.ask", question: "strict", unit: ".", about: {} },
      {
        actor: { kind: "agent", name: "claude" },
      },
    );
    const word = event("decision.settled", { decision: told.open[0]?.id ?? "", option: "word" });
    const record = { command: "decision.answer", events: [word, ...open()] };
    expect(wrongIn(told, record)).toEqual([]);
    const job = open({ kind: "job", at: "idle" });
    expect(wrongIn(told, { ...record, events: [word, ...job] })).toEqual([
      'nothing in the record opens "c" (job)',
    ]);
  });

  test("is the workflow itself where the workflow is started", () => {
    const begun = event("workflow.started");
    const root = event("unit.opened", { unit: ".", kind: "job", at: "idle" });
    const empty = { state: { ...started().state, units: {}, id: "Toy" } };
    expect(wrongIn(empty, { command: "workflow.start", events: [begun, root] })).toEqual([]);
    const other = wrongIn(empty, { command: "workflow.start", events: [begun, root, ...open()] });
    expect(other).toEqual(['nothing in the record opens "c" (part)']);
  });

  test("may begin anywhere when files are adopted", () => {
    const adopt = { command: "workflow.adopt", events: open({ at: "built" }) };
    expect(wrongIn(planned(), adopt).join()).not.toContain("begins");
    const odd = { command: "workflow.adopt", events: open({ at: "odd" }) };
    expect(wrongIn(planned(), odd)).toContain('c begins at "odd", which is no state of part');
  });
});

describe("a unit that is closed", () => {
  const gone = [event("unit.closed")];

  test("was there, is not the workflow itself, and goes by a row that closes some", () => {
    expect(wrongIn(planned(), { events: gone })).toEqual(['nothing in the record closes "a"']);
    expect(wrongIn(planned(), { events: gone }, { protocol: foreign })).toEqual([]);
    const never = { events: [event("unit.closed", { unit: "toString" })] };
    const no = ['"toString" is closed, and was never opened'];
    expect(wrongIn(planned(), never)).toEqual(no);
    expect(wrongIn(planned(), never, { protocol: foreign })).toEqual(no);
    const root = { events: [event("unit.closed", { unit: "." })] };
    expect(wrongIn(planned(), root)).toEqual(["the workflow itself cannot be closed"]);
    const twice = { ...MOVE, events: [event("unit.moved"), ...gone, ...gone] };
    expect(wrongIn(planned(), twice)).toEqual(['"a" is closed, and was never opened']);
  });

  test("goes with a plan made anew, with rework, and with another definition", () => {
    expect(wrongIn(planned(), { ...MOVE, events: [event("unit.moved"), ...gone] })).toEqual([]);
    const back = event("unit.moved", { move: "rework", from: "review", to: "doing", reason: "x" });
    expect(wrongIn(inReview(), { ...MOVE, events: [back, ...gone] })).toEqual([]);
    const changed = [event("definition.changed"), ...gone];
    expect(wrongIn(planned(), { command: "definition.accept", events: changed })).toEqual([]);
    const paint = event("unit.moved", { move: "paint" });
    const no = ['nothing in the record closes "a"'];
    expect(wrongIn(planned(), { ...MOVE, events: [paint, ...gone] })).toEqual(no);
  });

  test("may be opened again in the same record", () => {
    const again = event("unit.opened", { unit: "a" });
    const events = [event("unit.moved"), ...gone, again, ...gone];
    expect(wrongIn(planned(), { ...MOVE, events })).toEqual([]);
  });
});

describe("a unit that moves", () => {
  const moved = (fields: Parameters<typeof event<"unit.moved">>[1]): Partial<Recorded> => ({
    ...MOVE,
    events: [event("unit.moved", fields)],
  });

  test("is there, and moves from where it stands", () => {
    expect(wrongIn(planned(), moved({}))).toEqual([]);
    const never = ['"toString" moves, and was never opened'];
    expect(wrongIn(planned(), moved({ unit: "toString" }))).toEqual(never);
    const elsewhere = ['Toy moves from "idle", and stood at "doing"'];
    expect(wrongIn(planned(), moved({ from: "idle" }))).toEqual(elsewhere);
    expect(wrongIn(planned(), moved({ from: "idle" }), { protocol: foreign })).toEqual(elsewhere);
    const part = ['a moves from "idle", and stood at "open"'];
    expect(wrongIn(planned(), moved({ unit: "a", from: "idle" }))).toEqual(part);
    expect(wrongIn(planned(), moved({ move: "odd" }), { protocol: foreign })).toEqual([]);
  });

  test("moves by a row of its kind that leads there from here", () => {
    const no = (move: string, to: string): readonly string[] => [
      `Toy moves from "doing" to "${to}" by "${move}", which is no row of the table`,
    ];
    for (const [move, to] of [
      ["constructor", "doing"],
      ["replan", "review"],
      ["ship", "shipped"],
      ["return", "doing"],
    ] as const)
      expect(wrongIn(planned(), moved({ move, to }))).toEqual(no(move, to));
    const part = { unit: "a", move: "replan", from: "open", to: "open" };
    expect(wrongIn(planned(), moved(part))).toEqual([
      'a moves from "open" to "open" by "replan", which is no row of the table',
    ]);
  });

  test("remembers the way back of a detour, and goes back by it", () => {
    const block = { move: "block", to: "stuck", back: ["doing"] };
    expect(wrongIn(planned(), moved(block))).toEqual([]);
    for (const back of [[], ["review"], ["doing", "doing"]])
      expect(wrongIn(planned(), moved({ ...block, back }))).toEqual([
        'Toy moves from "doing" to "stuck" by "block", which is no row of the table',
      ]);
    const plain = wrongIn(planned(), moved({ back: ["doing"] }));
    expect(plain).toEqual([
      'Toy moves from "doing" to "doing" by "replan", which is no row of the table',
    ]);
    const stuck = planned().move("block").move("wander").expectAccepted();
    const home = { move: "return", from: "lost", to: "stuck", back: ["doing"] };
    expect(wrongIn(stuck, moved(home))).toEqual([]);
    for (const wrong of [
      { ...home, to: "doing" },
      { ...home, back: [] },
      { ...home, back: ["review"] },
    ])
      expect(wrongIn(stuck, moved(wrong))).toEqual([
        `Toy moves from "lost" to "${wrong.to}" by "return", which is no row of the table`,
      ]);
  });

  test("is asked for by who may, in a command that moves", () => {
    const step = 'Toy moves from "doing" to "doing" by "replan", but ';
    const aside = { events: [event("unit.moved")] };
    expect(wrongIn(planned(), aside)).toEqual([`${step}"note.add" does not lead to it`]);
    const rework = { move: "rework", from: "review", to: "doing", reason: "x" };
    expect(wrongIn(inReview(), moved(rework))).toEqual([]);
    // Who an agent was is recorded, in which role is not.
    expect(wrongIn(inReview(), { ...moved(rework), actor: "agent:claude" })).toEqual([]);
    const engine = { ...moved(rework), actor: "engine:holdpoint" };
    expect(wrongIn(inReview(), engine)).toEqual([
      'Toy moves from "review" to "doing" by "rework", but it is for person, role:editor, not for engine:holdpoint',
    ]);
    const report = moved({ move: "only-by-report", to: "review" });
    expect(wrongIn(planned(), report)).toEqual([
      'Toy moves from "doing" to "review" by "only-by-report", but it is for nobody to ask for, not for person:ada',
    ]);
  });

  test("waits for questions, effects and work that is out, unless its row says otherwise", () => {
    const ship = moved({ move: "ship", from: "review", to: "shipped" });
    expect(wrongIn(inReview(), ship)).toEqual([
      'Toy moves from "review" to "shipped" by "ship", but Toy waits for a person: Is Toy good?',
    ]);
    const block = moved({ move: "block", from: "review", to: "stuck", back: ["review"] });
    expect(wrongIn(inReview(), block)).toEqual([]);
    const busy = planned().send("write");
    expect(wrongIn(busy, moved({}))).toEqual([
      'Toy moves from "doing" to "doing" by "replan", but writer is at work on Toy (W-1)',
    ]);
    const out = moved({ move: "free" });
    const job = toyTable.kinds["job"];
    const free = { id: "free", from: ["doing"], to: "doing", whileOut: true, rule: "T-1" };
    const kinds = { ...toyTable.kinds, job: { ...job, moves: [free] } } as Protocol["kinds"];
    expect(wrongIn(busy, out, { protocol: { ...toy, kinds } })).toEqual([]);
    const close = moved({ move: "close", from: "shipped", to: "closed" });
    expect(wrongIn(shipping(), close)[0]).toContain("publish of Toy is not done yet");
  });

  test("passes the conditions and guards of one row of that name", () => {
    const plan = moved({ move: "plan", from: "idle", to: "doing" });
    const used = { tidy: true, ready: true, "digest:plan.md": "p", "digest:Toy.md": "t" };
    expect(wrongIn(started(), { ...plan, used })).toEqual([]);
    const both = { ...used, tidy: false, "digest:Toy.md": null };
    expect(wrongIn(started(), { ...plan, used: both })).toEqual([
      'Toy moves from "idle" to "doing" by "plan", but Toy.md does not exist; the desk of Toy is untidy',
    ]);
    const roll = { events: [event("unit.moved", { move: "roll-up", to: "review" })] };
    expect(wrongIn(planned(), roll)).toEqual([
      expect.stringMatching(/^Toy moves from "doing" to "review" by "roll-up", but .*a, b/),
    ]);
    const replanned = planned({ parts: [] });
    expect(wrongIn(replanned, roll)).toEqual([
      'Toy moves from "doing" to "review" by "roll-up", but its conditions did not hold',
    ]);
  });

  test("is taken back where an effect failed whose record says so", () => {
    const told = shipping();
    const failed = event("effect.settled", { status: "failed" });
    const undo = { move: "undo", from: "shipped", to: "review" };
    const record = { command: "effect.settle", actor: "engine:holdpoint" };
    const back = (events: readonly Event[], to = "review"): readonly string[] =>
      wrongIn(told, { ...record, events: [...events, event("unit.moved", { ...undo, to })] });
    expect(back([failed])).toEqual([]);
    const no = 'Toy is taken back to "review", and no effect failed that says so';
    expect(back([])).toEqual([no]);
    expect(back([event("effect.settled")])).toEqual([no]);
    expect(back([failed], "idle")).toEqual([
      'Toy is taken back to "idle", and no effect failed that says so',
    ]);
    const part = { unit: "a", move: "undo", from: "built", to: "review" };
    expect(wrongIn(told, { ...record, events: [failed, event("unit.moved", part)] })).toEqual([
      'a is taken back to "review", and no effect failed that says so',
    ]);
  });

  test("moves when files are adopted or a new definition is accepted, and by these names only then", () => {
    const adopt = { move: "adopt", from: "idle", to: "review" };
    const adopted = { command: "workflow.adopt", events: [event("unit.moved", adopt)] };
    expect(wrongIn(started(), adopted).join()).not.toContain("row of the table");
    expect(wrongIn(started(), moved(adopt))).toEqual([
      'Toy moves from "idle" to "review" by "adopt", which is no row of the table',
    ]);
    const migrate = event("unit.moved", { move: "migrate", from: "idle", to: "doing" });
    const accept = { command: "definition.accept" };
    const changed = event("definition.changed");
    expect(wrongIn(started(), { ...accept, events: [changed, migrate] })).toEqual([]);
    expect(wrongIn(started(), { ...accept, events: [migrate] })).toEqual([
      'Toy moves from "idle" to "doing" by "migrate", which is no row of the table',
    ]);
    const other = event("unit.moved", { move: "odd", from: "idle", to: "doing" });
    expect(wrongIn(started(), { ...accept, events: [changed, other] })).toHaveLength(1);
  });
});
