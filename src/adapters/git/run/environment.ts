/** The environment for git: nothing is inherited that changes where git looks or what it reads. */

import { NO_HOOKS } from "./waiting.ts";

/**
 * Of the variables that begin with GIT_, only those pass that tell how to reach the user's settings or a remote.
 */
export function cleanEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(
    ([name]) => !name.startsWith("GIT_") || PASSED.test(name),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: "0" };
}

/**
 * For git itself, but not for a hook's own program: messages in English, and objects as they are stored. A
 * replacement or graft would show other content, or another history, under the same id.
 */
export const AS_STORED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
};

/**
 * Settings for one command, passed by environment so that they do not appear in messages that show the command.
 */
export function withSettings(
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: `${Object.keys(settings).length}` };
  for (const [at, [key, value]] of Object.entries(settings).entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return env;
}

/**
 * Switches off user settings that could change what is read. Not for commands that write the user's own index:
 * they would drop what the file system monitor and the untracked cache have stored there.
 */
export const FULL_LOOK_SETTINGS: Readonly<Record<string, string>> = {
  // No hook may influence what is only read, or an index of our own.
  "core.hooksPath": NO_HOOKS,
  "core.quotePath": "false",
  "core.fsmonitor": "false",
  "core.untrackedCache": "false",
  "core.splitIndex": "false",
  "core.ignoreStat": "false",
  "core.trustctime": "true",
  "core.checkStat": "default",
  "core.ignoreCase": "false",
  "core.sparseCheckout": "false",
  "index.sparse": "false",
  "index.version": "2",
  "index.skipHash": "false",
  "core.commitGraph": "false",
  "diff.ignoreSubmodules": "none",
  "diff.relative": "false",
  "diff.renames": "true",
  "log.follow": "false",
};

export const FULL_LOOK: Readonly<Record<string, string>> = withSettings(FULL_LOOK_SETTINGS);

/** For commands that only read: a `status` that refreshes the index would take the user's lock. */
export const READ_ONLY: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  ...FULL_LOOK,
};

// Where the user's settings are, how remotes are reached, and git's own tracing. GIT_CEILING_DIRECTORIES is left
// out: we would find the repository and its journal by its files, but git would not.
const PASSED =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|ASKPASS|SSH\w*|HTTP_\w+|SSL_\w+|PROXY_\w+|ALLOW_PROTOCOL|TRACE\w*)$/;
