/** Builds the fence for the repository that was found. */
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFencing, SHARED } from "../adapters/git/fence/fence.ts";
import { NO_FENCE } from "../ports/fence.ts";
import type { Fencing } from "../ports/fence.ts";
import type { GitPlace } from "../ports/git.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Known = { readonly top: string; readonly commonDir: string } | undefined;

/** The environment decides which git settings apply, as it would for git itself. */
export function fencingAt(known: Known, store: string, env: Env, shared: boolean): Fencing {
  if (known === undefined) return NO_FENCE;
  const { top, commonDir } = known;
  return createFencing({ commonDir, top, bare: top === commonDir, store, shared, env: { ...env } });
}

/** Finds a repository without a worktree, such as one on a server. Its branches can be fenced too. */
export function bareAt(start: string, place: GitPlace): Known {
  if (place.kind !== "none" || place.why !== "bare") return undefined;
  for (let at = start; ; at = dirname(at)) {
    if (["HEAD", "objects", "refs"].every((part) => existsSync(join(at, part))))
      return { top: at, commonDir: at };
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Finds the repository from the place of the hook file. It is judged in the main worktree and not in the one that
 * git runs the hook in, because an agent may control that worktree and its environment.
 */
export function atHook(
  hooks: string,
  store: string,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): { readonly cwd: string; readonly env: Env } {
  const around = dirname(hooks);
  const commonDir = around.endsWith("/holdpoint") ? dirname(around) : around;
  const plain = Object.entries(env).filter(([name]) => !name.startsWith("HOLDPOINT_"));
  const own = {
    HOLDPOINT_DIR: store === "" || store === SHARED ? join(commonDir, "holdpoint") : store,
    ...(store === SHARED ? {} : { HOLDPOINT_STORE: "embedded" }),
  };
  return { cwd: topOf(commonDir, cwd), env: { ...Object.fromEntries(plain), ...own } };
}

function topOf(commonDir: string, cwd: string): string {
  if (commonDir.endsWith("/.git")) return dirname(commonDir);
  return lstatSync(join(cwd, ".git"), { throwIfNoEntry: false }) === undefined ? commonDir : cwd;
}
