/** Files of the commit at HEAD, read as objects, so that index, flags and filters play no part. */
import { join } from "node:path";
import type { FoundByHand } from "./by-hand.ts";
import { readCommit } from "../place/head.ts";
import { readLooseFiles } from "../objects/loose.ts";
import { readFilesAt } from "../objects/objects.ts";
import { ObjectUnreadable } from "../objects/verified.ts";
import type { FoundPlace, Repository } from "../place/place.ts";
import { createRunGit, GitFailure } from "../run/run.ts";

export type Committed =
  /** Undefined if the commit has no such file, or a link in its place. */
  | { readonly kind: "committed"; readonly bytes: Uint8Array | undefined }
  /** There is no commit yet, or no git at all. */
  | { readonly kind: "worktree" }
  | { readonly kind: "unread"; readonly why: string };

/**
 * Reads such files. Those in `known` are fetched together with the first one, because starting git takes the
 * time.
 */
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
  // Git is missing or refuses to answer, and the repository was found by its files.
  const { top, commonDir } = byHand;
  // In a linked worktree, the checked-out branch is not the one that the common directory names.
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
  if (!(error instanceof GitFailure || error instanceof ObjectUnreadable)) throw error;
  const why =
    error instanceof ObjectUnreadable
      ? error.message
      : error.answer.stderr.trim().split("\n")[0] || `git ended with ${error.answer.end}`;
  return paths.map(() => ({ kind: "unread", why }));
}
