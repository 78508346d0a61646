/** The worktrees port, implemented with git's binary. */
import { readCommit } from "../place/head.ts";
import type {
  Worktree,
  Worktrees,
  WorktreePath,
  WorktreeStatus,
} from "../../../ports/worktrees.ts";
import { checkUnfinished } from "../place/head.ts";
import { exists, type Entry, type Repository } from "../place/place.ts";
import { addWorktree } from "./add.ts";
import { archiveFiles } from "./archive.ts";
import { newLinksAside } from "../compare/links.ts";
import { dirtyPaths } from "./dirty.ts";
import { createUse, listEntries, openEntry, orNone, orNothing, placeOf } from "./list.ts";
import { shownEntry, type WorktreeOptions } from "./list.ts";
import { lockWorktree, unlockWorktree } from "./lock.ts";
import { removeWorktree } from "./remove.ts";

export function createWorktrees(options: WorktreeOptions): Worktrees {
  const use = createUse(options);
  return {
    list: async () => orNothing(await use(listWorktrees)) ?? [],
    status: async (of) => orNone(await use((home) => readStatus(home, of))),
    add: (plan) => use((home) => addWorktree(home, plan)),
    remove: (plan) => use((home) => removeWorktree(home, plan)),
    lock: (plan) => use((home) => lockWorktree(home, plan)),
    unlock: (plan) => use((home) => unlockWorktree(home, plan)),
    archive: (plan) => use((home) => archiveFiles(home, plan)),
  };
}

async function listWorktrees(
  home: Repository,
  fresh?: readonly Entry[],
): Promise<readonly Worktree[]> {
  const entries = fresh ?? (await listEntries(home));
  return await Promise.all(entries.map((entry) => shownEntry(home, entry)));
}

/** What was tested behind such a link is in no commit. */
async function linksOf(repo: Repository, base = ""): Promise<readonly string[]> {
  const aside = await newLinksAside(repo, (await readCommit(repo, "HEAD")) ?? "", base);
  return aside.map((path) => `${path} (a link to what no commit of it has)`);
}

async function readStatus(
  home: Repository,
  { path }: WorktreePath,
): Promise<WorktreeStatus | undefined> {
  const place = await placeOf(home, path);
  const entry = (await listEntries(home)).find((one) => one.place === place);
  if (entry === undefined || !exists(place)) return undefined;
  const repo = await openEntry(home, entry);
  // The main worktree belongs to the user, who may use a sparse checkout. A task's worktree must have all files.
  const sparse = place === home.top;
  const base = sparse ? undefined : await readCommit(home, "HEAD");
  const aside = sparse ? [] : await linksOf(repo, base);
  const dirty = [...(await dirtyPaths(repo, { sparse, base })), ...aside].toSorted();
  const unfinished = await checkUnfinished(repo);
  const what = unfinished && /: (.*) is in progress/.exec(unfinished.message)?.[1];
  const shown = await shownEntry(home, entry);
  return { ...shown, clean: dirty.length === 0, dirty, unfinished: what };
}
