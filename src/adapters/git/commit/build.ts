/** Builds the tree of a savepoint in a private index, and asks what else must be known about it. */
import { readStaged } from "../index/entries.ts";
import {
  addPaths,
  fillIndex,
  isThere,
  writeTreeOn,
  type PrivateIndex,
} from "../index/private-index.ts";
import { together } from "../run/run.ts";
import { readSettings } from "../run/settings.ts";
import { setViews } from "../index/views.ts";
import { buildHere, type Draft, type Parts } from "./build-here.ts";

export type { Built, Draft } from "./build-here.ts";

export async function build(index: PrivateIndex, parts: Parts): Promise<Draft> {
  const { paths } = parts;
  // The usual case: all paths exist, and git accepts all of them.
  const isOdd = paths.length === 0 || paths.some((path) => !isThere(index.repo, path));
  const here = isOdd ? undefined : await buildHere(index, parts);
  if (here === undefined) return await buildByStep(index, parts);
  return { ...here, warnings: [] };
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
