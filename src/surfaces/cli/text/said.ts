/** A refusal and its remedy in words. */
import type { Act, Refusal } from "../../../core/decide/answer.ts";
import { cited, safe, style } from "../terminal/style.ts";

export function refusalText(refusal: Refusal): string {
  const { message, fix } = refusal;
  return `${style().bad("✗")} ${safe(message)}\n  ${safe(said(fix))}${cited(refusal)}`;
}

/** Remedies were already put into words at this point. */
export function said(words: string | Act): string {
  return typeof words === "string" ? words : words.operation;
}
