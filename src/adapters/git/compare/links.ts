/** Links of a tree that lead to what the tree does not have: whoever checks it out elsewhere has nothing behind them. */
import { existsSync, realpathSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { sameEntry } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";
import { readTreeFiles, type TreeFile } from "./differ.ts";

export const LINK = "120000";

/** One that leads nowhere is harmless, because nothing is behind it. */
export function linksAside(
  repo: Repository,
  links: readonly string[],
  files: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  if (links.length === 0) return [];
  const folders = new Set<string>(["."]);
  for (const path of files.keys())
    for (let at = posix.dirname(path); !folders.has(at); at = posix.dirname(at)) folders.add(at);
  const top = realpathSync(repo.top);
  return links.filter((path) => {
    const place = join(repo.top, path);
    if (!existsSync(place)) return false;
    const target = relative(top, realpathSync(place)) || ".";
    return !files.has(target) && !folders.has(target);
  });
}

/** Those that a commit has and its base has not. */
export async function newLinksAside(
  repo: Repository,
  commit: string,
  base: string,
): Promise<readonly string[]> {
  const files = await readTreeFiles(repo, commit);
  const links = [...files.values()].filter(({ entry }) => entry.mode === LINK);
  if (links.length === 0) return [];
  const before = await readTreeFiles(repo, base);
  const own = links.filter(({ path, entry }) => !sameEntry(before.get(path)?.entry, entry));
  return linksAside(
    repo,
    own.map(({ path }) => path),
    files,
  );
}
