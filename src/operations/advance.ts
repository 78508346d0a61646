import type { JsonObject } from "../core/values/json.ts";
import { aside } from "../engine/caller.ts";
import { act } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { isHolder } from "../core/decide/lease.ts";
import { holderIn } from "../engine/caller.ts";
import { livenessOf } from "../engine/intake/alive.ts";
import { previousOf } from "../engine/show/holder.ts";
import { stepCommand } from "../engine/step.ts";
import { answerTo, refusedIn, standingOf } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { briefOf } from "./parts/brief.ts";
import { gateOf } from "./parts/gate.ts";
import { freshOrder, openWorkflow, reload, withEdits } from "./parts/open.ts";
import { next } from "./next.ts";
import { flag, inputOf, text, values } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";

export type AdvanceInput = {
  readonly workflow: string;
  readonly step?: string;
  readonly unit?: string;
  readonly reason?: string;
  readonly input?: JsonObject;
  readonly set?: JsonObject;
  readonly take?: boolean;
  readonly far?: boolean;
};

export const advance: Operation<AdvanceInput, Answered<Taken>> = told({
  name: "advance",
  purpose: "Take the next step: hand work to an agent, or move on",
  input: inputOf<AdvanceInput>({
    required: { workflow: text("which workflow") },
    optional: {
      step: text("which step; without it, the one that leads on"),
      unit: text("which phase, task or agent the step is about"),
      reason: text("why; some steps need it"),
      input: values("values the step asks for"),
      set: values("open settings to set first, such as express=true"),
      take: flag("take over from a session that is provably dead; people also from a quiet one"),
      far: flag("go on from there until somebody has to act, and hand out at once what can be"),
    },
  }),
  result: TAKEN,
  examples: [
    { workflow: "TapeDelay" },
    { workflow: "TapeDelay", step: "research" },
    { workflow: "TapeDelay", step: "install" },
    {
      workflow: "TapeDelay",
      step: "improved",
      input: { version: "1.1.0", description: "less noise" },
    },
    { workflow: "TapeDelay", step: "cancel", reason: "the agent hangs" },
    { workflow: "add-parser", far: true },
  ],
  run,
});

async function run(context: Context, input: AdvanceInput): Promise<Answered<Taken>> {
  const first = await takeStep(context, input);
  return input.far === true && "events" in first ? await goFar(context, first) : first;
}

/** How many steps one call takes, in case a table never stops. */
const STEPS_MAX = 32;

/**
 * Takes every step that needs nobody in one call: moves, and work that several agents may do at the same time. It
 * stops where an agent or a person must act, or where the next step lacks something.
 */
export async function goFar(context: Context, first: Taken): Promise<Taken> {
  const done = [first];
  const taken = new Set<string>();
  let last = first;
  while (last.ok && last.held.length === 0 && done.length < STEPS_MAX) {
    const { workflow } = last;
    const ahead = await next.run(context, { workflow });
    const forward = "forward" in ahead ? ahead.forward : undefined;
    // Another process has recorded something; continue from there.
    if ("seq" in ahead && ahead.seq !== last.seq) break;
    if (forward?.allowed !== true || (last.order !== undefined && !forward.hands)) break;
    const { do: step, unit } = forward;
    const again = `${step} ${unit ?? ""} ${forward.hands ? "" : last.state}`;
    if (taken.has(again)) break;
    taken.add(again);
    const answer = await takeStep(context, {
      workflow,
      step,
      ...(unit === undefined ? {} : { unit }),
    });
    if (!("events" in answer)) break;
    done.push(answer);
    last = answer;
  }
  return together(done, last);
}

/** Reports several steps as one: the final state, and everything done on the way. */
function together(done: readonly Taken[], last: Taken): Taken {
  const orders = done.flatMap(({ order }) => order ?? []);
  return {
    ...last,
    events: done.flatMap((one) => one.events),
    notes: done.flatMap((one) => one.notes),
    warnings: [...new Set(done.flatMap((one) => one.warnings))],
    commits: done.flatMap((one) => one.commits),
    ...(orders.length > 1 ? { orders } : {}),
  };
}

async function takeStep(context: Context, input: AdvanceInput): Promise<Answered<Taken>> {
  const { parts, caller } = context;
  const first = await openWorkflow(context, input.workflow, { skip: input.take === true });
  if ("ok" in first) return first;
  const stopped =
    (await takeOver(context, first, input)) ?? (await setValues(context, first, input));
  if (stopped !== undefined) return stopped;
  const changed = input.take === true || input.set !== undefined;
  const now = changed ? await reload(parts, first) : first;
  const found = "ok" in now ? now : await withEdits(context, now);
  if ("ok" in found) return found;
  const stepped = await stepCommand(parts, found, caller, input);
  if (stepped.kind === "refused") {
    const held = stepped.refusals.some((one) => one.code === "held");
    return refusedIn(found, stepped.refusals, held ? standingOf(found) : {});
  }
  const outcome = await act(parts, found, stepped.command, caller);
  if (outcome.kind === "failed") return answerTo(outcome, found);
  const brief =
    outcome.kind === "held"
      ? await briefOf(parts, { ...found, state: outcome.state }, { advice: false })
      : {};
  return answerTo(outcome, found, {
    ...(await freshOrder(parts, found, outcome)),
    ...gateOf(found, stepped.command, outcome.kind === "refused" ? outcome.refusals : []),
    ...brief,
  });
}

/**
 * Takes over another session's lease, or its unfinished effects, if that session is provably dead. The core
 * decides.
 */
async function takeOver(
  { parts, caller }: Context,
  found: Found,
  { take }: AdvanceInput,
): Promise<Answered<Taken> | undefined> {
  const { lease, effects } = found.state;
  const undone = Object.values(effects).some((one) => one.status === "wanted");
  if (take !== true || (lease === null && !undone)) return undefined;
  if (lease !== null && isHolder(lease, holderIn(parts, caller))) return undefined;
  const { kind, why } = lease === null ? UNHELD : await livenessOf(parts, found, lease);
  const previous = previousOf(kind);
  const outcome = await act(parts, found, { type: "lease.take", previous, why }, aside(caller));
  const taken = outcome.kind === "done" || outcome.kind === "held";
  return taken ? undefined : answerTo(outcome, found);
}

const UNHELD = { kind: "unknown", why: "" } as const;

async function setValues(
  { parts, caller }: Context,
  found: Found,
  { set = {} }: AdvanceInput,
): Promise<Answered<Taken> | undefined> {
  for (const [name, value] of Object.entries(set)) {
    const outcome = await act(parts, found, { type: "vars.set", name, value }, aside(caller));
    if (outcome.kind === "refused" || outcome.kind === "failed") return answerTo(outcome, found);
  }
  return undefined;
}
