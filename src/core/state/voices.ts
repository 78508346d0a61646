import { matchesGlob } from "../values/glob.ts";
import type { Decision, Given, Workflow } from "./state.ts";

/**
 * How many people have said the same. Who shares a name or a key is one person, and so are two names where the key of
 * one counts under the other's: nobody can tell that somebody else was there.
 */
export interface Voice {
  /** As records name who gave a command: `person:ada@example.org`. */
  readonly by: string;
  /** The fingerprint of the key it was signed with. */
  readonly key?: string | undefined;
  /** Under which names that key counts; patterns as the file with people's keys has them. */
  readonly names?: readonly string[] | undefined;
}

/** Of each person the last word: whoever has said something else since does not stand by the first. */
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

/** The words on one question as they count now; where there is no question, each was about a thing of its own. */
export function wordsOn(given: Workflow["given"], gate: string, hold: string): readonly Given[] {
  const own = Object.values(given).filter((one) => one.gate === gate && one.hold === hold);
  const inOrder = own.toSorted((a, b) => a.seq - b.seq);
  return hold === "" ? inOrder : lastWords(inOrder);
}

/** How many different people have chosen an option of a question that asks for several. */
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

/** Whether the key of one could have signed under the name of the other. What a `!` excludes counts as meant. */
function mayBe({ names = [] }: Voice, by: string): boolean {
  const name = by.replace(/^person:/, "").toLowerCase();
  return names.some((pattern) => matchesGlob(pattern.toLowerCase(), name));
}
