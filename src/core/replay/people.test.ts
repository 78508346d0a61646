/** Questions, answers and findings of a record that nobody decided. */
import { describe, expect, test } from "vitest";
import { event, wrongIn } from "../../../test/replayed.ts";
import { inReview, planned, toy, toyTable } from "../../../test/toy.ts";
import type { Story } from "../../../test/story.ts";
import type { Event } from "../state/events.ts";
import type { Protocol, Question } from "../table/protocol.ts";
import type { Recorded } from "./scene.ts";

const foreign: Protocol = { ...toy, version: 2 };
const ANSWER: Partial<Recorded> = { command: "decision.answer", used: { "digest:plan.md": "p1" } };

function withQuestion(name: string, question: Partial<Question>): Protocol {
  const known = toyTable.questions[name];
  const changed = { ...known, ...question } as Question;
  return { ...toyTable, questions: { ...toyTable.questions, [name]: changed } };
}

describe("a question", () => {
  const ask = (fields: Parameters<typeof event<"decision.asked">>[1] = {}): Partial<Recorded> => ({
    command: "decision.ask",
    events: [event("decision.asked", fields)],
  });

  test("is asked once, about something that is there, by the command of the record", () => {
    expect(wrongIn(planned(), ask())).toEqual([]);
    expect(wrongIn(inReview(), ask({ decision: "D-1" }))).toEqual(["D-1 is asked twice"]);
    const answered = inReview().reply("approve", "yes");
    expect(wrongIn(answered, ask({ decision: "D-1" }))).toEqual([]);
    const nowhere = ['D-9 is about "toString", which is not there'];
    expect(wrongIn(planned(), ask({ unit: "toString" }))).toEqual(nowhere);
    const other = ["D-9 was not asked by this command"];
    expect(wrongIn(planned(), ask({ nonce: "c98.1" }))).toEqual(other);
    expect(wrongIn(planned(), ask({ nonce: "c999.1" }))).toEqual(other);
  });

  test("is one of the table's, with options that it has", () => {
    const odd = ['D-9 asks "constructor", which the table does not have'];
    expect(wrongIn(planned(), ask({ question: "constructor" }))).toEqual(odd);
    expect(wrongIn(planned(), ask({ question: "odd" }), { protocol: foreign })).toEqual([]);
    const options = [
      { id: "other", label: "Other" },
      { id: "pause", label: "Pause" },
    ];
    expect(wrongIn(planned(), ask({ options }))).toEqual([]);
    const strange = [...options, { id: "merge", label: "Merge" }];
    expect(wrongIn(planned(), ask({ options: strange }))).toEqual([
      'D-9 offers "merge", which "go-on" does not',
    ]);
  });
});

