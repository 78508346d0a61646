/** Reads any number of objects in one process, through `git cat-file --batch`. */
import { readLooseFiles } from "./loose.ts";
import type { Repository } from "../place/place.ts";
import { isOrdinary } from "../place/plain.ts";
import { readVerified } from "./verified.ts";
import type { GitObject } from "./verified.ts";
import { READ_ONLY, succeedBytes } from "../run/run.ts";

/** The object of each name; undefined if there is none. A name must not contain a line break. */
export async function readObjects(
  repo: Repository,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  const input = names.map((name) => `${name}\n`).join("");
  const run = repo.run(["cat-file", "--batch"], { cwd: repo.top, env: READ_ONLY, input });
  return objectsIn(await succeedBytes(run), names);
}

/** The objects in an answer of `git cat-file --batch` to these names. */
export function objectsIn(
  out: Buffer,
  names: readonly string[],
): readonly (GitObject | undefined)[] {
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
  return await readVerified(async (names) => await readObjects(repo, names), commit, paths);
}
