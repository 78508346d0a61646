import { holderKey } from "../../core/state/ousted.ts";
import type { Lease } from "../../core/state/state.ts";
import type { Liveness } from "../../ports/sessions.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import type { Found } from "../engine.ts";

/**
 * Whether the holder of a lease is dead. Its sign of life is a file that anybody can write. If that file dates
 * from before the last reboot, it counts as proof of death only if the journal has nothing newer from that
 * session.
 */
export async function livenessOf(
  parts: Pick<Parts, "sessions" | "journal" | "clock">,
  { family, state }: Found,
  lease: Lease,
): Promise<Liveness> {
  const { session } = lease;
  const alive = await parts.sessions.liveness(holderKey(lease));
  if (alive.kind !== "dead") return alive;
  const booted = Date.parse(parts.clock.now()) - parts.clock.monotonicMs();
  const records = await parts.journal.read(streamOf(family, state.id));
  const last = records.findLast(({ body }) => body["session"] === session)?.at ?? "";
  // Unknown times do not prove death either.
  return Date.parse(last) < booted
    ? alive
    : { kind: "quiet", why: `${alive.why}, it says; but it has acted since` };
}
