import type { Repository } from "../place/place.ts";
import type { RunGit } from "./run.ts";

/**
 * Asks a question about an object only once. An object is named after its content, so the answer cannot change.
 */
export async function askOnce<T>(repo: Repository, key: string, ask: () => Promise<T>): Promise<T>;
export async function askOnce(
  repo: Repository,
  key: string,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  const known = answers.get(repo.run);
  if (known?.has(key) === true) return known.get(key);
  const answer = await ask();
  remember(repo, key, answer);
  return answer;
}

/** Records that a tree was built without git, and whether a hook may have to be told when the index changes. */
export function rememberBuilt(repo: Repository, tree: string, hook: boolean): void {
  remember(repo, `built ${tree}`, hook ? "heard" : "unheard");
}

/** Undefined if git built the tree, or an earlier process did. */
export function recallBuilt(repo: Repository, tree: string): "heard" | "unheard" | undefined {
  const known = answers.get(repo.run)?.get(`built ${tree}`);
  return known === "heard" || known === "unheard" ? known : undefined;
}

/** Stores an answer that was found in another way. */
export function remember(repo: Repository, key: string, answer: unknown): void {
  const known = answers.get(repo.run) ?? new Map<string, unknown>();
  answers.set(repo.run, known);
  if (known.size >= ANSWERS_MAX) known.clear();
  known.set(key, answer);
}

export function isFull(repo: Repository, oid: string): boolean {
  return oid.length === repo.zeroOid.length && /^[0-9a-f]+$/.test(oid);
}

const answers = new WeakMap<RunGit, Map<string, unknown>>();
const ANSWERS_MAX = 64;
