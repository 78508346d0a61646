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
import { inPortions } from "../portions.ts";
import { READ_ONLY, succeed, together } from "../run.ts";
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
      { args: leftArgs(paths), env },
    ],
  ]);
  if (answers === undefined) return undefined;
  const [[, settings = ""] = [], [, staged = ""] = [], , last = []] = answers;
  const [tree = "", changed = "", left = ""] = last;
  const built = { tree: tree.trim(), changes: parseRaw(changed) };
  rememberTrees(repo, [base, built.tree], built.changes);
  const { isUnmerged } = keep(staged);
  return { ...built, isUnmerged, settings: parseSettings(settings), warnings: leftOut(left) };
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
  const warnings = await addPaths(index, paths);
  return [...warnings, ...(await readLeft(index, paths))];
}

/** What no `.gitignore` of the worktree leaves out, and is not in the savepoint all the same. */
async function readLeft(
  { repo, env }: PrivateIndex,
  paths: readonly string[],
): Promise<readonly string[]> {
  let out = "";
  for (const some of inPortions(paths)) {
    const options = { cwd: repo.top, env: { ...READ_ONLY, ...env } };
    out += await succeed(repo.run(leftArgs(some), options));
  }
  return leftOut(out);
}

function leftArgs(paths: readonly string[]): readonly string[] {
  const args = ["--literal-pathspecs", "ls-files", "--others", "-z"];
  return [...args, "--exclude-per-directory=.gitignore", "--", ...paths];
}

function leftOut(out: string): readonly string[] {
  const paths = out.split("\0").filter((path) => path !== "" && !path.startsWith(".holdpoint/"));
  const more = paths.length - LEFT_SHOWN_MAX;
  return [
    ...paths
      .slice(0, LEFT_SHOWN_MAX)
      .map(
        (path) =>
          `${path} is not in the savepoint: git leaves it out by a rule outside of the files.`,
      ),
    ...(more > 0 ? [`${more} more files are left out in the same way.`] : []),
  ];
}

const LEFT_SHOWN_MAX = 10;
