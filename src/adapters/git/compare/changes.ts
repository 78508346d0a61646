/** What differs from HEAD at some paths, by the bytes of the files and by what is staged. */
import { posix } from "node:path";
import type { GitChange } from "../../../ports/git.ts";
import { isBelow, placeOf, readDifferences } from "./differ.ts";
import { readStaged } from "../index/entries.ts";
import { readCommit } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY, succeed, together } from "../run/run.ts";
import { dirtySubmodules } from "../worktree/dirty.ts";

export async function readChanges(
  repo: Repository,
  paths: readonly string[],
): Promise<readonly GitChange[]> {
  const wanted = paths.filter(isSomewhere);
  if (wanted.length === 0) return [];
  const commit = (await readCommit(repo, "HEAD")) ?? "";
  const [differing, staged, nested] = await together([
    readDifferences(repo, { commit, paths: wanted }),
    readStaged(repo, commit),
    dirtySubmodules(repo, commit),
  ]);
  const changes = new Map<string, GitChange["change"]>(nested.map((path) => [path, "modified"]));
  for (const { path, kind } of differing) changes.set(path, OF_DISK[kind]);
  for (const [path, { before, after }] of staged.changes) {
    if (before === undefined) changes.set(path, "added");
    else if (after === undefined) changes.set(path, "deleted");
    else if (!changes.has(path)) changes.set(path, "modified");
  }
  for (const path of staged.isUnmerged ? await unmergedPaths(repo) : [])
    changes.set(path, "unmerged");
  const places = new Set(wanted.map(placeOf));
  return [...changes]
    .filter(([path]) => isBelow(places, path))
    .map(([path, change]) => ({ path, change }));
}

/**
 * Without a path, git would answer for the whole worktree. A path that is too long or leads out of it cannot
 * exist.
 */
function isSomewhere(path: string): boolean {
  const leadsOut = path.startsWith("/") || posix.normalize(path).split("/")[0] === "..";
  return (
    path !== "" && !path.includes("\0") && !leadsOut && Buffer.byteLength(path) < PATH_BYTES_MAX
  );
}

const OF_DISK = {
  new: "untracked",
  modified: "modified",
  "line-ends": "modified",
  deleted: "deleted",
} as const;

async function unmergedPaths(repo: Repository): Promise<readonly string[]> {
  const args = ["ls-files", "--unmerged", "-z"];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return out
    .split("\0")
    .slice(0, -1)
    .map((line) => line.slice(line.indexOf("\t") + 1));
}

/**
 * Calls made in the same moment share one answer: a report that names ten thousand files asks about each of them.
 * `ask` is called once with all paths.
 */
export function shareAsking(
  ask: (paths: readonly string[]) => Promise<readonly GitChange[]>,
): (paths: readonly string[]) => Promise<readonly GitChange[]> {
  let gathering: { readonly paths: Set<string>; readonly places: Promise<Places> } | undefined;
  return async (paths) => {
    if (gathering === undefined) {
      const all = new Set<string>();
      const places = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
        gathering = undefined;
        return byPlace(await ask([...all]));
      });
      gathering = { paths: all, places };
    }
    for (const path of paths) gathering.paths.add(path);
    const places = await gathering.places;
    return [...new Set(paths.flatMap((path) => [...(places.get(placeOf(path)) ?? [])]))];
  };
}

/** Changes by their path and by every directory above it. */
type Places = ReadonlyMap<string, ReadonlySet<GitChange>>;

function byPlace(changes: readonly GitChange[]): Places {
  const places = new Map<string, Set<GitChange>>();
  for (const change of changes) {
    for (let at = placeOf(change.path); ; at = posix.dirname(at)) {
      const there = places.get(at) ?? new Set();
      places.set(at, there.add(change));
      if (at === "." || at === "/") break;
    }
  }
  return places;
}

const PATH_BYTES_MAX = 4096;
