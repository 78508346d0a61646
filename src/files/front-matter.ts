import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { rememberTexts } from "./memo.ts";
import { type Line, lineAt, linesOf, textStart } from "./text.ts";
import { tooDeepLine } from "./yaml-depth.ts";

/**
 * Front matter: one YAML mapping between two `---` lines at the head of a file.
 *
 *   ---
 *   plugin: TapeDelay
 *   phase: "3.10"          # comments stay
 *   contract_checksums:
 *     plan: sha256:...
 *   ---
 *
 * Scalars are read as text: `3.10` stays `3.10` and a date a date. Its meaning is decided by
 * the reader of the field. Writing replaces single values and inserts single lines.
 */
export interface FrontMatter {
  readonly map: FieldMap;
  /** Offset of the Markdown after the closing line. */
  readonly bodyStart: number;
}

export interface FieldMap {
  readonly fields: readonly Field[];
  readonly flow: boolean;
  /** Where a first field would go. */
  readonly start: number;
  readonly indent: string;
}

export interface Field {
  readonly key: string;
  readonly line: number;
  readonly value: FieldValue;
  /** Offsets of the value. Equal, just after the colon, if there is none. */
  readonly start: number;
  readonly end: number;
}

export type FieldValue =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "map"; readonly map: FieldMap }
  /** A list, an alias, or anything else that our fields never contain. */
  | { readonly kind: "other" };

export interface FrontMatterProblem {
  readonly line: number;
  readonly message: string;
}

export type ReadFrontMatter =
  | { readonly state: "none" }
  | { readonly state: "broken"; readonly problems: readonly FrontMatterProblem[] }
  | { readonly state: "read"; readonly frontMatter: FrontMatter };

/** Real front matter is never longer. The limit keeps reading a hostile file cheap. */
const FRONT_MATTER_MAX = 64 * 1024;

export function readFrontMatter(text: string): ReadFrontMatter {
  const { lines, open, close } = findMarks(text);
  if (open < 0) return { state: "none" };
  if (close < 0) {
    return broken(
      open + 1,
      `The front matter is not closed by a second \`---\` line within ${FRONT_MATTER_MAX} characters`,
    );
  }
  return readHead(text.slice(0, lines[close]?.next), undefined);
}

/** The text up to the end of the front matter, which is parsed without the rest of the file. */
const readHead = rememberTexts((head: string): ReadFrontMatter => {
  const { lines, open, close } = findMarks(head);
  const start = lines[open]?.next ?? 0;
  const end = lines[close]?.start ?? 0;
  return readBlock({ text: head, lines, start, end, bodyStart: head.length });
});

/** Offset at which the Markdown begins, after the front matter, even if that is unreadable. */
export function bodyStartOf(text: string): number {
  const { lines, close } = findMarks(text);
  return lines[close]?.next ?? 0;
}

/** Indices of the two `---` lines; -1 for one that is not there. */
function findMarks(text: string): { lines: readonly Line[]; open: number; close: number } {
  const lines = linesOf(text.slice(0, FRONT_MATTER_MAX), textStart(text));
  const first = lines.findIndex((line) => text.slice(line.start, line.end).trim() !== "");
  const open = isMark(text, lines[first]) ? first : -1;
  const close =
    open < 0 ? -1 : lines.findIndex((line, index) => index > open && isMark(text, line));
  return { lines, open, close };
}

interface Block {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
}

function readBlock(block: Block): ReadFrontMatter {
  const { text, lines, start, end, bodyStart } = block;
  const source = text.slice(start, end);
  const firstLine = lineAt(lines, start);
  const deep = tooDeepLine(source);
  if (deep !== undefined)
    return broken(firstLine + deep - 1, "The front matter is nested too deeply");
  const root = parseYaml(source);
  if (root.problems.length > 0) {
    const problems = root.problems.map(({ at, message }) => ({
      line: lineAt(lines, Math.min(start + at, end - 1)),
      message,
    }));
    return { state: "broken", problems };
  }
  if (root.map === undefined && root.empty) {
    return {
      state: "read",
      frontMatter: { map: { fields: [], flow: false, start, indent: "" }, bodyStart },
    };
  }
  if (root.map === undefined)
    return broken(firstLine, "The front matter is not a mapping of keys to values");
  const map = toFieldMap(root.map, block);
  const seen = new Set<string>();
  const twice = map.fields.find(({ key }) => seen.size === seen.add(key).size);
  if (twice !== undefined)
    return broken(twice.line, `The key \`${shorten(twice.key)}\` is there twice`);
  return { state: "read", frontMatter: { map, bodyStart } };
}

