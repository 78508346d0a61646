/**
 * What the hook needs from the adapters, and nothing else: it runs before every use of a tool and must start
 * fast.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findGitByHand } from "../adapters/git/compare/by-hand.ts";
import { isFresh, readWatch, watchPath } from "../adapters/store/watches.ts";
import type { Watch } from "../watch/watch.ts";

/** The store for a directory, and the worktree that was found. */
export interface Store {
  readonly dir: string;
  readonly top: string;
  readonly own: readonly string[];
}

export type Held =
  | { readonly kind: "nothing" }
  | { readonly kind: "watch"; readonly watch: Watch }
  /** It must be rebuilt. The last version, if any, may still be useful. */
  | { readonly kind: "stale"; readonly last: Watch | undefined };

type Env = Readonly<Record<string, string | undefined>>;

/** If the directory no longer exists, its nearest existing parent is used. */
export function storeNear(cwd: string, env: Env): Store | undefined {
  const start = resolveLinks(existing(cwd));
  const git = findGitByHand(start);
  const named = env["HOLDPOINT_DIR"] ?? "";
  const own = git === undefined ? [] : [git.commonDir];
  if (named !== "") {
    const dir = resolve(start, named);
    return { dir, top: git?.top ?? start, own: [dir, ...own] };
  }
  if (git !== undefined) {
    const dir = join(git.commonDir, "holdpoint");
    return { dir, top: git.top, own: [dir, ...own] };
  }
  for (let at = start; ; at = dirname(at)) {
    const dir = join(at, ".holdpoint");
    if (isDirectory(dir)) return { dir, top: at, own: [dir] };
    if (dirname(at) === at) return undefined;
  }
}

export function heldIn({ dir }: Store): Held {
  const journals = join(dir, "journals");
  // Journals that were moved away no longer change, so they would seem fresh forever.
  if (lstatSync(join(dir, "moved.json"), { throwIfNoEntry: false }) !== undefined)
    return heldElsewhere(dir);
  if (!isDirectory(journals)) return isShared(dir) ? heldElsewhere(dir) : { kind: "nothing" };
  const watch = readWatch(dir);
  if (watch !== undefined && isFresh(dir, watch)) return { kind: "watch", watch };
  if (watch === undefined && isEmpty(journals)) return { kind: "nothing" };
  return { kind: "stale", last: watch };
}

/** Whether this clone has used a store on a server. */
function isShared(dir: string): boolean {
  return statSync(join(dir, "store.json"), { throwIfNoEntry: false })?.isFile() === true;
}

/** Not every use of a tool can ask a server: the local copy is trusted for a few seconds. */
function heldElsewhere(dir: string): Held {
  const watch = readWatch(dir);
  const made = statSync(watchPath(dir), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const age = Date.now() - made;
  const isRecent = age >= 0 && age < BELIEVED_MS;
  return watch !== undefined && isRecent
    ? { kind: "watch", watch }
    : { kind: "stale", last: watch };
}

const BELIEVED_MS = 5_000;

/** Resolves links in the existing part of a path; the rest is kept as it is. */
export function resolveLinks(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...rest);
    } catch {
      if (dirname(at) === at) return path;
      rest.unshift(basename(at));
    }
  }
}

function existing(path: string): string {
  for (let at = resolve(path); ; at = dirname(at))
    if (isDirectory(at) || dirname(at) === at) return at;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** An unreadable directory does not count as empty. */
function isEmpty(directory: string): boolean {
  try {
    return !readdirSync(directory).some((name) => name.endsWith(".jsonl"));
  } catch {
    return false;
  }
}
