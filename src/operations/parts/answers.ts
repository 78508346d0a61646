/** The answers of operations. Everything a surface shows is in the answer; surfaces look nothing up. */
import type { Act, Refusal, Remedy } from "../../core/decide/answer.ts";
import { cite } from "../../core/table/cite.ts";
import type { Event } from "../../core/state/events.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Decision, Lease, Remark, ShownOption, Workflow } from "../../core/state/state.ts";
import { tell } from "../../engine/prove/audit.ts";
import type { Found } from "../../engine/engine.ts";
import type { Accepted, Commit, Failed, Outcome, Pending } from "../../engine/outcome.ts";
import type { Order, ToldLine } from "../../ports/family.ts";
import type { Answer } from "../operation.ts";
import type { Brief } from "./brief.ts";

/** Where a workflow stands, and its open questions. */
export interface Standing {
  readonly workflow: string;
  readonly protocol: string;
  /** In the words of its files. */
  readonly state: string;
  /** In everyday words. */
  readonly headline: string;
  readonly seq: number;
  readonly held: readonly Held[];
}

export interface Held {
  readonly id: string;
  readonly question: string;
  readonly prompt: string;
  readonly nonce: string;
  readonly askedAt: string;
  readonly about: JsonObject;
  readonly options: readonly (ShownOption & { readonly number: number })[];
}

/** An accepted command: what came of it, and what is still pending. */
export interface Taken extends Answer, Standing, Brief {
  readonly events: readonly string[];
  readonly notes: readonly Remark[];
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  readonly pending: readonly Pending[];
  /** Its effects that cannot be done. */
  readonly refusals?: readonly Refusal[];
  /** Answers as they were recorded, so that a mistyped number is noticed at once. */
  readonly settled?: readonly SettledAnswer[];
  readonly vouched?: readonly string[];
  /** The notes, in the words of the protocol. */
  readonly remarks?: readonly ToldLine[];
  readonly closing?: Closing;
  readonly order?: OrderAnswer;
  /** If one call sent out several. */
  readonly orders?: readonly OrderAnswer[];
  readonly lease?: Lease | null;
  readonly gate?: readonly string[];
}

export interface SettledAnswer {
  readonly decision: string;
  readonly status: string;
  readonly said: string;
  readonly by: string;
}

export interface Closing {
  readonly message: string;
  readonly fix: Remedy;
}

/** An order to an agent: four members that every protocol has, and its own. */
export type OrderAnswer = JsonObject & {
  readonly dispatch: string;
  readonly role: string;
  /** The agent's name in clients, if it differs from the role's. */
  readonly agent?: string;
  readonly prompt: string;
  readonly files: readonly string[];
};

export interface RefusedAnswer extends Answer, Partial<Standing> {
  readonly ok: false;
  readonly refusals: readonly Refusal[];
  readonly closing?: Closing;
  readonly lease?: Lease | null;
  readonly gate?: readonly string[];
  readonly warnings?: readonly string[];
}

/** The input makes no sense (`usage`), or the program or the machine failed. */
export interface FailedAnswer extends Answer {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string; readonly fix: Remedy };
  readonly refusals?: readonly Refusal[];
  /** What may have been meant. */
  readonly choices?: readonly Act[];
  readonly shown?: readonly string[];
}

export type Answered<T extends Answer> = T | RefusedAnswer | FailedAnswer;

/** The answer for the outcome of a command. */
export function answerTo(
  outcome: Outcome,
  { family }: Pick<Found, "family">,
  extra: Pick<Taken, "order" | "lease" | "gate" | keyof Brief> = {},
): Answered<Taken> {
  if (outcome.kind === "failed") return failedAnswer(outcome);
  const { order, ...rest } = extra;
  if (outcome.kind === "refused") {
    const { refusals, warnings } = outcome;
    return { ...refusedAnswer(refusals), ...(warnings === undefined ? {} : { warnings }), ...rest };
  }
  const { state } = outcome;
  const { closing } = family.words.describe(state);
  const failed = (outcome.failed ?? []).map(({ code, message, fix }) => ({
    code,
    message,
    fix,
    rule: family.protocol.name,
  }));
  return {
    ok: outcome.pending.length === 0 && failed.length === 0,
    ...standingOf({ family, state }),
    events: outcome.events.map((event) => event.type),
    notes: outcome.notes,
    warnings: outcome.warnings,
    commits: outcome.commits,
    pending: outcome.pending.map(pendingAnswer),
    ...(failed.length === 0 ? {} : { refusals: failed }),
    ...recorded(outcome),
    ...(outcome.notes.length === 0 ? {} : { remarks: family.words.remarks(outcome.notes) }),
    ...(closing === undefined ? {} : { closing }),
    ...(order === undefined ? {} : { order }),
    ...rest,
  };
}