describe("an answer", () => {
  const settle = (
    fields: Parameters<typeof event<"decision.settled">>[1] = {},
    record: Partial<Recorded> = {},
  ): Partial<Recorded> => ({ ...ANSWER, ...record, events: [event("decision.settled", fields)] });

  test("settles what was asked, once", () => {
    expect(wrongIn(inReview(), settle())).toEqual([]);
    const never = ["toString is settled, and was never asked"];
    expect(wrongIn(inReview(), settle({ decision: "toString" }))).toEqual(never);
    const twice = inReview().reply("approve", "yes");
    expect(wrongIn(twice, settle())).toEqual(["D-1 is settled twice"]);
  });

  test("is a person's own, given by answering", () => {
    const by = 'D-1 is settled by "person:ada" in a "decision.answer" of person:bob';
    expect(wrongIn(inReview(), settle({}, { actor: "person:bob" }))).toEqual([by]);
    const agent = { actor: "agent:claude" };
    expect(wrongIn(inReview(), settle({ by: "agent:claude" }, agent))).toEqual([
      '"decision.answer" is for people, and agent:claude gave it',
      'D-1 is settled by "agent:claude" in a "decision.answer" of agent:claude',
    ]);
    expect(wrongIn(inReview(), settle({}, { command: "note.add" }))).toEqual([
      'D-1 is settled by "person:ada" in a "note.add" of person:ada',
    ]);
  });

  test("is an option that was offered; no option is no answer", () => {
    expect(wrongIn(inReview(), settle({ option: "maybe" }))).toEqual([
      'D-1 is answered with "maybe", which was not offered',
    ]);
    expect(wrongIn(inReview(), settle({ option: "" }))).toEqual(["D-1 is answered with nothing"]);
    const cancelled = settle({ option: "", status: "cancelled" });
    expect(wrongIn(inReview(), cancelled)).toEqual([]);
  });

  test("stands on what it is bound to, read again", () => {
    const unread = ["D-1 is answered, and nobody looked at digest:plan.md"];
    expect(wrongIn(inReview(), settle({}, { used: {} }))).toEqual(unread);
    expect(wrongIn(inReview(), settle({}, { used: { "digest:plan.md": "p2" } }))).toEqual(unread);
    const long = { recordedAs: () => "short" };
    expect(wrongIn(inReview(), settle({}, { used: { "digest:plan.md": "short" } }), long)).toEqual(
      [],
    );
    expect(wrongIn(inReview(), settle(), long)).toEqual(unread);
  });

  test("is void by a new definition that a person accepts, or because the engine has no use for it", () => {
    const gone = { status: "void", option: "" } as const;
    const accept = { command: "definition.accept" };
    expect(wrongIn(inReview(), settle(gone, accept))).toEqual([]);
    expect(wrongIn(inReview(), settle(gone))).toEqual([
      'D-1 is settled by "person:ada" in a "decision.answer" of person:ada',
    ]);
    expect(wrongIn(inReview(), settle({ ...gone, by: "engine" }, { command: "note.add" }))).toEqual(
      [],
    );
    expect(wrongIn(inReview(), settle({ by: "engine" }, { command: "note.add" }))).toEqual([
      'D-1 is settled by "engine" in a "note.add" of person:ada',
    ]);
  });

  test("comes from files only when they are adopted", () => {
    const adopted = settle({ by: "adopted" }, { command: "workflow.adopt" });
    expect(wrongIn(inReview(), adopted).join()).not.toContain("D-1");
    expect(wrongIn(inReview(), settle({ by: "adopted" }))).toEqual([
      'D-1 is settled by "adopted" in a "decision.answer" of person:ada',
    ]);
  });

  test("needs as many people as its option, or its question, asks for", () => {
    const two = withQuestion("approve", { people: 2 });
    const few = ['D-1 needs 2 people, and 0 have chosen "yes"'];
    expect(wrongIn(inReview(), settle(), { protocol: two })).toEqual(few);
    const joined = (option: string, by: string): Event => event("decision.joined", { option, by });
    const told = inReview();
    const join = (...options: readonly string[]): Story => {
      const [open] = told.open;
      const chosen = Object.fromEntries(options.map((one, at) => [`person:p${at}`, one]));
      const decisions = { "D-1": { ...open, joined: chosen } };
      return { ...told, state: { ...told.state, decisions } } as Story;
    };
    expect(wrongIn(join("yes", "yes"), settle(), { protocol: two })).toEqual([]);
    expect(wrongIn(join("yes", "no"), settle(), { protocol: two })).toEqual([
      'D-1 needs 2 people, and 1 have chosen "yes"',
    ]);
    const options = toyTable.questions["approve"]?.options ?? [];
    const strict = options.map((one) => (one.id === "yes" ? { ...one, people: 3 } : one));
    const three = withQuestion("approve", { people: 2, options: strict });
    expect(wrongIn(join("yes", "yes"), settle(), { protocol: three })).toEqual([
      'D-1 needs 3 people, and 2 have chosen "yes"',
    ]);
    const one = { ...ANSWER, events: [joined("yes", "person:ada")] };
    expect(wrongIn(told, one, { protocol: two })).toEqual([]);
  });

  test("is given by a grant that somebody gave, for the first option of a question that it grants", () => {
    const told = planned().when({ type: "vars.set", name: "fast", value: true }).expectAccepted();
    const asked = (id: string): Event => event("decision.asked", { decision: id });
    const by = (
      fields: Parameters<typeof event<"decision.settled">>[1],
      of = told,
    ): readonly string[] =>
      wrongIn(of, {
        command: "unit.move",
        events: [
          event("unit.moved", { move: "hurry" }),
          asked("D-9"),
          event("decision.settled", {
            decision: "D-9",
            option: "continue",
            by: "grant:fast",
            ...fields,
          }),
        ],
      });
    expect(by({})).toEqual([]);
    expect(by({}, planned())).toEqual(['D-9 is settled by "fast", which nobody gave']);
    expect(by({ by: "grant:toString" })).toEqual([
      'D-9 is settled by "toString", which nobody gave',
    ]);
    expect(by({ option: "pause" })).toEqual([
      'D-9 is settled by "fast", which does not grant that',
    ]);
    const strange = event("decision.asked", { question: "approve", options: [] });
    const settled = event("decision.settled", { decision: "D-9", option: "yes", by: "grant:fast" });
    expect(wrongIn(told, { command: "decision.ask", events: [strange, settled] })).toEqual([
      'D-9 is settled by "fast", which does not grant that',
    ]);
  });

  test.each([
    ["decision.joined", "D-1 is chosen from, and is not open"],
    ["option.looked", "D-1 is looked at, and is not open"],
    ["answer.kept", "an answer to D-1 is kept, which is not open"],
  ] as const)("%s is about an open question", (type, sentence) => {
    const command = type === "answer.kept" ? "answer.keep" : "decision.answer";
    const record = { command, events: [event(type)] };
    expect(wrongIn(inReview(), record)).toEqual([]);
    expect(wrongIn(inReview().reply("approve", "yes"), record)).toEqual([sentence]);
    expect(wrongIn(planned(), record)).toEqual([sentence]);
  });

  test("is joined, looked at and kept in one's own name", () => {
    const bob = { ...ANSWER, actor: "person:bob" };
    expect(wrongIn(inReview(), { ...bob, events: [event("decision.joined")] })).toEqual([
      'D-1 is settled by "person:ada" in a "decision.answer" of person:bob',
    ]);
    const aside = { events: [event("decision.joined")] };
    expect(wrongIn(inReview(), aside)).toEqual([
      'D-1 is settled by "person:ada" in a "note.add" of person:ada',
    ]);
    expect(wrongIn(inReview(), { ...bob, events: [event("option.looked")] })).toEqual([
      "person:ada looks in a command of person:bob",
    ]);
    const keep = { command: "answer.keep", events: [event("answer.kept")] };
    const of = (actor: string, command: string): string =>
      `an answer of ada is kept in a "${command}" of ${actor}`;
    expect(wrongIn(inReview(), { ...keep, actor: "person:bob" })).toEqual([
      of("person:bob", "answer.keep"),
    ]);
    expect(wrongIn(inReview(), { ...keep, actor: "agent:ada" })).toContain(
      of("agent:ada", "answer.keep"),
    );
    expect(wrongIn(inReview(), { ...keep, command: "note.add" })).toEqual([
      of("person:ada", "note.add"),
    ]);
  });
});

