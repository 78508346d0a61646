/** The git port, implemented with git's binary. This file has the reading half; savepoints are in commit/. */
import type { Git, GitCommit, GitPlace } from "../../ports/git.ts";
import { commitSavepoint } from "./commit/commit.ts";
import { readJournaled } from "./compare/journaled.ts";
import { readCommitsSince } from "./compare/commits.ts";
import { readBranch, readChangesSince, readForked, repositoryAt } from "./compare/since.ts";
import { readTracked } from "./compare/tracked.ts";
import { readChanges, shareAsking } from "./compare/changes.ts";
import { isFull } from "./run/fixed.ts";
import { readCommit } from "./place/head.ts";
import { readFileAt } from "./objects/objects.ts";
import { ObjectUnreadable } from "./objects/verified.ts";
import { findPlace, type FoundPlace, type Repository } from "./place/place.ts";
import { readPlainPlace } from "./place/plain.ts";
import { prepareSavepoint } from "./commit/prepare.ts";
import { noRepository } from "./refusal.ts";
import { createRunGit, HOOK_MS_MAX, READ_ONLY, succeed } from "./run/run.ts";

export interface GitOptions {
  /** Any directory inside the worktree. */
  readonly cwd: string;
  /** The directory for private indexes; created when missing. */
  readonly tmpDir: string;
  /** The repository, if it was already found. */
  readonly found?: FoundPlace | undefined;
  readonly gitBinary?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly hookMsMax?: number;
  /** Called before every git call whose order matters. Tests throw or die in it. */
  readonly onStep?: (step: string) => void;
}

export function createGit(options: GitOptions): Git {
  const { cwd, gitBinary, env = process.env } = options;
  const run = createRunGit(gitBinary ?? "git", env, options.hookMsMax);
  let { found } = options;
  const place = async (): Promise<FoundPlace> => {
    // A repository that was found stays. A missing one may be created by the next command.
    if (found?.kind === "repository") return found;
    const plain = gitBinary === undefined ? readPlainPlace(cwd, env) : undefined;
    found = plain ?? (await findPlace(run, cwd));
    return found;
  };
  const open = async (): Promise<
    Repository | { readonly kind: "none"; readonly message: string }
  > => {
    const here = await place();
    if (here.kind === "none") return here;
    const { tmpDir, hookMsMax = HOOK_MS_MAX, onStep = () => undefined } = options;
    return { ...here, run, tmpDir, hookMsMax, onStep };
  };
  const reading = async <T>(fallback: T, look: (repo: Repository) => Promise<T>): Promise<T> => {
    const repo = await open();
    return "run" in repo ? await look(repo) : fallback;
  };
  return {
    locate: async () => placeOf(await place()),
    changes: shareAsking((paths) => reading([], (repo) => readChanges(repo, paths))),
    prepare: async (plan) => {
      const repo = await open();
      if ("run" in repo) return await prepareSavepoint(repo, plan);
      return { kind: "rejected", ...noRepository(repo.message) };
    },
    commit: async (savepoint, recordHash, moved) => {
      const repo = await open();
      if ("run" in repo) return await commitSavepoint(repo, savepoint, recordHash, moved);
      return { kind: "blocked", ...noRepository(repo.message) };
    },
    show: (revision, path) =>
      reading(undefined, (repo) => readAt(repo, revision, path).catch(toNothing)),
    committed: (commit, path) => reading(undefined, (repo) => readFileAt(repo, commit, path)),
    log: (path, limit) => reading([], (repo) => readLog(repo, path, limit)),
    authors: (commits) => reading(undefined, (repo) => readAuthors(repo, commits)),
    resolve: (revision) => reading(undefined, (repo) => readCommit(repo, revision)),
    branch: () => reading(undefined, readBranch),
    changesSince: (base, at = "") =>
      reading(
        undefined,
        async (repo) => await readChangesSince(await repositoryAt(repo, at), base),
      ),
    forked: (at) => reading(undefined, (repo) => readForked(repo, at)),
    tracked: (directory) => reading([], (repo) => readTracked(repo, directory)),
    journaled: (since) => reading([], (repo) => readJournaled(repo, since)),
    commitsSince: (base, since) =>
      reading(undefined, (repo) => readCommitsSince(repo, base, since)),
  };
}

export function placeOf(found: FoundPlace): GitPlace {
  if (found.kind === "none") return found;
  return { kind: "repository", top: found.top, commonDir: found.commonDir };
}

function toNothing(error: unknown): undefined {
  if (!(error instanceof ObjectUnreadable)) throw error;
}

async function readAt(
  repo: Repository,
  revision: string,
  path: string,
): Promise<Uint8Array | undefined> {
  const commit = isFull(repo, revision) ? revision : await readCommit(repo, revision);
  return commit === undefined ? undefined : await readFileAt(repo, commit, path);
}

async function readAuthors(
  repo: Repository,
  commits: readonly string[],
): Promise<readonly string[] | undefined> {
  if (commits.length === 0) return [];
  const args = ["log", "--no-walk=unsorted", "-z", "--no-show-signature", "--encoding=UTF-8"];
  args.push("--format=%an%x00%ae%x00%cn%x00%ce", "--end-of-options", ...commits, "--");
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  if (answer.end !== "exit" || answer.code !== 0) return undefined;
  const names = answer.stdout.toString("utf8").split("\0");
  return [...new Set(names.filter((name) => name !== ""))];
}

async function readLog(
  repo: Repository,
  path: string,
  limit: number,
): Promise<readonly GitCommit[]> {
  if ((await readCommit(repo, "HEAD")) === undefined) return [];
  const args = ["--literal-pathspecs", "log", "-z", `--max-count=${limit}`, "--no-show-signature"];
  args.push("--no-color", "--encoding=UTF-8", "--format=%H%x00%ct%x00%s", "HEAD", "--", path);
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  const fields = out.split("\0");
  const commits: GitCommit[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const at = new Date(Number(fields[i + 1]) * 1000).toISOString();
    commits.push({ oid: fields[i] ?? "", at, subject: fields[i + 2] ?? "" });
  }
  return commits;
}
