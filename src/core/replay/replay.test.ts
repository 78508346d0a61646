/** A record as a whole: who gave which command, what it starts, and what must follow in it. */
import { describe, expect, test } from "vitest";
import { event, recorded, wrongIn } from "../../../test/replayed.ts";
import { FACTS, inReview, planned, shipping, started, toy, toyTable } from "../../../test/toy.ts";
import { emptyWorkflow } from "../state/evolve.ts";
import type { Consequence, Move, Protocol, Question } from "../table/protocol.ts";
import { replay } from "./replay.ts";
import type { Recorded } from "./scene.ts";

const foreign: Protocol = { ...toy, version: 2 };
const ANSWER: Partial<Recorded> = { command: "decision.answer", used: { "digest:plan.md": "p1" } };

/** The toy, in which the step inside a state is for others to ask for. */
function liftedBy(by: Move["by"]): Protocol {
  const { job } = toyTable.kinds;
  if (job === undefined) throw new Error("the toy has no job");
  const moves = job.moves.map((row) => (row.id === "accept-plan" ? { ...row, by } : row));
  return { ...toy, kinds: { ...toyTable.kinds, job: { ...job, moves } } } as Protocol;
}

describe("a record", () => {
  test("is of a person, an agent or the engine", () => {
    for (const actor of ["person:ada", "agent:a:b", "engine:holdpoint"])
      expect(wrongIn(planned(), { actor })).toEqual([]);
    for (const actor of ["robot:x", "person", "", "constructor:x"])
      expect(wrongIn(planned(), { actor })).toEqual([
        `${JSON.stringify(actor)} is nobody who gives commands`,
      ]);
    const kept = event("answer.kept", { name: "a:b" });
    const named = { command: "answer.keep", actor: "person:a:b", events: [kept] };
    expect(wrongIn(inReview(), named)).toEqual([]);
  });

  test("is made by a command that there is", () => {
    expect(wrongIn(planned(), { command: "workflow.win" })).toEqual([
      '"workflow.win" is no command',
    ]);
    expect(wrongIn(planned(), { command: "toString" })).toEqual(['"toString" is no command']);
  });

  test.each([
    "decision.answer",
    "answer.keep",
    "answer.drop",
    "definition.accept",
    "lease.break",
    "artifact.reseal",
    "gate.waive",
  ])("%s is for people", (command) => {
    expect(wrongIn(planned(), { command })).toEqual([]);
    const agent = { command, actor: "agent:claude" };
    const no = [`"${command}" is for people, and agent:claude gave it`];
    expect(wrongIn(planned(), agent)).toEqual(no);
    expect(wrongIn(planned(), agent, { protocol: foreign })).toEqual(no);
  });

  test("is made by who holds the lease", () => {
    const held = planned().send("write");
    const other = { command: "unit.move", session: "s-2", events: [] };
    expect(wrongIn(held, other)).toEqual([
      "Toy is held by session s-1 (person:ada) since 2026-03-01T10:02:00.000Z",
    ]);
    expect(wrongIn(held, other, { protocol: foreign })).toEqual([]);
    expect(wrongIn(held, { ...other, session: "s-1" })).toEqual([]);
  });

  test("holds only events with the fields they have", () => {
    const odd = Object.assign(event("note.added"), { by: "nobody" });
    expect(wrongIn(planned(), { events: [odd] })).toEqual([
      "note.added has a field by that nobody knows",
    ]);
  });

  test("is held against its own table: the one its workflow follows, or goes over to", () => {
    const by = (protocol: Protocol, record: Partial<Recorded> = {}): boolean => {
      const { state } = planned();
      const input = { protocol, guarded: true, recordedAs: <T>(value: T) => value };
      return replay(input, state, recorded(state, record)).byTable;
    };
    expect(by(toy)).toBe(true);
    expect(by(foreign)).toBe(false);
    expect(by({ ...toy, name: "other" })).toBe(false);
    expect(by({ ...toy, digest: "d1" })).toBe(false);
    expect(by({ ...toy, digest: "" })).toBe(true);
    const over = event("definition.changed", { protocol: { name: "toy", version: 2 } });
    const accept = { command: "definition.accept", events: [over] };
    expect(by(foreign, accept)).toBe(true);
    expect(by(toy, accept)).toBe(false);
    const anew = event("workflow.started", { protocol: { name: "toy", version: 2 } });
    expect(by(foreign, { command: "workflow.start", events: [anew] })).toBe(true);
  });
});

