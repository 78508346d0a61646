import type { Option, Question } from "./protocol.ts";
import type { Decision } from "./state.ts";

/** The longest answer that is taken; a menu needs a word, an approval a paragraph. */
const ANSWER_CHARS_MAX = 4_096;

/** A number, an option's id or word, or a text that starts as the option wants. Nothing else is an answer. */
export function matchAnswer(
  question: Question,
  decision: Decision,
  text: string,
): Option | "other" | undefined {
  const said = text.trim();
  if (said === "" || said.length > ANSWER_CHARS_MAX) return undefined;
  const [, number, words = ""] = /^([1-9]\d?)(\s*:\s*\S[^]*)?$/.exec(said) ?? [];
  const numbered = decision.options[Number(number ?? 0) - 1]?.id;
  // Only Other takes words behind its number.
  const byNumber = words === "" || numbered === "other" ? numbered : undefined;
  const lower = said.toLowerCase();
  const shown = decision.options.map((one) => one.id);
  if (byNumber === "other" || /^other\b/i.test(said))
    return shown.includes("other") ? "other" : undefined;
  const offered = question.options.filter((one) => shown.includes(one.id));
  return (
    offered.find((one) => one.id === byNumber) ??
    offered.find((one) => one.id === lower || one.words?.includes(lower) === true) ??
    offered.find((one) => one.starts?.some((start) => lower.startsWith(start)) === true) ??
    (lower === "continue" && question.explicit !== true
      ? offered.find((one) => one.id === shown[0])
      : undefined)
  );
}
