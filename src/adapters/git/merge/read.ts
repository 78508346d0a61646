/** Reads branches: where they stand, which commits they are ahead, what a file contains there. */
import { createHash } from "node:crypto";
import type { BranchAhead, BranchCommit, BranchHead } from "../../../ports/worktrees.ts";
import { compareTrees, type TreeEntry } from "../index/entries.ts";
import { readCommit, readTree } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY, succeed } from "../run/run.ts";

/** The commit of a branch, or a commit given by id. If a branch has such a name, the branch counts. */
export async function readBranch(home: Repository, name: string): Promise<string | undefined> {
  return (await readCommit(home, `refs/heads/${name}`)) ?? (await readCommit(home, name));
}

export async function readHead(home: Repository, branch: string): Promise<BranchHead | undefined> {
  const commit = await readCommit(home, `refs/heads/${branch}`);
  if (commit === undefined) return undefined;
  const [tree, patch] = await Promise.all([readTree(home, commit), patchOf(home, commit)]);
  return { commit, tree, patch };
}

/**
 * A digest of what the commit changes, without line numbers and blob ids, so that it is the same after a rebase.
 * `git patch-id` is not used, because it ignores white space, which has meaning in some languages.
 */
async function patchOf(home: Repository, commit: string): Promise<string> {
  const args = ["diff-tree", "--root", "--no-commit-id", "--patch", "--binary", "--no-renames"];
  args.push(
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--unified=3",
    "--diff-algorithm=myers",
  );
  args.push("--src-prefix=a/", "--dst-prefix=b/", commit);
  const answer = await home.run(args, { cwd: home.top, env: READ_ONLY });
  // The patch is too large to compare, so only the same commit counts as the same change.
  if (answer.end === "overflow") return `commit:${commit}`;
  const text = (await succeed(Promise.resolve(answer))).split("\n");
  const lines = text
    .filter((line) => !line.startsWith("index "))
    .map((line) => line.replace(/^ -[\d,]+ \+[\d,]+ .*$/, ""));
  return `sha256:${createHash("sha256").update(lines.join("\n")).digest("hex")}`;
}

export async function readAhead(
  home: Repository,
  branch: string,
  base: string,
): Promise<BranchAhead> {
  const [tip, from] = [await readBranch(home, branch), await readBranch(home, base)];
  if (tip === undefined) return { commits: [], files: [], since: undefined, entries: {} };
  const since = from === undefined ? undefined : await readMergeBase(home, from, tip);
  const [commits, changes] = await Promise.all([
    commitsBetween(home, from, tip),
    compareTrees(home, since ?? "", tip),
  ]);
  const shown = (entry: TreeEntry | undefined): string =>
    entry === undefined ? "-" : `${entry.mode} ${entry.oid}`;
  const entries = Object.fromEntries(
    [...changes].map(([path, { before, after }]) => [path, `${shown(before)} ${shown(after)}`]),
  );
  return { commits, files: [...changes.keys()], since, entries };
}

/** The common ancestor of two commits; undefined if there is none. */
export async function readMergeBase(
  home: Repository,
  base: string,
  tip: string,
): Promise<string | undefined> {
  const answer = await home.run(["merge-base", base, tip], { cwd: home.top, env: READ_ONLY });
  return answer.code === 0 ? answer.stdout.toString("utf8").trim() : undefined;
}

export async function readChanged(
  home: Repository,
  from: string,
  to: string,
): Promise<readonly string[]> {
  const [before, after] = [await readBranch(home, from), await readBranch(home, to)];
  if (before === undefined || after === undefined) return [];
  return [...(await compareTrees(home, before, after)).keys()];
}

export async function readMentions(
  home: Repository,
  branch: string,
  { texts, under }: { readonly texts: readonly string[]; readonly under: readonly string[] },
): Promise<readonly string[]> {
  const tip = await readBranch(home, branch);
  if (tip === undefined || texts.length === 0) return [];
  const wanted = texts.flatMap((text) => ["-e", text]);
  const args = ["grep", "-l", "-z", "-I", "--fixed-strings", "--no-color", ...wanted, tip, "--"];
  const answer = await home.run([...args, ...under], { cwd: home.top, env: READ_ONLY });
  // Exit code 1 means that nothing was found.
  if (answer.end === "exit" && answer.code === 1) return [];
  const out = await succeed(Promise.resolve(answer));
  return out
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => line.slice(tip.length + 1));
}

/** Oldest first. */
export async function commitsBetween(
  home: Repository,
  from: string | undefined,
  tip: string,
): Promise<readonly BranchCommit[]> {
  const args = ["log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--no-color"];
  args.push("--no-renames", "--name-status", "--encoding=UTF-8", "--format=%H %ct %s", tip);
  if (from !== undefined) args.push(`^${from}`);
  const out = await succeed(home.run([...args, "--"], { cwd: home.top, env: READ_ONLY }));
  return parseLog(out.split("\0"));
}

/** A line for the commit, then a letter and a path for each file it changes. */
function parseLog(tokens: readonly string[]): readonly BranchCommit[] {
  const commits: (BranchCommit & { created: string[]; modified: string[] })[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = (tokens[index] ?? "").replace(/^\n/, "");
    const [, sha, seconds, subject = ""] = /^([0-9a-f]{40,64}) (\d+) (.*)$/s.exec(token) ?? [];
    const last = commits.at(-1);
    if (sha !== undefined) {
      const at = new Date(Number(seconds) * 1000).toISOString();
      commits.push({ sha, subject, at, created: [], modified: [] });
    } else if (/^[A-Z]\d*$/.test(token) && last !== undefined) {
      index += 1;
      (token === "A" ? last.created : last.modified).push(tokens[index] ?? "");
    }
  }
  return commits;
}

/** `remote.pushDefault`, else origin, else the only one. */
export async function readRemote(home: Repository): Promise<string | undefined> {
  const out = await succeed(home.run(["remote"], { cwd: home.top, env: READ_ONLY }));
  const remotes = out.split("\n").filter((name) => name !== "");
  const args = ["config", "--get", "remote.pushDefault"];
  const answer = await home.run(args, { cwd: home.top, env: READ_ONLY });
  const wanted = answer.code === 0 ? answer.stdout.toString("utf8").trim() : "origin";
  if (remotes.includes(wanted)) return wanted;
  return remotes.length === 1 ? remotes[0] : undefined;
}
