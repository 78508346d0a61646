/** The whole way of a HIGH risk task, with a crash in each state in which agents work. */
import { describe, expect, test } from "vitest";
import {
  APPROVED,
  archived,
  begin,
  everyAgent,
  expectMerged,
  finished,
  gathered,
  implemented,
  planned,
  SCOPES,
  survive,
  ID,
  AGENTS,
} from "./task.ts";

describe("a task from the list to main", () => {
  test("[TP-048] [TP-073] [TP-132] [TP-161] [TP-171] [TP-179] [TP-191] [TP-210] HIGH risk, every state, a crash where agents work", () => {
    const task = begin("HIGH");
    const { scratch } = task;
    expect(task.agents()).toEqual(AGENTS.HIGH);
    expect(scratch.read("todo.md")).toContain(`**IN_PROGRESS:** \`${ID}\``);
    planned(gathered(task), [SCOPES.HIGH]);
    const acknowledged = ["--input", '{"acknowledged":true}'];
    survive(task, ["advance", ID, "implement", ...acknowledged], "show.own");
    expect(task.at()).toBe("IMPLEMENTATION");
    implemented(task, SCOPES.HIGH);
    archived(task);
    everyAgent(task, "round-review", APPROVED);
    survive(task, ["advance", ID, "validate"], "append:2");
    expect(task.at()).toBe("VALIDATION");
    survive(task, ["advance", ID, "review"], "appended");
    expect(task.at()).toBe("REVIEW");
    everyAgent(task, "review", APPROVED);
    const head = task.git("rev-parse", "HEAD");
    survive(task, ["advance", ID, "present"], "effect.worktree-remove");
    expect(task.answer("approve").exit).toBe(0);
    finished(task);
    expectMerged(task, head, "one\n", "HIGH");
  });
});
