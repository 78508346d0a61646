/** Text by others inside our output. It must not be able to start a line of its own, or move the cursor. */

/**
 * Makes one line of a text that fills a blank in a sentence: line breaks and control characters become visible,
 * and a long text is cut.
 */
export function inLine(text: string): string {
  const shown = text.replaceAll(BREAK, " ⏎ ").replaceAll(CONTROL, escaped);
  return shown.length > LINE_MAX ? `${shown.slice(0, LINE_MAX)}…` : shown;
}

/** Prepares a sentence that contains such a text: lines after the first are marked as quoted. */
export function quoted(text: string): string {
  if (!ODD.test(text)) return text;
  const [first = "", ...rest] = text.trimEnd().split(BREAK).slice(0, LINES_MAX);
  const lines = rest.map((line) => (line.startsWith(MARK) ? line : `${MARK}${line}`));
  return [first, ...lines].join("\n").replaceAll(CONTROL, escaped);
}

/** Cleans a text of several lines that we wrote: only `\\n` may end a line. */
export function plain(text: string): string {
  return text.replaceAll(/[\u2028\u2029]/g, escaped).replaceAll(CONTROL, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const MARK = "  | ";
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Control characters except tab and newline, and characters that reverse the writing direction. */
const CONTROL = /(?![\t\n])[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const ODD = /(?!\t)[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const LINE_MAX = 2_000;
const LINES_MAX = 200;
