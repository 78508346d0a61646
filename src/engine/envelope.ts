/** The circumstances of a record: who asked, when, and what it was judged on. */
import type { Actor, Command, Envelope, Proof } from "../core/state/commands.ts";
import type { Event } from "../core/state/events.ts";
import type { Workflow } from "../core/state/state.ts";
import { toJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Family } from "../ports/family.ts";
import type { Parts } from "./parts.ts";
import { guardsDigest, recordedAs } from "./prove/recorded.ts";

interface Asked {
  readonly id: string;
  readonly family: Family;
  readonly command: Command;
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  readonly proof?: Proof;
}

export function envelopeOf({ clock, processes }: Parts, request: Asked, state: Workflow): Envelope {
  const { id, actor, session, fence, proof } = request;
  const now = clock.now();
  // Records are ordered by number. A clock that ran ahead once must not date all later records too, so an earlier
  // time is accepted. Only a clock from before this program was written is certainly wrong.
  const at = now > state.updatedAt || now >= EARLIEST ? now : state.updatedAt;
  const { self: process, place } = processes;
  return {
    id,
    at,
    actor,
    session,
    process,
    ...(place === undefined ? {} : { place }),
    ...(fence === undefined ? {} : { fence }),
    ...(proof === undefined ? {} : { proof }),
  };
}

const EARLIEST = "2025-01-01";

export function bodyOf(
  parts: Parts,
  request: Asked,
  events: readonly Event[],
  used: Readonly<Record<string, Json>>,
): JsonObject {
  return {
    command: request.command.type,
    actor: `${request.actor.kind}:${request.actor.name}`,
    ...(request.actor.agent === undefined ? {} : { agent: request.actor.agent }),
    session: request.session,
    events: toJson(events),
    used: Object.fromEntries(
      Object.entries(used).map(([key, value]) => [key, recordedAs(parts.sha256, value)]),
    ),
    guards: guardsDigest(request.family.protocol, parts.sha256),
  };
}
