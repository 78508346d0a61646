/** Refusals as rows beside the events, a limited number for each stream: see bounds.ts. */
import { StoreProblem } from "../../../ports/problem.ts";
import type { RefusalEntry, Refusals } from "../../../ports/refusals.ts";
import { parseEntry } from "../refusals.ts";
import { REFUSAL_CHARS_MAX } from "./bounds.ts";
import type { Database, Row } from "./database.ts";
import { nameOf } from "./lines.ts";

export function createRefusals(database: Database): Refusals {
  return {
    add: async (entry) => {
      await database.query("SELECT @.note_refusal($1, $2)", [
        nameOf(entry.stream).key,
        short(entry),
      ]);
    },
    read: async (stream) => {
      const rows = await database.query(READ, [nameOf(stream).key]).catch(noneWhileGone);
      return rows.flatMap((row) => parseEntry(String(row["entry"])));
    },
  };
}

const READ = "SELECT entry FROM @.refusals WHERE stream = $1 ORDER BY id";

/**
 * Refusals change no state, so while the server is unreachable there are none; a notice already says that answers
 * come from a copy.
 */
function noneWhileGone(error: unknown): readonly Row[] {
  if (error instanceof StoreProblem && error.gone) return [];
  throw error;
}

/** A report with a thousand mistakes is refused with all of them; only the first ones are stored. */
function short(entry: RefusalEntry): string {
  const text = JSON.stringify(entry);
  if (text.length <= REFUSAL_CHARS_MAX) return text;
  const first = entry.refusals
    .slice(0, 1)
    .map(({ code, rule }) => ({ code, rule, message: "", fix: "" }));
  return JSON.stringify({ ...entry, step: entry.step.slice(0, 1_000), refusals: first });
}
