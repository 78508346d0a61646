import type { Envelope } from "../state/commands.ts";
import { decide } from "../decide/decide.ts";
import type { Event } from "../state/events.ts";
import { evolve } from "../state/evolve.ts";
import type { Json } from "../values/json.ts";
import type { Workflow } from "../state/state.ts";
import type { Abstract } from "./abstract.ts";
import { settlementsOf } from "./offers.ts";
import type { Offer } from "./offers.ts";

/** What came of one offer. */
export interface Outcome {
  readonly state: Workflow;
  readonly offer: Offer;
  readonly events: readonly Event[];
  readonly exhausts: string | undefined;
}

/**
 * Everything that may come of an offer: one outcome for each combination of its open choices, and one for each
 * budget that may be used up.
 */
export function outcomesOf(abstract: Abstract, state: Workflow, offer: Offer): readonly Outcome[] {
  const outcomes = fallsOf(abstract, state, offer, {}).flatMap((events) =>
    settledOf(abstract, { state: fold(state, events), offer, events, exhausts: undefined }),
  );
  const spent = new Set(
    outcomes.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "budget.spent" ? [event.budget] : [])),
    ),
  );
  const exhausted = [...spent].flatMap((budget) => {
    const used = { ...state, spent: { ...state.spent, [budget]: 1 } };
    return fallsOf(abstract, used, offer, {})
      .filter(
        (events) => !events.some((one) => one.type === "budget.spent" && one.budget === budget),
      )
      .flatMap((events) =>
        settledOf(abstract, { state: fold(used, events), offer, events, exhausts: budget }),
      );
  });
  return [...outcomes, ...exhausted];
}

/** Effects end before anything else happens, so their outcome belongs to the step that wanted them. */
function settledOf(abstract: Abstract, outcome: Outcome): readonly Outcome[] {
  const settlements = settlementsOf(outcome.state, outcome.offer);
  if (settlements.length === 0) return [outcome];
  return settlements.flatMap((offer) =>
    fallsOf(abstract, outcome.state, offer, {}).flatMap((events) =>
      settledOf(abstract, {
        ...outcome,
        offer: { ...outcome.offer, does: offer.does },
        state: fold(outcome.state, events),
        events: [...outcome.events, ...events],
      }),
    ),
  );
}

/** How many choices one step may depend on. */
const CHOICES_MAX = 64;
/** How many combinations of choices are tried for one step. */
const FALLS_MAX = 64;

function fallsOf(
  abstract: Abstract,
  state: Workflow,
  offer: Offer,
  evidence: Readonly<Record<string, Json>>,
): readonly (readonly Event[])[] {
  const envelope: Envelope = { id: "c", at: "", session: "s", actor: offer.actor };
  const answer = decide({
    protocol: abstract.protocol,
    state,
    envelope,
    command: offer.command,
    evidence,
  });
  if (answer.kind === "accepted" || answer.kind === "held")
    return answer.events.length === 0 ? [] : [answer.events];
  if (answer.kind !== "needs" || Object.keys(evidence).length > CHOICES_MAX) return [];
  return assignments(abstract, answer.facts).flatMap((more) =>
    fallsOf(abstract, state, offer, { ...evidence, ...more }),
  );
}

function assignments(
  { choices, guards }: Abstract,
  keys: readonly string[],
): readonly Readonly<Record<string, Json>>[] {
  const checks = keys.filter((key) => guards.has(key));
  const pass = Object.fromEntries(checks.map((key) => [key, true]));
  let all: readonly Record<string, Json>[] = [
    pass,
    ...checks.map((key) => ({ ...pass, [key]: false })),
  ];
  for (const key of keys.filter((one) => !guards.has(one)))
    all = all.flatMap((one) =>
      (choices.get(key) ?? [null]).map((value) => ({ ...one, [key]: value })),
    );
  return all.slice(0, FALLS_MAX);
}

function fold(state: Workflow, events: readonly Event[]): Workflow {
  return events.reduce((now, event) => evolve(now, event, { seq: 1, at: "" }), state);
}

export function hasFailed(events: readonly Event[]): boolean {
  return events.some((one) => one.type === "effect.settled" && one.status === "failed");
}
