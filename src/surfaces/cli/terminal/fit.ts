/** Text for a terminal of so many columns: lines break between words, and go on under their own beginning. */

import { wantsColour } from "./style.ts";

const PAINT = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, "g");

/** Wide in every terminal: East Asian scripts and most pictures. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const NOTHING = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** How many columns a text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text.replaceAll(PAINT, ""))
    if (letter >= " " && letter <= "~") columns += 1;
    else columns += NOTHING.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return columns;
}

/** As `padEnd`, in columns. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** Cut to so many columns, with a mark where something is left out. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  for (const letter of text.replaceAll(PAINT, "")) {
    if (columnsOf(kept + letter) > columns - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** The columns of a terminal; a file or a pipe has none, unless colour is forced on it and its width is said. */
export function widthOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number | undefined },
  env: NodeJS.ProcessEnv,
): number | undefined {
  if (stream.isTTY === true) return stream.columns;
  const said = wantsColour(stream, env) ? Number(env["COLUMNS"]) : Number.NaN;
  return Number.isInteger(said) && said > 0 ? said : undefined;
}

/** Narrower than this nothing can be laid out; the terminal breaks lines as it likes. */
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
  // What is pasted stays whole: broken by us, a command would be two and a reply no JSON.
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

/** Under what a line says, behind its mark, its number or the name in its first column. */
function indentOf(plain: string, columns: number): number {
  const [named = ""] = /^\s*\S+(?: \S+)? {2,}(?=\S)/.exec(plain) ?? [];
  if (named !== "" && columnsOf(named) <= columns / 2) return columnsOf(named);
  const [mark = ""] = /^\s*(?:[✓✗!?→»›•-] |\d+\. )?/.exec(plain) ?? [];
  return columnsOf(mark);
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}
