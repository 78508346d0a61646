import type { Move } from "../../../core/table/protocol.ts";
import type { Note, Workflow } from "../../../core/state/state.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import { OWN_NAMES } from "./rows.ts";

/**
 * The transition log. Every change of state leaves a note `FROM TO` with its reason, so that the views
 * can be written from the workflow alone; steps inside a state leave none.
 */
export const LOG = "log";

export interface LogEntry {
  readonly from: string;
  readonly to: string;
  readonly timestamp: string;
  readonly reason: string;
}

/** One row per state it starts from, each with its note; and none may be given names that are not its own. */
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
 * The moves that stand. A step that was taken back because its effect could not be done is not among
 * them: the journal has it, but the log of a task is one chain of legal moves that ends where it stands.
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

/** How the reason of an entry begins that only says where an adopted task was found. */
export const BY_ADOPTION = "adopted: ";

export function isByAdoption({ reason }: Pick<LogEntry, "reason">): boolean {
  return reason.startsWith(BY_ADOPTION);
}

function entryOf({ tag, text, at }: Note): LogEntry {
  const [from = "", to = ""] = tag.split(" ");
  return { from, to, timestamp: at, reason: text };
}
