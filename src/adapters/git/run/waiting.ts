/** Which of the repository's own hooks a git command waits for. */
import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { GitAnswer } from "./failure.ts";

/**
 * The hooks that a command may run. Commands that only read, or use a private index, run none (see
 * environment.ts).
 */
export function hooksOf(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly hooks: readonly string[]; readonly isQuick: boolean } {
  const isQuiet = Object.values(env).includes(NO_HOOKS);
  const command = args.find((word) => /^[a-z][a-z-]+$/.test(word)) ?? "";
  const hooks = isQuiet ? [] : (HOOKS[command] ?? []);
  // Only the hook can take long in these commands: there are neither many files nor a network.
  return { hooks, isQuick: hooks.length > 0 && /^(update-ref|update-index|branch)$/.test(command) };
}

interface Asking {
  readonly cwd: string;
  readonly msMax: number;
}

/** Those of them that exist, by path. */
export async function findHooks(
  run: (args: readonly string[], options: Asking) => Promise<GitAnswer>,
  names: readonly string[],
  cwd = ".",
): Promise<readonly string[]> {
  const args = ["rev-parse", "--git-path", "hooks"];
  const { code, stdout } = await run(args, { cwd, msMax: FIND_MS_MAX });
  const said = code === 0 ? stdout.toString("utf8").trim() : join(".git", "hooks");
  const place = isAbsolute(said) ? said : join(cwd, said);
  return names.map((name) => join(place, name)).filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Replaces the hooks directory by one that has none. */
export const NO_HOOKS = "/dev/null";

const HOOKS: Readonly<Record<string, readonly string[]>> = {
  "update-ref": ["reference-transaction"],
  "update-index": ["post-index-change"],
  "read-tree": ["post-index-change"],
  worktree: ["post-checkout", "reference-transaction", "post-index-change"],
  branch: ["reference-transaction"],
  push: ["pre-push", "reference-transaction"],
};
const FIND_MS_MAX = 5_000;
