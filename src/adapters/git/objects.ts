/** Objects read through `git cat-file --batch`: any number of them in one process. */
import type { Repository } from "./place.ts";
import { READ_ONLY, succeedBytes } from "./run.ts";

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** What each name stands for; undefined for none. A name may not hold a line break. */
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

/** The content of a regular file in a commit. A link's content is another path, not a text. */
export async function readFileAt(
  repo: Repository,
  commit: string,
  path: string,
): Promise<Uint8Array | undefined> {
  if (path === "" || path.includes("\n")) return undefined;
  const slash = path.lastIndexOf("/");
  const directory = path.slice(0, Math.max(slash, 0));
  const names = [`${commit}:${directory}`, `${commit}:${path}`];
  const [tree, file] = await readObjects(repo, names);
  if (tree?.type !== "tree" || file?.type !== "blob") return undefined;
  return modeIn(tree, path.slice(slash + 1))?.startsWith("100") === true ? file.bytes : undefined;
}

/** `<mode> <name>\0<oid in bytes>`, repeated. */
function modeIn({ oid, bytes }: GitObject, wanted: string): string | undefined {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    const [mode = "", ...name] = bytes.toString("utf8", at, end).split(" ");
    if (name.join(" ") === wanted) return mode;
    at = end + 1 + oid.length / 2;
  }
  return undefined;
}
