import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/**
 * A chain cannot see that its own end is gone. Others have seen it: the files that were shown, what was refused since,
 * the commits that were made for a record. Each knows a record's number, and most its hash.
 */
export interface Witness {
  readonly seq: number;
  readonly hash?: string;
  /** Who has seen it, in words. */
  readonly who: string;
  /** When the run began that it belongs to, where it says so: another clone has another journal. */
  readonly run?: string;
}

/** What lies beside the journal. Read before the journal: what is recorded meanwhile must not look like lost. */
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
 * Every step leaves beside the journal what it has shown. Where that is gone and there are state files to be shown, that
 * the journal ends where it ended, and said what it says, rests on its own word.
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

/** What a commit says about the record that wanted it: the journal, when its run began, the record's number. */
export function nameRecord(stream: string, { startedAt, seq }: Workflow): string {
  return `${encodeURIComponent(stream)} ${startedAt} ${seq + 1}`;
}

/** What commits say about these journals, by stream; older commits than the oldest of them are of others. */
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

/** What a reading of the whole journal has seen. */
export interface Seen {
  /** By number; the first is record 1. */
  readonly hashes: readonly string[];
  /** When its runs began. */
  readonly runs: ReadonlySet<string>;
}

/** The first thing that witnesses know and the journal does not, if there is any. */
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
