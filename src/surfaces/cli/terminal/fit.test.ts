import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnsOf, cutTo, fit } from "./fit.ts";

describe("a line that is too long", () => {
  test("goes on under what it says, behind its mark", () => {
    expect(fit("✗ the quick brown fox jumps", 20)).toBe("✗ the quick brown\n  fox jumps");
    expect(fit("  1. the quick brown fox", 20)).toBe("  1. the quick brown\n     fox");
  });

  test("goes on in its column", () => {
    expect(fit("  start  Begin a workflow now", 24)).toBe(
      "  start  Begin a\n         workflow now",
    );
  });

  test("leaves a command whole, on a line of its own", () => {
    const command = "holdpoint reconcile TapeDelay --restore";
    expect(fit(`  Settle it: ${command}`, 30)).toBe(`  Settle it:\n    ${command}`);
    expect(fit(`    ${command}`, 30)).toBe(`    ${command}`);
  });

  test("is measured in columns, not in letters", () => {
    expect(columnsOf("💡 Ideated")).toBe(10);
    expect(columnsOf("\u001B[1mbold\u001B[0m")).toBe(4);
    expect(columnsOf("日本")).toBe(4);
    expect(cutTo("日本語", 5)).toBe("日本…");
  });

  test("is left alone in a pipe", () => {
    const long = "word ".repeat(80).trim();
    expect(fit(long, undefined)).toBe(long);
  });
});

test("no word is lost, and no line that could be broken is too long", () => {
  const words = fc.array(fc.stringMatching(/^[a-z✗💡]{1,12}$/u), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 120 }), (given, columns) => {
      const fitted = fit(given.join(" "), columns);
      expect(fitted.split(/\s+/).filter((one) => one !== "")).toEqual(given);
      const lines = fitted.split("\n").filter((line) => line.trim().includes(" "));
      expect(lines.filter((line) => columnsOf(line) > columns)).toEqual([]);
    }),
  );
});
