import { expect, test } from "vitest";
import { fillRemedy, readRemedy, remedy, remedyText, step } from "./remedy.ts";

const fill = (text: string): string => text.replaceAll("{id}", "x");

test("a remedy is an operation with its input, and says what it is for where somebody said it", () => {
  expect(remedy("status", { workflow: "x" })).toEqual({
    operation: "status",
    input: { workflow: "x" },
  });
  expect(remedy("status", {}, "Look")).toEqual({ operation: "status", input: {}, says: "Look" });
  expect(step("go", "Go on")).toEqual(remedy("advance", { workflow: "{id}", step: "go" }, "Go on"));
  expect(step("go", "Go on", "late").input).toEqual({
    workflow: "{id}",
    step: "go",
    reason: "late",
  });
});

test("its blanks are filled in wherever they are, and nothing else is touched", () => {
  expect(fillRemedy("Mend {id}.", fill)).toBe("Mend x.");
  const input = { a: "{id}", b: ["{id}", { c: "{id}", d: 1 }], e: null, f: true };
  expect(fillRemedy(remedy("do", input, "For {id}"), fill)).toEqual(
    remedy("do", { a: "x", b: ["x", { c: "x", d: 1 }], e: null, f: true }, "For x"),
  );
  expect(fillRemedy(remedy("do", {}), fill)).toEqual({ operation: "do", input: {} });
});

test("as words it is a sentence", () => {
  expect(remedyText("Wait.")).toBe("Wait.");
  expect(remedyText(remedy("status", {}))).toBe("status helps.");
  expect(remedyText(remedy("status", {}, "Look at it"))).toBe("Look at it.");
});

test("it comes back from a journal as it was written; anything else is words", () => {
  const whole = { operation: "do", input: { a: 1 }, says: "Why" };
  expect(readRemedy(whole)).toEqual(whole);
  expect(readRemedy({ ...whole, says: 1 })).toEqual({ operation: "do", input: { a: 1 } });
  expect(readRemedy("Wait.")).toBe("Wait.");
  expect(readRemedy({ operation: 1, input: {} })).toBe('{"operation":1,"input":{}}');
  expect(readRemedy({ operation: "do", input: [] })).toBe('{"operation":"do","input":[]}');
});
