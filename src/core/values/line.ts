/** Texts that others wrote, inside lines of ours: no character of theirs begins a line, or goes back in one. */

/** One line: breaks and control characters are shown, and what is too long is cut. For what a sentence is filled with. */
export function inLine(text: string): string {
  const shown = text.replaceAll(BREAK, " ⏎ ").replaceAll(CONTROL, escaped);
  return shown.length > LINE_MAX ? `${shown.slice(0, LINE_MAX)}…` : shown;
}

/** A sentence with such a text in it: what follows its first line is marked as somebody's words. */
export function quoted(text: string): string {
  if (!ODD.test(text)) return text;
  const [first = "", ...rest] = text.trimEnd().split(BREAK).slice(0, LINES_MAX);
  const lines = rest.map((line) => (line.startsWith(MARK) ? line : `${MARK}${line}`));
  return [first, ...lines].join("\n").replaceAll(CONTROL, escaped);
}

/** A text of several lines that is ours: only `\\n` ends one. */
export function plain(text: string): string {
  return text.replaceAll(/[\u2028\u2029]/g, escaped).replaceAll(CONTROL, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const MARK = "  | ";
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** All but a tab and a line end, and what turns the direction of writing. */
const CONTROL = /(?![\t\n])[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const ODD = /(?!\t)[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const LINE_MAX = 2_000;
const LINES_MAX = 200;