describe("a beginning", () => {
  const START = { command: "workflow.start", events: [event("workflow.started")] };
  const root = event("unit.opened", { unit: ".", kind: "job", at: "idle" });

  test("is made by a command that begins, and by no other", () => {
    const nothing = { state: emptyWorkflow("Toy") };
    const whole = [...START.events, root];
    for (const command of ["workflow.start", "workflow.adopt"])
      expect(wrongIn(nothing, { command, events: whole })).toEqual([]);
    expect(wrongIn(nothing, { command: "workflow.start", events: [] })).toEqual([
      '"workflow.start" starts nothing',
    ]);
    expect(wrongIn(nothing, { events: [] })).toEqual(["there is no workflow yet"]);
    const aside = { command: "unit.move", events: START.events };
    expect(wrongIn(planned(), aside)[0]).toBe('"unit.move" starts a workflow');
  });

  test("is under its own name, and not where a workflow goes on already", () => {
    const other = { ...START, events: [event("workflow.started", { id: "Other" })] };
    expect(wrongIn(planned(), other)).toEqual(['"Other" is started in the journal of Toy']);
    expect(
      wrongIn({ state: emptyWorkflow("") }, { ...other, events: [...other.events, root] }),
    ).toEqual([]);
    expect(wrongIn(planned(), START)).toEqual([
      'Toy is started anew at "doing", where it cannot be',
    ]);
    const { job } = toyTable.kinds;
    const starts = [{ id: "again", from: ["doing"], rule: "T-1" }];
    const kinds = { ...toyTable.kinds, job: { ...job, starts } } as Protocol["kinds"];
    const again = { protocol: { ...toy, kinds } };
    expect(wrongIn(planned(), START, again)).toEqual([]);
    expect(wrongIn(started(), START, again)).toEqual([
      'Toy is started anew at "idle", where it cannot be',
    ]);
    expect(wrongIn(planned(), { ...START, command: "workflow.adopt" }, again)).toEqual([
      'Toy is started anew at "doing", where it cannot be',
    ]);
    const renamed = { ...toy, name: "tot", kinds };
    const anew = event("workflow.started", { protocol: { name: "tot", version: 1 } });
    expect(wrongIn(planned(), { ...START, events: [anew] }, { protocol: renamed })).toEqual([
      "Toy is started under another name",
    ]);
  });

  test("adopts only by adopting", () => {
    const adopted = { events: [event("workflow.adopted")] };
    expect(wrongIn(planned(), adopted)).toEqual(['workflow.adopted in a "note.add"']);
    const dropped = { events: [event("answer.dropped")] };
    expect(wrongIn(inReview(), dropped)).toEqual(['answer.dropped in a "note.add"']);
    expect(wrongIn(inReview(), { ...dropped, command: "answer.drop" })).toEqual([]);
  });
});

test("another definition is accepted by a person, in their own name and with a reason", () => {
  const accept = (
    fields: Parameters<typeof event<"definition.changed">>[1],
    actor = "person:ada",
  ): readonly string[] =>
    wrongIn(planned(), {
      command: "definition.accept",
      actor,
      events: [event("definition.changed", fields)],
    });
  expect(accept({})).toEqual([]);
  const no = (by: string, who: string): string =>
    `another definition is accepted by ${by} in a command of ${who}`;
  expect(accept({ reason: " " })).toEqual([no("person:ada", "person:ada")]);
  expect(accept({}, "person:bob")).toEqual([no("person:ada", "person:bob")]);
  expect(accept({ by: "agent:x" }, "agent:x")).toContain(no("agent:x", "agent:x"));
});

