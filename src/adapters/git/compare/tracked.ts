/** Which files git tracks, whatever ignore rules say. */
import { join, relative } from "node:path";
import { stampOf } from "../index/entries.ts";
import { readIndex, type IndexEntry } from "../index/index-file.ts";
import { treesOf } from "../index/trees.ts";
import { readLooseTree } from "../objects/loose.ts";
import { readCommit } from "../place/head.ts";
import { exists, type Repository } from "../place/place.ts";
import { readPlainPlace } from "../place/plain.ts";
import { askOnce } from "../run/fixed.ts";
import { READ_ONLY, succeed } from "../run/run.ts";
import { readTreeFiles, SUBMODULE } from "./differ.ts";

/**
 * Tracked files below a directory, which may be another worktree. Both index and commit count: a file that was
 * only removed from the index must not be overlooked.
 */
export async function readTracked(repo: Repository, directory: string): Promise<readonly string[]> {
  const cwd = join(repo.top, directory);
  if (!exists(cwd)) return [];
  const here = readPlainPlace(cwd, process.env);
  const found = here?.kind === "repository" ? { ...repo, ...here } : undefined;
  const all = await (found === undefined ? askTracked(repo, cwd) : trackedIn(found));
  const top = found?.top ?? cwd;
  const [from, to] = [relative(top, cwd), relative(repo.top, cwd)].map((one) => one && `${one}/`);
  return all
    .filter((path) => path.startsWith(from ?? ""))
    .map((path) => `${to ?? ""}${path.slice(from?.length)}`);
}

/** Remembered as long as neither the index nor HEAD changes. */
async function trackedIn(repo: Repository): Promise<readonly string[]> {
  const index = join(repo.gitDir, "index");
  const commit = (await readCommit(repo, "HEAD")) ?? "";
  return await askOnce(repo, `tracked ${index} ${stampOf(index)} ${commit}`, async () => {
    const entries = readIndex(index)?.entries;
    if (entries === undefined) return await askTracked(repo, repo.top);
    const staged = entries.filter(({ mode }) => mode !== SUBMODULE).map(nameOf);
    const isCommit = commit !== "" && treesOf(entries).root === (await readLooseTree(repo, commit));
    return isCommit ? staged : [...new Set([...staged, ...(await committed(repo, commit))])];
  });
}

async function committed(repo: Repository, commit: string): Promise<readonly string[]> {
  const files = [...(await readTreeFiles(repo, commit)).values()];
  return files.filter(({ entry }) => entry.mode !== SUBMODULE).map(({ path }) => path);
}

function nameOf({ path }: IndexEntry): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** Anything unusual is asked of git, starting at that directory. */
async function askTracked(repo: Repository, cwd: string): Promise<readonly string[]> {
  const ask = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await succeed(repo.run(args, { cwd, env: READ_ONLY }))).split("\0").slice(0, -1);
  const staged = await ask("ls-files", "--cached", "-z");
  const head = await repo.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {
    cwd,
    env: READ_ONLY,
  });
  const inHead = head.code === 0 ? await ask("ls-tree", "-r", "-z", "--name-only", "HEAD") : [];
  return [...new Set([...staged, ...inHead])];
}
