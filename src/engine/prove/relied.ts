import type { Refusal } from "../../core/decide/answer.ts";
import type { Event } from "../../core/state/events.ts";
import { asksForProof } from "../../core/state/policy.ts";
import type { Policy } from "../../core/state/policy.ts";
import type { Effect, Workflow } from "../../core/state/state.ts";
import type { Family, PendingEffect } from "../../ports/family.ts";
import { decisionOf, opens } from "../fence/proven.ts";
import type { Deed } from "../fence/proven.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { boundBy } from "../release/policy.ts";
import { trusted } from "./trust.ts";

/**
 * If a policy requires proof of people's words, a journal must be proven before anything is released or done
 * because of it: anybody could have written a line or a snapshot with a correct hash.
 */
export async function unbelieved(
  parts: Parts,
  stream: string,
  {
    policy = [],
    events,
  }: { readonly policy?: readonly Policy[]; readonly events: readonly Deed[] },
): Promise<Refusal | undefined> {
  if (!policy.some(asksForProof) || !events.some(({ type }) => RELIES.includes(type)))
    return undefined;
  // A forged opening of the fence opens nothing, and must not block a real one either.
  const own = events.flatMap((event) => decisionOf(event) ?? []);
  const proof = await trusted(parts, stream, { leaves: (word) => opens(word, own) });
  return "code" in proof ? { ...proof, code: "journal-distrusted", rule: "core" } : undefined;
}

/** The same for an effect that this process did not record itself, because anybody could have written it. */
export async function unbelievedEffect(
  parts: Parts,
  family: Family,
  state: Workflow,
  { id: effect }: Effect,
): Promise<PendingEffect | undefined> {
  const { policy = [] } = await boundBy(parts, family, state);
  const events = [{ type: "effect.wanted" }] as const;
  const odd = await unbelieved(parts, streamOf(family, state.id), { policy, events });
  return odd && { effect, code: odd.code, message: odd.message, fix: odd.fix };
}

const RELIES: readonly Event["type"][] = ["release.given", "decision.settled", "effect.wanted"];
