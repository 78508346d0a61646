import { texts } from "../../../../core/values/json-read.ts";
import type { VerifyFinding } from "../../../../core/guards/verified.ts";
import { readApproval } from "../answers.ts";
import { parseHistory } from "../history-jsonl.ts";
import { APPROVE_DESIGN_ID, GATE_OF, REVIEW_STRATEGY_ID, STATES } from "../names.ts";
import { type Criterion, checkName } from "../acceptance-json.ts";
import type { SessionStatus } from "../status-json.ts";
import type { Task } from "../tasks.ts";

export interface Session {
  readonly id: string;
  readonly files: ReadonlyMap<string, string>;
  readonly status: SessionStatus | undefined;
  readonly tasks: readonly Task[] | undefined;
  readonly criteria: readonly Criterion[] | undefined;
  readonly lean: boolean;
  readonly lines: Lines;
}

/** Positions in the files, for people who must fix them. */
export interface Lines {
  readonly status: (path: readonly (string | number)[]) => number;
  readonly task: (index: number) => number;
}

/** Where a session's state contradicts its files: gates it never passed, tasks it never finished. */
export function stateFindings(session: Session): readonly VerifyFinding[] {
  const { status } = session;
  if (status === undefined) return [];
  return [
    ...gateFindings(session, status),
    ...pendingFindings(session, status),
    ...loopFindings(session, status),
    ...doneFindings(session, status),
    ...evidenceFindings(session, status),
    ...taskFindings(session, status),
    ...historyFindings(session, status),
  ];
}

/** A full session can only be past a gate with the decision that opens it. */
function gateFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  if (session.lean) return [];
  const decision = (id: string) => status.decisions.find((one) => one.id === id);
  const design = decision(APPROVE_DESIGN_ID);
  const strategy = decision(REVIEW_STRATEGY_ID);
  const approved =
    design?.status === "answered" && readApproval(design.answer ?? "") === "approved";
  const findings: VerifyFinding[] = [];
  const gate = (id: string, rule: string): void => {
    const message = `The session is past a gate, but ${id} does not open it`;
    const fix = "Let a person decide, and go back to the gate until then.";
    const line = session.lines.status(["current_state"]);
    findings.push(finding("gate-missing", "status.json", message, { fix, rule, line }));
  };
  if (reached(session, "PLAN") && !approved) gate(APPROVE_DESIGN_ID, "TC-089");
  if (reached(session, "IMPLEMENT_LOOP") && strategy?.status !== "answered")
    gate(REVIEW_STRATEGY_ID, "TC-109");
  return findings;
}

/** The loop can only be left with every task completed. DONE requires more. */
function loopFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  const at = status.currentState ?? "";
  if (at === "DONE" || !reached(session, "INTEGRATE")) return [];
  return (session.tasks ?? []).flatMap((task, index) => {
    if (task.status === "completed") return [];
    const message = `${at}, but ${task.id} is ${task.status || "without a status"}`;
    const fix = "Finish and check the task, and go back to IMPLEMENT_LOOP until then.";
    const how = { fix, rule: "TC-139", line: session.lines.task(index) };
    return [finding("tasks-open", "tasks.yaml", message, how)];
  });
}

function doneFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  if (status.currentState !== "DONE") return [];
  const { tasks = [], lines } = session;
  const findings: VerifyFinding[] = [];
  const early = (file: string, but: string, how: How): void => {
    findings.push(finding("done-too-early", file, `DONE, but ${but}`, how));
  };
  for (const [index, task] of tasks.entries()) {
    if (task.status === "completed") continue;
    const fix = "Finish and check the task, or reopen the session.";
    const but = `${task.id} is ${task.status || "without a status"}`;
    early("tasks.yaml", but, { fix, rule: "TC-177", line: lines.task(index) });
  }
  for (const one of status.decisions.filter(({ status: now }) => now === "pending")) {
    const line = lines.status(["user_decisions"]);
    early("status.json", `${one.id} is pending`, {
      fix: "Settle the question.",
      rule: "TC-081",
      line,
    });
  }
  if (status.lastCi === "red") {
    const line = lines.status(["last_ci_result"]);
    const but = "the last CI result is red";
    early("status.json", but, { fix: "Mend the build.", rule: "TC-150", line });
  }
  const checks = tasks.flatMap((task) => task.checks);
  const manual = checks.length > 0 && checks.every((check) => check.startsWith("manual:"));
  if (manual && status.lastCi === "green") {
    const message = "CI is green, but every check is manual: nothing was run";
    const fix = "Add a cmd: check, or let a named person attest each manual one.";
    findings.push(finding("green-without-check", "tasks.yaml", message, { fix, rule: "TC-149" }));
  }
  return findings;
}

