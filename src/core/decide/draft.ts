import type { Evidence, Refusal, RunRequest } from "./answer.ts";
import type { Claim, Command, Envelope } from "../state/commands.ts";
import type { Event } from "../state/events.ts";
import { evolveAll } from "../state/evolve.ts";
import { inLine } from "../values/line.ts";
import { isJsonArray, isJsonObject, member, showJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { EffectRow, RuledNeed, NoteRow, Protocol, ValueRef } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { PendingAsk, Remark, Unit, Workflow } from "../state/state.ts";

/**
 * One decision in progress: the events so far, the state they lead to, and every fact read on the way. It lives
 * for one call of `decide` and never leaves it.
 */
export interface Draft {
  readonly protocol: Protocol;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly evidence: Evidence;
  readonly before: Workflow;
  state: Workflow;
  readonly events: Event[];
  readonly used: Record<string, Json>;
  readonly needs: Set<string>;
  /** Keys of the checks that were run for this command. Undefined: ask for no runs. */
  readonly ran: readonly string[] | undefined;
  readonly runs: Map<string, RunRequest>;
  readonly refusals: Refusal[];
  /** Failed guards that lead to a question instead of a refusal. */
  readonly holds: { readonly row: RuledNeed; readonly sentence: string; readonly unit: string }[];
  readonly notes: Remark[];
  readonly effects: { readonly row: EffectRow; readonly unit: string }[];
  asks: PendingAsk | null;
  /** Further questions of the same step, asked together with `asks`. */
  readonly more: PendingAsk[];
  /** Work that a move sends out. */
  readonly sends: (readonly string[])[];
  /** A parked report that an answer has released, to be taken in again. */
  resubmits: string | undefined;
  claim: Claim | undefined;
  dispatch: string | undefined;
  input: JsonObject;
  /** What the question that is being answered was about. */
  about: JsonObject;
}

export interface DraftInput {
  readonly protocol: Protocol;
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly evidence: Evidence;
  readonly ran?: readonly string[];
}

export function beginDraft(input: DraftInput): Draft {
  const { protocol, state, envelope, command, evidence, ran } = input;
  return {
    protocol,
    envelope,
    command,
    evidence,
    before: state,
    state,
    events: [],
    used: {},
    needs: new Set(),
    ran,
    runs: new Map(),
    refusals: [],
    holds: [],
    notes: [],
    effects: [],
    asks: null,
    more: [],
    sends: [],
    resubmits: undefined,
    claim: undefined,
    dispatch: undefined,
    input: {},
    about: {},
  };
}

export function emit(draft: Draft, event: Event): void {
  emitAll(draft, [event]);
}

export function emitAll(draft: Draft, events: readonly Event[]): void {
  for (const event of events) draft.events.push(event);
  const stamp = { seq: draft.before.seq + 1, at: draft.envelope.at };
  draft.state = evolveAll(draft.state, events, stamp);
}

export function refuse(draft: Draft, refusal: Refusal): void {
  draft.refusals.push(refusal);
}

/** Reads a fact. If it was not looked up yet, it is asked for and reads as undefined in this round. */
export function readFact(draft: Draft, key: string): Json | undefined {
  const value = draft.evidence[key];
  if (value === undefined) {
    draft.needs.add(key);
    return undefined;
  }
  draft.used[key] = value;
  return value;
}

/** Writes the notes that a row names. */
export function addNotes(draft: Draft, unit: Unit, notes: readonly NoteRow[] = []): void {
  for (const { list, tag, text } of notes) {
    emit(draft, {
      type: "note.added",
      list,
      tag: fill(draft, unit, tag),
      text: fillNote(draft, unit, text),
    });
  }
}

/** The text of a note. What somebody said is kept word for word. */
function fillNote(draft: Draft, unit: Unit, template: string): string {
  const { state, claim, input, envelope, about } = draft;
  const { session } = envelope;
  return fillText(template, { state, unit, about, claim, input, session, asSaid: true });
}

export function fill(
  draft: Draft,
  unit: Unit,
  template: string,
  about: JsonObject = draft.about,
): string {
  const { state, claim, input, envelope } = draft;
  return fillText(template, { state, unit, about, claim, input, session: envelope.session });
}

export interface Known {
  readonly state: Workflow;
  readonly unit: Pick<Unit, "id" | "data">;
  readonly about?: JsonObject;
  readonly claim?: JsonObject | undefined;
  readonly input?: JsonObject;
  readonly session?: string;
  /**
   * A template that is a single blank keeps the value as it was given, line breaks included. Used for records.
   */
  readonly asSaid?: boolean;
}

/**
 * Fills in a template. A bare name is the workflow's own (`{id}`, `{unit}`, `{lease}`, a variable). Values from
 * elsewhere name their source (`{claim.x}`), so that a report field cannot pose as a variable.
 */
export function fillText(template: string, known: Known): string {
  const { state, unit, about, claim, input, session = "" } = known;
  const sources = { about, claim, input, unit: unit.data };
  return template.replaceAll(BLANK, (blank: string, name: string, part: string | undefined) => {
    const shown = known.asSaid === true && blank === template ? whole : inWords;
    if (part !== undefined) return shown(member(member(sources, name) ?? {}, part));
    if (name === "id") return state.id;
    if (name === "unit") return unit.id;
    if (name === "lease") return state.lease?.session ?? session;
    return shown(member(state.vars, name));
  });
}

/** A blank in a template: `{name}` or `{source.name}`. */
export const BLANK: RegExp = /\{([a-zA-Z]\w*)(?:\.([\w-]+))?\}/g;

/** Sources that a blank with a dot may name. */
export const SOURCES: readonly string[] = ["about", "claim", "input", "unit"];

function inWords(value: Json | undefined): string {
  return inLine(whole(value));
}

function whole(value: Json | undefined): string {
  return value === undefined || value === null ? "" : showJson(value);
}

function includes(list: readonly Json[], value: Json): boolean {
  return list.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

/** Whether a unit's data (and state, for `at`) have the wanted values. */
export function matches(unit: Unit, where: JsonObject): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const value = name === "at" ? unit.at : (unit.data[name] ?? null);
    return isJsonArray(wanted) ? includes(wanted, value) : includes([wanted], value);
  });
}

export function childrenOf(state: Workflow, kind: string): readonly Unit[] {
  return Object.values(state.units).filter((unit) => unit.kind === kind && unit.id !== ROOT);
}

export function resolveValue(draft: Draft, unit: Unit, ref: ValueRef): Json {
  if ("value" in ref) return ref.value;
  if ("claim" in ref) return draft.claim?.[ref.claim] ?? ref.or ?? null;
  if ("input" in ref) return draft.input[ref.input] ?? ref.or ?? null;
  const fact = readFact(draft, fill(draft, unit, ref.fact)) ?? null;
  if (ref.at === undefined) return fact;
  return isJsonObject(fact) ? (fact[ref.at] ?? null) : null;
}
