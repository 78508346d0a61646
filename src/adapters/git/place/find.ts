/** Finds the commit that carries a record's trailer. */
import type { Savepoint } from "../../../ports/git.ts";
import { readCommit } from "./head.ts";
import { RECORD_TRAILER } from "../objects/message.ts";
import type { Repository } from "./place.ts";
import { READ_ONLY, succeed } from "../run/run.ts";

/**
 * Searches only the last commits of the branch, down to the savepoint's base. `--grep` is not used: with `-n` it
 * limits the matches and not the search, so it could read the whole history.
 */
export async function findTrailer(
  repo: Repository,
  { ref, base }: Pick<Savepoint, "ref" | "base">,
  recordHash: string,
): Promise<string | undefined> {
  if ((await readCommit(repo, ref)) === undefined) return undefined;
  const older = base === "" || (await readCommit(repo, base)) === undefined ? [] : [`^${base}`];
  const format = `--format=%H %(trailers:key=${RECORD_TRAILER},valueonly,unfold,separator=%x20)`;
  const args = ["log", `--max-count=${TRAILER_COMMITS_MAX}`, "--no-show-signature", "--no-color"];
  args.push(format, ref, ...older, "--");
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  const line = out.split("\n").find((text) => text.split(" ").slice(1).includes(recordHash));
  return line?.split(" ", 1)[0];
}

const TRAILER_COMMITS_MAX = 500;
