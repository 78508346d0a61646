import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/**
 * A hash chain cannot show that its own end was cut off. Others have seen the end: the files last shown, the
 * refusals since, the commits made for a record. Each of them knows a record's number, and most know its hash.
 */
export interface Witness {
  readonly seq: number;
  readonly hash?: string;
  /** Who has seen it, in words. */
  readonly who: string;
  /** When that run began, if the witness says so. In another clone the journal is another one. */
  readonly run?: string;
}

/**
 * Witnesses stored beside the journal. Read them before the journal: a record added in between must not look like
 * a lost one.
 */
export async function nearWitnesses(
  { shown, refusals }: Pick<Parts, "shown" | "refusals">,
  stream: string,
): Promise<readonly Witness[]> {
  const last = await shown.read(stream);
  const refused = (await refusals.read(stream)).flatMap(({ seq, hash, run }) =>
    seq === undefined || run === undefined
      ? []
      : [{ seq, run, who: "a command was refused", ...(hash === undefined ? {} : { hash }) }],
  );
  return [...(last === undefined ? [] : [{ ...last, who: "the files were written" }]), ...refused];
}

/**
 * Every step stores what it has shown beside the journal. If that is gone although there are state files, nothing
 * but the journal itself supports where it ends.
 */
export async function unwitnessed(
  { shown }: Pick<Parts, "shown">,
  family: Family,
  state: Workflow,
): Promise<string | undefined> {
  if (!(ROOT in state.units) || family.views(state).length === 0) return undefined;
  const last = await shown.read(`${family.protocol.name}:${state.id}`);
  return last === undefined
    ? "nothing beside the journal remembers what it said last: that it is whole rests on its own word"
    : undefined;
}

/** How a commit names its record: the journal, when its run began, and the record's number. */
export function nameRecord(stream: string, { startedAt, seq }: Workflow): string {
  return `${encodeURIComponent(stream)} ${startedAt} ${seq + 1}`;
}

/** What commits say about these journals, by stream. Commits older than the oldest journal are skipped. */
export async function commitWitnesses(
  { git }: Pick<Parts, "git">,
  journals: readonly { readonly seen: Seen }[],
): Promise<ReadonlyMap<string, readonly Witness[]>> {
  const found = new Map<string, Witness[]>();
  const [since] = journals.flatMap(({ seen }) => [...seen.runs].filter((run) => run !== "")).sort();
  if (since === undefined) return found;
  for (const { oid, journal, record } of await git.journaled(since)) {
    const [name = "", run = "", seq = ""] = journal.split(" ");
    const stream = decoded(name);
    const witness = {
      seq: Number(seq),
      hash: record,
      run,
      who: `commit ${oid.slice(0, 7)} was made`,
    };
    if (!Number.isSafeInteger(witness.seq)) continue;
    found.set(stream, [...(found.get(stream) ?? []), witness]);
  }
  return found;
}

export function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** What was seen while reading the whole journal. */
export interface Seen {
  /** The hash of every record; the first is record 1. */
  readonly hashes: readonly string[];
  /** When its runs began. */
  readonly runs: ReadonlySet<string>;
}

/** The first thing that a witness knows and the journal contradicts; undefined if there is none. */
export function contradiction(seen: Seen, witnesses: readonly Witness[]): string | undefined {
  const { hashes, runs } = seen;
  for (const { seq, hash, who, run } of witnesses) {
    if (seq < 1 || (run !== undefined && !runs.has(run))) continue;
    const known = hashes[seq - 1];
    if (known === undefined)
      return `cannot trust the journal's end: it stops after record ${hashes.length}, and ${who} for record ${seq}`;
    if (hash !== undefined && hash !== known)
      return `cannot trust the journal's end: ${who} for another record ${seq} than the one that is there`;
  }
  return undefined;
}
