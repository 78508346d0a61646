import type { Refusal } from "../core/decide/answer.ts";
import type { JsonObject } from "../core/values/json.ts";
import type { Candidate } from "../core/decide/next.ts";
import { changedRefusal, isChanged } from "../core/table/definition.ts";
import { ROOT } from "../core/state/state.ts";
import { find, lacks, nextIn, orderFor } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { pickForward, runsChecks } from "../engine/intake/forward.ts";
import { openWorld } from "../engine/parts.ts";
import { nameOf, stepCommand } from "../engine/step.ts";
import type { Choice } from "../ports/family.ts";
import { heldOf, orderAnswer, refusedAnswer, refusedIn, standingOf } from "./parts/answers.ts";
import type { Answered, Closing, Held, OrderAnswer, Standing } from "./parts/answers.ts";
import { briefOf } from "./parts/brief.ts";
import type { Brief } from "./parts/brief.ts";
import { gateOf } from "./parts/gate.ts";
import { LISTED, WARNINGS, list } from "./list.ts";
import type { Listed } from "./list.ts";
import { inputOf, text, values } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import {
  ACT,
  BRIEF,
  CLOSING,
  FLAG,
  HELD,
  NUMBER,
  ORDERED,
  REFUSAL,
  STANDING,
  TEXT,
  TEXTS,
  answers,
  listOf,
  orNull,
  shape,
} from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type NextInput = {
  readonly workflow?: string;
  readonly step?: string;
  readonly unit?: string;
  readonly reason?: string;
  readonly input?: JsonObject;
};

export interface NextSteps extends Answer, Standing, Brief {
  readonly decisions: readonly Held[];
  readonly orders: readonly OrderAnswer[];
  readonly candidates: readonly NextCandidate[];
  /** The step that `advance` takes when none is named. Undefined while a question is open. */
  readonly forward?: NextCandidate;
  /** How the workflow ended, or what stopped it. */
  readonly closing?: Closing;
  /** Every step is refused until a person accepts a changed definition or changed settings. */
  readonly blocked?: Refusal;
}

export interface NextCandidate {
  readonly do: string;
  readonly unit?: string;
  readonly label: string;
  readonly allowed: boolean;
  /** Whether it sends work to somebody. */
  readonly hands: boolean;
  /** Taking it runs checks, so some of what it lacks may be resolved that way. */
  readonly runs?: boolean;
  /** It lacks nothing but those checks. */
  readonly ready?: true;
  readonly refusals: readonly Refusal[];
}

/** One step that was examined but not taken. */
export interface StepChecked extends Answer, Standing {
  readonly do: string;
  readonly refusals?: readonly Refusal[];
  readonly gate?: readonly string[];
}

/** What is running here, and what could be started, from every family that has a list of work. */
export interface Startable extends Listed {
  readonly choices?: readonly Choice[];
}

const CANDIDATE: Schema = shape(
  { do: TEXT, label: TEXT, allowed: FLAG, hands: FLAG, refusals: listOf(REFUSAL) },
  { unit: TEXT, runs: FLAG, ready: FLAG },
);

const CHOICE: Schema = shape({
  next: orNull(TEXT),
  run: listOf({ anyOf: [TEXT, ACT] }),
  counts: { type: "object", additionalProperties: NUMBER },
  checked: listOf(shape({ name: TEXT, verdict: TEXT, why: TEXT })),
});

const NEXT: Schema = answers(
  shape(
    {
      ok: FLAG,
      ...STANDING,
      decisions: listOf(HELD),
      orders: listOf(ORDERED),
      candidates: listOf(CANDIDATE),
    },
    { forward: CANDIDATE, closing: CLOSING, blocked: REFUSAL, ...BRIEF },
  ),
  shape({ ok: FLAG, ...STANDING, do: TEXT }, { refusals: listOf(REFUSAL), gate: TEXTS }),
  shape(LISTED, { ...WARNINGS, choices: listOf(CHOICE) }),
);

export const next: Operation<NextInput, Answered<NextSteps | StepChecked | Startable>> = told({
  name: "next",
  purpose: "What may be done now, and what a step lacks; what could be started",
  input: inputOf<NextInput>({
    required: {},
    optional: {
      workflow: text("which workflow; without it, what could be started"),
      step: text("which step; without it, all of them"),
      unit: text("which phase, task or agent the step is about"),
      reason: text("why; some steps need it"),
      input: values("values the step asks for"),
    },
  }),
  result: NEXT,
  examples: [{ workflow: "TapeDelay" }, { workflow: "add-parser", step: "synthesize" }, {}],
  readOnly: () => true,
  run,
});

async function run(
  context: Context,
  input: NextInput,
): Promise<Answered<NextSteps | StepChecked | Startable>> {
  if (input.workflow === undefined) return await startable(context);
  const found = await find(context.parts, input.workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  return input.step === undefined
    ? await stepsOf(context, found)
    : await checkStep(context, found, input);
}

async function startable(context: Context): Promise<Answered<Startable>> {
  const listed = await list.run(context, {});
  const world = openWorld(context.parts);
  const families = await context.parts.families.all();
  const found = await Promise.all(families.map(async (family) => await family.choice(world)));
  const choices = found.filter((one) => one !== undefined);
  return choices.length === 0 ? listed : { ...listed, choices };
}

async function stepsOf({ parts, caller }: Context, found: Found): Promise<NextSteps> {
  const world = openWorld(parts);
  const { open, candidates } = await nextIn(world, found, caller);
  const out = Object.values(found.state.dispatches).filter((one) => one.status === "open");
  const orders = await Promise.all(out.map((dispatch) => orderFor(parts, found, dispatch)));
  const forward = open.length > 0 ? undefined : pickForward(found, candidates);
  const { closing } = found.family.words.describe(found.state);
  return {
    ok: true,
    ...standingOf(found),
    decisions: open.map(heldOf),
    orders: orders.map(orderAnswer),
    candidates: candidates.map((one) => candidateOf(found, one)),
    ...(forward === undefined ? {} : { forward: candidateOf(found, forward) }),
    ...(closing === undefined ? {} : { closing }),
    ...blockedIn(found),
    ...(await briefOf(parts, found, { advice: true, world })),
  };
}

function blockedIn({ family: { protocol }, state }: Found): Pick<NextSteps, "blocked"> {
  return isChanged(protocol, state) ? { blocked: changedRefusal(protocol, state) } : {};
}

function candidateOf(
  { family, state }: Found,
  { command, label, refusals, ready }: Candidate,
): NextCandidate {
  const runs = refusals.length > 0 && runsChecks(family, state, { command });
  return {
    do: nameOf({ command }),
    ...("unit" in command && command.unit !== ROOT ? { unit: command.unit } : {}),
    label,
    allowed: refusals.length === 0,
    hands: command.type === "dispatch.send",
    ...(runs ? { runs } : {}),
    ...(ready === true ? { ready } : {}),
    refusals,
  };
}

/** Whether one step may be taken now, and what it lacks. Nothing is done. */
async function checkStep(
  { parts, caller }: Context,
  found: Found,
  input: NextInput,
): Promise<Answered<StepChecked>> {
  const stepped = await stepCommand(parts, found, caller, input);
  if (stepped.kind === "refused") return refusedIn(found, stepped.refusals);
  const refusals = await lacks(openWorld(parts), found, caller, stepped.command);
  const step = { ...standingOf(found), do: input.step ?? "" };
  const gate = gateOf(found, stepped.command, refusals);
  return refusals.length === 0
    ? { ok: true, ...step, ...gate }
    : { ok: false, refusals, ...step, ...gate };
}
