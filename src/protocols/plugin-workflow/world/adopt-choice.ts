/** The choices for a person if the files contradict each other, and how the question is put. */
import type { Refusal, Remedy } from "../../../core/decide/answer.ts";
import type { AdoptChoice, Adopted } from "../../../ports/family.ts";
import type { Place } from "./place.ts";

export function distinct(choices: readonly AdoptChoice[]): readonly AdoptChoice[] {
  const texts = choices.map((one) => JSON.stringify(one));
  return choices.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

export function choiceOf({ at, phase }: Place): AdoptChoice {
  return phase === null ? { at } : { at, phase };
}

export function unsure(message: string): Extract<Adopted, { kind: "refused" }> {
  const fix = "Say where it really stands, with --at and one of the states.";
  return refused("stage-mismatch", message, fix, "PW-266");
}

export function refused(
  code: string,
  message: string,
  fix: Remedy,
  rule: string,
): { readonly kind: "refused"; readonly refusals: readonly Refusal[] } {
  return { kind: "refused", refusals: [{ code, message, fix, rule }] };
}
