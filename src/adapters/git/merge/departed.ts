/** Whether a commit is just another one moved to a newer base. Found by merging the two again. */
import { compareTrees } from "../index/entries.ts";
import { readTree } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { isIn } from "../worktree/salvage.ts";
import { readBranch } from "./read.ts";
import { mergeTrees } from "./trees.ts";

interface Span {
  readonly from: string;
  readonly onto: string;
  readonly to: string;
}

/**
 * The files in which `to` differs from `from` merged onto `onto`. Files with conflicts are included, because
 * somebody resolved them by hand.
 */
export async function readDeparted(
  home: Repository,
  { from, onto, to }: Span,
): Promise<readonly string[] | undefined> {
  const [start, base, end] = await Promise.all(
    [from, onto, to].map((one) => readBranch(home, one)),
  );
  if (start === undefined || base === undefined || end === undefined) return undefined;
  const merged = (await isIn(home, base, start))
    ? { tree: await readTree(home, start), clashes: [] }
    : await mergeTrees(home, base, start);
  if ("kind" in merged) return undefined;
  const changes = await compareTrees(home, merged.tree, await readTree(home, end));
  return [...new Set([...changes.keys(), ...merged.clashes])];
}
