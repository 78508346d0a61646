import { replay } from "../../core/replay/replay.ts";
import type { Recorded } from "../../core/replay/replay.ts";
import { isJsonArray, isJsonObject, showJson } from "../../core/values/json.ts";
import type { Workflow } from "../../core/state/state.ts";
import { emptyWorkflow, evolveAll } from "../../core/state/evolve.ts";
import type { Family } from "../../ports/family.ts";
import type { JournalRecord, JournalReport, Watch } from "../../ports/journal.ts";
import { eventsOf, idOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { guardsDigest, recordedAs, wrongState } from "./recorded.ts";
import { contradiction, nearWitnesses, unwitnessed } from "./witnesses.ts";
import type { Seen, Witness } from "./witnesses.ts";

/** The result of reading a journal from its first byte. */
export interface Proof {
  readonly chain: JournalReport;
  /** Records that `decide` could not have made, and what is wrong with each. */
  readonly forged: readonly Forged[];
  /** Not wrong but worth knowing: what could not be judged, and clocks that jumped. */
  readonly doubts: readonly string[];
  /** Records that were not judged completely, because another definition or another build decided them. */
  readonly unjudged: ReadonlySet<number>;
  /** The workflow as it follows from the records alone. */
  readonly state: Workflow;
  readonly seen: Seen;
  /** What people said, as far as it was judged. */
  readonly words: readonly Word[];
}

/** A record that may need a person's proof, with the state and the latest date before it. */
export interface Word {
  readonly record: JournalRecord;
  readonly before: Workflow;
  readonly latest: string;
}

export interface Forged {
  readonly seq: number;
  readonly message: string;
}

/** After one forged record nothing fits any more, so only the first ones are reported. */
const FORGED_MAX = 5;

/**
 * Folds a journal from its first byte, compares the result with its snapshot, and replays each record against the
 * table.
 */
export async function prove(
  parts: ProofParts,
  stream: string,
  family: Family | undefined,
): Promise<Proof> {
  const witnesses = await nearWitnesses(parts, stream);
  const judging = judgingOf(parts, family);
  const chain = await parts.journal.verify(stream, judging.see);
  const proof = judging.proof(chain, emptyWorkflow(idOf(stream)));
  const alone = family === undefined ? undefined : await unwitnessed(parts, family, proof.state);
  const doubts = [...proof.doubts, ...(alone === undefined ? [] : [alone])];
  return { ...proof, doubts, chain: checkEnd(chain, proof.seen, witnesses) };
}

export interface Judging {
  readonly see: Watch<Workflow>;
  /** The result; `begun` is the state if there were no records. */
  readonly proof: (chain: JournalReport, begun: Workflow) => Proof;
}

/** Judges records in order, each with the state before it. */
export function judgingOf(parts: Pick<Parts, "sha256">, family: Family | undefined): Judging {
  const seen = { hashes: new Array<string>(), runs: new Set<string>() };
  const forged: Forged[] = [];
  const jumps: string[] = [];
  const tally = { foreign: 0, unguarded: 0, unjudged: new Set<number>() };
  const words: Word[] = [];
  let latest = "";
  let last: { readonly record: JournalRecord; readonly before: Workflow } | undefined;
  return {
    see: (record, before) => {
      if (last !== undefined && last.record.at > record.at) jumps.push(jumpOf(last.record, record));
      last = { record, before };
      seen.hashes[record.seq - 1] = record.hash;
      seen.runs.add(before.startedAt);
      if (isWord(record)) words.push({ record, before, latest });
      if (record.at > latest) latest = record.at;
      if (family === undefined || forged.length >= FORGED_MAX) return;
      const said = replayOne(parts, family, last, tally);
      if (said.length > 0) forged.push({ seq: record.seq, message: said.join("; ") });
    },
    proof: (chain, begun) => {
      const state =
        last === undefined ? begun : evolveAll(last.before, eventsOf(last.record), last.record);
      seen.runs.add(state.startedAt);
      const said = chain.damage === undefined ? forged : [];
      const doubts = [...doubtsOf(tally), ...jumps];
      return { chain, forged: said, doubts, unjudged: tally.unjudged, state, seen, words };
    },
  };
}

function isWord({ body: { actor, events } }: JournalRecord): boolean {
  if (typeof actor === "string" && actor.startsWith("person:")) return true;
  return !isJsonArray(events) || events.some((one) => isJsonObject(one) && one["type"] === GIVEN);
}

const GIVEN = "release.given";

type ProofParts = Pick<Parts, "journal" | "sha256" | "shown" | "refusals">;

/** Checks whether a journal's end is missing. The chain itself cannot show that; witnesses can. */
export function checkEnd(
  chain: JournalReport,
  seen: Seen,
  witnesses: readonly Witness[],
): JournalReport {
  // A journal that does not exist has not lost its end. Files without a journal are judged separately.
  if (chain.damage !== undefined || chain.records === 0) return chain;
  const message = contradiction(seen, witnesses);
  if (message === undefined) return chain;
  return { ...chain, damage: { code: "journal-truncated", offset: 0, line: 0, message } };
}

interface Tally {
  foreign: number;
  unguarded: number;
  readonly unjudged: Set<number>;
}

function replayOne(
  { sha256 }: Pick<Parts, "sha256">,
  { protocol }: Family,
  { record, before }: { readonly record: JournalRecord; readonly before: Workflow },
  tally: Tally,
): readonly string[] {
  const by = record.body["guards"];
  const guarded = by === undefined || by === guardsDigest(protocol, sha256);
  const input = {
    protocol,
    guarded,
    recordedAs: (value: Parameters<typeof recordedAs>[1]) => recordedAs(sha256, value),
  };
  try {
    const { wrong, byTable } = replay(input, before, readRecord(record));
    if (!byTable) tally.foreign += 1;
    else if (!guarded) tally.unguarded += 1;
    if (!byTable || !guarded) tally.unjudged.add(record.seq);
    const odd = Number.isNaN(Date.parse(record.at)) ? [`"${record.at}" is no time`] : [];
    return [...wrong, ...odd, ...wrongState(sha256, record, before)];
  } catch (error) {
    return [`it cannot be replayed: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export function readRecord(record: JournalRecord): Recorded {
  const { id, seq, at, body } = record;
  const { command, actor, agent, session, used } = body;
  return {
    id,
    seq,
    at,
    command: showJson(command),
    actor: showJson(actor),
    ...(typeof agent === "string" ? { agent } : {}),
    session: showJson(session),
    events: eventsOf(record),
    used: isJsonObject(used) ? used : {},
  };
}

function doubtsOf({ foreign, unguarded }: Tally): readonly string[] {
  return [
    ...(foreign === 0
      ? []
      : [`${count(foreign)} made by another definition; only what holds under any was checked`]),
    ...(unguarded === 0
      ? []
      : [
          `${count(unguarded)} decided by another build; the rows were checked, its guards were not`,
        ]),
  ];
}

function count(records: number): string {
  return records === 1 ? "1 record was" : `${records} records were`;
}

/** A remark about times that run backwards. Records are ordered by number, so only a clock was wrong. */
function jumpOf(before: JournalRecord, { seq, at }: JournalRecord): string {
  return `record ${seq} is of ${at}, and record ${before.seq} before it of ${before.at}: a clock was wrong; their order is right`;
}
