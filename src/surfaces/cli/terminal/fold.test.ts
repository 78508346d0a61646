import { afterEach, expect, test } from "vitest";
import { folded, foldedText, useFull } from "./fold.ts";

afterEach(() => useFull(false));

const LINES = Array.from({ length: 30 }, (_, index) => `  line ${index + 1}`);

test("twelve lines and how to see the rest, under each other", () => {
  const shown = folded(LINES, "holdpoint next Echo --full");
  expect(shown).toHaveLength(13);
  expect(shown.at(-1)).toBe("  (18 more lines: holdpoint next Echo --full)");
});

test("a fold never hides a single line", () => {
  expect(folded(LINES.slice(0, 13), "--full")).toEqual(LINES.slice(0, 13));
  expect(folded(LINES.slice(0, 14), "--full").at(-1)).toBe("  (2 more lines: --full)");
});

test("a text without line ends is folded where a screen would break it", () => {
  const text = "word ".repeat(1000).trim();
  const shown = foldedText(text, "--full").split("\n");
  expect(shown).toHaveLength(13);
  expect(shown.at(-1)).toMatch(/^\(\d+ more lines: --full\)$/);
});

test("--full folds nothing", () => {
  useFull(true);
  expect(folded(LINES, "--full")).toEqual(LINES);
});
