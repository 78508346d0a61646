/** The user's settings that matter for savepoints, read in one call. */
import { readFileSync } from "node:fs";
import type { Savepoint } from "../../../ports/git.ts";
import { exists, type Repository } from "../place/place.ts";
import { GitFailure } from "./run.ts";

export interface Settings {
  readonly author: Savepoint["author"];
  /** commit.gpgSign, which `git commit-tree` itself ignores. */
  readonly sign: boolean;
  /** Hooks may be outside the git directory, or defined in the configuration itself. */
  readonly hooksElsewhere: boolean;
  /** Whether a setting changes how files are converted, or how objects are stored. */
  readonly converts: boolean;
  readonly stores: boolean;
}

export async function readSettings(repo: Repository): Promise<Settings> {
  const answer = await repo.run(SETTINGS_ARGS, { cwd: repo.top });
  // Exit code 1: none of them is set.
  if (answer.end !== "exit" || answer.code > 1) throw new GitFailure(answer);
  return parseSettings(answer.stdout.toString("utf8"));
}

function parseSettings(out: string): Settings {
  const entries = out.split("\0").slice(0, -1);
  return {
    author: authorIn(entries),
    sign: isOn(lastOf(entries, "commit.gpgsign") ?? "false"),
    hooksElsewhere: entries.some((entry) => /^(core\.hookspath|hook\.)/.test(entry)),
    converts: entries.some((entry) => CONVERTS.test(entry)),
    stores: entries.some((entry) => /^core\.(sharedrepository|fsync)/.test(entry)),
  };
}

/**
 * The configured name, else Holdpoint's own. Git's guess from login and host name is refused under
 * user.useConfigOnly, and differs between machines that must make the same commit.
 */
function authorIn(entries: readonly string[]): Savepoint["author"] {
  const [name = "", email = ""] = ["user.name", "user.email"].map((key) =>
    // Git drops these characters from names, and a name made only of them would make every commit fail.
    (lastOf(entries, key) ?? "").replaceAll(/[<>\n\0]/g, "").trim(),
  );
  return name === "" || email === "" ? HOLDPOINT : { name, email };
}

/**
 * The last value of a key: each entry is the key, a line break and the value, or the key alone, which means true.
 */
function lastOf(entries: readonly string[], key: string): string | undefined {
  const entry = entries.findLast((one) => one === key || one.startsWith(`${key}\n`));
  return entry === key ? "true" : entry?.slice(key.length + 1);
}

function isOn(value: string): boolean {
  return !/^(false|no|off|0+|)$/i.test(value);
}

const KEYS = [
  "user.name",
  "user.email",
  "commit.gpgsign",
  // Set in every repository, so that the answer is never empty, which git reports as an error.
  "core.repositoryformatversion",
  "core.hookspath",
  "core.attributesfile",
  "core.autocrlf",
  "core.eol",
  "core.sharedrepository",
  "core.fsync*",
  "hook.*",
] as const;

const SETTINGS_ARGS: readonly string[] = [
  "config",
  "-z",
  "--get-regexp",
  `^(${KEYS.join("|")
    .replaceAll(".", String.raw`\.`)
    .replaceAll("*", ".*")})$`,
];

/**
 * Makes any git command write these settings to a file beside its own work, so that no extra process is needed to
 * read them.
 */
export function telling(file: string): Readonly<Record<string, string>> {
  return { GIT_TRACE2_EVENT: file, GIT_TRACE2_CONFIG_PARAMS: KEYS.join(",") };
}

/** The settings written that way; undefined if git is too old, or the list is incomplete. */
export function readTold(file: string): Settings | undefined {
  const told = exists(file) ? readFileSync(file, "utf8").split("\n") : [];
  const entries = told.flatMap((line) => {
    const { event, sid, scope, param, value } = parsed(line);
    // Without those of child processes, and without settings that we have passed ourselves.
    const isOwn = event === "def_param" && sid?.includes("/") === false && scope !== "command";
    return isOwn ? [`${param}\n${value}`] : [];
  });
  // An empty value may be a key without a value, which means true.
  const isWhole = entries.some((entry) => entry.startsWith("core.repositoryformatversion\n"));
  if (!isWhole || entries.some((entry) => entry.endsWith("\n"))) return undefined;
  return parseSettings(`${entries.join("\0")}\0`);
}

function parsed(line: string): Readonly<Record<string, string | undefined>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const CONVERTS = /^core\.(eol|attributesfile|autocrlf(?!\n(false|no|off|0)$))/;

const HOLDPOINT = { name: "Holdpoint", email: "holdpoint@localhost" };
