/** What a span of work changed: everything between a recorded commit and the files as they are now. */
import type { GitDifference } from "../../ports/git.ts";
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
