import type { Actor } from "../state/commands.ts";
import type { Event, EventType } from "../state/events.ts";
import { evolveAll } from "../state/evolve.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import type { Workflow } from "../state/state.ts";
import type { Causes } from "./causes.ts";

/** One record of a journal as replaying reads it. */
export interface Recorded {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly command: string;
  readonly actor: string;
  /** The agent that its client vouched for. */
  readonly agent?: string;
  readonly session: string;
  readonly events: readonly Event[];
  /** The facts it was decided on: short ones as they are, long ones by their digest. */
  readonly used: JsonObject;
}

/** What one event of a record is judged by. */
export interface Scene {
  readonly record: Recorded;
  readonly actor: Pick<Actor, "kind" | "name" | "agent">;
  readonly before: Workflow;
  /** The table the record was made by; without it only what holds under any table is checked. */
  readonly protocol: Protocol | undefined;
  /** What of the table the record's own events point to. */
  readonly causes: Causes;
  /** Whether the guards in force are those that were asked. */
  readonly guarded: boolean;
  /** How a fact reads in a record: a long one by its digest. */
  readonly recordedAs: (value: Json) => Json;
  /** The state before the event that is judged. */
  readonly now: () => Workflow;
  readonly hasUnit: (unit: string) => boolean;
}

/** A sentence about what is wrong with an event, or nothing. */
export type Check<T extends EventType> = (
  event: Extract<Event, { type: T }>,
  scene: Scene,
) => string | undefined;

/** The state as it moves along the events of one record. Folding is put off: a plan opens thousands of units. */
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
