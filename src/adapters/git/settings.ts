/** What the user's configuration says about savepoints, asked in one call. */
import type { Savepoint } from "../../ports/git.ts";
import type { Repository } from "./place.ts";
import { GitFailure, READ_ONLY } from "./run.ts";

export interface Settings {
  readonly author: Savepoint["author"];
  /** commit.gpgSign: `git commit-tree` does not obey it by itself. */
  readonly sign: boolean;
  /** Hooks may be elsewhere than in the git directory, or be named in the configuration itself. */
  readonly hooksElsewhere: boolean;
  /** Whether a setting decides how a file is converted, and how an object is stored. */
  readonly converts: boolean;
  readonly stores: boolean;
  /** A file of rules, outside of the worktree, for what is left out. */
  readonly excludes: boolean;
}

export async function readSettings(repo: Repository): Promise<Settings> {
  const answer = await repo.run(SETTINGS_ARGS, { cwd: repo.top, env: READ_ONLY });
  // Exit 1: none of them is set.
  if (answer.end !== "exit" || answer.code > 1) throw new GitFailure(answer);
  return parseSettings(answer.stdout.toString("utf8"));
}

export function parseSettings(out: string): Settings {
  const entries = out.split("\0").slice(0, -1);
  return {
    author: authorIn(entries),
    sign: isOn(lastOf(entries, "commit.gpgsign") ?? "false"),
    hooksElsewhere: entries.some((entry) => /^(core\.hookspath|hook\.)/.test(entry)),
    converts: entries.some((entry) => CONVERTS.test(entry)),
    stores: entries.some((entry) => /^core\.(sharedrepository|fsync)/.test(entry)),
    excludes: entries.some((entry) => entry.startsWith("core.excludesfile")),
  };
}

/**
 * The configured name, else Holdpoint's own: git's guess from login and host name is refused by
 * user.useConfigOnly, and differs between two machines that must make the same commit.
 */
function authorIn(entries: readonly string[]): Savepoint["author"] {
  const [name = "", email = ""] = ["user.name", "user.email"].map((key) =>
    // git drops these from names; one made of nothing else would make every commit fail.
    (lastOf(entries, key) ?? "").replaceAll(/[<>\n\0]/g, "").trim(),
  );
  return name === "" || email === "" ? HOLDPOINT : { name, email };
}

/** `key`, a line break and the value, or the key alone, which means yes; of several the last one counts. */
function lastOf(entries: readonly string[], key: string): string | undefined {
  const entry = entries.findLast((one) => one === key || one.startsWith(`${key}\n`));
  return entry === key ? "true" : entry?.slice(key.length + 1);
}

function isOn(value: string): boolean {
  return !/^(false|no|off|0+|)$/i.test(value);
}

export const SETTINGS_ARGS: readonly string[] = [
  "config",
  "-z",
  "--get-regexp",
  // The version is in every repository, so that an ordinary answer is never empty, which git calls a failure.
  "^(user\\.(name|email)|commit\\.gpgsign|core\\.(hookspath|repositoryformatversion|excludesfile|autocrlf|eol|attributesfile|sharedrepository|fsync.*)|hook\\..*)$",
];

const CONVERTS = /^core\.(eol|attributesfile|autocrlf(?!\n(false|no|off|0)$))/;

const HOLDPOINT = { name: "Holdpoint", email: "holdpoint@localhost" };
