import type { Command } from "../../../core/state/commands.ts";
import { canonicalJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Problem } from "../../../files/problem.ts";
import { problem } from "../files/json-problems.ts";
import { parseStatus } from "../files/status-json.ts";
import { parseTasks } from "../files/tasks-yaml.ts";

/**
 * What an edit of a session file amounts to. `base` is the text as the engine wrote it. Legal edits
 * become commands, which are decided like any other; the rest is named and will be put back.
 */
export interface Claims {
  readonly commands: readonly ClaimedCommand[];
  readonly illegal: readonly Problem[];
}

/** `role` is who may have done it: an edit does not say who made it. */
export interface ClaimedCommand {
  readonly command: Command;
  readonly role: string | undefined;
}

const MOVES: Readonly<Record<string, string>> = {
  "not-started in-progress": "start",
  "in-progress implemented": "implement",
  "implemented in-progress": "take-up",
  "implemented completed": "promote",
  "completed implemented": "reopen",
};

export function claimsOfTasks(base: string, edited: string): Claims {
  const before = parseTasks(base).value?.tasks ?? [];
  const parsed = parseTasks(edited);
  if (parsed.value === undefined) return { commands: [], illegal: parsed.problems };
  const commands: ClaimedCommand[] = [];
  const illegal: Problem[] = [];
  for (const task of parsed.value.tasks) {
    const was = before.find((one) => one.id === task.id)?.status;
    if (was === undefined || was === task.status) continue;
    const move = moveFor(was, task.status);
    if (move === undefined) illegal.push(noMove(task.id, was, task.status));
    else commands.push(claimed(task.id, move));
  }
  return { commands, illegal };
}

function moveFor(from: string, to: string): string | undefined {
  if (to === "blocked") return "block";
  return from === "blocked" ? "unblock" : MOVES[`${from} ${to}`];
}

/** An edit that only the Coder may make is taken as the Coder's; `completed` is too, and so refused. */
function claimed(unit: string, move: string): ClaimedCommand {
  const reason = move === "block" ? { reason: "set to blocked in tasks.yaml" } : {};
  return { command: { type: "unit.move", unit, move, ...reason }, role: "Coder" };
}

function noMove(id: string, from: string, to: string): Problem {
  const message = `${id} cannot go from ${from} to ${to}`;
  const fix = "A task goes not-started, in-progress, implemented; the engine completes it.";
  return problem({ code: "status-illegal", line: 0, message, fix, rule: "TC-123" });
}

/** Members anybody may add to; everything else in status.json has one writer. */
const FREE: readonly ("assumptions" | "known_issues")[] = ["assumptions", "known_issues"];
const OWNED: readonly string[] = [
  "current_state",
  "session",
  "mode",
  "user_decisions",
  "gate_tracking",
  "runtime_flags",
  "retry_counts",
  "last_ci_result",
  "blocker",
  "blocker_detail",
  "blocked_from",
];

export function claimsOfStatus(base: string, edited: string): Claims {
  const before = parseStatus(base).value;
  const after = parseStatus(edited);
  if (after.value === undefined) return { commands: [], illegal: after.problems };
  const { raw } = after.value;
  const changed = OWNED.filter((key) => !same(before?.raw[key], raw[key]));
  const lists = { assumptions: after.value.assumptions, known_issues: after.value.knownIssues };
  const known = { assumptions: before?.assumptions, known_issues: before?.knownIssues };
  const commands = FREE.flatMap((list) =>
    lists[list]
      .filter((text) => known[list]?.includes(text) !== true)
      .map((text): ClaimedCommand => ({
        command: { type: "note.add", list, tag: "", text },
        role: undefined,
      })),
  );
  return { commands, illegal: changed.map(ownedField) };
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function ownedField(key: string): Problem {
  const message = `${key} of status.json was changed by hand`;
  const fix = RULES[key]?.fix ?? "It follows from the journal; give the command instead.";
  return problem({
    code: "owned-field",
    line: 0,
    message,
    fix,
    rule: RULES[key]?.rule ?? "TC-062",
  });
}

const RULES: Readonly<Record<string, { readonly rule: string; readonly fix: string }>> = {
  user_decisions: {
    rule: "TC-062",
    fix: "Only a person's own answer is a decision.",
  },
  current_state: { rule: "TC-061", fix: "Move the session by its steps." },
  gate_tracking: { rule: "TC-054", fix: "Only the engine keeps it." },
  runtime_flags: { rule: "TC-054", fix: "Only the engine keeps it." },
};
