/** Step I: brings the user's own index up to the savepoint, without touching what he staged. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { compareIndex, sameEntry, writeEntries, type EntryChanges } from "./entries.ts";
import type { Repository } from "./place.ts";
import { indexLocked, type Refusal } from "./refusal.ts";
import { GitFailure } from "./run.ts";

export interface IndexUpdate {
  readonly refusal?: Refusal;
  readonly warnings: readonly string[];
}

export interface Staging {
  readonly tip: string;
  readonly changes: EntryChanges;
  /** Blobs an earlier try of the same savepoint may have left in the index: not the user's. */
  readonly staged: Set<string | null>;
}

export async function updateIndex(repo: Repository, staging: Staging): Promise<IndexUpdate> {
  repo.onStep("git.index");
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    try {
      return await updateOnce(repo, staging);
    } catch (error) {
      if (!isLocked(error)) throw error;
      const refusal = indexLocked(join(repo.gitDir, "index.lock"));
      if (waitedMs >= LOCK_MS_MAX) return { refusal, warnings: [] };
      await pause(LOCK_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/** Read again on every try: whoever held the lock may have staged something of ours. */
async function updateOnce(
  repo: Repository,
  { tip, changes, staged }: Staging,
): Promise<IndexUpdate> {
  const differing = await compareIndex(repo, tip);
  const warnings: string[] = [];
  const wanted = [...changes].filter(([path, { before, after }]) => {
    const entry = differing.get(path);
    if (entry === undefined || sameEntry(entry.after, before)) return true;
    if (entry.after !== undefined && staged.has(entry.after.oid)) return true;
    if (!sameEntry(entry.after, after)) {
      warnings.push(`${path} has changes you staged yourself; they stay staged as they are.`);
    }
    return false;
  });
  const entries = wanted.map(([path, { after }]) => [path, after] as const);
  for (const [, after] of entries) if (after !== undefined) staged.add(after.oid);
  await writeEntries(repo, entries, {});
  return { warnings };
}

function isLocked(error: unknown): boolean {
  return error instanceof GitFailure && /index\.lock.*File exists/.test(error.answer.stderr);
}

const LOCK_MS_MAX = 2_000;
const LOCK_PAUSE_MS = 50;
