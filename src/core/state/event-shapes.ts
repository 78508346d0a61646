import type { Event, EventType } from "./events.ts";
import { isJsonArray, isJsonObject, member, showJson } from "../values/json.ts";
import type { Json } from "../values/json.ts";

/**
 * The fields of each event type. Anybody can write to a journal file, so an event with an unknown type or a
 * malformed field is reported instead of applied.
 */
type Shape = (value: Json | undefined) => boolean;

const text: Shape = (value) => typeof value === "string";
const texts: Shape = (value) => isJsonArray(value) && value.every(text);
const object: Shape = (value) => isJsonObject(value);
const json: Shape = (value) => value !== undefined;
const oneOf =
  (...values: readonly string[]): Shape =>
  (value) =>
    typeof value === "string" && values.includes(value);
const either =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value));
const none: Shape = (value) => value === null;
const absent: Shape = (value) => value === undefined;
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    isJsonArray(value) && value.every(shape);
const shaped =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isJsonObject(value) &&
    Object.entries(fields).every(([name, shape]) => shape(member(value, name)));

const protocol = shaped({
  name: text,
  version: (value) => typeof value === "number",
  digest: either(text, absent),
});
const remarks = listOf(shaped({ code: text, message: text, rule: text }));
const settled = oneOf("answered", "cancelled", "void");

type Fields<T extends EventType> = {
  readonly [K in Exclude<keyof Extract<Event, { type: T }>, "type">]-?: Shape;
};

const SHAPES: { readonly [T in EventType]: Fields<T> } = {
  "workflow.started": { id: text, protocol, vars: object },
  "unit.opened": { unit: text, kind: text, at: text, data: object },
  "unit.moved": {
    unit: text,
    move: text,
    from: text,
    to: text,
    back: texts,
    reason: text,
  },
  "unit.closed": { unit: text },
  "decision.asked": {
    decision: text,
    question: text,
    unit: text,
    prompt: text,
    options: listOf(shaped({ id: text, label: text })),
    bound: object,
    nonce: text,
    about: object,
  },
  "decision.settled": { decision: text, status: settled, option: text, text, by: text },
  "decision.joined": { decision: text, option: text, text, by: text },
  "policy.agreed": {
    seq: (value) => Number.isInteger(value),
    hash: text,
    basis: shaped({
      from: text,
      policy: shaped({ gates: object }),
      protected: listOf(text),
      signers: text,
      revoked: text,
    }),
  },
  "release.given": {
    nonce: text,
    gate: text,
    hold: text,
    choice: text,
    strength: oneOf("word", "presence", "signed"),
    by: text,
    card: text,
    expires: text,
    key: either(text, absent),
    names: either(listOf(text), absent),
    proof: either(
      shaped({
        strength: oneOf("presence", "signed"),
        statement: text,
        signature: either(text, absent),
        key: either(text, absent),
      }),
      absent,
    ),
  },
  "option.looked": { decision: text, option: text, by: text },
  "answer.kept": { decision: text, text, reason: text, name: text, session: text },
  "answer.dropped": { decision: text, why: text },
  "dispatch.sent": {
    dispatch: text,
    spec: text,
    role: text,
    unit: text,
    session: text,
    baseline: object,
    place: either(text, absent),
  },
  "dispatch.taken": { dispatch: text, agent: either(text, none) },
  "dispatch.parked": { dispatch: text, claim: object },
  "dispatch.ended": {
    dispatch: text,
    outcome: text,
    claim: object,
    measured: either(object, none, absent),
    notes: remarks,
  },
  "work.left": { unit: text, baseline: object, changed: either(object, absent) },
  "finding.recorded": {
    unit: text,
    kind: text,
    by: text,
    value: json,
    bound: object,
    detail: either(object, absent),
  },
  "effect.wanted": {
    effect: text,
    kind: text,
    args: object,
    unit: text,
    asks: either(none, shaped({ question: text, unit: text, about: object })),
    undo: either(
      none,
      shaped({
        units: listOf(shaped({ id: text, at: text, back: texts })),
        vars: object,
        asks: text,
      }),
    ),
    by: either(shaped({ session: text, process: text, place: either(text, absent) }), absent),
  },
  "effect.aimed": { effect: text, aim: shaped({ ref: text, from: text, to: text }) },
  "effect.settled": { effect: text, status: oneOf("done", "failed", "skipped"), detail: object },
  "artifact.sealed": { artifact: text, digest: either(text, none), by: text, why: text },
  "artifact.unsealed": { artifact: text },
  "budget.spent": { budget: text },
  "budget.reset": { budget: text },
  "lease.taken": { session: text, holder: text, place: either(text, absent) },
  "lease.ended": { session: text, why: text, by: either(text, absent) },
  "vars.changed": { vars: object },
  "note.added": { list: text, tag: text, text, at: either(text, absent) },
  warned: { about: text, text },
  "refusal.noted": { at: text, command: text, step: text, by: text, codes: texts },
  "edit.refused": { view: text, blob: text, reasons: remarks },
  "definition.changed": { protocol, by: text, reason: text },
  "workflow.adopted": { from: object, why: text },
};

/**
 * What is wrong with an event from a journal; undefined if nothing. Unknown extra fields are allowed: a newer
 * version may have written them.
 */
export function wrongEvent(event: Json): string | undefined {
  if (!isJsonObject(event)) return "is no event";
  const type = event["type"];
  const shape = typeof type === "string" ? shapeOf(type) : undefined;
  if (shape === undefined) return `is of the unknown type ${JSON.stringify(type ?? null)}`;
  const wrong = Object.entries(shape).find(([name, fits]) => !fits(member(event, name)));
  return wrong === undefined
    ? undefined
    : `(${showJson(type)}) has ${showJson(member(event, wrong[0])).slice(0, 80)} as its ${wrong[0]}`;
}

/** Fields that this version does not know: written by a newer one, or by hand. */
export function strangeFields(event: Event): readonly string[] {
  const shape = shapeOf(event.type) ?? {};
  return Object.keys(event).filter((name) => name !== "type" && !Object.hasOwn(shape, name));
}

function shapeOf(type: string): Readonly<Record<string, Shape>> | undefined {
  return member<Readonly<Record<string, Shape>>>(SHAPES, type);
}