function broken(line: number, message: string): ReadFrontMatter {
  return { state: "broken", problems: [{ line, message }] };
}

interface YamlRoot {
  readonly map: YAMLMap | undefined;
  readonly empty: boolean;
  readonly problems: readonly { readonly at: number; readonly message: string }[];
}

function parseYaml(source: string): YamlRoot {
  try {
    const document = parseDocument(source, {
      schema: "failsafe",
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      // With "silent", the parser would not report a second document.
      logLevel: "error",
    });
    const problems = document.errors.slice(0, PROBLEMS_MAX).map(({ pos, message }) => ({
      at: pos[0],
      message: `The front matter is not YAML: ${message}`,
    }));
    problems.push(...danglingAliases(document));
    const { contents } = document;
    return { map: isMap(contents) ? contents : undefined, empty: contents === null, problems };
  } catch (error) {
    const message = `The front matter cannot be read: ${error instanceof Error ? error.message : "unknown"}`;
    return { map: undefined, empty: false, problems: [{ at: 0, message }] };
  }
}

const PROBLEMS_MAX = 20;

/** Aliases without an anchor. The parser only reports them when it expands aliases, which we never let it do. */
function danglingAliases(document: Document): { at: number; message: string }[] {
  const anchors = new Set<string>();
  const dangling: { at: number; message: string }[] = [];
  visit(document, (_, node) => {
    if (isAlias(node)) {
      const message = "The front matter refers to an anchor that is not there";
      if (!anchors.has(node.source)) dangling.push({ at: node.range?.[0] ?? 0, message });
    } else if (isScalar(node) || isCollection(node)) {
      if (node.anchor !== undefined) anchors.add(node.anchor);
    }
  });
  return dangling.slice(0, PROBLEMS_MAX);
}

function toFieldMap(map: YAMLMap, block: Block): FieldMap {
  const fields = map.items.map((pair) => toField(pair, block));
  const start = block.start + (map.range?.[0] ?? 0);
  const column = start - (block.lines[lineAt(block.lines, start) - 1]?.start ?? start);
  return {
    fields,
    flow: map.flow === true,
    start: map.flow === true ? start + 1 : start - column,
    indent: " ".repeat(column),
  };
}

function toField(pair: Pair, block: Block): Field {
  const key = isScalar(pair.key) ? pair.key : undefined;
  const keyStart = block.start + (key?.range?.[0] ?? 0);
  const colon = block.text.indexOf(":", block.start + (key?.range?.[1] ?? 0));
  const range = rangeOf(pair.value);
  const line = lineAt(block.lines, keyStart);
  const value = toValue(pair.value, block);
  const behind = Math.min(colon < 0 ? block.end : colon + 1, block.end);
  if (range === undefined || range[0] === range[1]) {
    return { key: textIn(key), line, value, start: behind, end: behind };
  }
  const end = trimEnd(block.text, block.start + range[0], block.start + range[1]);
  return {
    key: textIn(key),
    line,
    value,
    start: valueStart(block, behind, range[0]),
    end,
  };
}

/** The value begins right after the spaces behind the colon, so that a tag or anchor is replaced with it. */
function valueStart(block: Block, behind: number, nodeStart: number): number {
  const gap = block.text.slice(behind, block.start + nodeStart);
  if (/[\r\n#]/.test(gap)) return block.start + nodeStart;
  return behind + (gap.length - gap.trimStart().length);
}

function trimEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return isNode(node) ? (node.range ?? undefined) : undefined;
}

function textIn(scalar: Scalar | undefined): string {
  return typeof scalar?.value === "string" ? scalar.value : "";
}

function toValue(node: unknown, block: Block): FieldValue {
  if (isMap(node)) return { kind: "map", map: toFieldMap(node, block) };
  if (node === null || node === undefined) return { kind: "text", text: "", quoted: false };
  if (!isScalar(node)) return { kind: "other" };
  const quoted = node.type !== Scalar.PLAIN || node.tag !== undefined;
  return { kind: "text", text: textIn(node), quoted };
}

function isMark(text: string, line: Line | undefined): boolean {
  return line !== undefined && text.slice(line.start, line.end).trimEnd() === "---";
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
