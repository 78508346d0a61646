import type { JsonObject } from "../values/json.ts";
import type { Protocol, Question } from "../table/protocol.ts";
import type { Decision, Dispatch, Unit, Workflow } from "../state/state.ts";

/**
 * Where a workflow stands, without its history. Two workflows at the same place can do the same things from here
 * on, so each place is explored once.
 */
export interface Place {
  readonly state: Workflow;
  readonly key: string;
}

/** How many levels of nested detours are distinguished. */
const BACK_MAX = 4;

export interface Remembered {
  readonly protocol: Protocol;
  /** Answers that some later guard asks for, as "question option". */
  readonly answers: ReadonlySet<string>;
  readonly vars: readonly string[];
}

export function placeOf(state: Workflow, remembered: Remembered): Place {
  const { protocol, vars } = remembered;
  const units = Object.values(state.units)
    .map(plainUnit)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const decisions = decisionsOf(state, remembered);
  const open = decisions.filter((one) => one.status === "open");
  const dispatches = dispatchesOf(
    state,
    open.some((one) => repeats(protocol.questions[one.question])),
  );
  const effects = Object.values(state.effects)
    .filter((one) => one.status === "wanted")
    .map((effect, index) => ({ ...effect, id: `E-${index + 1}`, detail: {} }));
  const values = vars.map((name) => state.vars[name] ?? null);
  const place: Workflow = {
    ...state,
    seq: 0,
    startedAt: "",
    updatedAt: "",
    vars: Object.fromEntries(vars.map((name, index) => [name, values[index] ?? null])),
    units: Object.fromEntries(units.map((unit) => [unit.id, unit])),
    decisions: Object.fromEntries(decisions.map((one) => [one.id, one])),
    dispatches: Object.fromEntries(dispatches.map((one) => [one.id, one])),
    effects: Object.fromEntries(effects.map((one) => [one.id, one])),
    findings: {},
    seals: {},
    notes: [],
    lease: null,
  };
  const key = JSON.stringify([
    values,
    units.map(({ id, at, back, data }) => [id, at, back, data]),
    decisions.map((one) => [one.question, one.unit, one.status, one.settled?.option, one.about]),
    dispatches.map((one) => [one.spec, one.unit, one.status, one.claim?.["outcome"]]),
    effects.map(({ unit, asks, undo }) => [unit, asks?.question, undo]),
    state.spent,
  ]);
  return { state: place, key };
}

function plainUnit(unit: Unit): Unit {
  return { ...unit, back: unit.back.slice(-BACK_MAX), entered: {} };
}

function decisionsOf(state: Workflow, { protocol, answers }: Remembered): readonly Decision[] {
  const kept = Object.values(state.decisions).filter(
    (one) =>
      one.status === "open" ||
      (one.status === "answered" && answers.has(`${one.question} ${one.settled?.option ?? ""}`)),
  );
  const seen = new Map(kept.map((one) => [nameOf(one), one]));
  return [...seen.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one], index) => ({
      ...one,
      id: (protocol.questions[one.question]?.id ?? "D-#").replace("#", String(index + 1)),
      nonce: "",
      askedAt: "",
      askedSeq: 0,
      about: aboutOf(one),
      settled: one.settled === null ? null : { ...one.settled, text: "", at: "", seq: 0 },
    }));
}

/** Of what a question is about, only the budget matters: an answer may give it back. */
function aboutOf({ about, status }: Decision): JsonObject {
  return status === "open" && about["budget"] !== undefined ? { budget: about["budget"] } : {};
}

function nameOf({ question, unit, status, settled }: Decision): string {
  return [question, unit, status, settled?.option ?? ""].join(" ");
}

/** Work in progress, plus the last finished one where a person may ask for its report again. */
function dispatchesOf(state: Workflow, repeats: boolean): readonly Dispatch[] {
  const all = Object.values(state.dispatches);
  const last = repeats ? all.filter((one) => one.status === "ended").slice(-1) : [];
  return [...last, ...all.filter((one) => one.status !== "ended")].map((one, index) => ({
    ...one,
    id: `W-${index + 1}`,
    sentAt: "",
    sentSeq: 0,
    endedAt: null,
    notes: [],
    claim: one.claim === null ? null : { outcome: one.claim["outcome"] ?? "" },
  }));
}

function repeats(question: Question | undefined): boolean {
  return question?.options.some(({ report }) => report === "repeated") === true;
}
