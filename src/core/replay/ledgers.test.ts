/** Effects, seals, budgets, leases and variables of a record that nobody decided. */
import { describe, expect, test } from "vitest";
import { event, wrongIn } from "../../../test/replayed.ts";
import { inReview, planned, shipping, started, toy, toyTable } from "../../../test/toy.ts";
import type { Work, Protocol } from "../table/protocol.ts";
import type { Recorded } from "./scene.ts";

const foreign: Protocol = { ...toy, version: 2 };

function withSpec(name: string, spec: Partial<Work>): Protocol {
  const { write } = toyTable.work;
  if (write === undefined) throw new Error("the toy writes");
  const { needs: _, ...plain } = write;
  return { ...toyTable, work: { ...toyTable.work, [name]: { ...plain, ...spec } } };
}

describe("effects", () => {
  const ENGINE: Partial<Recorded> = { command: "effect.settle", actor: "engine:holdpoint" };

  test("are wanted once, by a row or a consequence of the record", () => {
    const ship = event("unit.moved", { move: "ship", from: "review", to: "shipped" });
    const want = event("effect.wanted");
    const record = { command: "unit.move", events: [ship, want] };
    const named = (wrong: readonly string[]): readonly string[] =>
      wrong.filter((one) => /want/.test(one));
    expect(named(wrongIn(inReview(), record))).toEqual([]);
    expect(named(wrongIn(inReview(), { ...record, events: [ship, want, want] }))).toEqual([
      "E-9 is wanted twice",
    ]);
    const alone = ["nothing in the record wants publish (E-9)"];
    expect(named(wrongIn(inReview(), { ...record, events: [want] }))).toEqual(alone);
    expect(wrongIn(planned(), { events: [want] }, { protocol: foreign })).toEqual([]);
    const mail = event("effect.wanted", { kind: "mail" });
    const other = ["nothing in the record wants mail (E-9)"];
    expect(named(wrongIn(inReview(), { ...record, events: [ship, mail] }))).toEqual(other);
    const effect = { kind: "mail", args: {} };
    const outcomes = { success: [{ effect }] } as const;
    const write = withSpec("write", { outcomes });
    const told = planned({}, write).send("write");
    const end = { command: "dispatch.report", events: [event("dispatch.ended"), mail] };
    const used = { "digest:plan.md": "p1", "digest:notes.md": null, odd: 1 };
    expect(wrongIn(told, { ...end, used }, { protocol: write })).toEqual([]);
    const strange = { ...end, used, events: [event("dispatch.ended"), want] };
    expect(wrongIn(told, strange, { protocol: write })).toEqual(alone);
  });

  test("are settled once, by the engine, or skipped by a person", () => {
    const told = shipping();
    const done = event("effect.settled");
    expect(wrongIn(told, { ...ENGINE, events: [done] })).toEqual([]);
    const twice = wrongIn(told, { ...ENGINE, events: [done, done] });
    expect(twice).toEqual(["E-1 is done, and was not wanted"]);
    const never = event("effect.settled", { effect: "E-7" });
    expect(wrongIn(told, { ...ENGINE, events: [never] })).toEqual([
      "E-7 is done, and was not wanted",
    ]);
    const skipped = event("effect.settled", { status: "skipped" });
    expect(wrongIn(told, { command: "effect.settle", events: [skipped] })).toEqual([]);
    const byHand = ['E-1 is done in a "effect.settle" of person:ada'];
    expect(wrongIn(told, { command: "effect.settle", events: [done] })).toEqual(byHand);
    const agent = { command: "effect.settle", actor: "agent:claude", events: [skipped] };
    expect(wrongIn(told, agent)).toEqual(['E-1 is skipped in a "effect.settle" of agent:claude']);
    const aside = { ...ENGINE, command: "note.add", events: [done] };
    expect(wrongIn(told, aside)).toEqual(['E-1 is done in a "note.add" of engine:holdpoint']);
  });
});

