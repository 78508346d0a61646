/** Work that goes out and comes back in a record that nobody decided. */
import { describe, expect, test } from "vitest";
import { event, wrongIn } from "../../../test/replayed.ts";
import { planned, started, toy, toyTable } from "../../../test/toy.ts";
import type { Work, Protocol } from "../table/protocol.ts";
import type { Recorded } from "./scene.ts";

const SEND: Partial<Recorded> = { command: "dispatch.send", used: { tidy: true } };
const foreign: Protocol = { ...toy, version: 2 };

function withSpec(name: string, spec: Partial<Work>): Protocol {
  const { write } = toyTable.work;
  if (write === undefined) throw new Error("the toy writes");
  const { needs: _, ...plain } = write;
  return { ...toyTable, work: { ...toyTable.work, [name]: { ...plain, ...spec } } };
}

describe("work that goes out", () => {
  test("goes out once, for a unit that is there, in the session of the record", () => {
    const sent = event("dispatch.sent");
    expect(wrongIn(planned(), { ...SEND, events: [sent] })).toEqual([]);
    const twice = { ...SEND, events: [sent, sent] };
    expect(wrongIn(planned(), twice)).toEqual(["W-9 is handed out twice"]);
    const nowhere = event("dispatch.sent", { unit: "toString" });
    const no = ['W-9 is for "toString", which is not there'];
    expect(wrongIn(planned(), { ...SEND, events: [nowhere] })).toEqual(no);
    const strange = event("dispatch.sent", { session: "s-2" });
    const other = ["W-9 is handed out for another session"];
    expect(wrongIn(planned(), { ...SEND, events: [strange] })).toEqual(other);
  });

  test("is work of the table, where its row hands it out", () => {
    const odd = { ...SEND, events: [event("dispatch.sent", { spec: "constructor" })] };
    const no = ['W-9 is work "constructor", which the table does not have'];
    expect(wrongIn(planned(), odd)).toEqual(no);
    expect(wrongIn(planned(), odd, { protocol: foreign })).toEqual([]);
    const early = ['W-9 is work "write", which is not handed out at "idle"'];
    expect(wrongIn(started(), { ...SEND, events: [event("dispatch.sent")] })).toEqual(early);
    const build = event("dispatch.sent", { spec: "build", unit: "a", role: "builder" });
    expect(wrongIn(planned(), { ...SEND, events: [build] })).toEqual([]);
    // The parts are still open, but the job itself is not at work on them.
    const stuck = planned().move("block").expectAccepted();
    const late = ['W-9 is work "build", which is not handed out at "open"'];
    expect(wrongIn(stuck, { ...SEND, events: [build] })).toEqual(late);
  });

  test("is for the workflow itself, or for a unit of its kind", () => {
    const root = withSpec("odd", { unit: "root", in: ["open", "doing"] });
    const part = withSpec("odd", { unit: "part", in: ["open", "doing"] });
    const to = (unit: string): Partial<Recorded> => ({
      ...SEND,
      events: [event("dispatch.sent", { spec: "odd", unit })],
    });
    expect(wrongIn(planned(), to("."), { protocol: root })).toEqual([]);
    expect(wrongIn(planned(), to("a"), { protocol: part })).toEqual([]);
    const [no] = wrongIn(planned(), to("a"), { protocol: root });
    expect(no).toBe('W-9 is work "odd", which is not handed out at "open"');
    const [nor] = wrongIn(planned(), to("."), { protocol: part });
    expect(nor).toBe('W-9 is work "odd", which is not handed out at "doing"');
  });

  test("passes the guards of its row by the facts the record kept", () => {
    const sent = [event("dispatch.sent")];
    const untidy = { ...SEND, events: sent, used: { tidy: false } };
    expect(wrongIn(planned(), untidy)).toEqual([
      "W-9 is handed out, but the desk of Toy is untidy",
    ]);
    expect(wrongIn(planned(), untidy, { guarded: false })).toEqual([]);
    const unread = ["W-9 is handed out, but nobody looked at tidy, which it asks for"];
    expect(wrongIn(planned(), { ...SEND, events: sent, used: {} })).toEqual(unread);
    // Of a long fact the record keeps the digest alone, and that says nothing.
    const long = { tidy: { sha256: "0" } };
    expect(wrongIn(planned(), { ...SEND, events: sent, used: long })).toEqual([]);
  });
});

