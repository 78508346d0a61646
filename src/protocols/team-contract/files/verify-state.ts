import { texts } from "../../../core/json-read.ts";
import type { Finding } from "../../../files/finding.ts";
import { readApproval } from "./answers.ts";
import { APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID, STATES } from "./names.ts";
import { type Criterion, checkName } from "./acceptance-json.ts";
import type { SessionStatus } from "./status-json.ts";
import type { Task } from "./tasks.ts";

export interface Session {
  readonly id: string;
  readonly files: ReadonlyMap<string, string>;
  readonly status: SessionStatus | undefined;
  readonly tasks: readonly Task[] | undefined;
  readonly criteria: readonly Criterion[] | undefined;
  readonly lean: boolean;
  readonly lines: Lines;
}

/** Where things stand in the files, for those who have to mend them. */
export interface Lines {
  readonly status: (path: readonly (string | number)[]) => number;
  readonly task: (index: number) => number;
}

/** Where the state of a session contradicts its files: gates it never passed, tasks it never finished. */
export function stateFindings(session: Session): readonly Finding[] {
  const { status } = session;
  if (status === undefined) return [];
  return [
    ...gateFindings(session, status),
    ...pendingFindings(session, status),
    ...doneFindings(session, status),
    ...evidenceFindings(session, status),
    ...taskFindings(session, status),
    ...historyFindings(session, status),
  ];
}

/** A full session is past a gate only with the decision that opens it. */
function gateFindings(session: Session, status: SessionStatus): readonly Finding[] {
  if (session.lean) return [];
  const decision = (id: string) => status.decisions.find((one) => one.id === id);
  const design = decision(APPROVE_DESIGN_ID);
  const strategy = decision(REVIEW_STRATEGY_ID);
  const approved =
    design?.status === "answered" && readApproval(design.answer ?? "") === "approved";
  const gate = (id: string, row: string): Finding =>
    finding(
      "gate-missing",
      "status.json",
      `The session is past a gate, but ${id} does not open it`,
      {
        fix: "Let a person decide, and go back to the gate until then.",
        rule: row,
        line: session.lines.status(["current_state"]),
      },
    );
  return [
    ...(reached(session, "PLAN") && !approved ? [gate(APPROVE_DESIGN_ID, "TC-089")] : []),
    ...(reached(session, "IMPLEMENT_LOOP") && strategy?.status !== "answered"
      ? [gate(REVIEW_STRATEGY_ID, "TC-109")]
      : []),
  ];
}

function doneFindings(session: Session, status: SessionStatus): readonly Finding[] {
  if (status.currentState !== "DONE") return [];
  const open = (session.tasks ?? [])
    .map((task, index) => ({ ...task, line: session.lines.task(index) }))
    .filter((task) => task.status !== "completed");
  const pending = status.decisions.filter((one) => one.status === "pending");
  const checks = (session.tasks ?? []).flatMap((task) => task.checks);
  const rule = "TC-177";
  return [
    ...open.map((task) =>
      finding(
        "done-too-early",
        "tasks.yaml",
        `DONE, but ${task.id} is ${task.status || "without a status"}`,
        {
          fix: "Finish and check the task, or reopen the session.",
          rule,
          line: task.line,
        },
      ),
    ),
    ...pending.map((one) =>
      finding("done-too-early", "status.json", `DONE, but ${one.id} is pending`, {
        fix: "Settle the question.",
        rule: "TC-081",
        line: session.lines.status(["user_decisions"]),
      }),
    ),
    ...(status.lastCi === "red"
      ? [
          finding("done-too-early", "status.json", "DONE, but the last CI result is red", {
            fix: "Mend the build.",
            rule: "TC-150",
            line: session.lines.status(["last_ci_result"]),
          }),
        ]
      : []),
    ...(checks.length > 0 &&
    checks.every((check) => check.startsWith("manual:")) &&
    status.lastCi === "green"
      ? [
          finding(
            "green-without-check",
            "tasks.yaml",
            "CI is green, but every check is manual: nothing was run",
            {
              fix: "Add a cmd: check, or let a named person attest each manual one.",
              rule: "TC-149",
            },
          ),
        ]
      : []),
  ];
}

/** A question may be pending only in ASK_USER or at its gate, and ASK_USER must say where to go back to. */
function pendingFindings(session: Session, status: SessionStatus): readonly Finding[] {
  const at = status.currentState ?? "";
  if (["", "DONE", "BLOCKED"].includes(at)) return [];
  const passed = status.decisions.flatMap((one, index) =>
    one.status !== "pending" || at === (GATE_OF[one.id] ?? "ASK_USER")
      ? []
      : [
          finding(
            "decision-pending",
            "status.json",
            `${one.id} is pending, but the session is in ${at}`,
            {
              fix: "Settle the question before the session goes on.",
              rule: "TC-081",
              line: session.lines.status(["user_decisions", index]),
            },
          ),
        ],
  );
  const lost = at === "ASK_USER" && status.decisions.every((one) => one.id in GATE_OF);
  return [
    ...passed,
    ...(lost
      ? [
          finding(
            "question-missing",
            "status.json",
            "ASK_USER, but there is no question to come back from",
            {
              fix: "Set current_state to the state the session was in.",
              rule: "TC-112",
              line: session.lines.status(["current_state"]),
            },
          ),
        ]
      : []),
  ];
}

const GATE_OF: Readonly<Record<string, string>> = {
  [APPROVE_DESIGN_ID]: "APPROVE_DESIGN",
  [REVIEW_STRATEGY_ID]: "REVIEW_STRATEGY",
};

/** DONE needs evidence: the report must say for every check how it ended. */
function evidenceFindings(session: Session, status: SessionStatus): readonly Finding[] {
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

/** Ids that status.json counts for, and tasks.yaml does not have. */
function taskFindings(session: Session, status: SessionStatus): readonly Finding[] {
  const known = new Set(session.tasks?.map((task) => task.id));
  if (session.tasks === undefined) return [];
  const lists = ["completed_tasks", "blocked_tasks"].flatMap((key) => texts(status.raw[key]));
  const counted = Object.keys(status.retries).filter((id) => id !== "meta");
  return [...new Set([...counted, ...lists])]
    .filter((id) => !known.has(id))
    .map((id) =>
      finding(
        "task-unknown",
        "status.json",
        `status.json speaks of ${id}, which tasks.yaml does not have`,
        {
          fix: "tasks.yaml alone says which tasks there are.",
          rule: "TC-120",
          line: session.lines.status(["retry_counts"]),
        },
      ),
    );
}

function historyFindings(session: Session, status: SessionStatus): readonly Finding[] {
  const design = status.decisions.find((one) => one.id === APPROVE_DESIGN_ID);
  const asked = readApproval(design?.answer ?? "") === "changes-requested";
  if (!asked || session.files.has("approve-design-history.jsonl")) return [];
  return [
    finding(
      "history-missing",
      "approve-design-history.jsonl",
      "Changes were asked for, but there is no history",
      {
        fix: "Append the answer as one JSON line.",
        rule: "TC-092",
      },
    ),
  ];
}

export function finding(
  code: string,
  file: string,
  message: string,
  how: { readonly fix: string; readonly rule: string; readonly line?: number },
): Finding {
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
