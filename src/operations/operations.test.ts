import { toy } from "../../test/toy.ts";
import { defineFamily } from "../family/define.ts";
import type { Capabilities } from "../ports/family.ts";
import { refusedIn } from "./parts/answers.ts";
import { describe, expect, test } from "vitest";
import { checkSchema } from "../files/json/schema.ts";
import { inputProblem, operations } from "./index.ts";
import { nearest } from "../core/values/nearest.ts";

describe("operations", () => {
  test.each(operations.map((one) => [one.name, one] as const))(
    "%s says what it is for, in a line, and its examples fit its schema",
    (_, { purpose, input, examples }) => {
      expect(purpose).not.toMatch(/\n|\.$/);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(checkSchema(input, example)).toEqual([]);
      for (const { description } of Object.values(input.properties))
        expect(description).toMatch(/\S/);
    },
  );

  test("no two have one name", () => {
    const names = operations.map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    ["what is needed is missing", {}, "answer needs workflow."],
    ["a name is misspelt", { workflow: "A", choice: "1", raeson: "" }, "Did you mean reason?"],
    ["a value is of another kind", { workflow: "A", choice: 1 }, "$.choice is number"],
  ])("input is refused where %s", (_, input, says) => {
    const answer = operations.find((one) => one.name === "answer");
    const problem = answer === undefined ? undefined : inputProblem(answer, input);
    expect(JSON.stringify(problem?.error)).toContain(says);
  });
});

describe("did you mean", () => {
  test.each([
    ["statsu", "status"],
    ["advnce", "advance"],
    ["rec", "reconcile"],
    ["Approve", "approve"],
    ["run", undefined],
    ["x".repeat(100_000), undefined],
  ])("%s: %s", (given, meant) => {
    expect(
      nearest(
        given,
        operations.map((one) => one.name),
      ),
    ).toBe(meant);
  });
});

test("a refusal cites the row that its family has for it, and core where it has none", () => {
  const family = defineFamily({ ...toy, rules: { "nothing-to-do": "T-9" } }, TOY_WORLD);
  const refusals = ["nothing-to-do", "dispatch-unknown"].map((code) => ({
    code,
    message: code,
    fix: "-",
    rule: "core",
  }));
  const { refusals: told } = refusedIn({ family }, refusals);
  expect(told.map((one) => one.rule)).toEqual(["T-9", "core"]);
});

/** What the toy asks for and nobody provides; nothing here looks or acts. */
const TOY_WORLD: Capabilities = {
  looks: Object.fromEntries(toy.looks.map((name) => [name, async () => null])),
  effects: Object.fromEntries(
    (toy.effects ?? []).map((kind) => [
      kind,
      { perform: async () => ({ kind: "done", detail: {}, warnings: [] }) as const },
    ]),
  ),
};
