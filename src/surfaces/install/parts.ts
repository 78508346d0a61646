/**
 * What is installed, as parts. A part is one thing in one file: how it changes the file's text, and how it is
 * removed again. Pure, so that a plan can be shown before anything is written.
 */
import { createHash } from "node:crypto";
import type { Json } from "../../core/values/json.ts";
import { readLooseJson } from "../../files/json/loose.ts";
import { putItems, putMember, takeItems, takeMember } from "../../files/json/put.ts";
import { nodeAt, readJsonText, toJson } from "../../files/json/source.ts";
import type { JsonText } from "../../files/json/source.ts";
import { putBlock, takeBlock } from "../../files/marked-block.ts";
import type { Marks } from "../../files/marked-block.ts";
import { lineAt } from "../../files/text.ts";

export interface Part {
  /** An absolute path. */
  readonly path: string;
  /** Parts of the same name in two clients are the same thing, which stays until neither needs it. */
  readonly name: string;
  readonly put: (now: string | undefined) => Edited;
  readonly take: (now: string) => Edited;
  /** Readable by the user only. */
  readonly secret?: boolean;
}

export type Edited =
  /** Undefined means no file. */
  | { readonly kind: "text"; readonly text: string | undefined }
  /** It belongs to somebody else and is left as it is. */
  | { readonly kind: "kept"; readonly why: string }
  /** The file cannot be parsed, so nothing can be added to it. */
  | { readonly kind: "broken"; readonly line: number; readonly why: string };

export interface JsonEntry {
  readonly at: readonly string[];
  /** The value of a member. */
  readonly value?: Json;
  /** Entries of an array. */
  readonly items?: readonly Json[];
  /** Recognises entries from an earlier install. A member that belongs to somebody else stays. */
  readonly isOurs?: (item: Json) => boolean;
}

const EMPTY = "{\n}\n";

/** Entries in a JSON file; with `comments` if the client allows comments. */
export function jsonPart(
  path: string,
  name: string,
  entries: readonly JsonEntry[],
  {
    comments = false,
    secret = false,
  }: { readonly comments?: boolean; readonly secret?: boolean } = {},
): Part {
  const how = { read: comments ? readLooseJson : readJsonText };
  // A file that holds nothing but our entries is removed with them, unless somebody had created it empty.
  const orNone = (text: string | undefined, now: string | undefined): string | undefined =>
    text === EMPTY && now !== EMPTY ? undefined : text;
  return {
    path,
    name,
    secret,
    put: (now) => {
      const text = now === undefined || now.trim() === "" ? EMPTY : now;
      const wrong = brokenJson(how.read(text));
      if (wrong !== undefined) return wrong;
      const put = entries.reduce<Edited>(
        (edited, entry) =>
          edited.kind === "text" ? putEntry(how, edited.text ?? "", entry) : edited,
        { kind: "text", text },
      );
      return put.kind === "text" ? { ...put, text: orNone(put.text, now) } : put;
    },
    take: (now) => {
      const wrong = brokenJson(how.read(now));
      if (wrong !== undefined) return wrong;
      const left = entries.reduce((text, entry) => takeEntry(how, text, entry), now);
      return { kind: "text", text: orNone(left, now) };
    },
  };
}

interface How {
  readonly read: (text: string) => JsonText;
}

function putEntry(how: How, text: string, entry: JsonEntry): Edited {
  const { at, value = null, items, isOurs = () => false } = entry;
  if (items === undefined && !isFree(how, text, entry)) return { kind: "text", text };
  const put =
    items === undefined
      ? putMember(how, text, at, value)
      : putItems(how, text, at, { items, isOurs });
  if (put !== undefined) return { kind: "text", text: put };
  return { kind: "broken", line: 1, why: `${at.join(".")} is there and is something else` };
}

function takeEntry(how: How, text: string, entry: JsonEntry): string {
  const { at, items, isOurs = () => false } = entry;
  if (items !== undefined) return takeItems(how, text, at, isOurs);
  return isFree(how, text, entry) ? takeMember(how, text, at) : text;
}

/** Whether a member is absent, or was put there by us. */
function isFree(how: How, text: string, { at, isOurs = () => true }: JsonEntry): boolean {
  const there = nodeAt(how.read(text).root, at);
  return there === undefined || isOurs(toJson(there));
}

function brokenJson({ problems, lines, root }: JsonText): Edited | undefined {
  const [first] = problems;
  if (first !== undefined)
    return { kind: "broken", line: lineAt(lines, first.at), why: first.message };
  return root?.kind === "object" ? undefined : { kind: "broken", line: 1, why: "It is no object" };
}

/** A block of lines between two marks. `clash` finds something in the rest of the text that conflicts with it. */
export function blockPart(
  path: string,
  name: string,
  block: {
    readonly marks: Marks;
    readonly lines: readonly string[];
    readonly clash?: (rest: string) => { readonly line: number; readonly why: string } | undefined;
  },
): Part {
  const unpaired: Edited = {
    kind: "broken",
    line: 1,
    why: `"${block.marks.begin}" and "${block.marks.end}" do not pair up`,
  };
  return {
    path,
    name,
    put: (now = "") => {
      const rest = takeBlock(now, block.marks);
      if (rest === undefined) return unpaired;
      const clash = block.clash?.(rest);
      if (clash !== undefined) return { kind: "broken", ...clash };
      const text = putBlock(now, block.marks, block.lines);
      return text === undefined ? unpaired : { kind: "text", text };
    },
    take: (now) => {
      const left = takeBlock(now, block.marks);
      if (left === undefined) return unpaired;
      return { kind: "text", text: left === "" && now !== "" ? undefined : left };
    },
  };
}

/**
 * A file that is entirely ours. One line, a comment, contains the digest of all others, so a file that somebody
 * has changed, or that was never ours, is left alone.
 */
export function filePart(path: string, lines: readonly string[], mark: FileMark): Part {
  const text = withMark(lines, mark);
  return {
    path,
    name: path,
    put: (now) =>
      now === undefined || isUntouched(now, mark) ? { kind: "text", text } : keptFile(now, mark),
    take: (now) =>
      isUntouched(now, mark) ? { kind: "text", text: undefined } : keptFile(now, mark),
  };
}

export interface FileMark {
  /** The line after which the mark is inserted; 0 for the top. */
  readonly line: number;
  readonly open: string;
  readonly close?: string;
}

export const IN_FRONT_MATTER: FileMark = { line: 1, open: "# holdpoint " };
export const HASH_COMMENT: FileMark = { line: 0, open: "# holdpoint " };
export const SLASH_COMMENT: FileMark = { line: 0, open: "// holdpoint " };

function withMark(lines: readonly string[], { line, open, close = "" }: FileMark): string {
  const mark = `${open}${digestOf(lines)}${close}`;
  return `${[...lines.slice(0, line), mark, ...lines.slice(line)].join("\n")}\n`;
}

function isUntouched(text: string, mark: FileMark): boolean {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const rest = lines.filter((_, index) => index !== mark.line);
  return withMark(rest, mark) === `${lines.join("\n")}\n`;
}

function keptFile(text: string, { line, open }: FileMark): Edited {
  const isMarked = text.split("\n")[line]?.startsWith(open) === true;
  return { kind: "kept", why: isMarked ? "somebody has changed it" : "it is somebody else's" };
}

function digestOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}
