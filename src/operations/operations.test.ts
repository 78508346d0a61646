import { describe, expect, test } from "vitest";
import { checkSchema } from "../files/json-schema.ts";
import { inputProblem, operations } from "./index.ts";
import { nearest } from "../core/nearest.ts";

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
