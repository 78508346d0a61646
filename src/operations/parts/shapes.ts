/** The JSON Schemas of the operations' answers, built from shared parts. */
import type { JsonObject } from "../../core/values/json.ts";
import type { Schema } from "../../files/json/schema.ts";

export const TEXT: Schema = { type: "string" };
export const FLAG: Schema = { type: "boolean" };
export const NUMBER: Schema = { type: "integer" };
export const TEXTS: Schema = listOf(TEXT);
export const OPEN: Schema = { type: "object" };
export const ANY: Schema = {};

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

/** An object with exactly these members; those in `optional` may be absent. */
export function shape(required: JsonObject, optional: JsonObject = {}): Schema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

export const ACT: Schema = {
  description: "Something to ask of Holdpoint: an operation and its input",
  ...shape({ operation: TEXT, input: OPEN }, { says: TEXT, by: TEXT }),
};

/** What to do: a sentence, or an operation to call. A surface may put both side by side. */
export const FIX: JsonObject = { fix: { anyOf: [TEXT, ACT] } };
export const REMEDY: JsonObject = { remedy: ACT };
export const REFUSAL: Schema = shape({ code: TEXT, message: TEXT, ...FIX, rule: TEXT }, REMEDY);
export const PENDING: Schema = shape({ effect: TEXT, code: TEXT, message: TEXT, ...FIX }, REMEDY);
export const CLOSING: Schema = shape({ message: TEXT, ...FIX }, REMEDY);
export const NOTE: Schema = shape({ code: TEXT, message: TEXT, rule: TEXT });
export const ADVICE: Schema = shape({
  action: TEXT,
  why: TEXT,
  run: listOf({ anyOf: [TEXT, ACT] }),
});
export const CHOICES: Schema = listOf({ anyOf: [TEXT, ACT] });

export const LEASE: Schema = orNull(
  shape({ session: TEXT, holder: TEXT, fence: NUMBER, takenAt: TEXT }, { place: TEXT }),
);

export const HELD: Schema = shape({
  id: TEXT,
  question: TEXT,
  prompt: TEXT,
  nonce: TEXT,
  askedAt: TEXT,
  about: OPEN,
  options: listOf(
    shape(
      { number: NUMBER, id: TEXT, label: TEXT },
      { word: FLAG, recommended: FLAG, discovery: TEXT },
    ),
  ),
});

export const ORDERED: Schema = {
  type: "object",
  properties: { dispatch: TEXT, role: TEXT, agent: TEXT, prompt: TEXT, files: TEXTS },
  required: ["dispatch", "role", "prompt", "files"],
};

export const STANDING: JsonObject = {
  workflow: TEXT,
  protocol: TEXT,
  state: TEXT,
  headline: TEXT,
  seq: NUMBER,
  held: listOf(HELD),
};

const AGAIN_FILE: Schema = shape({ path: TEXT, change: TEXT }, { added: NUMBER, removed: NUMBER });
export const AGAIN: Schema = shape(
  { decision: TEXT, before: TEXT, files: listOf(AGAIN_FILE), more: NUMBER, said: TEXTS },
  { unknown: TEXT },
);

export const BRIEF: JsonObject = { shown: TEXTS, advice: listOf(ADVICE), again: listOf(AGAIN) };

export const TOLD: Schema = listOf(
  shape({ tone: { enum: ["plain", "warn", "bad", "dim"] }, text: TEXT }),
);

export const REFUSED: Schema = shape(
  { ok: { const: false }, refusals: listOf(REFUSAL) },
  { ...STANDING, do: TEXT, warnings: TEXTS, closing: CLOSING, lease: LEASE, gate: TEXTS },
);

export const FAILED: Schema = shape(
  { ok: { const: false }, error: shape({ code: TEXT, message: TEXT, ...FIX }, REMEDY) },
  { refusals: listOf(REFUSAL), choices: CHOICES, ...BRIEF },
);

/** One of these, or a refusal, or a failure. */
export function answers(...shapes: readonly Schema[]): Schema {
  return { anyOf: [...shapes, REFUSED, FAILED] };
}

export const TAKEN_SHAPE: Schema = shape(
  {
    ok: FLAG,
    ...STANDING,
    events: TEXTS,
    notes: listOf(NOTE),
    warnings: TEXTS,
    commits: listOf(shape({ oid: TEXT, short: TEXT })),
    pending: listOf(PENDING),
  },
  {
    refusals: listOf(REFUSAL),
    settled: listOf(shape({ decision: TEXT, status: TEXT, said: TEXT, by: TEXT })),
    vouched: TEXTS,
    remarks: TOLD,
    closing: CLOSING,
    order: ORDERED,
    orders: listOf(ORDERED),
    lease: LEASE,
    gate: TEXTS,
    ...BRIEF,
  },
);

export const TAKEN: Schema = answers(TAKEN_SHAPE);

/** Parts used in many answers, by their names in the published schemas. */
export const SHARED: Readonly<Record<string, Schema>> = {
  act: ACT,
  refusal: REFUSAL,
  pending: PENDING,
  closing: CLOSING,
  note: NOTE,
  advice: ADVICE,
  again: AGAIN,
  lease: LEASE,
  held: HELD,
  order: ORDERED,
  told: TOLD,
  refused: REFUSED,
  failed: FAILED,
  taken: TAKEN_SHAPE,
};
