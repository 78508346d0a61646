/**
 * How the files of a worktree differ from a commit, by their bytes. A file that is neither committed nor excluded
 * by a `.gitignore` of the worktree (or of the commit alone) is new. Ignore rules from anywhere else do not
 * count.
 */
import { writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { readDisk, type GitPath } from "./disk.ts";
import { readRules } from "./ignored.ts";
import type { TreeEntry } from "../index/entries.ts";
import { askOnce, isFull } from "../run/fixed.ts";
import type { Repository } from "../place/place.ts";
import { inPortions } from "../run/portions.ts";
import { withEmptyIndex } from "../index/private-index.ts";
import { READ_ONLY, succeedBytes, together } from "../run/run.ts";
import { compareWithDisk, type Sameness } from "./same.ts";

export interface Difference {
  readonly path: string;
  /** "new" also stands for a folder with a repository of its own; its path ends with `/`. */
  readonly kind: "new" | "modified" | "line-ends" | "deleted";
  readonly entry: TreeEntry | undefined;
}

export interface Scope {
  /** Empty if there is no commit yet. */
  readonly commit: string;
  /** Filters only count if this commit has them too. */
  readonly base?: string | undefined;
  /** Files and folders; without them, the whole worktree. */
  readonly paths?: readonly string[];
  /** Only files that the commit has. */
  readonly tracked?: boolean;
  /** Whose ignore rules count: the worktree's, or the commit's alone. */
  readonly rules?: "worktree" | "commit";
}

export async function readDifferences(
  repo: Repository,
  { commit, base, paths, tracked = false, rules = "worktree" }: Scope,
): Promise<readonly Difference[]> {
  const reading = readTreeFiles(repo, commit);
  const rulesOf = async (): Promise<string> =>
    await readRules(repo, commit, (await reading).keys());
  const here = tracked
    ? []
    : readNew(repo, { paths, rules: rules === "commit" ? rulesOf() : undefined });
  const [tree, found] = await together([reading, here]);
  const wanted = paths === undefined ? undefined : new Set(paths.map(placeOf));
  const files = [...tree.values()].filter(
    (file) => wanted === undefined || isBelow(wanted, file.path),
  );
  const plain = files.filter(({ entry }) => entry.mode !== SUBMODULE);
  const disk = await readDisk(repo, plain);
  const pairs = plain.map(({ path, entry }, at) => ({ path, entry, disk: disk[at] }));
  const same = await compareWithDisk(repo, commit, pairs, base);
  const differing = pairs.flatMap(({ path, entry, disk: there }, at): readonly Difference[] => {
    const kind = kindOf(same[at] ?? "other", there !== undefined);
    return kind === undefined ? [] : [{ path, kind, entry }];
  });
  const added = found
    .filter((path) => !tree.has(path) && tree.get(placeOf(path))?.entry.mode !== SUBMODULE)
    .filter((path) => path !== PRIVATE && !path.startsWith(PRIVATE))
    .map((path): Difference => ({ path, kind: "new", entry: undefined }));
  return [...differing, ...added];
}

function kindOf(same: Sameness, isThere: boolean): Difference["kind"] | undefined {
  if (same === "same") return undefined;
  if (same === "line-ends") return "line-ends";
  return isThere ? "modified" : "deleted";
}

export interface TreeFile extends GitPath {
  readonly entry: TreeEntry;
}

/** Every file, link and submodule of a commit. */
export async function readTreeFiles(
  repo: Repository,
  commit: string,
): Promise<ReadonlyMap<string, TreeFile>> {
  if (commit === "") return new Map();
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  const ask = async (): Promise<ReadonlyMap<string, TreeFile>> =>
    parseTree(await succeedBytes(repo.run(args, { cwd: repo.top, env: READ_ONLY })));
  return isFull(repo, commit) ? await askOnce(repo, args.join(" "), ask) : await ask();
}

/** `<mode> <type> <oid>\t<path>\0`, repeated. */
function parseTree(out: Buffer): ReadonlyMap<string, TreeFile> {
  const files = new Map<string, TreeFile>();
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0, at);
    const tab = out.indexOf(9, at);
    const [mode = "", , oid = ""] = out.toString("latin1", at, tab).split(" ");
    const raw = out.subarray(tab + 1, end);
    const path = raw.toString("utf8");
    const odd = path.includes("\uFFFD") && !Buffer.from(path).equals(raw);
    files.set(path, odd ? { path, raw, entry: { mode, oid } } : { path, entry: { mode, oid } });
    at = end + 1;
  }
  return files;
}

interface New {
  readonly paths: readonly string[] | undefined;
  /** Undefined: the rules of the worktree. */
  readonly rules: Promise<string> | undefined;
}

/**
 * Everything in the worktree that no rule excludes. Asked with an empty index, so that no file counts as known.
 */
async function readNew(repo: Repository, { paths, rules }: New): Promise<readonly string[]> {
  return await withEmptyIndex(repo, async ({ env, place }) => {
    const file = join(place, "ignored");
    if (rules !== undefined) writeFileSync(file, await rules);
    const from =
      rules === undefined ? "--exclude-per-directory=.gitignore" : `--exclude-from=${file}`;
    const args = ["--literal-pathspecs", "ls-files", "--others", "-z", from, "--"];
    const found: string[] = [];
    for (const some of paths === undefined ? [[]] : inPortions(paths)) {
      const options = { cwd: repo.top, env: { ...READ_ONLY, ...env } };
      const out = await succeedBytes(repo.run([...args, ...some], options));
      found.push(...out.toString("utf8").split("\0").slice(0, -1));
    }
    return [...new Set(found)];
  });
}

export function isBelow(wanted: ReadonlySet<string>, path: string): boolean {
  if (wanted.has(".") || wanted.has(path)) return true;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    if (wanted.has(path.slice(0, at))) return true;
  return false;
}

/** `./a//b/` is `a/b`. */
export function placeOf(path: string): string {
  return path === "" ? "" : posix.normalize(path).replace(/\/$/, "");
}

export const SUBMODULE = "160000";
const PRIVATE = ".holdpoint/";
