/** What a span of work changed: everything between a recorded commit and the files as they are now. */
import { join } from "node:path";
import type { GitDifference, GitRecorded } from "../../ports/git.ts";
import { readCommit, readHeadRef, readTree } from "./head.ts";
import type { Repository } from "./place.ts";
import { withPrivateIndex } from "./private-index.ts";
import { READ_ONLY, succeed } from "./run.ts";

export async function readBranch(repo: Repository): Promise<string | undefined> {
  const ref = await readHeadRef(repo);
  return ref?.replace(/^refs\/heads\//, "");
}

/**
 * In a private index that holds the base, untracked files are announced without storing them: so one diff
 * sees all of them, and knows a moved file for what it is.
 */
export async function readChangesSince(
  repo: Repository,
  base: string,
): Promise<readonly GitDifference[] | undefined> {
  if (base !== "" && (await readCommit(repo, base)) === undefined) return undefined;
  return await withPrivateIndex(repo, base, async ({ env }) => {
    const at = { cwd: repo.top, env: { ...READ_ONLY, ...env } };
    await succeed(repo.run(["add", "--intent-to-add", "--ignore-errors", "--", "."], at));
    const from = base === "" ? await readTree(repo, base) : base;
    const args = ["diff", "--no-ext-diff", "--name-status", "-z", "--find-renames", from, "--"];
    return readNameStatus(await succeed(repo.run(args, at)));
  });
}

/** Commits since a base, with the record each says it was made for. */
export async function readCommitsSince(
  repo: Repository,
  base: string,
): Promise<readonly GitRecorded[] | undefined> {
  if (base !== "" && (await readCommit(repo, base)) === undefined) return undefined;
  if ((await readCommit(repo, "HEAD")) === undefined) return [];
  const trailer = "%(trailers:key=Holdpoint-Record,valueonly,separator=%x2C)";
  const args = ["log", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8"];
  args.push(`--format=%H%x00%s%x00${trailer}`, "HEAD", ...(base === "" ? [] : [`^${base}`]), "--");
  const fields = (await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }))).split("\0");
  const commits: GitRecorded[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3)
    commits.push({
      oid: fields[at] ?? "",
      subject: fields[at + 1] ?? "",
      record: (fields[at + 2] ?? "").trim(),
    });
  return commits;
}

export async function readTrackedAnyway(
  repo: Repository,
  directory: string,
): Promise<readonly string[]> {
  const cwd = join(repo.top, directory);
  const args = ["ls-files", "--cached", "--ignored", "--exclude-per-directory=.gitignore", "-z"];
  const out = await succeed(repo.run(args, { cwd, env: READ_ONLY }));
  const prefix = directory === "." || directory === "" ? "" : `${directory}/`;
  return out
    .split("\0")
    .slice(0, -1)
    .map((path) => `${prefix}${path}`);
}

/** `A\0path\0`, `M\0path\0`, `D\0path\0`, `R100\0old\0new\0`. */
function readNameStatus(out: string): readonly GitDifference[] {
  const fields = out.split("\0");
  const changes: GitDifference[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const code = fields[at]?.[0] ?? "";
    const first = fields[at + 1] ?? "";
    if (code === "R" || code === "C") {
      const path = fields[at + 2] ?? "";
      changes.push(
        code === "R" ? { path, change: "renamed", from: first } : { path, change: "added" },
      );
      at += 3;
      continue;
    }
    changes.push({ path: first, change: CHANGES[code] ?? "modified" });
    at += 2;
  }
  return changes;
}

const CHANGES: Readonly<Record<string, GitDifference["change"]>> = { A: "added", D: "deleted" };
