import type { Option, Question } from "../../table/protocol.ts";
import type { Decision } from "../../state/state.ts";

/** The longest answer accepted. A menu needs a word, an approval perhaps a paragraph. */
const ANSWER_CHARS_MAX = 4_096;

/** The chosen option and the words given with it. For a bare number, the text is the option's label. */
export interface Chosen {
  readonly option: Option | "other";
  readonly text: string;
}

/**
 * Accepts an option's number, its id, one of its words, or a text that starts as the option requires. Anything
 * else is not an answer.
 */
export function matchAnswer(
  question: Question,
  decision: Decision,
  text: string,
): Chosen | undefined {
  const said = text.trim();
  if (said === "" || said.length > ANSWER_CHARS_MAX) return undefined;
  const shown = decision.options.map((one) => one.id);
  const offered = question.options.filter((one) => shown.includes(one.id));
  const numbered = byNumber(offered, decision, said);
  if (numbered?.option === "other" || /^other\b/i.test(said))
    return shown.includes("other") ? { option: "other", text } : undefined;
  if (numbered !== undefined) return numbered;
  const lower = said.toLowerCase();
  const option =
    offered.find((one) => one.id === lower || one.words?.includes(lower) === true) ??
    offered.find((one) => startsOf(one).some((start) => lower.startsWith(start))) ??
    (lower === "continue" && question.explicit !== true
      ? offered.find((one) => one.id === shown[0])
      : undefined);
  return option === undefined ? undefined : { option, text: spoken(option, text) };
}

/** `2`, or `2: words` where the option takes words. */
function byNumber(
  offered: readonly Option[],
  decision: Decision,
  said: string,
): Chosen | undefined {
  const [, number, words = ""] = /^([1-9]\d?)(?:\s*:\s*(\S[^]*))?$/.exec(said) ?? [];
  const shown = decision.options[Number(number ?? 0) - 1];
  if (shown === undefined || shown.word === true) return undefined;
  if (shown.id === "other") return { option: "other", text: said };
  const option = offered.find((one) => one.id === shown.id);
  if (option === undefined) return undefined;
  if (option.why !== "words") return words === "" ? { option, text: option.id } : undefined;
  const [start = ""] = startsOf(option);
  return { option, text: words === "" ? "" : `${start} ${words}`.trim() };
}

/** Empty if the answer is only the option's own name: an option that takes words then got none. */
function spoken(option: Option, text: string): string {
  if (option.why !== "words") return text;
  const said = text.trim().toLowerCase();
  return said === option.id || startsOf(option).includes(said) ? "" : text;
}

/** Prefixes that choose an option when an answer starts with one of them. */
export function startsOf({ words = [] }: Option): readonly string[] {
  return words.flatMap((word) => (word.endsWith("*") ? [word.slice(0, -1)] : []));
}
