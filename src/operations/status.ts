import { checksIn, whyNone } from "../core/guards/checked.ts";
import type { Dispatch, Lease } from "../core/state/state.ts";
import { find, inspect } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { lookUp } from "../engine/look/look.ts";
import type { Pending } from "../engine/outcome.ts";
import type { World } from "../ports/family.ts";
import { pendingAnswer, refusedAnswer, standingOf } from "./parts/answers.ts";
import type { Answered, Closing, Standing } from "./parts/answers.ts";
import { briefOf } from "./parts/brief.ts";
import type { Brief } from "./parts/brief.ts";
import { LISTED, WARNINGS, list, settingsWarnings } from "./list.ts";
import type { Listed } from "./list.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { OVERVIEW, overviewOf } from "./parts/overview.ts";
import type { Overview } from "./parts/overview.ts";
import {
  BRIEF,
  CLOSING,
  FLAG,
  LEASE,
  PENDING,
  STANDING,
  TEXT,
  TEXTS,
  answers,
  listOf,
  shape,
} from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type StatusInput = { readonly workflow?: string };

export interface StatusAnswer extends Answer, Standing, Overview, Brief {
  /** The protocol's name for people. */
  readonly title: string;
  readonly finished: boolean;
  readonly closing?: Closing;
  readonly details: Readonly<Record<string, string>>;
  readonly dispatches: readonly OpenDispatch[];
  readonly lease: Lease | null;
  readonly drift: readonly string[];
  readonly pending: readonly Pending[];
  readonly updatedAt: string;
  /** Checks required by its gates that do not run, and why. */
  readonly unchecked?: readonly string[];
  /** Settings that do not count, unusable protocol files. */
  readonly warnings?: readonly string[];
}

export type OpenDispatch = Pick<Dispatch, "id" | "role" | "unit" | "status" | "sentAt" | "session">;

const DISPATCH: Schema = shape({
  id: TEXT,
  role: TEXT,
  unit: TEXT,
  status: { enum: ["open", "parked"] },
  sentAt: TEXT,
  session: TEXT,
});

const STATUS: Schema = answers(
  shape(
    {
      ok: FLAG,
      ...STANDING,
      title: TEXT,
      finished: FLAG,
      details: { type: "object", additionalProperties: TEXT },
      dispatches: listOf(DISPATCH),
      lease: LEASE,
      drift: TEXTS,
      pending: listOf(PENDING),
      updatedAt: TEXT,
      ...OVERVIEW,
    },
    { closing: CLOSING, unchecked: TEXTS, ...WARNINGS, ...BRIEF },
  ),
  shape(LISTED, WARNINGS),
);

export const status: Operation<StatusInput, Answered<StatusAnswer | Listed>> = told({
  name: "status",
  purpose: "Where a workflow stands, who works on it, what is open",
  input: inputOf<StatusInput>({
    required: {},
    optional: { workflow: text("which workflow; without it, all of them") },
  }),
  result: STATUS,
  examples: [{ workflow: "TapeDelay" }, {}],
  readOnly: () => true,
  run,
});

async function run(
  context: Context,
  { workflow }: StatusInput,
): Promise<Answered<StatusAnswer | Listed>> {
  if (workflow === undefined) return await list.run(context, {});
  const found = await find(context.parts, workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const { family, state } = found;
  const { drift, pending, world } = await inspect(context.parts, found, context.caller);
  const { details, finished, closing } = family.words.describe(state);
  return {
    ok: pending.every((one) => one.effect !== "journal"),
    ...standingOf(found),
    title: family.protocol.title,
    finished,
    ...(closing === undefined ? {} : { closing }),
    details: Object.fromEntries(details.map(({ name, value }) => [name, value])),
    dispatches: Object.values(state.dispatches)
      .filter((one) => one.status !== "ended")
      .map(({ id, role, unit, status: at, sentAt, session }) => ({
        id,
        role,
        unit,
        status: at,
        sentAt,
        session,
      })),
    lease: state.lease,
    drift,
    pending: pending.map(pendingAnswer),
    updatedAt: state.updatedAt,
    ...(await overviewOf(context.parts, world, found)),
    ...(await uncheckedIn(world, found)),
    ...(await settingsWarnings(context.parts)),
    ...(await briefOf(context.parts, found, { advice: true, world })),
  };
}

async function uncheckedIn(
  world: World,
  { family, state }: Found,
): Promise<Pick<StatusAnswer, "unchecked">> {
  const names = checksIn(family.protocol);
  const facts = await lookUp(
    family,
    world,
    state,
    names.map((name) => `check:${name}`),
  );
  const unchecked = names.flatMap((name) => {
    const fact = facts[`check:${name}`];
    const why = whyNone(fact);
    if (why !== undefined) return [`${name}: none here (${why})`];
    return fact === false
      ? [`${name} does not run, and the committed configuration does not say why`]
      : [];
  });
  return unchecked.length === 0 ? {} : { unchecked };
}
