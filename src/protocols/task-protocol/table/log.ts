import type { Move } from "../../../core/table/protocol.ts";
import type { Note, Workflow } from "../../../core/state/state.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import { OWN_NAMES } from "./rows.ts";

/**
 * The transition log. Every change of state leaves a note `FROM TO` with its reason, so that the views can be
 * written from the workflow alone. Steps inside a state leave none.
 */
export const LOG = "log";

export interface LogEntry {
  readonly from: string;
  readonly to: string;
  readonly timestamp: string;
  readonly reason: string;
}

/** Makes one row for each starting state, with its note. None accepts inputs with reserved names. */
export function logged(moves: readonly Move[]): readonly Move[] {
  return moves.flatMap((move) =>
    move.from.map((from): Move => {
      const notes =
        from === move.to ? [] : [{ list: LOG, tag: `${from} ${move.to}`, text: "{input.reason}" }];
      return {
        ...move,
        from: [from],
        needs: [OWN_NAMES, ...(move.needs ?? [])],
        notes: [...(move.notes ?? []), ...notes],
      };
    }),
  );
}

/**
 * The moves that are still valid. A step that was undone because its effect failed is left out: the journal has
 * it, but a task's log is one chain of legal moves that ends in its current state.
 */
export function logOf(state: Workflow): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  const backTo = (at: string): void => {
    while (entries.length > 0 && entries.at(-1)?.to !== at) entries.pop();
  };
  for (const note of state.notes.filter((one) => one.list === LOG)) {
    const entry = entryOf(note);
    backTo(entry.from);
    entries.push(entry);
  }
  backTo(rootOf(state).at);
  return entries;
}

/** The beginning of a reason that only says where an adopted task was found. */
export const BY_ADOPTION = "adopted: ";

export function isByAdoption({ reason }: Pick<LogEntry, "reason">): boolean {
  return reason.startsWith(BY_ADOPTION);
}

function entryOf({ tag, text, at }: Note): LogEntry {
  const [from = "", to = ""] = tag.split(" ");
  return { from, to, timestamp: at, reason: text };
}
