/** What the user's configuration says about savepoints, asked in one call. */
import { readFileSync } from "node:fs";
import type { Savepoint } from "../../../ports/git.ts";
import { exists, type Repository } from "../place/place.ts";
import { GitFailure } from "./run.ts";

export interface Settings {
  readonly author: Savepoint["author"];
  /** commit.gpgSign: `git commit-tree` does not obey it by itself. */
  readonly sign: boolean;
  /** Hooks may be elsewhere than in the git directory, or be named in the configuration itself. */
  readonly hooksElsewhere: boolean;
  /** Whether a setting decides how a file is converted, and how an object is stored. */
  readonly converts: boolean;
  readonly stores: boolean;
}

export async function readSettings(repo: Repository): Promise<Settings> {
  const answer = await repo.run(SETTINGS_ARGS, { cwd: repo.top });
  // Exit 1: none of them is set.
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

const KEYS = [
  "user.name",
  "user.email",
  "commit.gpgsign",
  // In every repository, so that an ordinary answer is never empty, which git calls a failure.
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

/** What has any git command write down these settings beside its own work, so that none is started to ask for them. */
export function telling(file: string): Readonly<Record<string, string>> {
  return { GIT_TRACE2_EVENT: file, GIT_TRACE2_CONFIG_PARAMS: KEYS.join(",") };
}

/** What a command has told so; undefined where git is too old for it, or has not said all. */
export function readTold(file: string): Settings | undefined {
  const told = exists(file) ? readFileSync(file, "utf8").split("\n") : [];
  const entries = told.flatMap((line) => {
    const { event, sid, scope, param, value } = parsed(line);
    // Not of the programs it has started, nor what we have set for it ourselves.
    const isOwn = event === "def_param" && sid?.includes("/") === false && scope !== "command";
    return isOwn ? [`${param}\n${value}`] : [];
  });
  // An empty one may be a key without a value, which means yes.
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
