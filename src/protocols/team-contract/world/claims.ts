import type { Command } from "../../../core/state/commands.ts";
import { parseTasks } from "../files/tasks-yaml.ts";

const MOVES: Readonly<Record<string, string>> = {
  "not-started in-progress": "start",
  "in-progress implemented": "implement",
  "implemented in-progress": "take-up",
  "implemented completed": "promote",
  "completed implemented": "reopen",
};

/**
 * The commands that an edit of tasks.yaml amounts to. `base` is the text as the engine wrote it. Legal edits
 * become commands and are decided as such; the rest is put back.
 */
export function claimsOfTasks(base: string, edited: string): readonly Command[] {
  const before = parseTasks(base).value?.tasks ?? [];
  const after = parseTasks(edited).value?.tasks ?? [];
  return after.flatMap(({ id, status }) => {
    const was = before.find((one) => one.id === id)?.status;
    const move = was === undefined || was === status ? undefined : moveFor(was, status);
    return move === undefined ? [] : [claimed(id, move)];
  });
}

function moveFor(from: string, to: string): string | undefined {
  if (to === "blocked") return "block";
  return from === "blocked" ? "unblock" : MOVES[`${from} ${to}`];
}

function claimed(unit: string, move: string): Command {
  const reason = move === "block" ? { reason: "set to blocked in tasks.yaml" } : {};
  return { type: "unit.move", unit, move, ...reason };
}
