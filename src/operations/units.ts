import type { Refusal } from "../core/decide/answer.ts";
import { ROOT } from "../core/state/state.ts";
import { member } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import { act, find } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { answerTo, refusedAnswer, refusedIn, usage } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openEdited } from "./parts/open.ts";
import { inputOf, text, values } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, TAKEN_SHAPE, TEXT, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type UnitsInput = {
  readonly workflow: string;
  readonly add?: string;
  readonly kind?: string;
  readonly reason?: string;
  readonly input?: JsonObject;
};

export interface UnitsListed extends Answer {
  readonly workflow: string;
  readonly units: readonly UnitRow[];
}

/** A unit of a workflow with its state, and the work it is doing. */
export interface UnitRow {
  readonly unit: string;
  readonly kind: string;
  readonly at: string;
  readonly working: string | null;
}

const UNITS: Schema = answers(
  TAKEN_SHAPE,
  shape({
    ok: FLAG,
    workflow: TEXT,
    units: listOf(shape({ unit: TEXT, kind: TEXT, at: TEXT, working: orNull(TEXT) })),
  }),
);

export const units: Operation<UnitsInput, Answered<UnitsListed | Taken>> = told({
  name: "units",
  purpose: "The parts of a workflow that have a state of their own, or one more of them",
  input: inputOf<UnitsInput>({
    required: { workflow: text("which workflow") },
    optional: {
      add: text("a unit to add, where its kind has starts"),
      kind: text("of which kind, where several can be added"),
      reason: text("why it is needed; recorded"),
      input: values("what the protocol wants to know about it"),
    },
  }),
  result: UNITS,
  examples: [{ workflow: "handbook" }, { workflow: "handbook", add: "french" }],
  readOnly: ({ add }) => add === undefined,
  run,
});

async function run(context: Context, input: UnitsInput): Promise<Answered<UnitsListed | Taken>> {
  const { workflow, add } = input;
  if (add !== undefined) return await addUnit(context, { ...input, add });
  const found = await find(context.parts, workflow);
  return found.kind === "refused" ? refusedAnswer(found.refusals) : listed(found);
}

/** The same, only for adding a unit. */
export const adding: Operation<UnitsInput, Answered<Taken>> = told({
  ...units,
  run: async (context, { add = "", ...input }) => await addUnit(context, { ...input, add }),
});

export async function addUnit(
  context: Context,
  { workflow, add, kind, reason = "", input = {} }: UnitsInput & { readonly add: string },
): Promise<Answered<Taken>> {
  const found = await openEdited(context, workflow);
  if ("ok" in found) return found;
  const kinds = addable(found);
  const [only, other] = kinds;
  const meant = kind ?? (other === undefined ? only : undefined);
  if (meant === undefined && only !== undefined)
    return usage(`${workflow} has several kinds of units.`, `Say which: ${kinds.join(", ")}.`);
  if (meant === undefined || member(found.family.protocol.kinds, meant) === undefined)
    return refusedIn(found, [nothingAddable(found, add, kind)]);
  const command = { type: "unit.open", kind: meant, unit: add, reason, data: input } as const;
  return answerTo(await act(context.parts, found, command, context.caller), found);
}

/** Kinds of units that can be added by command. Others only come from rows of the table. */
function addable({ family: { protocol } }: Found): readonly string[] {
  return Object.entries(protocol.kinds).flatMap(([kind, { starts = [] }]) =>
    kind !== protocol.root && starts.length > 0 ? [kind] : [],
  );
}

function nothingAddable(found: Found, add: string, kind: string | undefined): Refusal {
  const { name, kinds, root } = found.family.protocol;
  const others = Object.keys(kinds).filter((one) => one !== root);
  const none = others.length === 0 ? `${name} has no units` : `None can be added to ${name}`;
  const message = kind === undefined ? none : `${name} has no kind of unit "${kind}"`;
  const help =
    others.length === 0
      ? "Its table names them under kinds."
      : `It has: ${others.join(", ")}. A kind with starts: [{ from: [...] }] in the table can be added.`;
  return {
    code: "unit-kind",
    message: `${message}: "${add}" was not added`,
    fix: help,
    rule: "core",
  };
}

function listed({ state }: Found): UnitsListed {
  const open = Object.values(state.dispatches).filter((one) => one.status === "open");
  const rows = Object.values(state.units)
    .filter((unit) => unit.id !== ROOT)
    .map(({ id, kind, at }) => ({
      unit: id,
      kind,
      at,
      working: open.find((one) => one.unit === id)?.spec ?? null,
    }));
  return { ok: true, workflow: state.id, units: rows };
}
