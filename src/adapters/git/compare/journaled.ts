/** Commits that name the journal record they were made for. */
import type { GitJournaled } from "../../../ports/git.ts";
import { JOURNAL_TRAILER, RECORD_TRAILER } from "../objects/message.ts";
import { readOwnCommits } from "./commits.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY } from "../run/run.ts";

/**
 * Includes commits that a branch was reset away from: they are still in the reflog and still name their records.
 */
export async function readJournaled(
  repo: Repository,
  since: string,
): Promise<readonly GitJournaled[]> {
  const value = (name: string): string => `%(trailers:key=${name},valueonly,separator=%x2C)`;
  const args = [
    "log",
    "-z",
    "--all",
    "--reflog",
    ...(since === "" ? [] : [`--since=${since.slice(0, 19)}Z`]),
    "--no-show-signature",
  ];
  args.push("--no-color", "--encoding=UTF-8");
  args.push(`--format=%H%x00${value(JOURNAL_TRAILER)}%x00${value(RECORD_TRAILER)}`, "--");
  const { code, stdout } = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  // If git does not answer, there are no witnesses.
  if (code !== 0) return [];
  const fields = stdout.toString("utf8").split("\0");
  const own = new Set(readOwnCommits(repo));
  const commits: GitJournaled[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [oid = "", journal = "", record = ""] = fields.slice(at, at + 3).map((one) => one.trim());
    if (journal !== "" || record !== "") commits.push({ oid, journal, record, here: own.has(oid) });
  }
  return commits;
}
