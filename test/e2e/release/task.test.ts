/** The card of a task shows what its own worktree adds, not what lies in the main one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as tasks from "../task.ts";

test("a task's card is about the task's worktree", () => {
  const { ID, SCOPES } = tasks;
  const scratch = tasks.taskRepository({ [ID]: SCOPES.LOW });
  const task = tasks.classified(tasks.started(scratch, ID), SCOPES.LOW);
  tasks.planned(tasks.gathered(task), [SCOPES.LOW]);
  tasks.write(task.code, SCOPES.LOW, "what the task adds\n");
  tasks.archived(task);
  writeFileSync(join(scratch.top, "unrelated.txt"), "lies in main\n");
  const { json } = scratch.hold(["hold", ID]);
  const changes = (json as { changes?: readonly { path: string; diff?: string }[] }).changes ?? [];
  expect(changes.map((one) => one.path)).toContain(SCOPES.LOW);
  expect(changes.map((one) => one.path)).not.toContain("unrelated.txt");
  expect(changes.find((one) => one.path === SCOPES.LOW)?.diff).toContain("+what the task adds");
});
