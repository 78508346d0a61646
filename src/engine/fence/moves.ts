/**
 * Every move of a branch that a journal here has released, and whether these moves lead to where the branch
 * stands.
 */
import type { Effect } from "../../core/state/state.ts";
import { member } from "../../core/values/json.ts";
import { text } from "../../core/values/json-read.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { Savepoint } from "../../ports/git.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { emptyWorkflow, evolveAll } from "../../core/state/evolve.ts";
import { eventsOf, idOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { readSavepoint } from "../show/prepare.ts";
import { isSame, REPOSITORY_STREAM } from "./state.ts";
import type { Opening, RefMove } from "./state.ts";
import { isSavepoint } from "./wanted.ts";

/** Stands for a commit that a record wants and that is not made or recorded yet. */
export const UNDECIDED = "?";

export interface Released extends RefMove {
  readonly at: string;
  /** What released it, in words. */
  readonly by: string;
  /** The journal that contains the release. */
  readonly stream: string;
  /** True if it has happened; otherwise it may or may not have. */
  readonly sure: boolean;
  /** What identifies its commit. A move without this names the exact commit. */
  readonly savepoint?: { readonly plan: Savepoint; readonly hash: string };
}

/** Skips everything in a journal after damage; `audit --chain` and `verify` report the damage. */
export async function releasedMoves(
  { journal }: Pick<Parts, "journal">,
  openings: readonly Opening[],
): Promise<readonly Released[]> {
  const moves: Released[] = openings.map((one) => ({
    ...one,
    stream: REPOSITORY_STREAM,
    sure: false,
  }));
  for (const stream of await journal.streams()) {
    const records = await journal.read(stream);
    try {
      moves.push(...movesIn(stream, records));
    } catch {
      // No fold understands the record, so it releases nothing. `verify` reports it.
    }
  }
  return moves.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

function movesIn(stream: string, records: readonly JournalRecord[]): readonly Released[] {
  const moves: Released[] = [];
  let state = emptyWorkflow(idOf(stream));
  const hashes = new Map<number, string>();
  for (const record of records) {
    const events = eventsOf(record);
    hashes.set(record.seq, record.hash);
    for (const event of events) {
      if (event.type !== "effect.settled" && event.type !== "effect.aimed") continue;
      const before = member(state.effects, event.effect);
      if (before === undefined) continue;
      const stamp = { stream, at: record.at, by: `${event.effect} of ${stream}` };
      const hash = hashes.get(before.by?.seq ?? 0) ?? "";
      if (event.type === "effect.aimed") moves.push(...bothWays(event.aim, stamp));
      else if (event.status === "done")
        takeDone(moves, doneMoves(before, text(event.detail["oid"]), { ...stamp, hash }));
    }
    state = evolveAll(state, events, record);
  }
  for (const effect of Object.values(state.effects)) {
    const plan = effect.status === "wanted" ? readSavepoint(effect.args) : undefined;
    if (plan === undefined) continue;
    const hash = hashes.get(effect.by?.seq ?? 0) ?? "";
    const by = `${effect.id} of ${stream}`;
    // The commit may exist without being recorded: its process died in between, or is still at work.
    const stamp = { stream, at: state.updatedAt, by, sure: false };
    moves.push({ ...moveOf(plan, UNDECIDED), ...stamp, savepoint: { plan, hash } });
  }
  return moves;
}

/** An announced move that has happened is one move, not two. */
function takeDone(moves: Released[], done: readonly Released[]): void {
  for (const move of done) {
    const aimed = moves.findLastIndex((one) => one.by === move.by && isSame(one, move));
    if (aimed >= 0) moves.splice(aimed, 1);
    moves.push(move);
  }
}

interface Stamp {
  readonly stream: string;
  readonly at: string;
  readonly by: string;
}

/** An announced move may have happened, and may have been undone since. */
function bothWays(aim: RefMove, stamp: Stamp): readonly Released[] {
  const { ref, from, to } = aim;
  return [
    { ref, from, to, ...stamp, sure: false },
    { ref, from: to, to: from, ...stamp, sure: false },
  ];
}

function doneMoves(
  { args, aim }: Effect,
  oid: string,
  { hash, ...stamp }: Stamp & { readonly hash: string },
): readonly Released[] {
  if (aim !== undefined && aim.to === oid) return [{ ...aim, ...stamp, sure: true }];
  const plan = readSavepoint(args);
  if (plan === undefined || oid === "") return [];
  return [{ ...moveOf(plan, oid), ...stamp, sure: true, savepoint: { plan, hash } }];
}

function moveOf({ ref, base }: Savepoint, to: string): RefMove {
  return { ref, from: base, to };
}

/**
 * Keeps the moves whose commit is really the released one. A savepoint may have found that others had already
 * committed its files.
 */
export function verified(
  moves: readonly Released[],
  commits: ReadonlyMap<string, CommitFacts>,
  tip: string,
): readonly Released[] {
  return moves.flatMap((move) => {
    const { savepoint } = move;
    if (savepoint === undefined) return [move];
    const to = move.to === UNDECIDED ? tip : move.to;
    const commit = commits.get(to);
    if (commit === undefined || !isSavepoint(savepoint.plan, savepoint.hash, commit)) return [];
    return [{ ...move, to }];
  });
}

/**
 * Where the released moves of a branch lead, from where the fence was put up. Moves that surely happened are
 * followed in order. Uncertain ones are used only where the branch could not reach its tip otherwise.
 */
export function followed(moves: readonly Released[], from: string, tip: string): string {
  let steps = 0;
  const follow = (start: string, before: ReadonlySet<Released>): string => {
    const used = new Set(before);
    let at = start;
    for (;;) {
      const next = moves.find((one) => one.sure && one.from === at && !used.has(one));
      if (next === undefined || (steps += 1) > STEPS_MAX) break;
      used.add(next);
      at = next.to;
    }
    if (at === tip) return tip;
    const maybe = moves.filter((one) => !one.sure && one.from === at && !used.has(one));
    for (const one of maybe) {
      if ((steps += 1) > STEPS_MAX) break;
      if (follow(one.to, new Set([...used, one])) === tip) return tip;
    }
    return at;
  };
  return follow(from, new Set());
}

const STEPS_MAX = 100_000;
