/** Whose name a savepoint carries: the user's configured one, else Holdpoint's own. */
import type { Savepoint } from "../ports/git.ts";
import type { Repository } from "./git-place.ts";
import { READ_ONLY } from "./git-run.ts";

/**
 * Only what was configured: git's own guess from login and host name is refused by
 * user.useConfigOnly, and differs between two machines that must make the same commit.
 */
export async function readIdentity(repo: Repository): Promise<Savepoint["author"]> {
  const [name, email] = await Promise.all([
    readSetting(repo, "user.name"),
    readSetting(repo, "user.email"),
  ]);
  return name === "" || email === "" ? HOLDPOINT : { name, email };
}

async function readSetting(repo: Repository, key: string): Promise<string> {
  const answer = await repo.run(["config", "--get", key], { cwd: repo.top, env: READ_ONLY });
  const text = answer.code === 0 ? answer.stdout.toString("utf8") : "";
  // git drops these from names; one made of nothing else would make every commit fail.
  return text.replaceAll(/[<>\n\0]/g, "").trim();
}

const HOLDPOINT = { name: "Holdpoint", email: "holdpoint@localhost" };
