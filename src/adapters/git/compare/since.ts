/** What changed during a piece of work: everything between a recorded commit and the files now. */
import { join } from "node:path";
import type { GitDifference } from "../../../ports/git.ts";
import { placeOf, readDifferences } from "./differ.ts";
import { readCommit, readHeadRef, readTree } from "../place/head.ts";
import { readMergeBase } from "../merge/read.ts";
import { findPlace, type Repository } from "../place/place.ts";
import { withPrivateIndex } from "../index/private-index.ts";
import { READ_ONLY, succeed, together } from "../run/run.ts";
import { dirtySubmodules } from "../worktree/dirty.ts";

export async function readBranch(repo: Repository): Promise<string | undefined> {
  const ref = await readHeadRef(repo);
  return ref?.replace(/^refs\/heads\//, "");
}

/** The same repository, as seen from another of its worktrees. */
export async function repositoryAt(repo: Repository, at: string): Promise<Repository> {
  if (at === "" || at === ".") return repo;
  const found = await findPlace(repo.run, join(repo.top, at));
  return found.kind === "repository" && found.commonDir === repo.commonDir
    ? { ...repo, ...found }
    : repo;
}

export async function readForked(repo: Repository, at: string): Promise<string | undefined> {
  const [here, there] = [await readCommit(repo, "HEAD"), await repositoryAt(repo, at)];
  const tip = await readCommit(there, "HEAD");
  return here === undefined || tip === undefined ? undefined : await readMergeBase(repo, here, tip);
}

/** Changes are found by comparing bytes. Git is only asked which new files are moved ones. */
export async function readChangesSince(
  repo: Repository,
  base: string,
): Promise<readonly GitDifference[] | undefined> {
  if (base !== "" && (await readCommit(repo, base)) === undefined) return undefined;
  const [differing, nested] = await together([
    readDifferences(repo, { commit: base }),
    dirtySubmodules(repo, base),
  ]);
  const changes = new Map<string, GitDifference>();
  for (const path of nested) changes.set(path, { path, change: "modified" });
  for (const { path, kind } of differing)
    changes.set(placeOf(path), { path: placeOf(path), change: OF_DISK[kind] });
  const kinds = new Set([...changes.values()].map(({ change }) => change));
  const moved = kinds.has("added") && kinds.has("deleted") ? await readMoved(repo, base) : [];
  for (const { from, path } of moved) {
    if (changes.get(from)?.change !== "deleted" || changes.get(path)?.change !== "added") continue;
    changes.delete(from);
    changes.set(path, { path, change: "renamed", from });
  }
  return [...changes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const OF_DISK = {
  new: "added",
  modified: "modified",
  "line-ends": "modified",
  deleted: "deleted",
} as const;

/**
 * Untracked files are announced to a private index without storing them, so that a single diff covers all files
 * and recognises moved ones.
 */
async function readMoved(
  repo: Repository,
  base: string,
): Promise<readonly { readonly from: string; readonly path: string }[]> {
  return await withPrivateIndex(repo, base, async ({ env }) => {
    const at = { cwd: repo.top, env: { ...READ_ONLY, ...env } };
    await succeed(repo.run(["add", "--intent-to-add", "--ignore-errors", "--", "."], at));
    const from = base === "" ? await readTree(repo, base) : base;
    const args = ["diff", "--no-ext-diff", "--name-status", "-z", "--find-renames"];
    args.push("--diff-filter=R", from, "--");
    const fields = (await succeed(repo.run(args, at))).split("\0");
    const moved: { from: string; path: string }[] = [];
    for (let field = 0; field + 2 < fields.length; field += 3)
      moved.push({ from: fields[field + 1] ?? "", path: fields[field + 2] ?? "" });
    return moved;
  });
}
