/** What a record did by a person's word, and whether what was released is what happened. */
import { describe, expect, test } from "vitest";
import { event, recorded, wrongIn } from "../../../test/replayed.ts";
import { inReview, planned, toy, toyTable } from "../../../test/toy.ts";
import { canonicalJson, toJson } from "../values/json.ts";
import type { Event } from "../state/events.ts";
import type { Workflow } from "../state/state.ts";
import type { Move, Protocol } from "../table/protocol.ts";
import { gatesIn } from "./words.ts";

const BY = "person:ada";

/** The toy with steps for people: one that moves, and two that stay and set what they were given. */
function withSteps(by: Move["by"] = ["person"]): Protocol {
  const { job } = toyTable.kinds;
  if (job === undefined) throw new Error("the toy has no job");
  const step = { from: ["doing"], to: "doing", by, rule: "T-0" };
  const steps = [
    { ...step, id: "hand-over" },
    { ...step, id: "paint", inside: true, set: { paint: { input: "paint" } } },
    { ...step, id: "scrape", inside: true, set: { paint: { value: null } } },
  ];
  const moves = [...job.moves, ...steps];
  return { ...toy, kinds: { ...toyTable.kinds, job: { ...job, moves } } };
}

function gates(record: Parameters<typeof recorded>[1], protocol?: Protocol): unknown {
  const { state } = inReview();
  return gatesIn(protocol, state, recorded(state, { actor: BY, ...record }));
}

describe("a record is by a person's word", () => {
  test("where a question is answered, something is waived, attested, skipped or accepted", () => {
    const settled = event("decision.settled");
    expect(gates({ events: [settled] })).toEqual([[inReview().state.decisions["D-1"]?.question]]);
    expect(gates({ events: [event("decision.settled", { by: "engine" })] })).toEqual([]);
    const waived = event("note.added", { list: "waivers", tag: "", text: "" });
    expect(gates({ events: [waived] })).toEqual([["waive"]]);
    expect(gates({ events: [event("note.added", { list: "x", tag: "", text: "" })] })).toEqual([]);
    expect(gates({ command: "artifact.reseal" })).toEqual([["reseal"]]);
    expect(gates({ command: "lease.break" })).toEqual([["lease"]]);
  });

  test("where a step for people alone was taken, or what only such steps set was set", () => {
    const moved = event("unit.moved", { move: "hand-over", from: "doing", to: "doing" });
    const asked = { command: "unit.move", events: [moved] };
    expect(gates(asked, withSteps())).toEqual([["hand-over"]]);
    expect(gates(asked, withSteps(["person", "agent"]))).toEqual([]);
    expect(gates({ ...asked, command: "dispatch.report" }, withSteps())).toEqual([]);
    expect(gates(asked)).toEqual([]);
    const set = {
      command: "unit.move",
      events: [event("vars.changed", { vars: { paint: null } })],
    };
    expect(gates(set, withSteps())).toEqual([["paint", "scrape"]]);
  });
});

describe("what was released", () => {
  const given = (state: Workflow, told: Readonly<Record<string, unknown>>): Event => {
    const said = { gate: "paint", hold: "", choice: "paint", card: "c", nonce: "n", ...told };
    const whole = { ...said, holdpoint: "release/1", protocol: "toy", workflow: state.id };
    const dated = { reason: "", head: "h", seq: state.seq, at: "t", expires: "u", by: "ada" };
    const proof = {
      strength: "presence",
      statement: canonicalJson(toJson({ ...whole, ...dated })),
    };
    const rest = { strength: "presence", by: BY, expires: "u", proof };
    return { type: "release.given", ...said, ...rest } as unknown as Event;
  };

  test("is the step that was taken, with what it was given; a step that waits was not taken yet", () => {
    const { state } = planned();
    const options = { protocol: withSteps() };
    const wrong = (told: Readonly<Record<string, unknown>>, ...events: readonly Event[]): unknown =>
      wrongIn(
        { state },
        { command: "unit.move", events: [given(state, told), ...events] },
        options,
      );
    const red = event("vars.changed", { vars: { paint: "red" } });
    const choice = 'paint {"paint":"red"}';
    expect(wrong({ choice }, red)).toEqual([]);
    expect(wrong({ choice: 'paint {"paint":"blue"}' }, red)).toEqual([
      '"paint" is released with another paint than was set',
    ]);
    expect(wrong({ choice: "scrape" }, red)).toEqual(['"scrape" is released at "paint"']);
    expect(wrong({ gate: "hand-over", choice: "hand-over" })).toEqual([]);
    const other = event("unit.moved", { move: "replan", from: "doing", to: "doing" });
    expect(wrong({ gate: "hand-over", choice: "hand-over" }, other)).toContain(
      '"hand-over" is released, and another step was taken',
    );
  });

  test("is the option that was chosen, whatever was said beside it", () => {
    const { state } = inReview();
    const gate = state.decisions["D-1"]?.question ?? "";
    const wrong = (choice: string, option: string): readonly string[] =>
      wrongIn(
        { state },
        {
          command: "decision.answer",
          events: [
            given(state, { gate, hold: "D-1", choice }),
            event("decision.settled", { option }),
          ],
        },
      ).filter((one) => one.includes("is released at"));
    expect(wrong("yes", "yes")).toEqual([]);
    expect(wrong("yes: it is good", "yes")).toEqual([]);
    expect(wrong("in words of my own", "other")).toEqual([]);
    expect(wrong("no", "yes")).toEqual([
      `"no" is released at "${gate}", and D-1 is answered with "yes"`,
    ]);
    expect(wrong("yesterday", "yes")).toHaveLength(1);
  });
});
