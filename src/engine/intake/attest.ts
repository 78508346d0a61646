import type { Refusal } from "../../core/decide/answer.ts";
import { isFresh } from "../../core/guards/fresh.ts";
import { ROOT } from "../../core/state/state.ts";
import { act, refused } from "../engine.ts";
import type { Caller, Found } from "../engine.ts";
import { lookUp } from "../look/look.ts";
import type { Outcome } from "../outcome.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";

/** Records that a person has looked at something and vouches for it, bound to exactly what is there now. */
export async function attest(
  parts: Parts,
  { family, state }: Found,
  what: string,
  caller: Caller,
): Promise<Outcome> {
  const world = openWorld(parts);
  const found = await family.attest.finding(world, state, what);
  if (found.kind === "refused") return refused(found.refusals, state.id);
  const { name: kind, binds } = found;
  const bound = await lookUp(family, world, state, binds);
  const by = `${caller.actor.kind}:${caller.actor.name}`;
  const outcome = await act(
    parts,
    { family, state },
    { type: "finding.record", unit: ROOT, kind, by, value: "passed", bound },
    caller,
  );
  if (outcome.kind !== "refused") return outcome;
  return { ...outcome, refusals: outcome.refusals.map((one) => inWords(one, kind, what)) };
}

/** Rewrites a remedy to use the words the person typed, instead of the finding's internal name. */
function inWords(refusal: Refusal, kind: string, what: string): Refusal {
  const { fix } = refusal;
  if (typeof fix === "string" || fix.input["what"] !== kind) return refusal;
  return { ...refusal, fix: { ...fix, input: { ...fix.input, what } } };
}

/** Something a person can vouch for, and who already has, if that still counts. */
export interface Vouchable {
  /** Derived from the words, so that an id typed later still means the same entry. */
  readonly id: string;
  readonly what: string;
  readonly by: string | null;
}

const ID_CHARS_MIN = 4;

export async function vouchable(
  parts: Parts,
  { family, state }: Found,
): Promise<readonly Vouchable[]> {
  const world = openWorld(parts);
  const names = await family.attest.listed(world, state);
  const digests = names.map((what) => parts.sha256(what));
  const chars = shortest(digests);
  const rows = names.map(async (what, index): Promise<Vouchable> => {
    const id = (digests[index] ?? "").slice(0, chars);
    const found = await family.attest.finding(world, state, what);
    if (found.kind === "refused") return { id, what, by: null };
    const given = Object.values(state.findings).find((one) => one.kind === found.name);
    const facts = await lookUp(family, world, state, Object.keys(given?.bound ?? {}));
    const counts = given !== undefined && isFresh((key) => facts[key], given.bound);
    return { id, what, by: counts ? given.by : null };
  });
  return await Promise.all(rows);
}

/** The shortest length at which no two of these have the same beginning. */
function shortest(digests: readonly string[]): number {
  let chars = ID_CHARS_MIN;
  while (new Set(digests.map((one) => one.slice(0, chars))).size < new Set(digests).size)
    chars += 1;
  return chars;
}
