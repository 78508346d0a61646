/**
 * Resolves a name to a commit. An agent can create names: git prefers a tag to a branch of the same name, and a
 * branch whose name looks like a short id to that commit. Neither is what a person or a CI job means.
 */
import { READ_ONLY } from "../run/environment.ts";
import type { Git } from "./carried.ts";

/** The full id; undefined if there is no such commit, or more than one. */
export async function resolveCommit(git: Git, name: string): Promise<string | undefined> {
  if (ID.test(name)) {
    const begun = await linesOf(git, ["rev-parse", `--disambiguate=${name}`]);
    const commits = await commitsOf(git, begun.slice(0, BEGUN_MAX));
    if (commits.length > 0) return commits.length === 1 ? commits[0] : undefined;
  }
  const places = /^(?:HEAD\b|@|refs\/)/.test(name) ? [""] : ["refs/heads/", "refs/remotes/", ""];
  for (const place of places) {
    const args = [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${place}${name}^{commit}`,
    ];
    const [found] = await linesOf(git, args);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same range with full ids; undefined if one of its ends does not exist. */
export async function resolveRange(git: Git, range: string): Promise<string | undefined> {
  const [, from, dots = "", to] = /^(.*?[^.])(\.{2,3})([^.].*)?$/.exec(range) ?? [];
  if (from === undefined) return await resolveCommit(git, range);
  const [begin, end] = [await resolveCommit(git, from), await resolveCommit(git, to ?? "HEAD")];
  return begin === undefined || end === undefined ? undefined : `${begin}${dots}${end}`;
}

async function commitsOf(git: Git, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const check = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const told = await linesOf(git, check, `${ids.join("\n")}\n`);
  return told.flatMap((line) => (line.endsWith(" commit") ? [line.split(" ")[0] ?? ""] : []));
}

async function linesOf(git: Git, args: readonly string[], input = ""): Promise<readonly string[]> {
  const { end, code, stdout } = await git(args, READ_ONLY, input);
  if (end !== "exit" || code !== 0) return [];
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

const ID = /^[0-9a-f]{4,64}$/;
const BEGUN_MAX = 100;
