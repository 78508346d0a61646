import type { Actor } from "../state/commands.ts";
import type { Event, EventType } from "../state/events.ts";
import { evolveAll } from "../state/evolve.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import type { Workflow } from "../state/state.ts";
import type { Causes } from "./causes.ts";

/** One record of a journal, in the form that replaying reads. */
export interface Recorded {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly command: string;
  readonly actor: string;
  /** The agent, as stated by its client. */
  readonly agent?: string;
  readonly session: string;
  readonly events: readonly Event[];
  /** The facts it was decided on: short ones in full, long ones as digests. */
  readonly used: JsonObject;
}

/** What one event of a record is judged by. */
export interface Scene {
  readonly record: Recorded;
  readonly actor: Pick<Actor, "kind" | "name" | "agent">;
  readonly before: Workflow;
  /** The table the record was made by. Without it, only what holds for any table is checked. */
  readonly protocol: Protocol | undefined;
  /** The parts of the table that the record's own events point to. */
  readonly causes: Causes;
  /** Whether the record was decided with the current guards. */
  readonly guarded: boolean;
  /** The form in which a fact is recorded: a long one as its digest. */
  readonly recordedAs: (value: Json) => Json;
  /** The state before this event. */
  readonly now: () => Workflow;
  readonly hasUnit: (unit: string) => boolean;
}

/** Says what is wrong with an event; undefined if nothing is. */
export type Check<T extends EventType> = (
  event: Extract<Event, { type: T }>,
  scene: Scene,
) => string | undefined;

/**
 * The state while going through the events of one record. It is computed only when asked for: a plan may open
 * thousands of units.
 */
export interface Walk {
  readonly now: () => Workflow;
  readonly hasUnit: (unit: string) => boolean;
  readonly step: (event: Event) => void;
}

export function walkFrom(
  before: Workflow,
  stamp: { readonly seq: number; readonly at: string },
): Walk {
  let state = before;
  let pending: Event[] = [];
  const opened = new Map<string, boolean>();
  const now = (): Workflow => {
    state = evolveAll(state, pending, stamp);
    pending = [];
    opened.clear();
    return state;
  };
  return {
    now,
    hasUnit: (unit) => opened.get(unit) ?? Object.hasOwn(state.units, unit),
    step: (event) => {
      pending.push(event);
      if (event.type === "unit.opened") opened.set(event.unit, true);
      else if (event.type === "unit.closed") opened.set(event.unit, false);
      else if (event.type === "workflow.started") now();
    },
  };
}
