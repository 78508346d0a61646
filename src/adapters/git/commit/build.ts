/** Builds the tree of a savepoint in a private index, and asks on the way what else has to be known about it. */
import type { SavepointPlan } from "../../../ports/git.ts";
import { runGroups } from "../groups.ts";
import {
  diffIndexArgs,
  keepStaged,
  parseRaw,
  readStaged,
  rememberTrees,
  type EntryChanges,
} from "../entries.ts";
import {
  addArgs,
  addPaths,
  fillArgs,
  fillIndex,
  isThere,
  writeTreeOn,
  type PrivateIndex,
} from "../private-index.ts";
import { together } from "../run.ts";
import { parseSettings, readSettings, SETTINGS_ARGS, type Settings } from "../settings.ts";
import { setViews, type Views } from "../views.ts";

export interface Built {
  readonly tree: string;
  /** What the tree changes on the base. */
  readonly changes: EntryChanges;
}

export interface Draft extends Built {
  readonly settings: Settings;
  readonly isUnmerged: boolean;
  readonly warnings: readonly string[];
}

export interface Parts {
  readonly base: string;
  readonly paths: SavepointPlan["paths"];
  readonly views: Views;
}

export async function build(index: PrivateIndex, parts: Parts): Promise<Draft> {
  return (await buildAtOnce(index, parts)) ?? (await buildByStep(index, parts));
}

/** The ordinary case: all paths are there, and git has nothing to say against one. */
async function buildAtOnce(
  index: PrivateIndex,
  { base, paths, views }: Parts,
): Promise<Draft | undefined> {
  const { repo, env } = index;
  const isOdd = paths.length === 0 || paths.some((path) => !isThere(repo, path));
  if (isOdd || views.command === undefined) return undefined;
  const { keep } = keepStaged(repo, base);
  const answers = await runGroups(repo, index.place, [
    [{ args: fillArgs(base), env }, { args: SETTINGS_ARGS }],
    [{ args: addArgs(index, paths), env }, { args: diffIndexArgs(repo, base) }],
    [views.command],
    [
      { args: ["write-tree"], env },
      { args: diffIndexArgs(repo, base), env },
    ],
  ]);
  if (answers === undefined) return undefined;
  const [[, settings = ""] = [], [, staged = ""] = [], , [tree = "", changed = ""] = []] = answers;
  const built = { tree: tree.trim(), changes: parseRaw(changed) };
  rememberTrees(repo, [base, built.tree], built.changes);
  const { isUnmerged } = keep(staged);
  return { ...built, isUnmerged, settings: parseSettings(settings), warnings: [] };
}

async function buildByStep(index: PrivateIndex, { base, paths, views }: Parts): Promise<Draft> {
  const { repo } = index;
  const [warnings, settings, { isUnmerged }] = await together([
    takePaths(index, base, paths),
    readSettings(repo),
    readStaged(repo, base),
  ]);
  await setViews(index, views);
  return { ...(await writeTreeOn(index, base)), settings, isUnmerged, warnings };
}

async function takePaths(
  index: PrivateIndex,
  base: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  await fillIndex(index, base);
  return await addPaths(index, paths);
}
