/**
 * Splits a shell command into words with quotes removed, redirections, here-documents and substitutions. It is
 * not a shell: order and grouping are kept as far as paths depend on them, control flow is not.
 */

import { ANY } from "./any.ts";
import { unescaped } from "./escapes.ts";

/** A part of a word. `any` is only known when the shell runs; `wild` is a wildcard. */
export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "variable"; readonly name: string; readonly quoted?: boolean }
  | { readonly kind: "any"; /** The command that prints it. */ readonly of?: string };

export type Word = readonly Piece[];

export interface Redirect {
  readonly operator: string;
  readonly word: Word;
}

export interface Command {
  readonly kind: "command";
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Its input from here-documents and here-strings. */
  readonly fed: readonly string[];
  /** Its input comes from the previous command. */
  readonly piped: boolean;
}

export type Item =
  | Command
  /** A subshell begins or ends; what is set inside is forgotten afterwards. */
  | { readonly kind: "open" | "close" };

const TEXT_CHARS_MAX = 256 * 1024;
const ITEMS_MAX = 4_000;
const DEPTH_MAX = 12;

/** The commands of a text in order; undefined if it cannot be parsed. */
export function takeApart(text: string): readonly Item[] | undefined {
  if (text.length > TEXT_CHARS_MAX) return undefined;
  try {
    const items: Item[] = [];
    new Reader(text, items, 0).readAll();
    return items;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

class Reader {
  private readonly text: string;
  private readonly items: Item[];
  private readonly depth: number;
  private at = 0;
  private words: Word[] = [];
  private redirects: Redirect[] = [];
  private fed: string[] = [];
  private piped = false;
  private waiting: { readonly end: string; readonly dashed: boolean }[] = [];

  constructor(text: string, items: Item[], depth: number) {
    if (depth > DEPTH_MAX) throw new Unreadable();
    [this.text, this.items, this.depth] = [text, items, depth];
  }

  readAll(): void {
    while (this.at < this.text.length) this.step();
    this.finish(false);
  }

  private step(): void {
    const char = this.text[this.at] ?? "";
    if (char === "\n") {
      this.at += 1;
      this.takeDocuments();
      this.finish(false);
    } else if (char === " " || char === "\t" || char === "\r") this.at += 1;
    else if (char === "\\" && this.text[this.at + 1] === "\n") this.at += 2;
    else if (char === "#") this.skipComment();
    else if (char === "(" || char === ")") {
      this.finish(false);
      this.push({ kind: char === "(" ? "open" : "close" });
      this.at += 1;
    } else if (!this.readSeparator() && !this.readRedirect()) this.words.push(this.readWord());
  }

  private skipComment(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private readSeparator(): boolean {
    const [found] =
      /^(?:&&|\|\||;;?&?|\|&?|&(?![>&]))/.exec(this.text.slice(this.at, this.at + 3)) ?? [];
    if (found === undefined) return false;
    this.at += found.length;
    this.finish(found === "|" || found === "|&");
    return true;
  }

  private readRedirect(): boolean {
    const ahead = this.text.slice(this.at, this.at + 16);
    const [whole, operator] =
      /^(?:\d{1,3}|\{\w{1,8}\})?(&>>?|<<<|<<-?|<>|<&|>&|>>|>\||>|<(?!\()|>(?!\())/.exec(ahead) ??
      [];
    if (
      whole === undefined ||
      operator === undefined ||
      ahead.startsWith("<(") ||
      ahead.startsWith(">(")
    )
      return false;
    this.at += whole.length;
    while (/[ \t]/.test(this.text[this.at] ?? "")) this.at += 1;
    const word = this.readWord();
    if (operator === "<<" || operator === "<<-")
      this.waiting.push({ end: plainText(word), dashed: operator === "<<-" });
    else if (operator === "<<<") this.fed.push(plainText(word, ANY));
    else this.redirects.push({ operator, word });
    return true;
  }

  private takeDocuments(): void {
    for (const { end, dashed } of this.waiting.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        const stop = this.text.indexOf("\n", this.at);
        const line = this.text.slice(this.at, stop < 0 ? undefined : stop);
        this.at = stop < 0 ? this.text.length : stop + 1;
        if ((dashed ? line.replace(/^\t+/, "") : line) === end) break;
        lines.push(line);
        if (stop < 0) break;
      }
      this.fed.push(lines.join("\n"));
    }
  }

  private finish(pipes: boolean): void {
    if (this.words.length > 0 || this.redirects.length > 0) {
      const { words, redirects, fed, piped } = this;
      this.push({ kind: "command", words, redirects, fed, piped });
    }
    [this.words, this.redirects, this.fed] = [[], [], []];
    this.piped = pipes;
  }

  private push(item: Item): void {
    if (this.items.length >= ITEMS_MAX) throw new Unreadable();
    this.items.push(item);
  }

  private readWord(): Word {
    const pieces: Piece[] = [];
    const start = this.at;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined || /[\s;&|()<>]/.test(char)) {
        const substitutes = (char === "<" || char === ">") && this.text[this.at + 1] === "(";
        if (!substitutes) break;
        this.at += 1;
        this.readInner(pieces);
      } else if (char === "'") pieces.push(this.readQuoted());
      else if (char === '"') this.readDouble(pieces);
      else if (char === "`") this.readBackticks(pieces);
      else if (char === "$") this.readDollar(pieces, false);
      else if (char === "\\") {
        if (this.text[this.at + 1] !== "\n")
          pieces.push({ kind: "text", text: this.text[this.at + 1] ?? "", quoted: true });
        this.at += 2;
      } else pieces.push(this.readBare());
    }
    // Skips a character that no word can begin with, so that reading always advances.
    if (this.at === start) this.at += 1;
    return pieces;
  }

  private readBare(): Piece {
    const [text = ""] = /^[^\s;&|()<>'"`$\\]+/.exec(this.text.slice(this.at, this.at + 4096)) ?? [];
    this.at += Math.max(text.length, 1);
    return { kind: "text", text, quoted: false };
  }

  private readQuoted(): Piece {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw new Unreadable();
    const text = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return { kind: "text", text, quoted: true };
  }

  private readDouble(pieces: Piece[]): void {
    this.at += 1;
    pieces.push({ kind: "text", text: "", quoted: true });
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw new Unreadable();
      if (char === '"') break;
      if (char === "$") this.readDollar(pieces, true);
      else if (char === "`") this.readBackticks(pieces);
      else {
        const escaped = char === "\\" && /["\\$`]/.test(this.text[this.at + 1] ?? "");
        const text = escaped ? (this.text[this.at + 1] ?? "") : char;
        pieces.push({ kind: "text", text, quoted: true });
        this.at += escaped ? 2 : 1;
      }
    }
    this.at += 1;
  }

  private readBackticks(pieces: Piece[]): void {
    const end = this.text.indexOf("`", this.at + 1);
    if (end < 0) throw new Unreadable();
    pieces.push(this.readNested(this.text.slice(this.at + 1, end)));
    this.at = end + 1;
  }

  private readDollar(pieces: Piece[], quoted: boolean): void {
    const rest = this.text.slice(this.at + 1, this.at + 300);
    if (rest.startsWith("(")) {
      this.at += 1;
      this.readInner(pieces);
    } else if (rest.startsWith("'") && !quoted) {
      this.at += 1;
      pieces.push(this.readEscaped());
    } else if (rest.startsWith("{")) this.readBraces(pieces);
    else {
      const [name] = /^(?:\w+|[@*#?$!-])/.exec(rest) ?? [];
      if (name === undefined) pieces.push({ kind: "text", text: "$", quoted: true });
      else pieces.push({ kind: "variable", name, quoted });
      this.at += 1 + (name?.length ?? 0);
    }
  }

  private readBraces(pieces: Piece[]): void {
    const end = this.text.indexOf("}", this.at);
    if (end < 0) throw new Unreadable();
    const name = this.text.slice(this.at + 2, end);
    // What follows the name may change its value, so it is unknown.
    pieces.push(/^\w+$/.test(name) ? { kind: "variable", name } : { kind: "any" });
    if (name.includes("$(") || name.includes("`"))
      this.readNested(name.replace(/^\w*:?[-=+?]/, ""));
    this.at = end + 1;
  }

  /** `$'...'`, in which characters may be written as codes. */
  private readEscaped(): Piece {
    const [whole, body] = /^'((?:\\.|[^'\\])*)'/s.exec(this.text.slice(this.at)) ?? [];
    if (whole === undefined || body === undefined) throw new Unreadable();
    this.at += whole.length;
    return { kind: "text", text: unescaped(body), quoted: true };
  }

  /** From an opening bracket to its end. The content is read as commands of its own. */
  private readInner(pieces: Piece[]): void {
    let depth = 0;
    const start = this.at;
    let quote = "";
    for (; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at] ?? "";
      if (quote !== "") {
        if (char === "\\" && quote === '"') this.at += 1;
        else if (char === quote) quote = "";
      } else if (char === "'" || char === '"') quote = char;
      else if (char === "\\") this.at += 1;
      else if (char === "(") depth += 1;
      else if (char === ")") {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    if (this.at >= this.text.length) throw new Unreadable();
    pieces.push(this.readNested(this.text.slice(start + 1, this.at)));
    this.at += 1;
  }

  private readNested(text: string): Piece {
    this.push({ kind: "open" });
    new Reader(text, this.items, this.depth + 1).readAll();
    this.push({ kind: "close" });
    return { kind: "any", of: text };
  }
}

/** A word as far as it is known without running anything; `open` stands for the rest. */
export function plainText(word: Word, open = ""): string {
  return word.map((piece) => (piece.kind === "text" ? piece.text : open)).join("");
}
