import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { object, objects, textIfAny, texts } from "../../../core/values/json-read.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { readApproval } from "./answers.ts";
import { type CheckedJson, checkJson, problem, warning } from "./json-problems.ts";
import { lineOf } from "../../../files/json/source.ts";
import { APPROVE_DESIGN_ID, GATE_OF, REVIEW_STRATEGY_ID, STRATEGIES } from "./names.ts";
import { statusSchema } from "./schemas/status.ts";

/**
 * `status.json`:
 *
 *   { "current_state": "PLAN", "session": "2026-02-17_dark-mode", "assumptions": [],
 *     "user_decisions": [{ "decision_id": "UD-1", "status": "pending", … }],
 *     "retry_counts": { "T-001": { "FIX_REVIEW": 1 } }, "known_issues": [],
 *     "last_ci_result": "unknown", "last_update": "2026-02-17T01:15:39.294Z" }
 *
 * `gate_tracking` and `runtime_flags` may be absent until they are used. Nothing here throws.
 */
export interface SessionStatus {
  readonly currentState: string | undefined;
  readonly session: string | undefined;
  readonly mode: string | undefined;
  readonly assumptions: readonly string[];
  readonly knownIssues: readonly string[];
  readonly decisions: readonly DecisionEntry[];
  /** `none` if the file has no value, at any level. */
  readonly correction: string;
  readonly copilot: boolean | undefined;
  readonly retries: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly lastCi: string | undefined;
  readonly lastUpdate: string | undefined;
  readonly blocker: string | undefined;
  readonly blockedFrom: string | undefined;
  readonly raw: JsonObject;
}

export interface DecisionEntry {
  readonly id: string;
  readonly status: string;
  readonly answer: string | null;
  readonly context: string | undefined;
  readonly raw: JsonObject;
}

export interface ParsedStatus extends Parsed<SessionStatus> {
  /** The line of what a path leads to. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** Codes: `status-unreadable`, `status-field`, `decision-invalid`, `session-mismatch`. */
export function parseStatus(
  text: string,
  expected: { readonly session?: string } = {},
): ParsedStatus {
  const checked = checkJson(text, statusSchema, {
    unreadable: "status-unreadable",
    field: "status-field",
    rule: "TC-059",
    fix: "Make status.json one JSON object again, or let Holdpoint write it anew.",
  });
  const { value } = checked;
  const line = (path: readonly (string | number)[]): number => lineOf(checked.json, path);
  if (!isJsonObject(value)) return { value: undefined, lineOf: line, problems: checked.problems };
  const status = toStatus(value);
  const problems = [
    ...checked.problems,
    ...sessionProblems(checked, status, expected.session),
    ...decisionProblems(checked, status.decisions),
    ...blockerProblems(checked, status),
  ];
  return { value: status, lineOf: line, problems };
}

function toStatus(raw: JsonObject): SessionStatus {
  const gate = member(raw["gate_tracking"], "APPROVE_DESIGN");
  const copilot = member(raw["runtime_flags"], "copilot_instructions_exists");
  return {
    currentState: textIfAny(raw["current_state"]),
    session: textIfAny(raw["session"]),
    mode: textIfAny(raw["mode"]),
    assumptions: texts(raw["assumptions"]),
    knownIssues: texts(raw["known_issues"]),
    decisions: objects(raw["user_decisions"]).map(toEntry),
    correction: textIfAny(member(gate, "correction_status")) ?? "none",
    copilot: typeof copilot === "boolean" ? copilot : undefined,
    retries: toRetries(raw["retry_counts"]),
    lastCi: textIfAny(raw["last_ci_result"]),
    lastUpdate: textIfAny(raw["last_update"]),
    blocker: textIfAny(raw["blocker"]),
    blockedFrom: textIfAny(raw["blocked_from"]),
    raw,
  };
}

function toEntry(raw: JsonObject): DecisionEntry {
  return {
    id: textIfAny(raw["decision_id"]) ?? "",
    status: textIfAny(raw["status"]) ?? "",
    answer: textIfAny(raw["answer"]) ?? null,
    context: textIfAny(raw["state_context"]),
    raw,
  };
}

function toRetries(value: Json | undefined): SessionStatus["retries"] {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).map(([task, loops]): [string, Record<string, number>] => {
    const counts = Object.entries(object(loops)).filter(
      (one): one is [string, number] => typeof one[1] === "number",
    );
    return [task, Object.fromEntries(counts)];
  });
  return Object.fromEntries(entries);
}

