/**
 * Which branches are protected, according to the proven records of the repository's own journal. A snapshot is
 * not trusted for this.
 */
import type { Event } from "../../core/state/events.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Decision } from "../../core/state/state.ts";
import { member } from "../../core/values/json.ts";
import { eventsOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import type { Proof, Word } from "../prove/prove.ts";
import { distrustWords, trusted } from "../prove/trust.ts";
import { fenceOf, isSame, moveIn, OPENING, REPOSITORY_STREAM } from "./state.ts";
import type { Fence, RefMove, Trouble } from "./state.ts";

export interface ProvenFence extends Fence {
  readonly proof: Proof;
}

/** Undefined if no fence was put up. Releases of single moves are judged when such a move is made. */
export async function provenFence(parts: Parts): Promise<ProvenFence | Trouble | undefined> {
  const proof = await trusted(parts, REPOSITORY_STREAM, { leaves: opens });
  if ("code" in proof) return proof;
  const fence = ROOT in proof.state.units ? fenceOf(proof.state) : undefined;
  return fence && { ...fence, proof };
}

/** Why it is not proven that people have opened the fence for this move; undefined if it is. */
export async function distrustOpening(
  parts: Parts,
  { proof }: ProvenFence,
  move: RefMove,
): Promise<Trouble | undefined> {
  const words = proof.words.filter((word) => openedIn(word).some((one) => isSame(one, move)));
  return await distrustWords(parts, REPOSITORY_STREAM, { ...proof, words });
}

/** Whether a word is about opening the fence, but not about one of these questions. */
export function opens(word: Word, but: readonly string[] = []): boolean {
  const asked = askedIn(word);
  return asked.length > 0 && asked.every(({ id }) => !but.includes(id));
}

/** The moves that a person's answers in this record are about. */
function openedIn(word: Word): readonly RefMove[] {
  return askedIn(word).map(({ about }) => moveIn(about));
}

function askedIn({ record, before }: Word): readonly Decision[] {
  return eventsOf(record).flatMap((event) => {
    const asked = member(before.decisions, decisionOf(event) ?? "");
    return asked?.question === OPENING ? [asked] : [];
  });
}

/** The question that an event is about, if any. */
export function decisionOf({ decision, hold }: Deed): string | undefined {
  return decision ?? hold;
}

/** The part of an event that matters here: its type and its question. */
export interface Deed {
  readonly type: Event["type"];
  readonly decision?: string;
  readonly hold?: string;
}
