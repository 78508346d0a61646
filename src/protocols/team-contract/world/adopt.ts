import type { Refusal } from "../../../core/decide/answer.ts";
import type { Import, ImportedDecision } from "../../../core/state/commands.ts";
import { showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { readApproval } from "../files/answers.ts";
import { parseHistory } from "../files/history-jsonl.ts";
import { APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID, STATES, STRATEGIES } from "../files/names.ts";
import { sessionPath } from "../files/session-name.ts";
import { type DecisionEntry, type SessionStatus, parseStatus } from "../files/status-json.ts";
import type { Problem } from "../../../files/problem.ts";
import type { Task } from "../files/tasks.ts";
import { parseTasks } from "../files/tasks-yaml.ts";
import { modeOf } from "../files/verify/session.ts";
import type { Adopted, World } from "../../../ports/family.ts";
import { oldLists } from "./adopt-old.ts";
import { baseOf } from "./changes.ts";
import { copilotOf } from "./copilot.ts";
import { sessionFiles } from "./looks.ts";

/**
 * Turns a session that only has files into one with a journal. An approval found in a file does not count,
 * because anybody could have written it: a person gives it again when the next agent needs it. Everything else is
 * kept: other decisions as written, counts, tasks, and which artifacts exist.
 */
export async function adopt(world: World, id: string, options: JsonObject): Promise<Adopted> {
  const names = await sessionFiles(world, id);
  const texts = await Promise.all(
    names.map(async (name): Promise<readonly [string, string][]> => {
      const read = await world.workspace.read(sessionPath(id, name));
      return read.kind === "text" ? [[name, read.text]] : [];
    }),
  );
  const files = new Map(texts.flat());
  const { value: status, problems } = parseStatus(files.get("status.json") ?? "");
  if (status === undefined) return await unknown(world, id, problems);
  const told = STATES.find((one) => one === (options["at"] ?? status.currentState));
  if (told === undefined) return nowhere(status, files);
  const nameless = status.decisions.filter((one) => one.id === "").length;
  if (nameless > 0) return unnamed(nameless, id);
  const mode = modeOf(status, files);
  const parsed = parseTasks(files.get("tasks.yaml") ?? "").value?.tasks ?? [];
  // An entry without an id cannot be tracked; it stays in the file.
  const old = oldLists(status, parsed);
  const tasks = old.tasks.filter(
    ({ id: name }, index) => name !== "" && parsed.findIndex((one) => one.id === name) === index,
  );
  const imported = importOf({ ...status, currentState: told }, mode, tasks);
  const asked = missingHistory(status, files.get("approve-design-history.jsonl") ?? "");
  return {
    kind: "ready",
    import: {
      ...imported,
      notes: asked,
      vars: {
        ...imported.vars,
        base: await adoptedBase(world, imported.at),
        copilot: await copilotOf(world),
        used: workedOn(files, tasks),
        retired: old.keys,
      },
    },
    summary: [
      `${id} at ${imported.at}, ${mode} mode`,
      ...placeRemark(status, imported.at),
      ...old.remarks,
      ...(parsed.length === tasks.length
        ? []
        : [`${parsed.length - tasks.length} of ${parsed.length} tasks have no id of their own`]),
      ...tasks.map((task) => `${task.id} ${statusOf(task)}`),
      ...(imported.decisions ?? []).map((one) => `${one.id} ${one.settled?.status ?? "open"}`),
    ],
    confirm: status.mode === undefined,
  };
}

/**
 * For a session already under way, nobody recorded what it started from. Uncommitted changes, and earlier
 * commits, may be its work, so the Reviewer is told to look for them.
 */
async function adoptedBase(world: World, at: string): Promise<Json> {
  const base = await baseOf(world);
  return ["INTAKE", "INTAKE_LEAN"].includes(at) ? base : { ...base, whole: false };
}

/** Where the session continues if the file says something else. */
function placeRemark({ currentState, raw }: SessionStatus, at: string): readonly string[] {
  const said = currentState ?? showJson(raw["current_state"] ?? "nothing");
  return said === at ? [] : [`status.json says ${said}; it goes on at ${at}`];
}

/** The last request for changes, if it is missing in the history. */
function missingHistory(status: SessionStatus, history: string): Import["notes"] {
  const entry = status.decisions.find((one) => one.id === APPROVE_DESIGN_ID);
  const answer = entry?.status === "answered" ? (entry.answer ?? "") : "";
  if (readApproval(answer) !== "changes-requested") return [];
  if (parseHistory(history).value.some((line) => line["answer"] === answer)) return [];
  const at = showJson(entry?.raw["resolved_at"] ?? entry?.raw["asked_at"] ?? "");
  return [{ list: "design-history", tag: APPROVE_DESIGN_ID, text: answer, at }];
}

/** Which agents have worked: an artifact shows its agent, a finished task Coder and Reviewer. */
function workedOn(files: ReadonlyMap<string, string>, tasks: readonly Task[]): readonly string[] {
  const made: readonly (readonly [string, boolean])[] = [
    ["SpecAgent", files.has("spec.md")],
    ["Architect", files.has("architecture.md")],
    ["Planner", tasks.length > 0],
    ["Coder", tasks.some(({ status }) => ["implemented", "completed"].includes(status))],
    ["Reviewer", tasks.some(({ status }) => status === "completed")],
  ];
  return made.filter(([, is]) => is).map(([agent]) => agent);
}

const WHERE = "Say where it really stands, with --at and one of the states.";

/**
 * The state in the file does not exist. What else the files show is listed, and a person must say where the
 * session stands.
 */
function nowhere(status: SessionStatus, files: ReadonlyMap<string, string>): Adopted {
  const said = showJson(status.raw["current_state"] ?? "nothing");
  return {
    ...refused({
      code: "state-unknown",
      message: `status.json says ${said}, which is no state of a session`,
      fix: WHERE,
      rule: "TC-051",
    }),
    evidence: [
      `status.json: current_state ${said}, last_update ${status.lastUpdate ?? "nothing"}`,
      `the session's files: ${[...files.keys()].toSorted().join(", ")}`,
    ],
    choices: [],
  };
}

/** An entry without an id could not be updated in its place. */
function unnamed(count: number, id: string): Adopted {
  return refused({
    code: "decision-invalid",
    message: `${count === 1 ? "One entry" : `${count} entries`} of user_decisions in ${sessionPath(id, "status.json")} ${count === 1 ? "has" : "have"} no decision_id`,
    fix: "Give each one, such as UD-1, then adopt the session.",
    rule: "TC-086",
  });
}

function refused(refusal: Refusal): Extract<Adopted, { kind: "refused" }> {
  return { kind: "refused", refusals: [refusal] };
}

/** Why there is nothing to adopt: no file, an unreadable one, or one that is not JSON. */
async function unknown(world: World, id: string, problems: readonly Problem[]): Promise<Adopted> {
  const path = sessionPath(id, "status.json");
  const file = await world.workspace.read(path);
  const [first] = problems;
  const said = {
    absent: `${path} does not exist`,
    text: `${path}:${first?.line ?? 1} ${first?.message ?? "is no JSON object"}`,
    unreadable: file.kind === "unreadable" ? file.message : "",
  }[file.kind];
  const start = "or start a new session.";
  const fix = file.kind === "unreadable" ? `${file.fix} Or ${start.slice(3)}` : `Mend it, ${start}`;
  return refused({ code: "workflow-unknown", message: said, fix, rule: "TC-049" });
}

export function importOf(status: SessionStatus, mode: string, tasks: readonly Task[]): Import {
  const { at, back } = placeOf(status);
  const inside = back.at(-1) ?? at;
  return {
    at,
    ...(back.length === 0 ? {} : { back }),
    vars: { mode, ...decided(status), ...blocked(status) },
    units: PLANNED.includes(inside)
      ? tasks.map((task) => ({ id: task.id, kind: "task", at: statusOf(task), data: dataOf(task) }))
      : [],
    notes: [],
    seals: {},
    decisions: status.decisions.flatMap((one) => decisionOf(one)),
    spent: spentOf(status),
    why: "adopted from its files",
    from: { current_state: status.currentState ?? null, last_update: status.lastUpdate ?? null },
  };
}

const PLANNED: readonly string[] = [
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
];

interface Place {
  readonly at: string;
  readonly back: readonly string[];
}

/** A repair restarts with the check that asked for it. ASK_USER is only kept while a question is open. */
function placeOf(status: SessionStatus): Place {
  const at = STATES.find((one) => one === status.currentState) ?? "INTAKE";
  if (at === "BLOCKED") return { at, back: [settled(status.blockedFrom ?? "INTAKE")] };
  if (at !== "ASK_USER") return { at: settled(at), back: [] };
  const latest = status.decisions.findLast((one) => one.context !== undefined)?.context;
  const from = settled(latest ?? "INTAKE");
  const open = status.decisions.some((one) => one.status === "pending" && !isGate(one));
  return open ? { at, back: [from] } : { at: from, back: [] };
}

function settled(at: string): string {
  if (at === "FIX_BUILD") return "INTEGRATE";
  return at.startsWith("FIX_") ? "IMPLEMENT_LOOP" : at;
}

function isGate({ id }: DecisionEntry): boolean {
  return id === APPROVE_DESIGN_ID || id === REVIEW_STRATEGY_ID;
}

const OUTCOMES: Readonly<Record<string, "answered" | "cancelled" | "void">> = {
  answered: "answered",
  cancelled: "cancelled",
  skipped: "void",
};

/**
 * An entry as written in the file. A pending gate is left out, because the gate itself asks about what exists
 * now.
 */
function decisionOf(entry: DecisionEntry): readonly ImportedDecision[] {
  const pending = entry.status === "pending";
  if (entry.id === "" || (isGate(entry) && pending)) return [];
  const security = entry.raw["origin"] === "security";
  const question =
    entry.id === APPROVE_DESIGN_ID
      ? "approve-design"
      : entry.id === REVIEW_STRATEGY_ID
        ? "review-strategy"
        : security
          ? "security-finding"
          : "ad-hoc";
  const option = entry.id === APPROVE_DESIGN_ID ? "" : (entry.answer ?? "");
  const settledAs = {
    status: OUTCOMES[entry.status] ?? "void",
    option,
    text: entry.answer ?? "",
  } as const;
  return [
    {
      id: entry.id,
      question,
      prompt: showJson(entry.raw["question"] ?? ""),
      about: { from: entry.context ?? "INTAKE", entry: entry.raw },
      settled: pending ? null : settledAs,
    },
  ];
}

function spentOf({ retries }: SessionStatus): Readonly<Record<string, number>> {
  const spent = Object.entries(retries).flatMap(([task, loops]) =>
    Object.entries(loops).map(
      ([loop, times]) => [`${loop}/${task}`, Math.min(times, TIMES_MAX)] as const,
    ),
  );
  return Object.fromEntries(spent);
}

/** A loop may be entered three times; a file may claim more. */
const TIMES_MAX = 3;

function decided(status: SessionStatus): JsonObject {
  const answer = (id: string): string =>
    status.decisions.find((one) => one.id === id && one.status === "answered")?.answer ?? "";
  const strategy = STRATEGIES.find((one) => one === answer(REVIEW_STRATEGY_ID)) ?? null;
  const changes = readApproval(answer(APPROVE_DESIGN_ID)) === "changes-requested";
  const correction = changes && status.correction === "none" ? "queued" : status.correction;
  return { strategy, correction, changes: changes ? answer(APPROVE_DESIGN_ID) : "" };
}

function blocked({ currentState, blocker, raw }: SessionStatus): JsonObject {
  if (currentState !== "BLOCKED") return {};
  const detail: Json = raw["blocker_detail"] ?? null;
  return { blocker: blocker ?? null, blocker_detail: detail };
}

const STATUSES: readonly string[] = ["not-started", "in-progress", "implemented", "completed"];

/** A task without a status has not been started. A blocked one can be taken up again. */
function statusOf(task: Task): string {
  if (task.status === "blocked") return "in-progress";
  return STATUSES.includes(task.status) ? task.status : "not-started";
}

function dataOf(task: Task): JsonObject {
  const { title, goal, dependsOn: after, checks, risks } = task;
  return { type: task.type ?? null, title, goal, after, checks, risks };
}
