/** Reads any number of objects in one process, through `git cat-file --batch`. */
import { readLooseFiles } from "./loose.ts";
import type { Repository } from "../place/place.ts";
import { isOrdinary } from "../place/plain.ts";
import { modeAndOidIn } from "../index/trees.ts";
import { READ_ONLY, succeedBytes } from "../run/run.ts";

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The object of each name; undefined if there is none. A name must not contain a line break. */
export async function readObjects(
  repo: Repository,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join("");
  const run = repo.run(["cat-file", "--batch"], { cwd: repo.top, env: READ_ONLY, input });
  const out = await succeedBytes(run);
  let at = 0;
  return names.map(() => {
    const end = out.indexOf("\n", at);
    const header = out.toString("utf8", at, end);
    at = end + 1;
    // Otherwise the name and "missing" or "ambiguous".
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    if (oid === undefined || type === undefined) return undefined;
    const bytes = out.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return { oid, type, bytes };
  });
}

/** The content of a regular file in a commit. A link is skipped, because its content is a path. */
export async function readFileAt(
  repo: Repository,
  commit: string,
  path: string,
): Promise<Uint8Array | undefined> {
  return (await readFilesAt(repo, commit, [path]))[0];
}

/** The same for several files, with at most one process. */
export async function readFilesAt(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const loose = isOrdinary(repo) ? await readLooseFiles(repo, paths, commit) : undefined;
  if (loose?.commit !== undefined) return loose.files;
  const named = paths.map((path) => {
    const slash = path.lastIndexOf("/");
    return { path, directory: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
  });
  const legal = named.filter(({ path }) => path !== "" && !path.includes("\n"));
  const names = legal.flatMap((one) => [`${commit}:${one.directory}`, `${commit}:${one.path}`]);
  const objects = names.length === 0 ? [] : await readObjects(repo, names);
  return named.map((one) => {
    const at = legal.indexOf(one);
    const [tree, file] = at < 0 ? [] : objects.slice(2 * at, 2 * at + 2);
    if (tree?.type !== "tree" || file?.type !== "blob") return undefined;
    const entry = modeAndOidIn(tree.bytes, tree.oid.length / 2, one.name);
    return entry?.mode.startsWith("100") === true ? file.bytes : undefined;
  });
}
