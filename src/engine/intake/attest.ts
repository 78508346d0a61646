import { ROOT } from "../../core/state/state.ts";
import { act, refused } from "../engine.ts";
import type { Caller, Found } from "../engine.ts";
import { lookUp } from "../look/look.ts";
import type { Outcome } from "../outcome.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";

/** A person has looked, and says it holds: recorded under their name, for exactly what is there now. */
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
  return await act(
    parts,
    { family, state },
    { type: "finding.record", unit: ROOT, kind, by, value: "passed", bound },
    caller,
  );
}
