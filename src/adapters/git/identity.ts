/** Whose name a savepoint carries: the user's configured one, else Holdpoint's own. */
import type { Savepoint } from "../../ports/git.ts";
import type { Repository } from "./place.ts";
import { READ_ONLY } from "./run.ts";

/**
 * Only what was configured: git's own guess from login and host name is refused by
 * user.useConfigOnly, and differs between two machines that must make the same commit.
 */
export async function readIdentity(repo: Repository): Promise<Savepoint["author"]> {
  const args = ["config", "-z", "--get-regexp", "^user\\.(name|email)$"];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  const entries = answer.code === 0 ? answer.stdout.toString("utf8").split("\0") : [];
  const name = lastOf(entries, "user.name");
  const email = lastOf(entries, "user.email");
  return name === "" || email === "" ? HOLDPOINT : { name, email };
}

/** `key`, a line break and the value; of several the last one counts. */
function lastOf(entries: readonly string[], key: string): string {
  const entry = entries.findLast((one) => one.startsWith(`${key}\n`)) ?? "";
  // git drops these from names; one made of nothing else would make every commit fail.
  return entry
    .slice(key.length + 1)
    .replaceAll(/[<>\n\0]/g, "")
    .trim();
}

const HOLDPOINT = { name: "Holdpoint", email: "holdpoint@localhost" };
