/**
 * The first half of a savepoint: builds its tree and runs the hooks. Nothing visible changes, and a refusal here
 * comes before anything is recorded.
 */
import type { Prepared, Savepoint, SavepointPlan } from "../../../ports/git.ts";
import { readTreeFiles } from "../compare/differ.ts";
import { compareTrees, type EntryChanges } from "../index/entries.ts";
import { findOperation, readCommit, readHeadRef, unresolved } from "../place/head.ts";
import { mayHaveHook, runCommitMsg, runPreCommit } from "../run/hooks.ts";
import type { Repository } from "../place/place.ts";
import {
  withEmptyIndex,
  writeTree,
  writeTreeOn,
  type PrivateIndex,
} from "../index/private-index.ts";
import { detached, gitFailed, pathOutside, type Refusal } from "../refusal.ts";
import type { Settings } from "../run/settings.ts";
import { layOut, setViews, type Views } from "../index/views.ts";
import { build, type Built, type Draft } from "./build.ts";
import { judgeSavepoint } from "./judged.ts";
import { judgeWhole } from "./whole.ts";

export async function prepareSavepoint(repo: Repository, plan: SavepointPlan): Promise<Prepared> {
  if (Number.isNaN(Date.parse(plan.at))) throw new RangeError(`Not a time: ${plan.at}`);
  try {
    const refusal = checkPaths(plan) ?? findOperation(repo);
    if (refusal !== undefined) return { kind: "rejected", ...refusal };
    const ref = await readHeadRef(repo);
    if (ref === undefined) return { kind: "rejected", ...detached() };
    const base = plan.base ?? (await readCommit(repo, ref)) ?? "";
    repo.onStep("git.stage");
    return await withEmptyIndex(repo, (index) => buildSavepoint(index, plan, { ref, base }));
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
  const views = layOut(index, plan.views);
  const draft = await build(index, { base, paths: plan.paths, views });
  const { settings } = draft;
  if (draft.isUnmerged) return { kind: "rejected", ...unresolved() };
  if (draft.changes.size === 0) {
    const lacking = await askWhole(repo, plan, draft);
    return lacking === undefined ? { kind: "empty", oid: base } : { kind: "rejected", ...lacking };
  }
  const hooked = await askPreCommit(index, settings, { base, views, staged: draft });
  if ("code" in hooked) return { kind: "rejected", ...hooked };
  const { tree, changes } = hooked;
  const judged = await judgeSavepoint(repo, {
    base,
    views: plan.views,
    staged: draft,
    built: hooked,
  });
  if ("code" in judged) return { kind: "rejected", ...judged };
  const lacking = await askWhole(repo, plan, tree === draft.tree ? draft : hooked);
  if (lacking !== undefined) return { kind: "rejected", ...lacking };
  if (changes.size === 0) return { kind: "empty", oid: base };
  repo.onStep("git.commit-msg");
  const msg = await askCommitMsg(index, settings, plan.message);
  if (msg.refusal !== undefined) return { kind: "rejected", ...msg.refusal };
  const { author, sign } = settings;
  const blobs = blobsOf(changes);
  const journal = plan.journal === undefined ? {} : { journal: plan.journal };
  const made = { ref, base, tree, blobs, message: msg.message, author, at: plan.at, sign };
  const savepoint = { ...made, ...journal };
  const warnings = [...draft.warnings, ...hooked.warnings, ...judged.warnings];
  return { kind: "ready", savepoint, warnings, taken: judged.taken };
}

/** State files count as they will be shown, whatever is in the worktree now. */
async function askWhole(
  repo: Repository,
  { standing = [], views }: SavepointPlan,
  { tree, changes, has }: Built & Pick<Draft, "has">,
): Promise<Refusal | undefined> {
  if (standing.length === 0) return undefined;
  const own = standing.filter((path) => !Object.hasOwn(views, path));
  const files = has === undefined ? await readTreeFiles(repo, tree) : undefined;
  const isThere = has ?? ((path: string) => files?.has(path) === true);
  return await judgeWhole(repo, { tree, changes, standing: own, has: isThere });
}

interface Shown {
  readonly base: string;
  readonly views: Views;
  readonly staged: Built;
}

/**
 * A formatter in a pre-commit hook may rewrite a state file. It is put back, because the commit must contain what
 * the journal says and the worktree will show.
 */
async function askPreCommit(
  index: PrivateIndex,
  settings: Settings,
  { base, views, staged }: Shown,
): Promise<Refusal | (Built & { readonly warnings: readonly string[] })> {
  const { repo } = index;
  repo.onStep("git.pre-commit");
  const isAsked = mayHaveHook(repo, settings, "pre-commit");
  const refusal = isAsked ? await runPreCommit(index) : undefined;
  if (refusal !== undefined) return refusal;
  repo.onStep("git.write-tree");
  const hooked = isAsked ? await writeTree(index) : staged.tree;
  const { tree, changes } = staged;
  if (hooked === tree) return { tree, changes, warnings: [] };
  await setViews(index, views);
  const built = await writeTreeOn(index, base);
  const changed = built.tree === hooked ? new Map() : await compareTrees(repo, hooked, built.tree);
  return { ...built, warnings: [...changed.keys()].map(viewKept) };
}

/** Cleans up the message as `git commit` would have done after running the hook. */
async function askCommitMsg(
  index: PrivateIndex,
  settings: Settings,
  message: string,
): Promise<{ readonly refusal: Refusal | undefined; readonly message: string }> {
  if (mayHaveHook(index.repo, settings, "commit-msg")) return await runCommitMsg(index, message);
  return { refusal: undefined, message: message.endsWith("\n") ? message : `${message}\n` };
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
