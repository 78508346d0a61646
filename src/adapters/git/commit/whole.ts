/**
 * Whether a savepoint contains everything below its paths. Files in a nested repository, behind a link, or
 * excluded by rules of this machine were judged with the rest but would be missing from the commit, and nobody
 * could restore them.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTreeFiles, SUBMODULE, type TreeFile } from "../compare/differ.ts";
import { LINK, linksAside } from "../compare/links.ts";
import type { EntryChanges } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";
import { savepointLacks, type Refusal } from "../refusal.ts";
import { READ_ONLY } from "../run/run.ts";
import { dirtyPaths, standingAt } from "../worktree/dirty.ts";
import { nestedUnsafe } from "../worktree/nested.ts";

export interface Whole {
  readonly tree: string;
  readonly changes: EntryChanges;
  /** Files that were read below its paths. */
  readonly standing: readonly string[];
  /** Whether the tree has a file. */
  readonly has: (path: string) => boolean;
}

export async function judgeWhole(repo: Repository, whole: Whole): Promise<Refusal | undefined> {
  const lacking = whole.standing.filter((path) => !whole.has(path));
  const isOdd = [...whole.changes.values()].some(({ after }) => ODD.includes(after?.mode ?? ""));
  if (lacking.length === 0 && !isOdd) return undefined;
  const files = await readTreeFiles(repo, whole.tree);
  const [nested, links] = [
    await findNested(repo, whole, files),
    linksAside(repo, changedLinks(whole.changes), files),
  ];
  const places = [...files.values()].flatMap(({ path, entry }) =>
    entry.mode === SUBMODULE ? [path] : [],
  );
  const left = lacking.filter((path) => !places.some((one) => path.startsWith(`${one}/`)));
  const inside = new Set(left.flatMap((path) => repositoryAround(repo, path) ?? []));
  const alone = left.filter((path) => repositoryAround(repo, path) === undefined);
  const named = [
    ...[...new Set([...nested, ...inside])].map((path) => `${path}/ (a repository of its own)`),
    ...links.map((path) => `${path} (a link to what it does not have)`),
    ...alone.map((path) => `${path} (left out by git)`),
  ];
  return named.length === 0 ? undefined : savepointLacks(named);
}

/**
 * Finds repositories that a commit only refers to. A new one must be a submodule whose commits are all on a
 * remote.
 */
async function findNested(
  repo: Repository,
  { tree, changes, standing }: Whole,
  files: ReadonlyMap<string, TreeFile>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, entry } of files.values()) {
    if (entry.mode !== SUBMODULE) continue;
    if (changes.has(path)) {
      const isNamed = (await readSubmodules(repo, tree)).has(path);
      const unsafe = await nestedUnsafe(repo, [path]);
      if (!isNamed || unsafe.length > 0) found.push(path);
    } else if (standing.some((one) => one.startsWith(`${path}/`))) {
      const there = await standingAt(repo, path, entry.oid);
      if (there === undefined || (await dirtyPaths(there)).length > 0) found.push(path);
    }
  }
  return found;
}

async function readSubmodules(repo: Repository, tree: string): Promise<ReadonlySet<string>> {
  const args = ["config", "-z", "--blob", `${tree}:.gitmodules`];
  args.push("--get-regexp", "^submodule\\..*\\.path$");
  const { stdout } = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  const entries = stdout.toString("utf8").split("\0");
  return new Set(entries.map((entry) => entry.slice(entry.indexOf("\n") + 1)));
}

/** The folder above a path that has a git directory of its own. */
function repositoryAround({ top }: Repository, path: string): string | undefined {
  for (let at = dirname(path); at !== "."; at = dirname(at))
    if (existsSync(join(top, at, ".git"))) return at;
  return undefined;
}

function changedLinks(changes: EntryChanges): readonly string[] {
  return [...changes].flatMap(([path, { after }]) => (after?.mode === LINK ? [path] : []));
}

const ODD: readonly string[] = [LINK, SUBMODULE];
