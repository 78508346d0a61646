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
 *   C  commit-tree (same id each time), update-ref from the parent ──lost──► again, from the top
 *
 * I before C on purpose: dying between them leaves our files staged, which is harmless; the other
 * order leaves their reversal staged, and the user's next commit undoes the savepoint.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Committed, MergeView, Savepoint } from "../../../ports/git.ts";
import { compareTrees } from "../entries.ts";
import { findTrailer } from "../find.ts";
import { checkUnfinished, readCommit, readHeadRef, readTree } from "../head.ts";
import { updateIndex } from "../index.ts";
import { addTrailer } from "../message.ts";
import type { Repository } from "../place.ts";
import { rebuildOn, type Rebuild } from "./rebuild.ts";
import { branchGone, gitFailed, otherBranch, refBusy } from "../refusal.ts";
import type { Refusal } from "../refusal.ts";
import { moveRef, writeCommit } from "../ref.ts";

export async function commitSavepoint(
  repo: Repository,
  savepoint: Savepoint,
  recordHash: string,
  merge?: MergeView,
): Promise<Committed> {
  const wanted = { ...savepoint, message: addTrailer(savepoint.message, recordHash) };
  try {
    // What the savepoint changes, with modes, from the objects themselves.
    const ours = await compareTrees(repo, savepoint.base, savepoint.tree);
    const staged = new Set(Object.values(savepoint.blobs));
    for (let tried = 0; tried < COMMIT_TRIES_MAX; tried++) {
      const outcome = await commitOnce(repo, { wanted, ours, merge, recordHash, staged });
      if (outcome !== "again") return outcome;
      // Random, so that several that lost together do not meet again.
      await pause(Math.random() * PAUSE_MS_MAX * (tried + 1));
    }
    return blocked(refBusy(savepoint.ref, COMMIT_TRIES_MAX));
  } catch (error) {
    return blocked(gitFailed(error));
  }
}

interface Attempt extends Rebuild {
  readonly recordHash: string;
  /** Blobs that this or an earlier try may have put into the user's index. */
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
  if (tip !== "" && tree === (await readTree(repo, tip))) {
    // The user committed our staged files himself before we could: the state is in HEAD.
    const note = `${tip} already has everything the savepoint holds; no commit of its own was needed.`;
    return await committed(repo, tip, [note]);
  }
  const index = await updateIndex(repo, { tip, changes, staged });
  if (index.refusal !== undefined) return blocked(index.refusal);
  repo.onStep("git.commit-tree");
  const commit = await writeCommit(repo, { ...wanted, base: tip, tree });
  if (commit.refusal !== undefined) return blocked(commit.refusal);
  repo.onStep("git.update-ref");
  const moved = await moveRef(repo, { ...wanted, base: tip }, commit.oid);
  if (moved === "lost") return "again";
  if (moved !== "moved") return blocked(moved);
  repo.onStep("git.done");
  return await committed(repo, commit.oid, index.warnings);
}

/** Ours under whatever id it has now: made before a crash, or rebased or amended by the user. */
async function findCommitted(
  repo: Repository,
  { wanted, ours, recordHash }: Attempt,
): Promise<Committed | undefined> {
  const oid = await findTrailer(repo, wanted, recordHash);
  if (oid === undefined) return undefined;
  // A trailer is only text. Whoever amended the content, or typed the trailer himself, is named.
  const differing = await compareTrees(repo, wanted.tree, oid);
  const changed = [...ours.keys()].filter((path) => differing.has(path));
  const note = `${oid} carries the record's trailer, but differs from the savepoint at ${changed.join(", ")}.`;
  return await committed(repo, oid, changed.length === 0 ? [] : [note]);
}

/** Nothing is written onto another branch, nor into the middle of a merge. */
async function checkBranch(
  repo: Repository,
  wanted: Savepoint,
  tip: string,
): Promise<Refusal | undefined> {
  if (tip === "" && wanted.base !== "") return branchGone(wanted.ref, wanted.base);
  const unfinished = await checkUnfinished(repo);
  if (unfinished !== undefined) return unfinished;
  const head = await readHeadRef(repo);
  return head === wanted.ref ? undefined : otherBranch(wanted.ref, head);
}

async function committed(
  repo: Repository,
  oid: string,
  warnings: readonly string[],
): Promise<Committed> {
  const answer = await repo.run(["rev-parse", "--short", oid], { cwd: repo.top });
  const short = answer.code === 0 ? answer.stdout.toString("utf8").trim() : oid.slice(0, 7);
  return { kind: "committed", oid, short, warnings };
}

function blocked(refusal: Refusal): Committed {
  return { kind: "blocked", ...refusal };
}

const COMMIT_TRIES_MAX = 32;
const PAUSE_MS_MAX = 50;
