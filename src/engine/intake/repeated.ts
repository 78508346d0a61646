import type { Event } from "../../core/state/events.ts";
import { emptyWorkflow } from "../../core/state/evolve.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import type { Accepted } from "../outcome.ts";
import { eventsOf, idOf, workflowFold } from "../parts.ts";
import type { Parts } from "../parts.ts";

/**
 * What a recorded command with this id answered; undefined if there is none. A caller that lost the answer to a
 * crash or a broken connection asks again with the same id, and nothing happens twice. Refusals are not recorded:
 * they changed nothing, and the command may be allowed by now.
 */
export async function answeredBefore(
  { journal }: Pick<Parts, "journal">,
  stream: string,
  id: string,
): Promise<Accepted | undefined> {
  for (const one of [id, `${id}${PARKED}`, `${id}${KEPT}`]) {
    const record = await journal.find(stream, one);
    if (record !== undefined) return retell(await journal.read(stream), record, stream);
  }
  return undefined;
}

/** Suffixes of the ids under which a parked report and a kept answer are recorded. */
export const PARKED = ".park";
export const KEPT = ".kept";

function retell(
  records: readonly JournalRecord[],
  { seq }: JournalRecord,
  stream: string,
): Accepted {
  const last = lastOf(records, seq);
  const told = records.filter((one) => one.seq >= seq && one.seq <= last);
  const state = records
    .filter((one) => one.seq <= last)
    .reduce((folded, one) => workflowFold.evolve(folded, one), emptyWorkflow(idOf(stream)));
  const [own] = told;
  const events = own === undefined ? [] : eventsOf(own);
  return {
    kind: isHeld(state) ? "held" : "done",
    state,
    events,
    notes: events.flatMap((event) => (event.type === "dispatch.ended" ? event.notes : [])),
    warnings: [],
    commits: told.flatMap(eventsOf).flatMap(commitOf),
    pending: [],
    repeated: true,
  };
}

/** The last record of a command: its own, or the outcome of the last effect it led to. */
function lastOf(records: readonly JournalRecord[], seq: number): number {
  const wanted = new Set<string>();
  let last = seq;
  for (const record of records.filter((one) => one.seq >= seq)) {
    const events = eventsOf(record);
    const settles = events.some(
      (event) => event.type === "effect.settled" && wanted.delete(event.effect),
    );
    if (record.seq !== seq && !settles) continue;
    last = record.seq;
    for (const event of events) if (event.type === "effect.wanted") wanted.add(event.effect);
    if (wanted.size === 0) break;
  }
  return last;
}

export function isHeld({ decisions }: Workflow): boolean {
  return Object.values(decisions).some((one) => one.status === "open");
}

function commitOf(event: Event): Accepted["commits"] {
  if (event.type !== "effect.settled" || event.status !== "done") return [];
  const { oid } = event.detail;
  return typeof oid === "string" ? [{ oid, short: oid.slice(0, SHORT_CHARS) }] : [];
}

const SHORT_CHARS = 7;
