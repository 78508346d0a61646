/** Files as the commit has them that HEAD names, read by object: neither index, flags nor filters have a say. */
import { join } from "node:path";
import type { FoundByHand } from "./by-hand.ts";
import { readCommit } from "../place/head.ts";
import { readLooseFiles } from "../objects/loose.ts";
import { readFilesAt } from "../objects/objects.ts";
import type { FoundPlace, Repository } from "../place/place.ts";
import { createRunGit, GitFailure } from "../run/run.ts";

export type Committed =
  /** Undefined where the commit has no such file, or a link in its place. */
  | { readonly kind: "committed"; readonly bytes: Uint8Array | undefined }
  /** There is no commit yet, or no git at all. */
  | { readonly kind: "worktree" }
  | { readonly kind: "unread"; readonly why: string };

/** Read such files; `known` are fetched together with the first of them, because starting git is what takes time. */
export function createCommitted(
  found: FoundPlace,
  {
    byHand,
    known,
  }: { readonly byHand: FoundByHand | undefined; readonly known: readonly string[] },
): (path: string) => Promise<Committed> {
  const read = reader(found, byHand);
  let together: Promise<readonly Committed[]> | undefined;
  return async (path) => {
    const at = known.indexOf(path);
    const files = at < 0 ? await read([path]) : await (together ??= read(known));
    return files[Math.max(at, 0)] ?? { kind: "unread", why: "git left it out" };
  };
}

type Read = (paths: readonly string[]) => Promise<readonly Committed[]>;

function reader(found: FoundPlace, byHand: FoundByHand | undefined): Read {
  if (found.kind === "repository") {
    const run = createRunGit("git", process.env);
    const repo: Repository = { ...found, run, tmpDir: "", hookMsMax: 0, onStep: () => undefined };
    return async (paths) =>
      await readAll(repo, paths).catch((error: unknown) => unreadAll(paths, error));
  }
  if (byHand === undefined) return async (paths) => paths.map(() => ({ kind: "worktree" }));
  // A repository that only its files show: git is not there, or will not answer.
  const { top, commonDir } = byHand;
  // In a linked worktree another branch is checked out than the one the common directory names.
  const isMain = commonDir === join(top, ".git");
  const unread: Committed = { kind: "unread", why: found.message };
  return async (paths) => {
    const loose = isMain ? await readLoose({ gitDir: commonDir, commonDir }, paths) : undefined;
    return loose ?? paths.map(() => unread);
  };
}

async function readAll(repo: Repository, paths: readonly string[]): Promise<readonly Committed[]> {
  const loose = await readLoose(repo, paths);
  if (loose !== undefined) return loose;
  const commit = await readCommit(repo, "HEAD");
  if (commit === undefined) return paths.map(() => ({ kind: "worktree" }));
  const files = await readFilesAt(repo, commit, paths);
  return files.map((bytes) => ({ kind: "committed", bytes }));
}

async function readLoose(
  repo: Parameters<typeof readLooseFiles>[0],
  paths: readonly string[],
): Promise<readonly Committed[] | undefined> {
  const loose = await readLooseFiles(repo, paths);
  if (loose === undefined) return undefined;
  if (loose.commit === undefined) return paths.map(() => ({ kind: "worktree" }));
  return loose.files.map((bytes) => ({ kind: "committed", bytes }));
}

function unreadAll(paths: readonly string[], error: unknown): readonly Committed[] {
  if (!(error instanceof GitFailure)) throw error;
  const why = error.answer.stderr.trim().split("\n")[0] || `git ended with ${error.answer.end}`;
  return paths.map(() => ({ kind: "unread", why }));
}
