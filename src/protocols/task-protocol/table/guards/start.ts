import { isJsonObject } from "../../../../core/values/json.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { object, text, texts } from "../../../../core/values/json-read.ts";
import { checkTaskName } from "../../files/task-name.ts";
import { sessionProblem } from "../selection.ts";

/** Guards on whether a task may be taken: its name, its entry, its feasibility, who else has it. */
export const startGuards: Readonly<Record<string, Guard>> = {
  "task-name": (scope) => checkTaskName(scope.workflow.id),
  session: (scope) => sessionProblem(scope.envelope.session),
  "one-task": oneTask,
  "todo-entry": todoEntry,
  startable,
  feasible,
  alternative,
  "no-orphan": noOrphan,
  "branch-free": branchFree,
  "scope-changed": scopeChanged,
};

function oneTask(scope: Scope): string | undefined {
  const { session } = scope.envelope;
  const others = texts(scope.fact(`session-tasks:${session}`)).filter(
    (task) => task !== scope.workflow.id,
  );
  return others.length === 0
    ? undefined
    : `session ${session} still owns ${others.join(", ")}, which is not finished`;
}

function todoEntry(scope: Scope): string | undefined {
  const entry = scope.fact(scope.fill("todo:{id}"));
  if (entry === undefined) return undefined;
  if (!isJsonObject(entry)) return scope.fill("{todo} has no entry `{id}`");
  const missing = ["purpose", "scope", "components"].filter((part) => entry[part] !== true);
  return missing.length === 0
    ? undefined
    : scope.fill(`the entry \`{id}\` in {todo} does not state ${missing.join(", ")}`);
}

function startable(scope: Scope): string | undefined {
  const entry = object(scope.fact(scope.fill("todo:{id}")));
  if (text(entry["status"]) !== "BLOCKED") return undefined;
  const blockers = texts(entry["blockedBy"]);
  return `${scope.workflow.id} is BLOCKED${blockers.length === 0 ? "" : ` by ${blockers.join(", ")}`}`;
}

const FINDINGS: readonly (readonly [string, string])[] = [
  ["deliverables_clear", "its deliverables are not clear"],
  ["no_external_blocker", "something outside blocks it"],
  ["within_capability", "its approach is beyond what can be done here"],
];

/**
 * All three feasibility findings must be yes. A design choice that belongs to the user is never made
 * automatically.
 */
function feasible(scope: Scope): string | undefined {
  const record = scope.workflow.vars["feasibility"];
  if (!isJsonObject(record)) return "no feasibility record was given";
  const failed = FINDINGS.filter(([name]) => record[name] !== true).map(([, said]) => said);
  const blocker = text(record["blocker_kind"]);
  if (blocker !== "") failed.push(blocker);
  if (record["needs_user_design_choice"] === true)
    failed.push("needs_user_design_choice: the user must choose the design first");
  if (failed.length === 0) return undefined;
  const next = scope.fact("next-task");
  const other = typeof next === "string" ? `; SELECT_ALTERNATIVE: ${next}` : "";
  return `${scope.workflow.id} is not feasible: ${failed.join("; ")}${other}`;
}

/** Refuses somebody else's lock, readable or not, and one's own lock without its worktree. */
function alternative(scope: Scope): string | undefined {
  const outcome = scope.fact(scope.fill("selection:{id}"));
  if (outcome === undefined || outcome === "PROCEED_WITH_INIT" || outcome === "ASK_USER")
    return undefined;
  const lock = scope.fill("{root}/{id}/task.json");
  return `${lock} is the lock of another session (${text(outcome)})`;
}

/** A branch of that name belongs to somebody, unless its worktree exists too: then a person is asked. */
function branchFree(scope: Scope): string | undefined {
  const [selection, taken] = ["selection:{id}", "branch:{id}"].map((key) =>
    scope.fact(scope.fill(key)),
  );
  if (selection !== "PROCEED_WITH_INIT" || taken !== true) return undefined;
  return `the branch ${scope.workflow.id} exists, and was not made for this task`;
}

/** The claim that the scope was changed from outside is checked: the entry must be different now. */
function scopeChanged(scope: Scope): string | undefined {
  const before = scope.workflow.vars["scope_digest"];
  if (scope.input["reason"] !== "scope_changed_externally" || typeof before !== "string")
    return undefined;
  const now = object(scope.fact(scope.fill("todo:{id}")))["digest"];
  return now === before ? "the scope of the task has not changed" : undefined;
}

function noOrphan(scope: Scope): string | undefined {
  return scope.fact(scope.fill("selection:{id}")) === "ASK_USER"
    ? scope.fill("{root}/{id}/code exists without {root}/{id}/task.json")
    : undefined;
}