/** Copies only these four members; the engine's entry may have more. */
export function pendingAnswer({ effect, code, message, fix }: Pending): Pending {
  return { effect, code, message, fix };
}

export function standingOf({ family, state }: Found): Standing {
  const { headline, state: at } = family.words.describe(state);
  return {
    workflow: state.id,
    protocol: family.protocol.name,
    state: at,
    headline,
    seq: state.seq,
    held: openDecisions(state).map(heldOf),
  };
}

/**
 * For an operation that stands for a step. If a proof is missing, the remedy repeats the operation as it was
 * called, and not the step.
 */
export function givenAgain(
  answer: Answered<Taken>,
  operation: string,
  input: JsonObject,
): Answered<Taken> {
  if (!("refusals" in answer)) return answer;
  const refusals = answer.refusals.map((refusal) => {
    const { fix } = refusal;
    if (typeof fix === "string" || fix.operation !== "advance") return refusal;
    const { sign } = fix.input;
    const proven = { ...input, ...(sign === true ? { sign } : {}) };
    return { ...refusal, fix: { ...fix, operation, input: proven } };
  });
  return { ...answer, refusals };
}

export function heldOf(decision: Decision): Held {
  const { id, question, prompt, options, nonce, askedAt, about } = decision;
  const numbered = options.map((option, index) => ({ number: index + 1, ...option }));
  return { id, question, prompt, nonce, askedAt, about, options: numbered };
}

export function openDecisions(state: Workflow): readonly Decision[] {
  return Object.values(state.decisions).filter((one) => one.status === "open");
}

export function orderAnswer({ dispatch, role, agent, prompt, files, data }: Order): OrderAnswer {
  return { dispatch, role, ...(agent === undefined ? {} : { agent }), prompt, files, ...data };
}

function recorded({ events }: Accepted): Pick<Taken, "settled" | "vouched"> {
  const settled = events.flatMap((event) =>
    event.type === "decision.settled" ? [settledAnswer(event)] : [],
  );
  const vouched = [...events.filter(isVouched).map(tell), ...events.flatMap(keptWords)];
  return {
    ...(settled.length === 0 ? {} : { settled }),
    ...(vouched.length === 0 ? {} : { vouched }),
  };
}

/** People are told what they vouched for, because it counts under their name. */
function isVouched(event: Event): boolean {
  return event.type === "finding.recorded" && event.by.startsWith("person:");
}

/** Free text leaves a question open. It is confirmed, so that nobody wonders where it went. */
function keptWords(event: Event): readonly string[] {
  return event.type === "note.added" && event.list === "other"
    ? [`${event.tag} stays open; recorded for whoever works next: ${event.text}`]
    : [];
}

/** Read from the record: if the question was asked again meanwhile, it is open under the same id. */
function settledAnswer({
  decision,
  status,
  option,
  text,
  by,
}: Extract<Event, { type: "decision.settled" }>): SettledAnswer {
  const said = status === "answered" ? text.trim() || option : `${option} ${text}`.trim();
  return { decision, status, said, by };
}

export function refusedAnswer(
  refusals: readonly Refusal[],
  standing: Partial<Standing> = {},
): RefusedAnswer {
  return { ok: false, refusals, ...standing };
}

/** A refusal in one workflow, citing the family's own rule for it where there is one. */
export function refusedIn(
  { family: { protocol } }: Pick<Found, "family">,
  refusals: readonly Refusal[],
  standing: Partial<Standing> = {},
): RefusedAnswer {
  return refusedAnswer(
    refusals.map((one) => cite(protocol, one)),
    standing,
  );
}

export function failedAnswer({ code, message, fix }: Omit<Failed, "kind">): FailedAnswer {
  return {
    ok: false,
    error: { code, message, fix },
    refusals: [{ code, message, fix, rule: "core" }],
  };
}

/** The input makes no sense, whatever the workflow. */
export function usage(message: string, fix: Remedy, choices: readonly Act[] = []): FailedAnswer {
  const error = { code: "usage", message, fix };
  return { ok: false, error, ...(choices.length === 0 ? {} : { choices }) };
}