describe("a finding", () => {
  const ENGINE = { command: "finding.record", actor: "engine:holdpoint" };
  const found = (
    fields: Parameters<typeof event<"finding.recorded">>[1] = {},
  ): readonly Event[] => [event("finding.recorded", fields)];

  test("is about something that is there", () => {
    expect(wrongIn(planned(), { ...ENGINE, events: found() })).toEqual([]);
    const nowhere = { ...ENGINE, events: found({ unit: "toString" }) };
    const no = ['tests is found on "toString", which is not there'];
    expect(wrongIn(planned(), nowhere)).toEqual(no);
    expect(wrongIn(planned(), nowhere, { protocol: foreign })).toEqual(no);
    expect(wrongIn(planned(), { events: found() }, { protocol: foreign })).toEqual([]);
  });

  test("is signed by who may: the engine, or whom the table names, for themselves", () => {
    const ada = { command: "finding.record", events: found({ by: "person:ada" }) };
    expect(wrongIn(planned(), ada)).toEqual([
      "tests is signed by person:ada for person:ada; it is for engine",
    ]);
    const signs = { tests: ["person", "engine"] } as const;
    const protocol = { ...toy, signs };
    expect(wrongIn(planned(), ada, { protocol })).toEqual([]);
    const long = found({ kind: "tests:unit", by: "person:ada" });
    expect(wrongIn(planned(), { ...ada, events: long }, { protocol })).toEqual([]);
    const bob = { ...ada, actor: "person:bob" };
    expect(wrongIn(planned(), bob, { protocol })).toEqual([
      "tests is signed by person:bob for person:ada; it is for person or engine",
    ]);
    const engine = { ...ENGINE, events: found({ by: "tester" }) };
    expect(wrongIn(planned(), engine, { protocol })).toEqual([]);
  });

  test("is a waiver where a person waives, and nothing else is", () => {
    const waive = {
      command: "gate.waive",
      events: found({ kind: "waiver:tests", by: "person:ada" }),
    };
    const no = (who: string): string => `waiver:tests is not ${who}'s to waive`;
    expect(wrongIn(planned(), waive)).toEqual([]);
    expect(wrongIn(planned(), { ...waive, command: "note.add" })).toEqual([no("person:ada")]);
    expect(wrongIn(planned(), { ...waive, actor: "person:bob" })).toEqual([no("person:bob")]);
    const agent = found({ kind: "waiver:tests", by: "agent:x" });
    expect(wrongIn(planned(), { ...waive, actor: "agent:x", events: agent })).toContain(
      no("agent:x"),
    );
    const plain = { command: "gate.waive", events: found({ by: "person:ada" }) };
    expect(wrongIn(planned(), plain)).toEqual(["tests is not person:ada's to waive"]);
  });

  test("follows from a consequence of the record, with its value", () => {
    const none = ['nothing in the record leads to tests "passed"'];
    expect(wrongIn(planned(), { events: found() })).toEqual(none);
    const finding = (value: object): Protocol => {
      const { write } = toyTable.work;
      const does = [{ finding: "tests", by: "writer", value }];
      const changed = { ...write, accepts: [], outcomes: { success: does } };
      return { ...toyTable, work: { ...toyTable.work, write: changed } } as Protocol;
    };
    const told = planned().send("write");
    const report = (kind = "tests"): Partial<Recorded> => ({
      command: "dispatch.report",
      events: [event("dispatch.ended"), ...found({ kind })],
    });
    const passed = { protocol: finding({ value: "passed" }) };
    expect(wrongIn(told, report(), passed)).toEqual([]);
    expect(wrongIn(told, report(), { protocol: finding({ claim: "verdict" }) })).toEqual([]);
    expect(wrongIn(told, report(), { protocol: finding({ value: "failed" }) })).toEqual(none);
    expect(wrongIn(told, report("build"), passed)).toEqual([
      'nothing in the record leads to build "passed"',
    ]);
  });
});