describe("seals", () => {
  test("are set by a row that seals, by a person who seals anew, or when files are adopted", () => {
    const sealed = event("artifact.sealed", { digest: "p1" });
    const plan = event("unit.moved", { move: "plan", from: "idle", to: "doing" });
    const seen = { tidy: true, ready: true, "digest:plan.md": "p1", "digest:Toy.md": 1 };
    const move = { command: "unit.move", used: seen, events: [plan, sealed] };
    expect(wrongIn(started(), move)).toEqual([]);
    const unread = ["plan.md is sealed as something that nobody has read there"];
    const other = { ...seen, "digest:plan.md": "p2" };
    expect(wrongIn(started(), { ...move, used: other })).toEqual(unread);
    const by = { ...move, actor: "person:bob" };
    const bobs = ["plan.md is sealed by person:ada in a command of person:bob"];
    expect(wrongIn(started(), by)).toEqual(bobs);
    const none = ["nothing in the record seals plan.md"];
    expect(wrongIn(planned(), { events: [sealed] })).toEqual(none);
    expect(wrongIn(planned(), { events: [sealed] }, { protocol: foreign })).toEqual([]);
    const reseal = { command: "artifact.reseal", events: [sealed] };
    expect(wrongIn(planned(), reseal)).toEqual([]);
    const agent = event("artifact.sealed", { by: "agent:claude" });
    expect(wrongIn(planned(), { ...reseal, actor: "agent:claude", events: [agent] })).toEqual([
      '"artifact.reseal" is for people, and agent:claude gave it',
      "plan.md is sealed anew by agent:claude",
    ]);
    const adopt = { command: "workflow.adopt", events: [event("workflow.started"), sealed] };
    expect(wrongIn(started(), adopt)).not.toContain(none[0]);
  });

  test("are lifted where they are, by a row that lifts some", () => {
    const lifted = [event("artifact.unsealed")];
    const none = ["nothing in the record unseals plan.md"];
    expect(wrongIn(planned(), { events: lifted })).toEqual(none);
    expect(wrongIn(planned(), { events: lifted }, { protocol: foreign })).toEqual([]);
    const never = ["plan.md is unsealed, and was not sealed"];
    expect(wrongIn(started(), { events: lifted })).toEqual(never);
    const close = event("unit.moved", { move: "close", from: "shipped", to: "closed" });
    const told = shipping().settle();
    const wrong = wrongIn(told, { command: "unit.move", events: [close, ...lifted] });
    expect(wrong).not.toContain(none[0]);
  });
});

describe("budgets", () => {
  test("are the table's, its blanks standing for anything", () => {
    const spend = (budget: string): Partial<Recorded> => ({
      events: [event("budget.spent", { budget })],
    });
    expect(wrongIn(planned(), spend("write"))).toEqual([]);
    expect(wrongIn(planned(), spend("rework/any thing"))).toEqual([]);
    for (const odd of ["writes", "a write", "rework", "wri.e"])
      expect(wrongIn(planned(), spend(odd))).toEqual([
        `the budget "${odd}" is none of the table's`,
      ]);
    expect(wrongIn(planned(), spend("odd"), { protocol: foreign })).toEqual([]);
    const adopted = { command: "workflow.adopt", events: [event("budget.spent", { budget: "x" })] };
    expect(wrongIn(planned(), adopted).join()).not.toContain("budget");
    const dotted: Protocol = {
      ...toy,
      work: withSpec("odd", { within: { budget: "a.b", times: 1, else: "go-on" } }).work,
    };
    expect(wrongIn(planned(), spend("a.b"), { protocol: dotted })).toEqual([]);
    expect(wrongIn(planned(), spend("axb"), { protocol: dotted })).toHaveLength(1);
  });

  test("are given back by an answer that does so", () => {
    const back = { events: [event("budget.reset")] };
    expect(wrongIn(planned(), back)).toEqual([
      'nothing in the record gives the budget "rework/Toy" back',
    ]);
    expect(wrongIn(planned(), back, { protocol: foreign })).toEqual([]);
  });
});

