import type { Event } from "../../../core/events.ts";
import type { Refused, Workflow } from "../../../core/state.ts";

/** What an audit reads, and how it judges. */

export interface AuditRecord {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly session: string;
  readonly events: readonly Event[];
}

export interface AuditInput {
  readonly state: Workflow;
  readonly records: readonly AuditRecord[];
  readonly refused?: readonly Refused[];
  /** The journal's own chain is whole; false names a gap whatever else holds. */
  readonly chainWhole?: boolean;
}

export interface Verdict {
  readonly check: string;
  readonly severity: "critical" | "high" | "medium";
  readonly rule: string;
  readonly passed: boolean;
  readonly says: string;
  readonly actual: string;
  readonly evidence: readonly string[];
}

export interface Check {
  readonly check: string;
  readonly severity: Verdict["severity"];
  readonly rule: string;
  readonly says: string;
}

/** A verdict from the list of what is wrong. */
export function judge(
  check: Check,
  wrong: readonly string[],
  evidence: readonly string[] = [],
): Verdict {
  const passed = wrong.length === 0;
  return { ...check, passed, actual: passed ? "holds" : wrong.join("; "), evidence };
}

type Moved = Extract<Event, { type: "unit.moved" }> & { readonly seq: number; readonly by: string };

/** Every change of the task's own state, with the record it is in. */
export function movesOf(records: readonly AuditRecord[]): readonly Moved[] {
  return records.flatMap(({ seq, actor, events }) =>
    events.flatMap((event) =>
      event.type === "unit.moved" && event.unit === "." && event.from !== event.to
        ? [{ ...event, seq, by: actor }]
        : [],
    ),
  );
}
