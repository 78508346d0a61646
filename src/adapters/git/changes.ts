/** What `git status` says of some paths. */
import { posix } from "node:path";
import type { GitChange } from "../../ports/git.ts";
import type { Repository } from "./place.ts";
import { inPortions } from "./portions.ts";
import { READ_ONLY, succeed } from "./run.ts";

export async function readChanges(
  repo: Repository,
  paths: readonly string[],
): Promise<readonly GitChange[]> {
  const changes = new Map<string, GitChange>();
  // Without a path git would answer for the whole worktree.
  for (const named of inPortions(paths.filter((path) => path !== ""))) {
    const args = ["--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames"];
    args.push("--untracked-files=all", "--ignore-submodules=none", "--", ...named);
    const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
    for (const line of out.split("\0").slice(0, -1)) {
      const path = line.slice(3);
      changes.set(path, { path, change: changeOf(line.slice(0, 2)) });
    }
  }
  return [...changes.values()];
}

/**
 * Those who ask in the same moment share the answer: a report that names ten thousand files asks about each
 * of them. `ask` is called with all their paths.
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

function placeOf(path: string): string {
  return path === "" ? "" : posix.normalize(path).replace(/\/$/, "");
}

function changeOf(code: string): GitChange["change"] {
  if (code === "??") return "untracked";
  if (code.includes("U") || code === "AA" || code === "DD") return "unmerged";
  if (code.startsWith("A")) return "added";
  return code.includes("D") ? "deleted" : "modified";
}