function sessionProblems(
  { json }: CheckedJson,
  status: SessionStatus,
  folder: string | undefined,
): readonly Problem[] {
  if (folder === undefined || status.session === undefined || status.session === folder) return [];
  return [
    problem({
      code: "session-mismatch",
      line: lineOf(json, ["session"]),
      message: `session is "${status.session}", but the folder is "${folder}"`,
      fix: `Set session to "${folder}".`,
      rule: "TC-022",
    }),
  ];
}

function blockerProblems({ json }: CheckedJson, status: SessionStatus): readonly Problem[] {
  if (status.currentState !== "BLOCKED" || (status.blocker ?? "") !== "") return [];
  return [
    warning({
      code: "status-field",
      line: lineOf(json, ["current_state"]),
      message: "The session is BLOCKED, and no blocker says why",
      fix: "Name the reason in blocker, and the state it left in blocked_from.",
      rule: "TC-180",
    }),
  ];
}

function decisionProblems(
  { json }: CheckedJson,
  entries: readonly DecisionEntry[],
): readonly Problem[] {
  const found = entries.flatMap((entry, index) => {
    const line = lineOf(json, ["user_decisions", index]);
    const twice = entries.findIndex((one) => one.id === entry.id) < index;
    return [...(twice ? [TWICE] : []), ...entryMistakes(entry)].map(({ message, fix, rule }) =>
      problem({ code: "decision-invalid", line, message: `${entry.id} ${message}`, fix, rule }),
    );
  });
  return [...found, ...mixedContexts(json, entries)];
}

interface Mistake {
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
}

const TWICE: Mistake = {
  message: "is there twice",
  fix: "An id occurs once; asking again updates its entry.",
  rule: "TC-069",
};

/** Rules for single entries that a schema cannot express. */
function entryMistakes(entry: DecisionEntry): readonly Mistake[] {
  const gate = GATE_OF[entry.id];
  if (gate === undefined) return gateContext(entry);
  return [
    ...(entry.context === undefined || entry.context === gate
      ? []
      : [mistake(`has state_context ${entry.context}`, `A gate's context is ${gate}.`, "TC-082")]),
    ...(entry.status === "skipped"
      ? [mistake("is skipped", "A mandatory question is answered or cancelled.", "TC-099")]
      : []),
    ...(entry.status === "answered" ? answerMistakes(entry) : []),
  ];
}

function gateContext({ context = "" }: DecisionEntry): readonly Mistake[] {
  if (!Object.values(GATE_OF).includes(context)) return [];
  return [
    mistake(
      `has the gate ${context} as state_context`,
      "A gate asks only under its own id.",
      "TC-068",
    ),
  ];
}

function answerMistakes({ id, answer }: DecisionEntry): readonly Mistake[] {
  const said = answer ?? "";
  if (id === REVIEW_STRATEGY_ID && !STRATEGIES.some((one) => one === said))
    return [mistake(`is answered "${said}"`, `Store ${STRATEGIES.join(" or ")}.`, "TC-107")];
  if (id === APPROVE_DESIGN_ID && readApproval(said) === "invalid")
    return [
      mistake(
        `is answered "${said}"`,
        "Only approved or changes-requested: <what> counts; ask again.",
        "TC-091",
      ),
    ];
  return [];
}

function mistake(message: string, fix: string, rule: string): Mistake {
  return { message, fix, rule };
}

/** Reports two pending questions with different ways back from ASK_USER; the latest one counts. */
function mixedContexts(
  json: CheckedJson["json"],
  entries: readonly DecisionEntry[],
): readonly Problem[] {
  const open = entries.filter((one) => one.status === "pending" && GATE_OF[one.id] === undefined);
  const contexts = [...new Set(open.map((one) => one.context ?? ""))];
  if (contexts.length < 2) return [];
  return [
    warning({
      code: "decision-invalid",
      line: lineOf(json, ["user_decisions"]),
      message: `Open questions would return to ${contexts.join(" and ")}`,
      fix: "Questions asked together share one state_context.",
      rule: "TC-112",
    }),
  ];
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