/** A question may only be pending in ASK_USER or at its gate, and ASK_USER must say where to return to. */
function pendingFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  const at = status.currentState ?? "";
  if (["", "DONE", "BLOCKED"].includes(at)) return [];
  const findings: VerifyFinding[] = [];
  for (const [index, one] of status.decisions.entries()) {
    if (one.status !== "pending" || at === (GATE_OF[one.id] ?? "ASK_USER")) continue;
    const message = `${one.id} is pending, but the session is in ${at}`;
    const fix = "Settle the question before the session goes on.";
    const how = { fix, rule: "TC-081", line: session.lines.status(["user_decisions", index]) };
    findings.push(finding("decision-pending", "status.json", message, how));
  }
  if (at === "ASK_USER" && status.decisions.every((one) => one.id in GATE_OF)) {
    const message = "ASK_USER, but there is no question to come back from";
    const fix = "Set current_state to the state the session was in.";
    const how = { fix, rule: "TC-112", line: session.lines.status(["current_state"]) };
    findings.push(finding("question-missing", "status.json", message, how));
  }
  return findings;
}

/** DONE requires evidence: the report must state the result of every check. */
function evidenceFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  if (status.currentState !== "DONE") return [];
  const report = session.files.get("report.md") ?? "";
  const tasks = (session.tasks ?? []).flatMap((task, index) =>
    task.checks.map((name) => ({ name, file: "tasks.yaml", line: session.lines.task(index) })),
  );
  const criteria = (session.criteria ?? [])
    .filter(({ id }) => !report.includes(`${id}: waived by`))
    .flatMap(({ verify }) =>
      verify.map((one) => ({ name: checkName(one), file: "acceptance.json", line: 0 })),
    );
  const all = new Map([...tasks, ...criteria].map((one) => [one.name, one]));
  return [...all.values()]
    .filter(({ name }) => !ENDINGS.some((ending) => report.includes(`${name}: ${ending}`)))
    .map(({ name, file, line }) =>
      finding("evidence-missing", file, `DONE, but nothing shows that "${name}" holds`, {
        fix: "Adopt the session and reopen it: Holdpoint runs the commands, a named person vouches for the rest.",
        rule: "TC-179",
        line,
      }),
    );
}

const ENDINGS: readonly string[] = ["exit ", "timeout", "failed", "seen by "];

/** Ids with counts in status.json that tasks.yaml does not have. */
function taskFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  const known = new Set(session.tasks?.map((task) => task.id));
  if (session.tasks === undefined) return [];
  const lists = ["completed_tasks", "blocked_tasks"].flatMap((key) => texts(status.raw[key]));
  const counted = Object.keys(status.retries).filter((id) => id !== "meta");
  const fix = "tasks.yaml alone says which tasks there are.";
  const how = { fix, rule: "TC-120", line: session.lines.status(["retry_counts"]) };
  return [...new Set([...counted, ...lists])]
    .filter((id) => !known.has(id))
    .map((id) => `status.json speaks of ${id}, which tasks.yaml does not have`)
    .map((message) => finding("task-unknown", "status.json", message, how));
}

/** A request for changes must be in the history before anything is corrected. */
function historyFindings(session: Session, status: SessionStatus): readonly VerifyFinding[] {
  const file = "approve-design-history.jsonl";
  const answer = status.decisions.find((one) => one.id === APPROVE_DESIGN_ID)?.answer ?? "";
  if (readApproval(answer) !== "changes-requested") return [];
  const text = session.files.get(file);
  const lines = parseHistory(text ?? "").value;
  if (lines.some((line) => line["answer"] === answer)) return [];
  const lacks = text === undefined ? "there is no history" : "the history does not say so";
  const message = `Changes were asked for, but ${lacks}`;
  const how = { fix: "Append the answer as one JSON line.", rule: "TC-092" };
  return [finding("history-missing", file, message, how)];
}

interface How {
  readonly fix: string;
  readonly rule: string;
  readonly line?: number;
}

export function finding(code: string, file: string, message: string, how: How): VerifyFinding {
  return { code, file, message, ...how, line: how.line ?? 0 };
}

const MAIN: readonly string[] = STATES.slice(0, 10);

export function reached(session: Session, state: string): boolean {
  const at = session.status?.currentState ?? "INTAKE";
  const asked = session.status?.decisions.findLast((one) => one.status === "pending")?.context;
  const here = at === "BLOCKED" ? session.status?.blockedFrom : at === "ASK_USER" ? asked : at;
  const place = here?.startsWith("FIX_") === true ? "IMPLEMENT_LOOP" : (here ?? "INTAKE");
  return MAIN.indexOf(place) >= MAIN.indexOf(state);
}
