import { expect, test } from "vitest";
import { BASELINE, TARGET, isSuccess, savingOf, tokenReport, tokensOf } from "./tokens.ts";

const total = (values: Readonly<Record<number, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

test("[PW-280] the baseline is 57,500 tokens over five stages", () => {
  expect(BASELINE).toEqual({ 0: 15_000, 2: 12_000, 3: 15_000, 4: 12_000, 5: 3_500 });
  expect(total(BASELINE)).toBe(57_500);
});

test("[PW-281] the target is 5,000 tokens over five stages", () => {
  expect(TARGET).toEqual({ 0: 1_000, 2: 1_000, 3: 1_500, 4: 1_200, 5: 300 });
  expect(total(TARGET)).toBe(5_000);
});

test("[PW-282] meeting the target saves 52,500 tokens, 91.3 percent", () => {
  expect(savingOf(TARGET)).toMatchObject({ saved: 52_500, percent: 91.3, enough: true });
});

test("[PW-283] success needs 50,000 saved, every update verified and no more errors", () => {
  const enough = savingOf({ 0: 7_500 });
  const short = savingOf({ 0: 7_501 });
  expect(isSuccess(enough, { allVerified: true, moreErrors: false })).toBe(true);
  expect(isSuccess(short, { allVerified: true, moreErrors: false })).toBe(false);
  expect(isSuccess(enough, { allVerified: false, moreErrors: false })).toBe(false);
  expect(isSuccess(enough, { allVerified: true, moreErrors: true })).toBe(false);
});

test("[PW-284] usage is reported per stage and for the whole workflow", () => {
  const lines = tokenReport({ 0: 120, 2: 80 });
  expect(lines[0]).toContain("stage 0: 120 tokens");
  expect(lines[1]).toContain("stage 2: 80 tokens");
  expect(lines.at(-1)).toContain("whole workflow: 200 tokens");
  expect(tokensOf("12345")).toBe(2);
});
