import type { Event } from "../../../core/state/events.ts";
import type { Refused, Workflow } from "../../../core/state/state.ts";

/** The input of an audit, and how it judges. */

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
  /** Whether the journal's hash chain is intact. False is a gap, whatever else holds. */
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

/** Checks on the path, on releases, on agents, and on what the work left behind. */
type CheckId =
  | `1.${1 | 2 | 3 | 4 | 5 | 6}`
  | `2.${1 | 2 | 3}`
  | `3.${1 | 2 | 3 | 4}`
  | `4.${1 | 2 | 3 | 4 | 5}`;

/** The severity, rule and requirement of each check. */
const CHECKS: Readonly<
  Record<CheckId, readonly [severity: Verdict["severity"], rule: string, says: string]>
> = {
  "1.1": ["critical", "TP-070", "only legal moves"],
  "1.2": ["critical", "TP-058", "the log is one chain"],
  "1.3": ["medium", "TP-062", "moves back say why"],
  "1.4": ["high", "TP-061", "time never runs backwards"],
  "1.5": ["critical", "TP-065", "no record is missing"],
  "1.6": ["high", "TP-203", "all of it is in the journal"],
  "2.1": ["critical", "TP-132", "a person released the plan"],
  "2.2": ["high", "TP-090", "agents start together"],
  "2.3": ["critical", "TP-179", "a person released the commit"],
  "3.1": ["critical", "TP-210", "every invocation ended"],
  "3.2": ["high", "TP-169", "every agent judged the change"],
  "3.3": ["critical", "TP-162", "the coordinator wrote no source"],
  "3.4": ["high", "TP-211", "agents joined properly"],
  "4.1": ["high", "TP-157", "merged work has its commits"],
  "4.2": ["high", "TP-209", "the last build passed"],
  "4.3": ["medium", "TP-196", "nothing wanted is left undone"],
  "4.4": ["medium", "TP-067", "no hand edit was refused"],
  "4.5": ["medium", "TP-212", "no gate was waived"],
};

/** Makes a verdict from a list of problems. */
export function judge(
  check: CheckId,
  wrong: readonly string[],
  evidence: readonly string[] = [],
): Verdict {
  const [severity, rule, says] = CHECKS[check];
  const passed = wrong.length === 0;
  const actual = passed ? "holds" : wrong.join("; ");
  return { check, severity, rule, says, passed, actual, evidence };
}

type Moved = Extract<Event, { type: "unit.moved" }> & { readonly seq: number; readonly by: string };

/** Every change of the task's state, with its record. */
export function movesOf(records: readonly AuditRecord[]): readonly Moved[] {
  return records.flatMap(({ seq, actor, events }) =>
    events.flatMap((event) =>
      event.type === "unit.moved" && event.unit === "." && event.from !== event.to
        ? [{ ...event, seq, by: actor }]
        : [],
    ),
  );
}
