/**
 * Compares all journals with everything that can contradict them: the table, the signatures in them, the commits
 * made for their records, and heads kept by a witness. Whoever adds a line with a correct hash, removes lines or
 * rewrites a journal contradicts one of these.
 */
import type { GitJournaled } from "../../ports/git.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import { absentRecord, claimsOf } from "../fence/merges.ts";
import { isSavepoint } from "../fence/wanted.ts";
import { eventsOf, protocolOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { readSavepoint } from "../show/prepare.ts";
import type { BadRecord, Found, Judged } from "./found.ts";
import { judgeReleases } from "./releases.ts";
import { prove } from "./prove.ts";
import type { Proof } from "./prove.ts";
import { missingJournal } from "./unvouched.ts";
import { decoded } from "./witnesses.ts";

export interface Chains {
  readonly journals: readonly Chain[];
  /** The first bad record of each journal comes first. */
  readonly bad: readonly BadRecord[];
  readonly doubts: readonly string[];
  readonly signatures: number;
  readonly commits: number;
}

export interface Chain {
  readonly journal: string;
  readonly records: number;
  readonly hash: string;
  /** The hash of every record, from number 1 on. */
  readonly hashes: readonly string[];
}

/** Without a name: all journals of this store. */
export async function proveChains(parts: Parts, only?: string): Promise<Chains> {
  const made = await parts.git.journaled("");
  const streams = (await parts.journal.streams()).filter(
    (one) => only === undefined || one === only,
  );
  const facts = await parts.fencing.commits(made.map(({ oid }) => oid));
  const found: Found = { bad: [], doubts: [], signatures: 0, commits: 0 };
  const journals: Chain[] = [];
  for (const stream of streams) {
    const proof = await prove(parts, stream, await parts.families.get(protocolOf(stream)));
    const records = await parts.journal.read(stream);
    judgeProof(stream, proof, found);
    await judgeReleases(parts, { stream, proof }, found);
    judgeCommits({ stream, records, proof }, { made, facts }, found);
    const { hashes } = proof.seen;
    journals.push({ journal: stream, records: hashes.length, hash: hashes.at(-1) ?? "", hashes });
  }
  for (const commit of facts.values()) {
    const absent = await absentRecord(parts, commit);
    const journal = claimsOf(commit)[0]?.journal ?? "";
    if (absent === undefined || (only !== undefined && journal !== only)) continue;
    const message = `commit ${commit.oid.slice(0, 12)}: ${absent}`;
    found.bad.push({ journal, seq: 0, code: "record-absent", message });
  }
  found.bad.push(...goneJournals(only === undefined ? made : [], streams));
  const bad = found.bad.toSorted((a, b) => (a.journal === b.journal ? a.seq - b.seq : 0));
  return { ...found, journals, bad };
}

function judgeProof(journal: string, { chain, forged, doubts }: Proof, found: Found): void {
  const { damage } = chain;
  if (damage !== undefined)
    found.bad.push({
      journal,
      seq: chain.head.seq + 1,
      code: damage.code,
      message: damage.message,
    });
  for (const { seq, message } of forged)
    found.bad.push({ journal, seq, code: "record-forged", message });
  found.doubts.push(...doubts.map((one) => `${journal}: ${one}`));
}

/** Compares each commit with the record it names, and with other commits for the same record. */
function judgeCommits(
  { stream, records, proof }: Judged,
  {
    made,
    facts,
  }: { readonly made: readonly GitJournaled[]; readonly facts: ReadonlyMap<string, CommitFacts> },
  found: Found,
): void {
  const { hashes, runs } = proof.seen;
  for (const { oid, journal, record, here } of made) {
    const [name = "", run = "", number = ""] = journal.split(" ");
    const seq = Number(number);
    if (decoded(name) !== stream || !Number.isSafeInteger(seq) || seq < 1) continue;
    // Another clone may have another journal with that name. A commit made in this clone belongs to the journal
    // here, whatever that says now.
    if (!here && !runs.has(run)) continue;
    found.commits += 1;
    const commit = `commit ${oid.slice(0, 12)}`;
    const bad = (code: string, message: string): void =>
      void found.bad.push({
        journal: stream,
        seq: Math.min(seq, hashes.length + 1),
        code,
        message,
      });
    const known = hashes[seq - 1];
    if (known === undefined)
      bad(
        "journal-truncated",
        `${commit} was made for record ${seq}, and the journal ends at ${hashes.length}`,
      );
    else if (known !== record)
      bad(
        "journal-rewritten",
        `${commit} was made for another record ${seq} than the one that is there`,
      );
    else if (!fits(records[seq - 1], facts.get(oid), records))
      found.doubts.push(
        `${stream}: ${commit} has the trailer of record ${seq}, and is not the commit that it wanted`,
      );
  }
}

/** Whether a commit is what the record wanted, or what a later record says it became. */
function fits(
  record: JournalRecord | undefined,
  commit: CommitFacts | undefined,
  records: readonly JournalRecord[],
): boolean {
  if (record === undefined || commit === undefined) return true;
  return eventsOf(record).some((event) => {
    if (event.type !== "effect.wanted") return false;
    const savepoint = readSavepoint(event.args);
    if (savepoint !== undefined && isSavepoint(savepoint, record.hash, commit)) return true;
    return records.some((later) =>
      eventsOf(later).some(
        (one) =>
          one.type === "effect.aimed" && one.effect === event.effect && one.aim.to === commit.oid,
      ),
    );
  });
}

/** Journals for which this clone has made commits and that are gone. */
function goneJournals(
  made: readonly GitJournaled[],
  streams: readonly string[],
): readonly BadRecord[] {
  const named = new Set(
    made.filter((one) => one.here).map((one) => decoded(one.journal.split(" ")[0] ?? "")),
  );
  return [...named]
    .filter((journal) => !streams.includes(journal))
    .flatMap((journal) =>
      missingJournal(journal, made).map(({ code, message }) => ({
        journal,
        seq: 0,
        code,
        message,
      })),
    );
}

export interface KeptHeads {
  readonly at: string;
  readonly heads: Readonly<Record<string, { readonly seq: number; readonly hash: string }>>;
}

export function againstWitness(
  journals: readonly Chain[],
  kept: readonly KeptHeads[],
): readonly BadRecord[] {
  const bad: BadRecord[] = [];
  const named = new Set<string>();
  for (const { at, heads } of kept)
    for (const [journal, { seq, hash }] of Object.entries(heads)) {
      const hashes = journals.find((one) => one.journal === journal)?.hashes ?? [];
      const known = hashes[seq - 1];
      if (known === hash || named.has(journal)) continue;
      named.add(journal);
      const message =
        known === undefined
          ? `the witness saw record ${seq} at ${at}, and the journal ends at ${hashes.length}`
          : `record ${seq} is not the one that the witness saw at ${at}`;
      const code = known === undefined ? "journal-truncated" : "journal-rewritten";
      bad.push({ journal, seq: known === undefined ? hashes.length + 1 : seq, code, message });
    }
  return bad;
}
