import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { addTrailer, subjectOf } from "./message.ts";

const HASH = "0f".repeat(32);

test.each([
  ["subject", "subject\n\nHoldpoint-Record: H\n"],
  ["fix: looks like a trailer", "fix: looks like a trailer\n\nHoldpoint-Record: H\n"],
  ["s\n\nbody\n\n\n", "s\n\nbody\n\nHoldpoint-Record: H\n"],
  ["s\n\nSigned-off-by: A <a@b>", "s\n\nSigned-off-by: A <a@b>\nHoldpoint-Record: H\n"],
  ["s\n\nA: b\n  folded\nC: d\n", "s\n\nA: b\n  folded\nC: d\nHoldpoint-Record: H\n"],
  [
    "s\n\nNote: this is prose\nover two lines",
    "s\n\nNote: this is prose\nover two lines\n\nHoldpoint-Record: H\n",
  ],
])("the trailer of %j stands where git looks for it", (message, expected) => {
  const text = addTrailer(message, HASH);
  expect(text).toBe(expected.replace("H\n", `${HASH}\n`));
  const parse = ["interpret-trailers", "--parse", "--no-divider"];
  const trailers = execFileSync("git", parse, { input: text, encoding: "utf8" });
  expect(trailers.split("\n")).toContain(`Holdpoint-Record: ${HASH}`);
});

test("a hash that could add lines of its own is a bug of the caller", () => {
  expect(() => addTrailer("s", "a\nSigned-off-by: x")).toThrow("Not a record hash");
  expect(() => addTrailer("s", "")).toThrow("Not a record hash");
});

test("the subject is the first line", () => {
  expect(subjectOf("\n one\ntwo")).toBe("one");
  expect(subjectOf("")).toBe("");
});
