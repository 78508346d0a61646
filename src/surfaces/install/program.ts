/** How a client's files call this program, so that it can be run wherever those files are used. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { storeNear } from "../../compose/hook.ts";
import type { Client } from "../../watch/call.ts";

export interface Program {
  /** Quoted for a shell. */
  readonly words: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Which program that is, and why. */
  readonly told: string;
}

export interface ProgramPlace {
  readonly client: Client;
  readonly user: boolean;
  readonly root: string;
  /** The program that is running now. */
  readonly node: string;
  readonly script: string;
  readonly path: string;
}

/** Files of the user name exactly this program. Files in a repository must work in every clone. */
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
      // No directory is named, because it is started where the client works.
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

/** The worktree with the project's packages: this one or the main one. Other worktrees may have none. */
export function packagesNear(root: string): string | undefined {
  const [, git] = storeNear(root, {})?.own ?? [];
  const roots = [root, ...(git === undefined ? [] : [dirname(git)])];
  return roots.find((one) => existsSync(join(one, OWN)));
}

/** The project's own program, for a shell: relative to where it starts, or else in the main worktree. */
function ownProgram(start: string): string {
  const enter = start === "." ? "" : `cd "${start}"; `;
  const found = `[ -x ${OWN} ] || cd "$(git rev-parse --git-common-dir)/.."; pwd`;
  return `"$(${enter}${found})"/${OWN}`;
}

/** How a hook of each client finds the project's directory. */
const STARTS_IN: Readonly<Record<Client, string>> = {
  claude: "${CLAUDE_PROJECT_DIR:-.}",
  gemini: "${GEMINI_PROJECT_DIR:-.}",
  codex: ".",
  copilot: "${COPILOT_PROJECT_DIR:-.}",
  opencode: ".",
};

/** Finds a program on PATH that will still be there later: one that npx provides is temporary. */
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
