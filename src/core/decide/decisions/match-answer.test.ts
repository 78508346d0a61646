/** What counts as an answer, and as which. */
import { describe, expect, test } from "vitest";
import { matchAnswer } from "./match-answer.ts";
import type { Decision } from "../../state/state.ts";
import type { Question } from "../../table/protocol.ts";

const question = {
  options: [
    { id: "yes", words: ["publish"] },
    { id: "no" },
    { id: "map", why: "words", words: ["draw*"] },
    { id: "hidden", words: ["hidden"] },
  ],
} as unknown as Question;
const shown = [
  { id: "yes" },
  { id: "no" },
  { id: "map" },
  { id: "word", word: true },
  { id: "gone" },
  { id: "other" },
];

function told(
  text: string,
  more: Partial<Question> = {},
  options: readonly object[] = shown,
): string | undefined {
  const decision = { options } as unknown as Decision;
  const chosen = matchAnswer({ ...question, ...more }, decision, text);
  if (chosen === undefined) return undefined;
  return `${chosen.option === "other" ? "other" : chosen.option.id}: ${chosen.text}`;
}

describe("an answer", () => {
  test.each([
    [" 1 ", "yes: yes"],
    ["2", "no: no"],
    ["yes", "yes: yes"],
    ["YES", "yes: YES"],
    ["Publish", "yes: Publish"],
    ["1: at once", undefined],
    ["3", "map: "],
    ["3: the coast", "map: draw the coast"],
    ["3 : the coast", "map: draw the coast"],
    ["map", "map: "],
    ["draw", "map: "],
    ["draw the coast", "map: draw the coast"],
    ["publishing", undefined],
    ["no, never", undefined],
    ["4", undefined],
    ["5", undefined],
    ["6", "other: 6"],
    ["7", undefined],
    ["0", undefined],
    ["01", undefined],
    ["other", "other: other"],
    ["Other than that", "other: Other than that"],
    ["another", undefined],
    ["hidden", undefined],
    ["continue", "yes: continue"],
    ["", undefined],
    ["  ", undefined],
    ["draw ".padEnd(4_096, "x"), `map: ${"draw ".padEnd(4_096, "x")}`],
    ["draw ".padEnd(4_097, "x"), undefined],
  ])("%j is %j", (text, chosen) => {
    expect(told(text)).toBe(chosen);
  });

  test("leads on by itself only where the question lets it, and to the first option shown", () => {
    expect(told("continue", { explicit: true })).toBeUndefined();
    expect(told("continue", {}, [{ id: "no" }, { id: "yes" }])).toBe("no: continue");
    expect(told("continue", {}, [{ id: "gone" }, { id: "yes" }])).toBeUndefined();
  });

  test("is something else only where that is shown", () => {
    expect(told("other", {}, [{ id: "yes" }])).toBeUndefined();
    expect(
      told("other", { options: [...question.options, { id: "other" } as never] }, [{ id: "yes" }]),
    ).toBeUndefined();
  });
});
