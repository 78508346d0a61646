/**
 * The show half of a savepoint. Every step may be repeated, from any point a crash left it at:
 *
 *   look for the trailer ──found──────────────────────────────────────► committed
 *        │ not there
 *        ▼
 *   rebuild on a moved branch ──same paths changed──► blocked (savepoint-conflict)
 *        ▼
 *   I  user's index, our paths only ──lock held──► blocked
 *        ▼
 *   C  commit-tree (same id each time, beside I), update-ref from the parent ──lost──► again, from the top
 *
 * I before C on purpose: dying between them leaves our files staged, which is harmless; the other
 * order leaves their reversal staged, and the user's next commit undoes the savepoint.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Committed, Savepoint, WhenMoved } from "../../../ports/git.ts";
import { compareTrees, readStaged, sameEntry } from "../index/entries.ts";
import { findTrailer } from "../place/find.ts";
import { recallBuilt } from "../run/fixed.ts";
import { findOperation, readCommit, readHeadRef, unresolved } from "../place/head.ts";
import { updateIndex } from "../index/index.ts";
import { addTrailer } from "../objects/message.ts";
import type { Repository } from "../place/place.ts";
import { rebuildOn, type Rebuild } from "./rebuild.ts";
import { branchGone, gitFailed, otherBranch, refBusy } from "../refusal.ts";
import type { Refusal } from "../refusal.ts";
import { moveRef, writeCommit } from "../place/ref.ts";
import { together } from "../run/run.ts";
import { readSettings } from "../run/settings.ts";

export async function commitSavepoint(
  repo: Repository,
  savepoint: Savepoint,
  recordHash: string,
  { merge, aim }: WhenMoved = {},
): Promise<Committed> {
  const message = addTrailer(savepoint.message, recordHash, savepoint.journal);
  try {
    // Signing may have been turned off since, because it failed.
    const sign = savepoint.sign && (await readSettings(repo)).sign;
    const wanted = { ...savepoint, message, sign };
    // What the savepoint changes, with modes, read from the objects themselves.
    const ours = await compareTrees(repo, savepoint.base, savepoint.tree);
    const staged = new Set(Object.values(savepoint.blobs));
    for (let tried = 0; tried < COMMIT_TRIES_MAX; tried++) {
      const outcome = await commitOnce(repo, { wanted, ours, merge, aim, recordHash, staged });
      if (outcome !== "again") return outcome;
      // Random, so that several losers of a race do not collide again.
      await pause(Math.random() * PAUSE_MS_MAX * (tried + 1));
    }
    return blocked(refBusy(savepoint.ref, COMMIT_TRIES_MAX));
  } catch (error) {
    return blocked(gitFailed(error));
  }
}

interface Attempt extends Rebuild {
  readonly aim: WhenMoved["aim"] | undefined;
  readonly recordHash: string;
  /** Blobs that this attempt or an earlier one may have put into the user's index. */
  readonly staged: Set<string | null>;
}

async function commitOnce(repo: Repository, attempt: Attempt): Promise<Committed | "again"> {
  const { wanted, staged } = attempt;
  const tip = (await readCommit(repo, wanted.ref)) ?? "";
  if (tip !== wanted.base) {
    const found = await findCommitted(repo, attempt);
    if (found !== undefined) return found;
  }
  const refusal = await checkBranch(repo, wanted, tip);
  if (refusal !== undefined) return blocked(refusal);
  const rebuilt = await rebuildOn(repo, tip, attempt);
  if ("code" in rebuilt) return blocked(rebuilt);
  const { tree, changes } = rebuilt;
  if ([...changes.values()].every(({ before, after }) => sameEntry(before, after))) {
    // The user has committed our staged files before we could, so HEAD already has the state.
    const note = `${tip} already has everything the savepoint holds; no commit of its own was needed.`;
    return committed(tip, [note]);
  }
  const onTip = { ...wanted, base: tip, tree };
  const isUnheard = recallBuilt(repo, tree) === "unheard";
  const index = updateIndex(repo, { tip, changes, staged, isUnheard });
  const [{ refusal: locked, warnings }, commit] = await together([
    index,
    writeBeside(repo, index, onTip),
  ]);
  if (locked !== undefined) return blocked(locked);
  if (commit.refusal !== undefined) return blocked(commit.refusal);
  const aim = { ref: wanted.ref, from: tip, to: commit.oid };
  // The commit will differ from the one in the record, because it has another parent. The journal must record
  // that first.
  const unsaid = tip === wanted.base ? undefined : await attempt.aim?.(aim);
  if (unsaid !== undefined) return blocked(unsaid);
  repo.onStep("git.update-ref");
  const moved = await moveRef(repo, onTip, commit.oid);
  if (moved === "lost") return "again";
  if (moved !== "moved") return blocked(moved);
  repo.onStep("git.done");
  return committed(commit.oid, warnings);
}

/** A commit object without a reference is invisible, so it need not wait for the index. */
async function writeBeside(
  repo: Repository,
  index: Promise<unknown>,
  savepoint: Savepoint,
): ReturnType<typeof writeCommit> {
  // Signing may ask for a passphrase, which should not be in vain if another git holds the index.
  if (savepoint.sign) await index;
  repo.onStep("git.commit-tree");
  return await writeCommit(repo, savepoint);
}

/** Finds our commit under any id: made before a crash, or rebased or amended by the user. */
async function findCommitted(
  repo: Repository,
  { wanted, ours, recordHash }: Attempt,
): Promise<Committed | undefined> {
  const oid = await findTrailer(repo, wanted, recordHash);
  if (oid === undefined) return undefined;
  // A trailer is only text. If the content differs (amended, or the trailer copied), that is reported.
  const differing = await compareTrees(repo, wanted.tree, oid);
  const changed = [...ours.keys()].filter((path) => differing.has(path));
  const note = `${oid} carries the record's trailer, but differs from the savepoint at ${changed.join(", ")}.`;
  return committed(oid, changed.length === 0 ? [] : [note]);
}

/** Nothing is written to another branch, nor during an unfinished merge. */
async function checkBranch(
  repo: Repository,
  wanted: Savepoint,
  tip: string,
): Promise<Refusal | undefined> {
  if (tip === "" && wanted.base !== "") return branchGone(wanted.ref, wanted.base);
  const operation = findOperation(repo);
  if (operation !== undefined) return operation;
  const head = await readHeadRef(repo);
  if (head !== wanted.ref) return otherBranch(wanted.ref, head);
  return (await readStaged(repo, tip)).isUnmerged ? unresolved() : undefined;
}

/** Seven characters, git's default. Asking whether another object has the same short id would start a process. */
function committed(oid: string, warnings: readonly string[]): Committed {
  return { kind: "committed", oid, short: oid.slice(0, 7), warnings };
}

function blocked(refusal: Refusal): Committed {
  return { kind: "blocked", ...refusal };
}

const COMMIT_TRIES_MAX = 32;
const PAUSE_MS_MAX = 50;
