import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits, eolOf, lineAt, linesOf, oneLine, textStart } from "./text.ts";

test("edits come in any order, and insertions at one place keep theirs", () => {
  const edits = [
    { start: 4, end: 5, text: "E" },
    { start: 0, end: 0, text: "1" },
    { start: 0, end: 0, text: "2" },
  ];
  expect(applyEdits("abcde", edits)).toBe("12abcdE");
});

test("overlapping edits are a broken invariant", () => {
  const edits = [
    { start: 0, end: 3, text: "" },
    { start: 2, end: 4, text: "" },
  ];
  expect(() => applyEdits("abcde", edits)).toThrow(RangeError);
});

test("lines put together again are the text, whatever its line endings", () => {
  const piece = fc.constantFrom("a", "\n", "\r\n", "\r", "é", " ");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      const lines = linesOf(text);
      expect(lines.map(({ start, next }) => text.slice(start, next)).join("")).toBe(text);
      for (const [index, line] of lines.entries())
        expect(lineAt(lines, line.start)).toBe(index + 1);
    }),
  );
});

test("the line ending is that of the first line", () => {
  expect([eolOf("a\r\nb\n"), eolOf("a\nb\r\n"), eolOf("a")]).toEqual(["\r\n", "\n", "\n"]);
});

test("a byte order mark is not part of the text", () => {
  expect([textStart("\uFEFFa"), textStart("a")]).toEqual([1, 0]);
});

test("[PW-169] line endings of every kind are folded into a space", () => {
  expect(oneLine(" a \r\n b\n\n\u2028c ")).toBe("a b c");
});
