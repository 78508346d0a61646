/** What a journal's records want branches to do, and how the commit of such a move is recognised. */
import type { Effect } from "../../core/state/state.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { Savepoint } from "../../ports/git.ts";
import { readSavepoint } from "../show/prepare.ts";
import { isSame } from "./state.ts";
import type { RefMove } from "./state.ts";

/** A trailer could be copied, so tree, parent, message and the record's hash must all match. */
export function isSavepoint(savepoint: Savepoint, hash: string, commit: CommitFacts): boolean {
  return (
    commit.tree === savepoint.tree &&
    commit.parents.join(" ") === savepoint.base &&
    commit.trailers["Holdpoint-Record"] === hash &&
    withoutTrailers(commit.message) === savepoint.message.trim()
  );
}

function withoutTrailers(message: string): string {
  return message.replaceAll(/^Holdpoint-[A-Za-z]+: .*\n?/gm, "").trim();
}

/**
 * Why an effect does not want this move; undefined if it does. `hash` is that of the record that wanted the
 * effect.
 */
export function differsFrom(
  effect: Effect,
  move: RefMove,
  { commit, hash }: { readonly commit: CommitFacts; readonly hash: string },
): string | undefined {
  const { aim } = effect;
  if (aim !== undefined && isSame(aim, move)) return undefined;
  // The reverse of an announced merge is allowed too: a merge that does not build is undone.
  if (aim !== undefined && isSame({ ...aim, from: aim.to, to: aim.from }, move)) return undefined;
  const savepoint = readSavepoint(effect.args);
  if (savepoint === undefined) return "it wants another move";
  if (savepoint.ref !== move.ref) return `it is for ${savepoint.ref}`;
  if (savepoint.base !== move.from) return "it is to stand on another commit";
  return isSavepoint(savepoint, hash, commit) ? undefined : "it wants another commit";
}
