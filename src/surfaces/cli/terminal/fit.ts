/** Fits text into a number of columns: lines break between words and continue indented under their text. */

import { wantsColour } from "./style.ts";

const PAINT = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, "g");

/** Wide in every terminal: East Asian scripts and most pictures. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const NOTHING = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** How many columns a text takes up. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text.replaceAll(PAINT, ""))
    if (letter >= " " && letter <= "~") columns += 1;
    else columns += NOTHING.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return columns;
}

/** Like `padEnd`, but in columns. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** Cuts a text to a number of columns, with a mark if something was left out. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  for (const letter of text.replaceAll(PAINT, "")) {
    if (columnsOf(kept + letter) > columns - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** The width of a terminal. Undefined for a file or pipe, unless colour is forced and a width is given. */
export function widthOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number | undefined },
  env: NodeJS.ProcessEnv,
): number | undefined {
  if (stream.isTTY === true) return stream.columns;
  const said = wantsColour(stream, env) ? Number(env["COLUMNS"]) : Number.NaN;
  return Number.isInteger(said) && said > 0 ? said : undefined;
}

/** In a narrower terminal, layout is impossible, so lines are left as they are. */
const COLUMNS_MIN = 20;

export function fit(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < COLUMNS_MIN) return text;
  return text
    .split("\n")
    .flatMap((line) => fitLine(line, columns))
    .join("\n");
}

function fitLine(line: string, columns: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line];
  const plain = line.replaceAll(PAINT, "");
  // Text meant for copying is not broken: a broken command would become two, and broken JSON invalid.
  if (/^\s*(?:holdpoint |git |\{")/.test(plain)) return [line];
  const [, before = "", command] = /^(.*?\S:) ((?:holdpoint |\{").*)$/.exec(plain) ?? [];
  const indent = indentOf(plain, columns);
  if (command !== undefined)
    return [...fitLine(before, columns), `${" ".repeat(leading(plain) + 2)}${command}`];
  return broken(line, columns, indent);
}

function broken(line: string, columns: number, indent: number): readonly string[] {
  const lines: string[] = [];
  let current = line.slice(0, leading(line));
  let isEmpty = true;
  for (const [, gap = "", word = ""] of line.slice(current.length).matchAll(/(\s*)(\S+)/g)) {
    const longer = isEmpty ? current + word : current + gap + word;
    if (!isEmpty && columnsOf(longer) > columns) {
      lines.push(current);
      current = " ".repeat(indent) + word;
    } else current = longer;
    isEmpty = false;
  }
  return [...lines, current];
}

/** Where continued lines start: under the text, after its mark, number, or the name in the first column. */
function indentOf(plain: string, columns: number): number {
  const [named = ""] = /^\s*\S+(?: \S+)? {2,}(?=\S)/.exec(plain) ?? [];
  if (named !== "" && columnsOf(named) <= columns / 2) return columnsOf(named);
  const [mark = ""] = /^\s*(?:[✓✗!?→»›•-] |\d+\. )?/.exec(plain) ?? [];
  return columnsOf(mark);
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}
