/** How a client's files call this program: something that can be run wherever those files are read. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Client } from "../../watch/call.ts";

export interface Program {
  /** For a shell, quoted. */
  readonly words: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Which program that is, and why this one. */
  readonly told: string;
}

export interface ProgramPlace {
  readonly client: Client;
  readonly user: boolean;
  readonly root: string;
  /** This program as it runs now. */
  readonly node: string;
  readonly script: string;
  readonly path: string;
}

/** Files of the user name this very program; those of a repository must be right in every clone. */
export function programFor(place: ProgramPlace): Program | undefined {
  const { client, user, root, node, script } = place;
  if (user)
    return {
      words: `${quoted(node)} ${quoted(script)}`,
      command: node,
      args: [script],
      told: `${script}, by its full path: these files are this user's alone`,
    };
  if (existsSync(join(root, "node_modules/.bin/holdpoint")))
    return {
      words: `"${ROOT_IN_HOOKS[client]}"/node_modules/.bin/holdpoint`,
      command: "npx",
      args: ["--no-install", "holdpoint"],
      told: "node_modules/.bin/holdpoint, because this project depends on it",
    };
  const found = lastingOnPath("holdpoint", place.path);
  if (found === undefined) return undefined;
  return {
    words: "holdpoint",
    command: "holdpoint",
    args: [],
    told: `holdpoint as PATH finds it (here ${found}): every clone needs it there`,
  };
}

/** Where the project lies, as a hook of that client can tell. In a worktree the packages are in the main one. */
const ROOT_IN_HOOKS: Readonly<Record<Client, string>> = {
  claude: "${CLAUDE_PROJECT_DIR:-.}",
  gemini: "${GEMINI_PROJECT_DIR:-.}",
  codex: "$(git rev-parse --git-common-dir)/..",
  copilot: "${COPILOT_PROJECT_DIR:-.}",
  opencode: ".",
};

/** A program that PATH finds, also in another shell: what npx has put there for the moment is gone afterwards. */
function lastingOnPath(name: string, path: string): string | undefined {
  const passing = /[/\\]_npx[/\\]|[/\\]node_modules[/\\]\.bin$/;
  return onPath(
    name,
    path
      .split(delimiter)
      .filter((one) => !passing.test(one))
      .join(delimiter),
  );
}

export function onPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((one) => isAbsolute(one))
    .map((one) => join(one, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
