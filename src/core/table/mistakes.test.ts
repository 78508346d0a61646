import { fact, variable } from "../guards/guards.ts";
import { describe, expect, test } from "vitest";
import { must, planned, toyTable, withMoves } from "../../../test/toy.ts";
import { protocolMistakes } from "./define.ts";
import type { RuledNeed, Move, Protocol } from "./protocol.ts";

/** Mistakes that a table of plain strings would carry until the day they matter. */

const job = must(toyTable.kinds, "job");
const fine: Move = { id: "m", from: ["idle"], to: "doing", rule: "T" };
const row: RuledNeed = { guard: "quiet", code: "c", fix: "f", rule: "T" };

describe("[C76] a mistake in a row is named", () => {
  test.each<[string, Partial<Move>, string]>([
    [
      "an argument the guard does not take",
      guard({ guard: "exists", args: { path: ["a.md"] } }),
      'job.m: guard "exists" takes no "path"; it takes paths',
    ],
    [
      "an argument that is missing",
      guard({ guard: "exists" }),
      'job.m: guard "exists" lacks "paths"',
    ],
    [
      "an argument of another type",
      guard({ guard: "exists", args: { paths: "a.md" } }),
      'job.m: "paths" of guard "exists" must be a list of texts',
    ],
    [
      "an argument of a family's guard",
      guard({ guard: "sized", args: { max: "ten" } }),
      'job.m: "max" of guard "sized" must be a number',
    ],
    [
      "a variable in an argument",
      guard({ guard: "var", args: { name: "mood", in: [1] } }),
      'job.m: no variable "mood"',
    ],
    [
      "a question in an argument",
      guard({ guard: "released", args: { question: "eh", options: [] } }),
      'job.m: no question "eh"',
    ],
    [
      "an option in an argument",
      guard({ guard: "released", args: { question: "approve", options: ["aye-aye"] } }),
      'job.m: no option "aye-aye"',
    ],
    [
      "a unit's state in an argument",
      guard({ guard: "units", args: { kind: "part", in: ["idle"] } }),
      'job.m: no state "idle"',
    ],
    [
      "a fact in an argument",
      guard({ guard: "fact", args: { fact: "tidi", in: [true] } }),
      'job.m: nothing looks up "tidi"',
    ],
    ["a fact in a condition", { when: [fact("tidi", [true])] }, 'job.m: nothing looks up "tidi"'],
    ["a variable in a condition", { when: [variable("mood", [1])] }, 'job.m: no variable "mood"'],
    ["a variable that is set", { set: { mood: { value: 1 } } }, 'job.m: no variable "mood"'],
    ["an effect", { effects: [{ kind: "comit", args: {} }] }, 'job.m: no effect "comit"'],
    [
      "a blank nobody fills",
      { notes: [{ list: "l", tag: "", text: "{idd}" }] },
      'job.m: nothing fills "idd"',
    ],
    [
      "a blank from nowhere",
      { notes: [{ list: "l", tag: "", text: "{clam.x}" }] },
      'job.m: nothing fills "clam.x"',
    ],
    ["a kind that is sown", { sows: { kind: "elf", fact: "parts" } }, 'job.m: no kind "elf"'],
    ["a row that is never taken", { id: "replan", from: ["doing"] }, SHADOWED("replan")],
  ])("%s", (_, change, says) => {
    expect(protocolMistakes(withRow(change))).toContain(says);
  });

  test("states no way leads to, ends among them, and questions nobody asks", () => {
    const lonely = { ...job, states: [...job.states, "isle"], ends: [...job.ends, "isle"] };
    const mute = { ...must(toyTable.questions, "shipped") };
    expect(
      protocolMistakes({
        ...toyTable,
        kinds: { ...toyTable.kinds, job: lonely },
        questions: { ...toyTable.questions, mute },
      }),
    ).toEqual(['job: no way leads to "isle"', "mute: nobody asks it"]);
  });

  test("all of them, not only the first", () => {
    const change = { ...guard({ guard: "exists", args: { path: [] } }), to: "venus" };
    expect(protocolMistakes(withRow(change))).toEqual([
      'job.m: no state "venus"',
      'job.m: guard "exists" takes no "path"; it takes paths',
      'job.m: guard "exists" lacks "paths"',
    ]);
  });
});

test("[C87] a claim or an input never stands in for a variable", () => {
  const notes = [{ list: "l", tag: "{claim.colour}", text: "{colour} {input.colour} {unit.size}" }];
  const told = planned({}, withMoves({ ...fine, id: "say", from: ["doing"], notes }));
  told
    .when({ type: "unit.move", unit: ".", move: "say", input: { colour: "pink" } })
    .expectAccepted();
  expect(told.state.notes.at(-1)).toMatchObject({ tag: "", text: "red pink " });
});

function guard(change: Partial<RuledNeed>): Partial<Move> {
  return { needs: [{ ...row, ...change }] };
}

function SHADOWED(id: string): string {
  return `job.${id}: an earlier row is always taken instead`;
}

function withRow(change: Partial<Move>): Protocol {
  const moves = [...job.moves, { ...fine, ...change }];
  return {
    ...toyTable,
    guards: { ...toyTable.guards, sized: { check: () => undefined, args: { max: "number" } } },
    kinds: { ...toyTable.kinds, job: { ...job, moves } },
  };
}
