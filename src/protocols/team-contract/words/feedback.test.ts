import { expect, test } from "vitest";
import { feedbackOf } from "./feedback.ts";

test("[TC-153] whoever repairs is told what was found, where, and what would help", () => {
  const said = feedbackOf({
    review_comments: [
      {
        severity: "blocker",
        category: "Logic",
        file: "b.js",
        line: 3,
        message: "runs once too often",
        suggested_fix: "use <",
      },
      "plain words",
    ],
    findings: [{ severity: "high", category: "XSS", file: "unknown", description: "unescaped" }],
    test_results: { passed: 1, failed: 2, skipped: 0, output: "expected 1, got 2" },
    coverage_gaps: ["the error path"],
  });
  expect(said).toEqual([
    "blocker, Logic, b.js:3: runs once too often; use <",
    "plain words",
    "high, XSS, unknown: unescaped",
    "2 tests failed: expected 1, got 2",
    "the error path",
  ]);
});

test("[TC-153] a flood of comments is cut, and says so", () => {
  const many = Array.from({ length: 30 }, (_, index) => `comment ${index} ${"x".repeat(2_000)}`);
  const said = feedbackOf({ review_comments: many });
  expect(said).toHaveLength(21);
  expect(said.at(-1)).toBe("and 10 more in the reply");
  expect(Math.max(...said.map((one) => one.length))).toBeLessThan(700);
});
