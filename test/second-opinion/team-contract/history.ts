/** What may become of a session from one command to the next. */
import { isText, isTime, objection, said, type Objection, unless } from "../opinion.ts";
import { idOf } from "./decisions.ts";
import { type SessionFiles, stateOf } from "./files.ts";

const REPAIRS = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"];

const MOVES: Readonly<Record<string, readonly string[]>> = {
  INTAKE: ["DESIGN"],
  INTAKE_LEAN: ["IMPLEMENT_LOOP"],
  DESIGN: ["APPROVE_DESIGN"],
  APPROVE_DESIGN: ["PLAN"],
  PLAN: ["REVIEW_STRATEGY", "APPROVE_DESIGN"],
  REVIEW_STRATEGY: ["IMPLEMENT_LOOP"],
  IMPLEMENT_LOOP: ["REVIEW_STRATEGY", "INTEGRATE", "INTAKE", ...REPAIRS],
  FIX_REVIEW: ["IMPLEMENT_LOOP"],
  FIX_TESTS: ["IMPLEMENT_LOOP"],
  FIX_SECURITY: ["IMPLEMENT_LOOP"],
  INTEGRATE: ["FIX_BUILD", "RELEASE", "DONE"],
  FIX_BUILD: ["INTEGRATE"],
  RELEASE: ["FIX_BUILD", "DONE"],
  DONE: ["INTAKE", "INTAKE_LEAN"],
};

/** A question leads aside from any work, and back to where it was asked. */
function isMove(before: SessionFiles, after: SessionFiles): boolean {
  const [from, to] = [stateOf(before), stateOf(after)];
  if ([from, to].includes("") || from === to || (MOVES[from] ?? []).includes(to)) return true;
  if (to === "BLOCKED") return from !== "DONE";
  if (from === "BLOCKED") return to === before.status?.["blocked_from"];
  if (to === "ASK_USER")
    return from !== "DONE" && !["APPROVE_DESIGN", "REVIEW_STRATEGY"].includes(from);
  // Back where it was asked, and from there as far as it goes by itself.
  const back = before.decisions.map((one) => said(one["state_context"]));
  return from === "ASK_USER" && back.some((one) => one === to || (MOVES[one] ?? []).includes(to));
}

export function judgeMove(before: SessionFiles, after: SessionFiles): readonly Objection[] {
  return [
    ...unless(
      isMove(before, after),
      "history:move",
      `${stateOf(before)} may not become ${stateOf(after)}`,
    ),
    ...judgeAsked(before, after),
    ...judgeKept(before, after),
    ...judgeTaskMoves(before, after),
    ...judgeTime(before, after),
  ];
}

/** The way back from a question is where the session stood when it was asked. */
function judgeAsked(before: SessionFiles, after: SessionFiles): readonly Objection[] {
  const fresh = after.decisions.slice(before.decisions.length);
  const from = stateOf(before);
  return fresh
    .filter((one) => /^UD-\d+$/.test(idOf(one)) && from !== "ASK_USER" && from !== "")
    .flatMap((one) =>
      unless(
        one["state_context"] === from || isRepair(from, one["state_context"]),
        "history:context",
        `${idOf(one)} was asked in ${from} and says ${said(one["state_context"])}`,
      ),
    );
}

/** A verdict that leads into a repair, and finds it used up, is one step. */
function isRepair(from: string, context: unknown): boolean {
  return isText(context) && (MOVES[from] ?? []).includes(context);
}

/** Requests for changes are only ever added; an answer to an ad-hoc question is final. */
function judgeKept(before: SessionFiles, after: SessionFiles): readonly Objection[] {
  const file = "approve-design-history.jsonl";
  const kept = (after.texts[file] ?? "").startsWith(before.texts[file] ?? "");
  const changed = before.decisions.filter((old) => {
    const now = after.decisions.find((one) => idOf(one) === idOf(old));
    if (now === undefined) return true;
    const final = /^UD-\d+$/.test(idOf(old)) && old["status"] !== "pending";
    return final && JSON.stringify(now) !== JSON.stringify(old);
  });
  return [
    ...unless(kept, "history:kept", "the history was rewritten"),
    ...changed.map((one) => objection("history:kept", `${idOf(one)} was final, and is another`)),
  ];
}

const TASK_MOVES: Readonly<Record<string, readonly string[]>> = {
  "not-started": ["in-progress", "blocked"],
  "in-progress": ["implemented", "blocked"],
  implemented: ["completed", "blocked"],
  completed: [],
  blocked: [],
};

function judgeTaskMoves(before: SessionFiles, after: SessionFiles): readonly Objection[] {
  return (after.tasks ?? []).flatMap((task) => {
    const old = before.tasks?.find((one) => one["id"] === task["id"]);
    const [from, to] = [said(old?.["status"] ?? task["status"]), said(task["status"])];
    return unless(
      from === to || (TASK_MOVES[from] ?? []).includes(to),
      `history:task ${from} to ${to}`,
      `${said(task["id"])} went from ${from} to ${to}`,
    );
  });
}

function judgeTime(before: SessionFiles, after: SessionFiles): readonly Objection[] {
  const [old, now] = [before.status?.["last_update"], after.status?.["last_update"]];
  if (!isTime(old) || !isTime(now)) return [];
  return unless(Date.parse(now) >= Date.parse(old), "history:time", `${now} is before ${old}`);
}
