/** What the records of a journal want branches to do: the move, and how its commit is told from any other. */
import type { Effect } from "../../core/state/state.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { Savepoint } from "../../ports/git.ts";
import { readSavepoint } from "../show/prepare.ts";
import { isSame } from "./state.ts";
import type { RefMove } from "./state.ts";

/** A copied trailer is not enough: tree, parent, message and the record's own hash must be those of the record. */
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

/** Why an effect does not want this move; undefined where it does. `hash` is that of the record that wanted it. */
export function differsFrom(
  effect: Effect,
  move: RefMove,
  { commit, hash }: { readonly commit: CommitFacts; readonly hash: string },
): string | undefined {
  const { aim } = effect;
  if (aim !== undefined && isSame(aim, move)) return undefined;
  // What was just merged and does not build is taken back.
  if (aim !== undefined && isSame({ ...aim, from: aim.to, to: aim.from }, move)) return undefined;
  const savepoint = readSavepoint(effect.args);
  if (savepoint === undefined) return "it wants another move";
  if (savepoint.ref !== move.ref) return `it is for ${savepoint.ref}`;
  if (savepoint.base !== move.from) return "it is to stand on another commit";
  return isSavepoint(savepoint, hash, commit) ? undefined : "it wants another commit";
}
