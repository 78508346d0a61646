/**
 * Merges that claim to be made for a record. Holdpoint names none in a merge, so whoever wrote the trailer copied it or made
 * it up: a record that no journal here has vouches for nothing, however the commit was let by.
 */
import type { CommitFacts } from "../../ports/fence.ts";
import type { Parts } from "../parts.ts";
import { decoded } from "../prove/witnesses.ts";

export interface Claim {
  /** As the trailer names it; empty where none is named. */
  readonly journal: string;
  readonly record: string;
}

/** What a merge says of records, in its last paragraph; nothing for any other commit. */
export function claimsOf({ parents, message }: CommitFacts): readonly Claim[] {
  if (parents.length < 2) return [];
  const last =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  const [, named = ""] = /^Holdpoint-Journal: *(\S*)/im.exec(last) ?? [];
  const records = [...last.matchAll(/^Holdpoint-Record: *(\S*)/gim)].map(([, one = ""]) => one);
  if (records.length === 0 && named === "") return [];
  const journal = decoded(named);
  return records.length === 0
    ? [{ journal, record: "" }]
    : records.map((record) => ({ journal, record }));
}

/** Why what a merge claims cannot be looked up here; undefined where it claims nothing, or a record that is there. */
export async function absentRecord(
  { journal }: Pick<Parts, "journal">,
  commit: CommitFacts,
): Promise<string | undefined> {
  const claims = claimsOf(commit);
  const streams = claims.length === 0 ? [] : await journal.streams();
  // Where there are no journals at all, there is nowhere to look.
  for (const claim of streams.length === 0 ? [] : claims) {
    const records = streams.includes(claim.journal) ? await journal.read(claim.journal) : [];
    if (records.every(({ hash }) => hash !== claim.record)) return tellAbsent(claim);
  }
  return undefined;
}

function tellAbsent({ journal, record }: Claim): string {
  const named = record === "" ? "a record" : `record ${record.slice(0, OID_CHARS)}`;
  const of = journal === "" ? "" : ` of ${journal}`;
  return `it is a merge that names ${named}${of}, and no journal here has that`;
}

const OID_CHARS = 12;
