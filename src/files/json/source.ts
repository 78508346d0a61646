import { type Line, lineAt, linesOf, textStart } from "../text.ts";
import { parseJson, showJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";

/**
 * JSON with positions: strict RFC 8259, every value with its range, every problem with its line.
 *
 * `JSON.parse` knows neither where a value stands nor that a key was there twice (it keeps the last one
 * and says nothing). Both matter here: an edit must touch one member and leave the rest, and two
 * `user_decisions` in one file are two truths.
 */
export interface JsonText {
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly root: JsonNode | undefined;
  readonly problems: readonly JsonProblem[];
  readonly lines: readonly Line[];
}

export interface JsonProblem {
  readonly at: number;
  readonly message: string;
  readonly kind: "syntax" | "duplicate" | "depth" | "size";
}

export type JsonNode = JsonObjectNode | JsonArrayNode | JsonScalarNode;

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface JsonObjectNode extends Range {
  readonly kind: "object";
  readonly members: readonly Member[];
}

export interface JsonArrayNode extends Range {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}

export interface JsonScalarNode extends Range {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
}

export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

const DEPTH_MAX = 64;
const CHARS_MAX = 4 * 1024 * 1024;

export function readJsonText(text: string): JsonText {
  const lines = linesOf(text, 0);
  const problems: JsonProblem[] = [];
  if (text.length > CHARS_MAX) {
    const message = `The text is longer than ${CHARS_MAX} characters`;
    return { text, root: undefined, problems: [{ at: 0, message, kind: "size" }], lines };
  }
  const reader: Reader = { text, at: textStart(text), problems };
  const root = readDocument(reader);
  return { text, root, problems, lines };
}

/** The plain value. If a key occurs twice the last one counts, as in `JSON.parse`. */
export function toJson(node: JsonNode): Json {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.items.map(toJson);
  const entries = node.members.map(({ key, value }): [string, Json] => [key, toJson(value)]);
  return Object.fromEntries(entries);
}

/** The node that a path leads to: `["user_decisions", 0, "answer"]`. */
export function nodeAt(
  node: JsonNode | undefined,
  path: readonly (string | number)[],
): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((here, step) => {
    if (here?.kind === "array") return typeof step === "number" ? here.items[step] : undefined;
    if (here?.kind !== "object") return undefined;
    return here.members.findLast((member) => member.key === step)?.value;
  }, node);
}

/** The line of what a path leads to, or of its nearest existing parent. */
export function lineOf(json: JsonText, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(json.root, path.slice(0, length));
    if (node !== undefined) return lineAt(json.lines, node.start);
  }
  return 1;
}

interface Reader {
  readonly text: string;
  at: number;
  readonly problems: JsonProblem[];
}

/** Thrown to leave the nested readers at the first syntax error; caught in this file. */
class Stop extends Error {}

function readDocument(reader: Reader): JsonNode | undefined {
  try {
    const node = readValue(reader, 0);
    skipBlanks(reader);
    if (reader.at < reader.text.length) stop(reader, "There is text behind the JSON value");
    return node;
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

function stop(reader: Reader, message: string, kind: JsonProblem["kind"] = "syntax"): never {
  reader.problems.push({ at: Math.min(reader.at, reader.text.length), message, kind });
  throw new Stop();
}

function readValue(reader: Reader, depth: number): JsonNode {
  if (depth > DEPTH_MAX) stop(reader, `Nested deeper than ${DEPTH_MAX}`, "depth");
  skipBlanks(reader);
  const char = reader.text.charAt(reader.at);
  if (char === "{") return readObject(reader, depth);
  if (char === "[") return readArray(reader, depth);
  const start = reader.at;
  if (char === '"') {
    const value = readString(reader);
    return { kind: "scalar", value, start, end: reader.at };
  }
  return readWord(reader);
}

const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

function readWord(reader: Reader): JsonScalarNode {
  WORD.lastIndex = reader.at;
  const match = WORD.exec(reader.text);
  if (match === null) stop(reader, expected(reader, "a value"));
  const start = reader.at;
  reader.at = WORD.lastIndex;
  const value = wordValue(match[0]);
  return { kind: "scalar", value, start, end: reader.at };
}

function wordValue(word: string): null | boolean | number {
  if (word === "null") return null;
  return word === "true" || word === "false" ? word === "true" : Number(word);
}

function expected(reader: Reader, what: string): string {
  const char = reader.text.charAt(reader.at);
  return `Expected ${what}, found ${char === "" ? "the end of the text" : JSON.stringify(char)}`;
}

const SPECIAL = /["\\]|[^ -\uffff]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function readString(reader: Reader): string {
  const start = reader.at;
  SPECIAL.lastIndex = start + 1;
  for (let match = SPECIAL.exec(reader.text); match !== null; match = SPECIAL.exec(reader.text)) {
    if (match[0] === '"') {
      reader.at = SPECIAL.lastIndex;
      return showJson(parseJson(reader.text.slice(start, reader.at)));
    }
    ESCAPE.lastIndex = match.index;
    if (match[0] !== "\\" || ESCAPE.exec(reader.text) === null) {
      reader.at = match.index;
      return stop(reader, "A string holds what JSON does not allow there");
    }
    SPECIAL.lastIndex = ESCAPE.lastIndex;
  }
  return stop(reader, "This string does not end");
}

function readArray(reader: Reader, depth: number): JsonArrayNode {
  const start = reader.at;
  const items: JsonNode[] = [];
  reader.at += 1;
  if (!closes(reader, "]")) {
    do {
      items.push(readValue(reader, depth + 1));
    } while (goesOn(reader, "]"));
  }
  return { kind: "array", items, start, end: reader.at };
}

function readObject(reader: Reader, depth: number): JsonObjectNode {
  const start = reader.at;
  const members: Member[] = [];
  const keys = new Set<string>();
  reader.at += 1;
  if (!closes(reader, "}")) {
    do {
      const member = readMember(reader, depth);
      if (keys.has(member.key)) {
        const message = `The key ${JSON.stringify(member.key)} is there twice`;
        reader.problems.push({ at: member.keyStart, message, kind: "duplicate" });
      }
      keys.add(member.key);
      members.push(member);
    } while (goesOn(reader, "}"));
  }
  return { kind: "object", members, start, end: reader.at };
}

function readMember(reader: Reader, depth: number): Member {
  skipBlanks(reader);
  const keyStart = reader.at;
  if (reader.text.charAt(reader.at) !== '"') stop(reader, expected(reader, "a key in quotes"));
  const key = readString(reader);
  skipBlanks(reader);
  if (reader.text.charAt(reader.at) !== ":") stop(reader, expected(reader, "a colon"));
  reader.at += 1;
  return { key, keyStart, value: readValue(reader, depth + 1) };
}

function closes(reader: Reader, close: string): boolean {
  skipBlanks(reader);
  if (reader.text.charAt(reader.at) !== close) return false;
  reader.at += 1;
  return true;
}

/** Reads what follows an entry: true for a comma, false for the closing bracket. */
function goesOn(reader: Reader, close: string): boolean {
  if (closes(reader, close)) return false;
  if (reader.text.charAt(reader.at) !== ",") stop(reader, expected(reader, `a comma or ${close}`));
  reader.at += 1;
  return true;
}

function skipBlanks(reader: Reader): void {
  BLANKS.lastIndex = reader.at;
  BLANKS.exec(reader.text);
  reader.at = BLANKS.lastIndex;
}

const BLANKS = /[ \t\r\n]*/y;
