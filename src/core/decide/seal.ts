import { member } from "../values/json.ts";
import { who } from "./who.ts";
import { emit, fill, readFact } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Move } from "../table/protocol.ts";
import type { Unit } from "../state/state.ts";

/** Applies a row's unseals and seals. A file named in both is sealed again if it has changed. */
export function applySeals(draft: Draft, unit: Unit, row: Move, reason: string): void {
  const seals = (row.seals ?? []).map((one) => fill(draft, unit, one));
  const unseals = (row.unseals ?? []).map((one) => fill(draft, unit, one));
  for (const artifact of unseals)
    if (Object.hasOwn(draft.state.seals, artifact) && !seals.includes(artifact))
      emit(draft, { type: "artifact.unsealed", artifact });
  // A seal is set once. Setting it again with every step would hide what changed in between.
  const open = seals.filter((one) => typeof member(draft.state.seals, one)?.digest !== "string");
  reseal(draft, open, row.id);
  const again = seals.filter((one) => unseals.includes(one));
  reseal(draft, again, reason === "" ? row.id : reason);
}

/**
 * Seals files as they are now, on a person's word. The record says which, who, why and what was sealed before.
 */
export function reseal(draft: Draft, artifacts: readonly string[], why: string): void {
  for (const artifact of artifacts) {
    const now = readFact(draft, `digest:${artifact}`);
    const digest = typeof now === "string" ? now : null;
    const known = member(draft.state.seals, artifact);
    if (known !== undefined && known.digest === digest) continue;
    emit(draft, { type: "artifact.sealed", artifact, digest, by: who(draft), why });
  }
}