describe("the aim of an effect", () => {
  const aim = { ref: "refs/heads/main", from: "a", to: "b" };
  const aims = {
    command: "effect.aim",
    actor: "engine:holdpoint",
    events: [{ type: "effect.aimed", effect: "E-1", aim }] as const,
  };
  test("is the engine's to say, for what is wanted", () => {
    expect(wrongIn(shipping(), aims)).toEqual([]);
    expect(wrongIn(planned(), aims)).toEqual(["E-1 is aimed, and was not wanted"]);
    const forAda = { ...aims, actor: "person:ada" };
    expect(wrongIn(shipping(), forAda)).toEqual(['E-1 is aimed in a "effect.aim" of person:ada']);
    expect(wrongIn(shipping(), { ...aims, command: "note.add" })).toHaveLength(1);
  });
});

describe("the lease", () => {
  test("is taken by whoever speaks, from nobody, or by its holder again", () => {
    const take = { command: "lease.take", events: [event("lease.taken")] };
    expect(wrongIn(planned(), take)).toEqual([]);
    const held = planned().send("write");
    expect(wrongIn(held, take)).toEqual([]);
    const other = event("lease.taken", { session: "s-2" });
    const stolen = { command: "lease.take", session: "s-2", events: [other] };
    expect(wrongIn(held, stolen)).toEqual(["s-2 takes a lease that s-1 has"]);
    expect(wrongIn(planned(), stolen)).toEqual([]);
    const forAda = ["person:ada takes the lease in a command of person:bob"];
    expect(wrongIn(planned(), { ...take, actor: "person:bob" })).toEqual(forAda);
    expect(wrongIn(planned(), { ...take, session: "s-2" })).toEqual([
      "person:ada takes the lease in a command of person:ada",
    ]);
  });

  test("ends for who has it", () => {
    const ends = { command: "lease.release", events: [event("lease.ended")] };
    expect(wrongIn(planned().send("write"), ends)).toEqual([]);
    expect(wrongIn(planned(), ends)).toEqual(["a lease of s-1 ends, who has none"]);
  });
});

describe("variables", () => {
  const set = (
    vars: Record<string, string | boolean>,
    command = "vars.set",
  ): Partial<Recorded> => ({
    command,
    events: [event("vars.changed", { vars })],
  });

  test("are set by people and agents where the table leaves them open, to what it lists", () => {
    expect(wrongIn(planned(), set({ colour: "blue" }))).toEqual([]);
    expect(wrongIn(planned(), set({ colour: "green" }))).toEqual([
      'nothing in the record sets colour to "green"',
    ]);
    expect(wrongIn(planned(), set({ mode: "full" }))).toEqual([
      'nothing in the record sets mode to "full"',
    ]);
    expect(wrongIn(planned(), set({ colour: "blue" }, "note.add"))).toEqual([
      'nothing in the record sets colour to "blue"',
    ]);
    const agent = { ...set({ fast: true }), actor: "agent:claude" };
    expect(wrongIn(planned(), agent)).toEqual(["nothing in the record sets fast to true"]);
    expect(wrongIn(planned(), { ...set({ colour: "red" }), actor: "agent:x" })).toEqual([]);
    expect(wrongIn(planned(), set({ mode: "x" }), { protocol: foreign })).toEqual([]);
  });

  test("are set by rows and consequences of the record, by a new definition, or put back with what failed", () => {
    const paint = event("unit.moved", { move: "paint" });
    const painted = [paint, event("vars.changed", { vars: { paint: "warm" } })];
    expect(wrongIn(planned(), { command: "unit.move", events: painted })).toEqual([]);
    const carried = [event("definition.changed"), event("vars.changed", { vars: { mode: "x" } })];
    expect(wrongIn(planned(), { command: "definition.accept", events: carried })).toEqual([]);
    const asks = planned().when(
      { type: "decision.ask", question: "free-ask", unit: ".", about: {} },
      {
        actor: { kind: "agent", name: "claude" },
      },
    );
    const sure = event("decision.settled", { decision: asks.open[0]?.id ?? "", option: "sure" });
    const answered = [sure, event("vars.changed", { vars: { asked: true } })];
    expect(wrongIn(asks, { command: "decision.answer", events: answered })).toEqual([]);
    const other = [sure, event("vars.changed", { vars: { paint: "warm" } })];
    expect(wrongIn(asks, { command: "decision.answer", events: other })).toEqual([
      'nothing in the record sets paint to "warm"',
    ]);
  });
});
