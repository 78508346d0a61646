/** Every remedy a test meets is one: words, or something that can be asked for as it stands. */
import { expect } from "vitest";
import type { Remedy } from "../src/core/decide/answer.ts";
import { checkSchema } from "../src/files/json/schema.ts";
import { operations } from "../src/operations/index.ts";

/** What is left out is for whoever reads it to fill in; what is there must fit. */
export function checkRemedy(fix: Remedy, where: string): void {
  if (typeof fix === "string") {
    expect(fix, `a remedy lacks words: ${where}`).toMatch(/\S/);
    expect(fix, `a remedy is typed, not data: ${where}`).not.toMatch(COMMAND);
    return;
  }
  const operation = operations.find((one) => one.name === fix.operation);
  expect(operation, `no operation "${fix.operation}": ${where}`).toBeDefined();
  const schema = { ...operation?.input, required: [] };
  expect(checkSchema(schema, fix.input), `${where}: ${JSON.stringify(fix)}`).toEqual([]);
  expect(fix.says ?? "it", where).toMatch(/\S/);
  expect(fix.says ?? "", `a remedy is typed, not data: ${where}`).not.toMatch(COMMAND);
}

/** `holdpoint reconcile ...` is how one surface says it. */
export const COMMAND: RegExp = /\bholdpoint [a-z]+/;