describe("work that comes back", () => {
  const REPORT: Partial<Recorded> = {
    command: "dispatch.report",
    used: { tidy: true, "digest:plan.md": "p1", "digest:notes.md": null },
  };
  const out = planned().send("write");
  const claim = { agent: "writer", outcome: "success", pages: 1 };

  test("was out, and comes back once", () => {
    const end = event("dispatch.ended");
    expect(wrongIn(out, { ...REPORT, events: [end] })).toEqual([]);
    const twice = { ...REPORT, events: [end, end] };
    expect(wrongIn(out, twice)).toEqual(["W-1 ends, and is not out"]);
    const never = { ...REPORT, events: [event("dispatch.ended", { dispatch: "toString" })] };
    expect(wrongIn(out, never)).toEqual(["toString ends, and is not out"]);
    expect(wrongIn(out, never, { protocol: foreign })).toEqual(["toString ends, and is not out"]);
  });

  test("ends in what the table knows, by a report that says so", () => {
    const ends = (outcome: string, said = outcome): Partial<Recorded> => ({
      ...REPORT,
      events: [event("dispatch.ended", { outcome, claim: { ...claim, outcome: said } })],
    });
    const odd = ['W-1 ends in "odd", which the table does not have'];
    expect(wrongIn(out, ends("odd"))).toEqual(odd);
    expect(wrongIn(out, ends("odd"), { protocol: foreign })).toEqual([]);
    expect(wrongIn(out, { ...ends("odd"), command: "decision.answer" })).toEqual([]);
    for (const free of ["cancelled", "void"])
      expect(wrongIn(out, { ...ends(free), command: "lease.break" })).toEqual([]);
    const noReport = ['W-1 ends in "success" by "note.add", without a report'];
    expect(wrongIn(out, { ...ends("success"), command: "note.add" })).toEqual(noReport);
    const unsaid = ['W-1 ends in "success", and no report says so'];
    expect(wrongIn(out, ends("success", "stuck"))).toEqual(unsaid);
  });

  test("is reported by who had it", () => {
    const end = event("dispatch.ended", { claim: { ...claim, agent: "builder" } });
    const other = ["W-1 was given to writer, and another reports"];
    expect(wrongIn(out, { ...REPORT, events: [end] })).toEqual(other);
  });

  test("passes the guards of its spec by the facts of the record; after an answer they were asked before", () => {
    const changed = { ...REPORT.used, "digest:plan.md": "p2" };
    const record = { ...REPORT, used: changed, events: [event("dispatch.ended")] };
    expect(wrongIn(out, record)).toEqual([
      'W-1 ends in "success", but plan.md changed since it was sealed',
    ]);
    expect(wrongIn(out, { ...record, command: "decision.answer" })).toEqual([]);
    const pages = { ...claim, pages: 7 };
    const wrong = wrongIn(out, { ...REPORT, events: [event("dispatch.ended", { claim: pages })] });
    expect(wrong).toEqual([expect.stringMatching(/^W-1 ends in "success", but .*pages/)]);
  });

  test("is put aside only while it is out", () => {
    const park = { command: "dispatch.park", events: [event("dispatch.parked")] };
    expect(wrongIn(out, park)).toEqual([]);
    const done = planned().send("write").report({ pages: 1 });
    expect(wrongIn(done, park)).toEqual(["W-1 is put aside, and is not out"]);
    const never = { ...park, events: [event("dispatch.parked", { dispatch: "W-7" })] };
    expect(wrongIn(out, never)).toEqual(["W-7 is put aside, and is not out"]);
  });

  test("is taken by the agent itself, while it is out, in a command for that or in its report", () => {
    const take = { command: "dispatch.take", actor: "agent:claude", agent: "c:s/a" };
    const taken = [event("dispatch.taken")];
    expect(wrongIn(out, { ...take, events: taken })).toEqual([]);
    const done = planned().send("write").report({ pages: 1 });
    expect(wrongIn(done, { ...take, events: taken })).toEqual(["W-1 is taken, and is not out"]);
    const never = { ...take, events: [event("dispatch.taken", { dispatch: "W-7" })] };
    expect(wrongIn(out, never)).toEqual(["W-7 is taken, and is not out"]);
    const aside = ['W-1 is taken in a "note.add"'];
    expect(wrongIn(out, { ...take, command: "note.add", events: taken })).toEqual(aside);
    for (const command of ["dispatch.report", "dispatch.park"]) {
      expect(wrongIn(out, { ...take, command, events: taken })).toEqual([]);
      const other = { ...take, command, agent: "c:s", events: taken };
      expect(wrongIn(out, other)).toEqual([`W-1 is taken in a "${command}"`]);
    }
    const stolen = { ...take, agent: "d:s", events: taken };
    const theft = ["W-1 is given to c:s/a by d:s, and nobody had it"];
    expect(wrongIn(out, stolen)).toEqual(theft);
    const nameless = { command: "dispatch.take", actor: "agent:claude", events: taken };
    const nobody = ["W-1 is given to c:s/a by agent:claude, and nobody had it"];
    expect(wrongIn(out, nameless)).toEqual(nobody);
    const free = [event("dispatch.taken"), event("dispatch.taken", { agent: null })];
    const freed = { ...take, agent: "d:s", events: free.slice(1) };
    const had = out
      .fork()
      .when(
        { type: "dispatch.take", dispatch: "W-1", agent: "c:s/a" },
        { actor: { kind: "agent", name: "claude", agent: "c:s/a" } },
      );
    expect(wrongIn(had, freed)).toEqual(["W-1 is given to nobody by d:s, and c:s/a had it"]);
  });
});
