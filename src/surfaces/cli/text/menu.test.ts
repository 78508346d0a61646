import { afterEach, expect, test } from "vitest";
import { formatMenu } from "./menu.ts";
import { printable, styleFor, useStyle } from "../terminal/style.ts";

afterEach(() => useStyle(styleFor(false)));

const DECISION = {
  id: "D-1",
  question: "go-on",
  prompt: "Done",
  nonce: "n",
  askedAt: "2026-01-01T00:00:00Z",
  about: {},
  options: [
    { number: 1, id: "go", label: "Go on", recommended: true },
    { number: 2, id: "look", label: "Look\u001B[2J", discovery: "something new" },
  ],
} as const;

test("on a terminal a menu has whole colours, and none of what an agent wrote", () => {
  useStyle(styleFor(true));
  const [, , , first, second] = printable(formatMenu(DECISION, "Echo")).split("\n");
  expect(first).toBe("1. Go on (recommended)");
  expect(second).toBe("2. Look\uFFFD[2J\u001B[2m ← something new\u001B[0m");
});

test("in a pipe it has no escapes at all", () => {
  expect(printable(formatMenu(DECISION, "Echo"))).not.toContain("\u001B");
});
