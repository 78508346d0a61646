import { describe, expect, test } from "vitest";
import { nextTask, ownerOf, select, sessionProblem } from "./selection.ts";
import type { Entry, Place } from "./selection.ts";

describe("the decision matrix", () => {
  test.each([
    ["mine", true, "RESUME"],
    ["mine", false, "ERROR_ASK_USER"],
    ["another", true, "SELECT_ALTERNATIVE"],
    ["another", false, "SELECT_ALTERNATIVE"],
    ["none", true, "ASK_USER"],
    ["none", false, "PROCEED_WITH_INIT"],
    ["unreadable", true, "SELECT_ALTERNATIVE"],
    ["unreadable", false, "SELECT_ALTERNATIVE"],
  ] as const)("[TP-009] [TP-010] [TP-012] lock %s, worktree %s: %s", (lock, worktree, outcome) => {
    expect(select(lock, worktree)).toBe(outcome);
  });

  test("[TP-018] whoever is not named is somebody else", () => {
    expect(ownerOf("s-1", "s-1")).toBe("mine");
    expect(ownerOf("s-2", "s-1")).toBe("another");
    for (const id of [undefined, null, "", "  ", 7]) expect(ownerOf(id, "s-1")).toBe("unreadable");
  });

  test("[TP-027] placeholders are no session ids", () => {
    expect(sessionProblem("4f1d-22")).toBeUndefined();
    expect(sessionProblem("Session-ID")).toContain("placeholder");
    expect(sessionProblem("${SESSION}")).toContain("placeholder");
  });
});

describe("the next task", () => {
  const entry = (name: string, status: Entry["status"], ...blockedBy: string[]): Entry => ({
    name,
    status,
    blockedBy,
  });
  const places: Readonly<Record<string, Place>> = {
    taken: { lock: "another", worktree: true },
  };
  const placeOf = (task: string): Place => places[task] ?? { lock: "none", worktree: false };

  test("[TP-015] [TP-019] the first READY one that nobody has, and every one before it was checked", () => {
    const list = [entry("a", "BLOCKED", "z"), entry("taken", "READY"), entry("b", "READY")];
    const choice = nextTask(list, placeOf);
    expect(choice).toMatchObject({
      task: "b",
      counts: { total: 3, ready: 1, locked: 1, blocked: 1 },
    });
    expect(choice.checked.map((one) => one.selection)).toEqual([
      "BLOCKED",
      "SELECT_ALTERNATIVE",
      "PROCEED_WITH_INIT",
    ]);
  });

  test("[TP-020] when none is free the numbers add up and each says why", () => {
    const list = [entry("a", "BLOCKED", "z"), entry("taken", "READY")];
    const choice = nextTask(list, placeOf);
    expect(choice).toMatchObject({
      task: null,
      counts: { total: 2, ready: 0, locked: 1, blocked: 1 },
    });
    expect(choice.checked.map((one) => one.why)).toEqual(["waits for z", "another session has it"]);
  });
});
