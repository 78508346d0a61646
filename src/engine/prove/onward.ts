import type { Workflow } from "../../core/state/state.ts";
import { evolveAll } from "../../core/state/evolve.ts";
import type { Family } from "../../ports/family.ts";
import type { Head, JournalRecord } from "../../ports/journal.ts";
import { eventsOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { judgingOf } from "./prove.ts";
import type { Proof } from "./prove.ts";
import { keptState } from "./recorded.ts";
import { contradiction, nearWitnesses } from "./witnesses.ts";

/**
 * Proves a journal from a record on whose hash is known to somebody else. Earlier records are not read, because
 * that record names the state it was decided on. Undefined if that is not possible and the whole journal must be
 * proven.
 */
export async function proveFrom(
  parts: Pick<Parts, "journal" | "blobs" | "sha256" | "shown" | "refusals">,
  stream: string,
  { family, known }: { readonly family: Family; readonly known: Head },
): Promise<Proof | undefined> {
  const witnesses = await nearWitnesses(parts, stream);
  const records = await parts.journal.read(stream, known.seq - 1);
  const { head, damage } = await parts.journal.load(stream);
  const [first, ...later] = records;
  if (damage !== undefined || first?.hash !== known.hash) return undefined;
  if (records.at(-1)?.hash !== head.hash) return undefined;
  const before = await keptState(parts.blobs, first);
  if (before === undefined) return undefined;
  const judging = judgingOf(parts, family);
  let state = after(before, first);
  for (const record of later) {
    judging.see(record, state);
    state = after(state, record);
  }
  const proof = judging.proof({ records: head.seq, void: 0, torn: 0, head }, state);
  const seen = witnesses.filter(({ seq }) => seq > known.seq);
  return contradiction(proof.seen, seen) === undefined ? proof : undefined;
}

function after(state: Workflow, record: JournalRecord): Workflow {
  return evolveAll(state, eventsOf(record), record);
}
