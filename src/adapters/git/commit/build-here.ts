/**
 * Builds the tree of a savepoint with a single git process (`git add`). The private index is written, read and
 * turned into trees in this process, because starting git is most of what a savepoint costs. Anything unusual is
 * left to git (see build.ts).
 */
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SavepointPlan } from "../../../ports/git.ts";
import {
  keepStaged,
  readStaged,
  rememberTrees,
  type EntryChanges,
  type TreeEntry,
} from "../index/entries.ts";
import { rememberBuilt } from "../run/fixed.ts";
import { readTree } from "../place/head.ts";
import {
  bare,
  bytesOf,
  compareEntries,
  encodeIndex,
  putEntries,
  readIndex,
  type IndexEntry,
} from "../index/index-file.ts";
import { mayHaveHook } from "../run/hooks.ts";
import { readLooseTree, writeLoose } from "../objects/loose.ts";
import { exists } from "../place/place.ts";
import { isOrdinary } from "../place/plain.ts";
import { addArgs, fillIndex, runIn, type PrivateIndex } from "../index/private-index.ts";
import { together } from "../run/run.ts";
import { readSettings, readTold, telling, type Settings } from "../run/settings.ts";
import { treesOf } from "../index/trees.ts";
import { setViews, type Views } from "../index/views.ts";

export interface Built {
  readonly tree: string;
  /** What the tree changes compared with the base. */
  readonly changes: EntryChanges;
}

export interface Draft extends Built {
  /** Whether the tree has a file. Only known for trees built here. */
  readonly has?: (path: string) => boolean;
  readonly settings: Settings;
  readonly isUnmerged: boolean;
  readonly warnings: readonly string[];
}

export interface Parts {
  readonly base: string;
  readonly paths: SavepointPlan["paths"];
  readonly views: Views;
}

/** Undefined if git has to build it. */
export async function buildHere(
  index: PrivateIndex,
  { base, paths, views }: Parts,
): Promise<Omit<Draft, "warnings"> | undefined> {
  const { repo } = index;
  if (!isOrdinary(repo)) return undefined;
  const start = await fill(index, base);
  if (start === undefined) return undefined;
  const told = join(index.place, "told");
  const added = await runIn(index, addArgs(index, paths), telling(told));
  if (added.end !== "exit" || added.code !== 0) return undefined;
  const settings = readTold(told) ?? (await readSettings(repo));
  if (settings.stores) return undefined;
  const entries = await takeViews(index, settings, views);
  if (entries === undefined) return undefined;
  const [before, after] = [treesOf(start.base), treesOf(entries)];
  const changes = compareEntries(start.base, entries);
  // Such a path is not valid UTF-8, and would be written in another form here.
  if ([...changes.keys()].some((path) => path.includes("\uFFFD"))) return undefined;
  const fresh = [...after.bodies].filter(([oid]) => !before.bodies.has(oid));
  await writeLoose(
    repo,
    fresh.map(([, body]) => ({ type: "tree", body })),
  );
  if (mayHaveHook(repo, settings, "pre-commit")) write(index, entries);
  const tree = after.root;
  rememberTrees(repo, [base, tree], changes);
  rememberBuilt(repo, tree, mayHaveHook(repo, settings, "post-index-change"));
  const names = new Set(entries.map(({ path }) => path));
  const has = (path: string): boolean => names.has(bytesOf(path));
  return { tree, changes, has, settings, isUnmerged: start.isUnmerged };
}

/**
 * Fills the private index with the base, and finds what the user has staged. If the entries of the user's own
 * index give exactly the base's tree, nothing is staged, and that index is used.
 */
async function fill(
  index: PrivateIndex,
  base: string,
): Promise<{ readonly base: readonly IndexEntry[]; readonly isUnmerged: boolean } | undefined> {
  const { repo } = index;
  const { keep } = keepStaged(repo, base);
  const own = readIndex(join(repo.gitDir, "index"))?.entries;
  const tree = base === "" ? repo.emptyTree : await readLooseTree(repo, base);
  const isUnmerged = own?.some(({ stage }) => stage > 0) ?? false;
  if (own !== undefined && !isUnmerged) {
    const isBase = treesOf(own).root === (tree ?? (await readTree(repo, base)));
    if (isBase) {
      const entries = bare(own.filter(({ promised }) => !promised));
      write(index, entries);
      keep("");
      return { base: entries, isUnmerged };
    }
  }
  const [, staged] = await together([fillIndex(index, base), readStaged(repo, base)]);
  const entries = readIndex(index.env.GIT_INDEX_FILE)?.entries;
  return entries === undefined ? undefined : { base: entries, isUnmerged: staged.isUnmerged };
}

/** Adds the state files in the form git would store them. If files are converted on the way in, git does it. */
async function takeViews(
  index: PrivateIndex,
  settings: Settings,
  views: Views,
): Promise<readonly IndexEntry[] | undefined> {
  const { repo, env } = index;
  const isPlain = views.isPlain && !settings.converts && !hasGlobalAttributes();
  if (!isPlain) await setViews(index, views);
  const entries = readIndex(env.GIT_INDEX_FILE)?.entries;
  if (!isPlain || entries === undefined) return entries;
  const executable = new Set(
    entries.filter(({ mode }) => mode === "100755").map(({ path }) => path),
  );
  const texts = Object.entries(views.texts);
  const oids = await writeLoose(
    repo,
    texts.flatMap(([, text]) => (text === null ? [] : [{ type: "blob", body: Buffer.from(text) }])),
  );
  let at = 0;
  const wanted = texts.map(([path, text]): readonly [string, TreeEntry | undefined] => {
    if (text === null) return [path, undefined];
    const mode = executable.has(bytesOf(path)) ? "100755" : "100644";
    return [path, { mode, oid: oids[at++] ?? "" }];
  });
  return putEntries(entries, new Map(wanted));
}

function write({ env }: PrivateIndex, entries: readonly IndexEntry[]): void {
  const bytes = encodeIndex({ version: 2, entries, trees: undefined });
  writeFileSync(env.GIT_INDEX_FILE, bytes);
}

function hasGlobalAttributes(): boolean {
  const home = process.env["XDG_CONFIG_HOME"] || join(process.env["HOME"] ?? homedir(), ".config");
  return exists(join(home, "git", "attributes")) || exists("/etc/gitattributes");
}
