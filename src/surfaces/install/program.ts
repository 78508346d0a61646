/** How a client's files call this program: something that can be run wherever those files are read. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { storeNear } from "../../compose/hook.ts";
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
  if (packagesNear(root) !== undefined)
    return {
      words: ownProgram(STARTS_IN[client]),
      command: "sh",
      // Whatever starts it names no folder: it is started where the client works.
      args: ["-c", `exec ${ownProgram(".")} "$@"`, "holdpoint"],
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

const OWN = "node_modules/.bin/holdpoint";

/** The worktree with the project's packages: this one, or the main one; others may have none of their own. */
export function packagesNear(root: string): string | undefined {
  const [, git] = storeNear(root, {})?.own ?? [];
  const roots = [root, ...(git === undefined ? [] : [dirname(git)])];
  return roots.find((one) => existsSync(join(one, OWN)));
}

/** The project's own program, for a shell: from where it starts, or else from the main worktree. */
function ownProgram(start: string): string {
  const enter = start === "." ? "" : `cd "${start}"; `;
  const found = `[ -x ${OWN} ] || cd "$(git rev-parse --git-common-dir)/.."; pwd`;
  return `"$(${enter}${found})"/${OWN}`;
}

/** Where the project lies, as a hook of that client can tell. */
const STARTS_IN: Readonly<Record<Client, string>> = {
  claude: "${CLAUDE_PROJECT_DIR:-.}",
  gemini: "${GEMINI_PROJECT_DIR:-.}",
  codex: ".",
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