test("waivers are noted by waiving or from files, runs by the engine", () => {
  const note = (list: "waivers" | "runs" | "timeline", record: Partial<Recorded>): unknown =>
    wrongIn(planned(), { ...record, events: [event("note.added", { list })] }).find((one) =>
      one.includes("noted"),
    );
  expect(note("waivers", { command: "gate.waive" })).toBeUndefined();
  expect(note("waivers", { command: "workflow.adopt" })).toBeUndefined();
  expect(note("waivers", {})).toBe('a waiver is noted in a "note.add"');
  expect(note("runs", { actor: "engine:holdpoint" })).toBeUndefined();
  expect(note("runs", { command: "workflow.adopt" })).toBeUndefined();
  expect(note("runs", {})).toBe("a run is noted by person:ada");
  expect(note("timeline", {})).toBeUndefined();
});

describe("what follows", () => {
  const settled = (option: string, decision = "D-1"): ReturnType<typeof event> =>
    event("decision.settled", { option, decision });

  test("from an answer is in the same record, or a question stands in its place", () => {
    const no = { ...ANSWER, events: [settled("no")] };
    expect(wrongIn(inReview(), no)).toEqual(['it leads to "rework", and nothing moved']);
    expect(wrongIn(inReview(), no, { protocol: foreign })).toEqual([]);
    const rework = event("unit.moved", { move: "rework", from: "review", to: "doing" });
    expect(wrongIn(inReview(), { ...no, events: [settled("no"), rework] })).toEqual([]);
    const exhausted = event("decision.asked", {
      question: "rework-exhausted",
      options: [{ id: "stop", label: "Stop" }],
    });
    expect(wrongIn(inReview(), { ...no, events: [settled("no"), exhausted] })).toEqual([]);
    const other = event("unit.moved", {
      move: "block",
      from: "review",
      to: "stuck",
      back: ["review"],
    });
    expect(wrongIn(inReview(), { ...no, events: [settled("no"), other] })).toEqual([
      'Toy moves from "review" to "stuck" by "block", but "decision.answer" does not lead to it',
      'it leads to "rework", and nothing moved',
    ]);
  });

  test("may wait for an effect that asks", () => {
    const asks = { question: "shipped", unit: ".", about: {} };
    const ask = event("effect.wanted", { asks });
    const plain = event("effect.wanted", { asks: null });
    const no = (wanted: ReturnType<typeof event>): readonly string[] =>
      wrongIn(inReview(), { ...ANSWER, events: [settled("no"), wanted] }).filter((one) =>
        one.startsWith("it leads"),
      );
    expect(no(ask)).toEqual([]);
    expect(no(plain)).toEqual(['it leads to "rework", and nothing moved']);
  });

  test("is work that goes out, where work is handed out", () => {
    const told = planned().move("hurry").expectHeld("go-on");
    const id = told.open[0]?.id ?? "";
    const answer = { command: "decision.answer", events: [settled("continue", id)] };
    expect(wrongIn(told, answer)).toEqual(["it hands out work, and none went out"]);
    const sent = event("dispatch.sent", { spec: "build", unit: "a" });
    expect(wrongIn(told, { ...answer, events: [...answer.events, sent] })).toEqual([]);
    expect(wrongIn(told, { ...answer, events: [settled("pause", id)] })).toEqual([]);
  });

  test("is no move where the move is a step inside a state", () => {
    const told = planned().send("write").given({ "digest:plan.md": "p2" });
    told.report({ pages: 1 }).expectHeld("plan-changed");
    const [open] = told.open;
    const bound = open?.bound ?? {};
    const accept = event("decision.settled", { decision: open?.id ?? "", option: "accept" });
    const end = event("dispatch.ended");
    const used = { ...FACTS, ...bound };
    const record = { command: "decision.answer", used, events: [accept, end] };
    expect(wrongIn(told, record)).toEqual([]);
  });

  test("from what was given up follows too, and what is bounded may be left out", () => {
    const within = (max: number): Consequence => ({
      within: { budget: "write", times: max, else: [{ move: "rework" }] },
    });
    const approve = toyTable.questions["approve"];
    const options = (approve?.options ?? []).map((one) =>
      one.id === "yes" ? { ...one, does: [within(1)] } : one,
    );
    const question = { ...approve, options } as Question;
    const protocol = { ...toy, questions: { ...toyTable.questions, approve: question } };
    const yes = { ...ANSWER, events: [settled("yes")] };
    expect(wrongIn(inReview(), yes, { protocol })).toEqual([]);
    const rework = event("unit.moved", { move: "rework", from: "review", to: "doing" });
    const moved = { ...ANSWER, events: [settled("yes"), rework] };
    expect(wrongIn(inReview(), moved, { protocol })).toEqual([]);
    expect(wrongIn(inReview(), moved)).toEqual([
      'Toy moves from "review" to "doing" by "rework", but "decision.answer" does not lead to it',
    ]);
  });

  test("from a question asked too often is what the table says then", () => {
    const ask = { type: "decision.ask", question: "strict", unit: ".", about: {} } as const;
    const told = planned().when(ask, { actor: { kind: "agent", name: "claude" } });
    const within = { budget: "word", times: 2, else: [{ move: "block" }] };
    const strict = { ...toyTable.questions["strict"], within } as Question;
    const protocol = { ...toy, questions: { ...toyTable.questions, strict } };
    const id = told.open[0]?.id ?? "";
    const gone = event("decision.settled", { decision: id, status: "cancelled", option: "" });
    expect(wrongIn(told, { ...ANSWER, events: [gone] }, { protocol })).toEqual([
      'it leads to "block", and nothing moved',
    ]);
  });

  test("by itself only where a question of the record goes that way", () => {
    const goOn = { ...toyTable.questions["go-on"], via: "block" } as Question;
    const protocol = { ...toy, questions: { ...toyTable.questions, "go-on": goOn } };
    const block = event("unit.moved", { move: "block", to: "stuck", back: ["doing"] });
    const ask = { command: "decision.ask", events: [event("decision.asked"), block] };
    expect(wrongIn(planned(), ask, { protocol })).toEqual([]);
    expect(wrongIn(planned(), ask)).toEqual([
      'Toy moves from "doing" to "stuck" by "block", but "decision.ask" does not lead to it',
    ]);
  });

  test("from work as it goes out, and from a row inside a state, counts as said by the record", () => {
    const { write } = toyTable.work;
    const set = { paint: { value: "wet" } };
    const sent = { ...write, needs: [], sent: [{ set }] };
    const protocol = { ...toy, work: { ...toyTable.work, write: sent } } as Protocol;
    const wet = event("vars.changed", { vars: { paint: "wet" } });
    const record = { command: "dispatch.send", events: [event("dispatch.sent"), wet] };
    expect(wrongIn(planned(), record, { protocol })).toEqual([]);
    const unused = { ...record, used: { tidy: true } };
    expect(wrongIn(planned(), unused)).toEqual(['nothing in the record sets paint to "wet"']);
    const lifted = event("artifact.unsealed");
    const asked = { command: "unit.move", events: [lifted] };
    const said = ["nothing in the record unseals plan.md"];
    // Nobody may ask for this step; a person may, or an agent.
    for (const [by, wrong] of [
      [[], said],
      [["person"], []],
      [["agent", "role:writer"], said],
    ] as const)
      expect(wrongIn(planned(), asked, { protocol: liftedBy(by) })).toEqual(wrong);
    expect(wrongIn(shipping(), { command: "note.add", events: [lifted] })).toEqual(said);
  });
});
