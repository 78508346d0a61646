import { matchesGlob } from "../values/glob.ts";
import type { Decision, Given, Workflow } from "./state.ts";

/**
 * Counts how many different people have said the same. Two entries are the same person if they share a name or a
 * key, or if the key of one is also listed under the name of the other: nothing then proves that a second person
 * took part.
 */
export interface Voice {
  /** As records name whoever gave a command: `person:ada@example.org`. */
  readonly by: string;
  /** Fingerprint of the signing key. */
  readonly key?: string | undefined;
  /** The names that key is listed under, as patterns. */
  readonly names?: readonly string[] | undefined;
}

/** Keeps each person's last word: whoever changed their mind does not count for the earlier choice. */
export function lastWords<T extends Voice>(inOrder: readonly T[]): readonly T[] {
  return inOrder.filter((one, at) => !inOrder.slice(at + 1).some((later) => isOne(one, later)));
}

export function countPeople(voices: readonly Voice[]): number {
  let people: readonly (readonly Voice[])[] = [];
  for (const voice of voices) {
    const isOwn = (one: readonly Voice[]): boolean => one.some((other) => isOne(voice, other));
    const own = people.filter(isOwn).flat();
    people = [...people.filter((one) => !isOwn(one)), [...own, voice]];
  }
  return people.length;
}

/**
 * The words that count now at a gate. On a question only each person's last word counts; without a question every
 * word was about something else.
 */
export function wordsOn(given: Workflow["given"], gate: string, hold: string): readonly Given[] {
  const own = Object.values(given).filter((one) => one.gate === gate && one.hold === hold);
  const inOrder = own.toSorted((a, b) => a.seq - b.seq);
  return hold === "" ? inOrder : lastWords(inOrder);
}

/** How many different people have chosen an option of a question that needs several. */
export function countJoined(
  { joined = {}, id, question }: Decision,
  option: string,
  { given }: Workflow,
): number {
  const signed = wordsOn(given, question, id);
  const chosen = Object.entries(joined).filter(([, one]) => one === option);
  return countPeople(chosen.map(([by]) => signed.findLast((one) => one.by === by) ?? { by }));
}

function isOne(one: Voice, other: Voice): boolean {
  if (one.by === other.by || (one.key !== undefined && one.key === other.key)) return true;
  return mayBe(one, other.by) || mayBe(other, one.by);
}

/**
 * Whether this key could have signed under the other name. Exclusions (`!`) are ignored, which errs toward the
 * same person.
 */
function mayBe({ names = [] }: Voice, by: string): boolean {
  const name = by.replace(/^person:/, "").toLowerCase();
  return names.some((pattern) => matchesGlob(pattern.toLowerCase(), name));
}
