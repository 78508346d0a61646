/** A refusal and a remedy in words. */
import type { Act, Refusal } from "../../../core/decide/answer.ts";
import { cited, safe, style } from "../terminal/style.ts";

export function refusalText(refusal: Refusal): string {
  const { message, fix } = refusal;
  return `${style().bad("✗")} ${safe(message)}\n  ${safe(said(fix))}${cited(refusal)}`;
}

/** Remedies and choices are put into words before an answer is told. */
export function said(words: string | Act): string {
  return typeof words === "string" ? words : words.operation;
}
