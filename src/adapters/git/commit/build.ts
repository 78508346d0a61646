/** Builds the tree of a savepoint in a private index, and asks on the way what else has to be known about it. */
import { readStaged } from "../index/entries.ts";
import {
  addPaths,
  fillIndex,
  isThere,
  writeTreeOn,
  type PrivateIndex,
} from "../index/private-index.ts";
import { inPortions } from "../run/portions.ts";
import { READ_ONLY, succeed, together } from "../run/run.ts";
import { readSettings } from "../run/settings.ts";
import { setViews } from "../index/views.ts";
import { buildHere, type Draft, type Parts } from "./build-here.ts";

export type { Built } from "./build-here.ts";

export async function build(index: PrivateIndex, parts: Parts): Promise<Draft> {
  const { paths } = parts;
  // The ordinary case: all paths are there, and git has nothing to say against one.
  const isOdd = paths.length === 0 || paths.some((path) => !isThere(index.repo, path));
  const here = isOdd ? undefined : await buildHere(index, parts);
  if (here === undefined) return await buildByStep(index, parts);
  const warnings = here.isComplete ? [] : await readLeft(index, paths);
  return { ...here, warnings };
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
    const args = ["--literal-pathspecs", "ls-files", "--others", "-z"];
    args.push("--exclude-per-directory=.gitignore", "--", ...some);
    out += await succeed(repo.run(args, { cwd: repo.top, env: { ...READ_ONLY, ...env } }));
  }
  const left = out.split("\0").filter((path) => path !== "" && !path.startsWith(".holdpoint/"));
  const more = left.length - LEFT_SHOWN_MAX;
  return [
    ...left
      .slice(0, LEFT_SHOWN_MAX)
      .map(
        (path) =>
          `${path} is not in the savepoint: git leaves it out by a rule outside of the files.`,
      ),
    ...(more > 0 ? [`${more} more files are left out in the same way.`] : []),
  ];
}

const LEFT_SHOWN_MAX = 10;
