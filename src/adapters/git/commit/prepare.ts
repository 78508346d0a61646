/**
 * The look half of a savepoint: builds its tree and asks the hooks. Nothing a person sees changes;
 * a refusal here is a refusal before anything was recorded.
 */
import type { Prepared, Savepoint, SavepointPlan } from "../../../ports/git.ts";
import { compareTrees, type EntryChanges, type TreeEntry } from "../entries.ts";
import { checkUnfinished, readCommit, readHeadRef, readTree } from "../head.ts";
import { runCommitMsg, runPreCommit } from "../hooks.ts";
import { readIdentity } from "../identity.ts";
import type { Repository } from "../place.ts";
import {
  addPaths,
  hashViews,
  setEntries,
  withPrivateIndex,
  writeTree,
  type PrivateIndex,
} from "../private-index.ts";
import { detached, gitFailed, pathOutside, type Refusal } from "../refusal.ts";

export async function prepareSavepoint(repo: Repository, plan: SavepointPlan): Promise<Prepared> {
  if (Number.isNaN(Date.parse(plan.at))) throw new RangeError(`Not a time: ${plan.at}`);
  try {
    const refusal = checkPaths(plan) ?? (await checkUnfinished(repo));
    if (refusal !== undefined) return { kind: "rejected", ...refusal };
    const ref = await readHeadRef(repo);
    if (ref === undefined) return { kind: "rejected", ...detached() };
    const base = plan.base ?? (await readCommit(repo, ref)) ?? "";
    repo.onStep("git.stage");
    return await withPrivateIndex(repo, base, (index) =>
      buildSavepoint(index, plan, { ref, base }),
    );
  } catch (error) {
    return { kind: "rejected", ...gitFailed(error) };
  }
}

async function buildSavepoint(
  index: PrivateIndex,
  plan: SavepointPlan,
  { ref, base }: Pick<Savepoint, "ref" | "base">,
): Promise<Prepared> {
  const { repo } = index;
  const warnings = [...(await addPaths(index, plan.paths))];
  const views = await hashViews(index, plan.views);
  await setEntries(index, views);
  const baseTree = await readTree(repo, base);
  const staged = await writeTree(index);
  if (staged === baseTree) return { kind: "empty", oid: base };
  repo.onStep("git.pre-commit");
  const refusal = await runPreCommit(index);
  if (refusal !== undefined) return { kind: "rejected", ...refusal };
  repo.onStep("git.write-tree");
  const { tree, changed } = await keepViews(index, views, staged);
  warnings.push(...changed.map(viewKept));
  if (tree === baseTree) return { kind: "empty", oid: base };
  repo.onStep("git.commit-msg");
  const msg = await runCommitMsg(index, plan.message);
  if (msg.refusal !== undefined) return { kind: "rejected", ...msg.refusal };
  const [changes, author] = await Promise.all([compareTrees(repo, base, tree), readIdentity(repo)]);
  const blobs = blobsOf(changes);
  const savepoint = { ref, base, tree, blobs, message: msg.message, author, at: plan.at };
  return { kind: "ready", savepoint, warnings };
}

/**
 * A formatter in a pre-commit hook may rewrite a view. The commit must hold what the journal says
 * and what will be shown in the worktree, so ours is put back.
 */
async function keepViews(
  index: PrivateIndex,
  views: ReadonlyMap<string, TreeEntry | undefined>,
  staged: string,
): Promise<{ readonly tree: string; readonly changed: readonly string[] }> {
  const hooked = await writeTree(index);
  if (hooked === staged) return { tree: staged, changed: [] };
  await setEntries(index, views);
  const tree = await writeTree(index);
  const changes = tree === hooked ? new Map() : await compareTrees(index.repo, hooked, tree);
  return { tree, changed: [...changes.keys()] };
}

function viewKept(path: string): string {
  return `The pre-commit hook changed ${path}; the savepoint keeps what Holdpoint shows.`;
}

function blobsOf(changes: EntryChanges): Savepoint["blobs"] {
  return Object.fromEntries([...changes].map(([path, { after }]) => [path, after?.oid ?? null]));
}

function checkPaths(plan: SavepointPlan): Refusal | undefined {
  const wrong = [...plan.paths, ...Object.keys(plan.views)].find((path) => !isInside(path));
  return wrong === undefined ? undefined : pathOutside(wrong);
}

function isInside(path: string): boolean {
  if (path === ".") return true;
  if (path === "" || path.startsWith("/") || path.includes("\0")) return false;
  const parts = path.replace(/\/$/, "").split("/");
  return !parts.some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));
}
