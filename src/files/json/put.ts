import { canonicalJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { withoutComments } from "./loose.ts";
import { nodeAt, toJson } from "./source.ts";
import type { JsonArrayNode, JsonNode, JsonObjectNode, JsonText } from "./source.ts";
import { applyEdits, eolOf } from "../text.ts";
import type { Edit } from "../text.ts";

/**
 * Puts entries into a JSON text that belongs to somebody else, and removes them again: afterwards the text is the
 * same as before, byte for byte. A container created on the way is marked by the spaces before its closing
 * bracket; one that was already there and empty keeps its own. So an empty container can be recognised as ours.
 */
export interface JsonPut {
  readonly read: (text: string) => JsonText;
}

type Path = readonly string[];

/** Sets a member, creating the objects that lead to it. Undefined if something else is in the way. */
export function putMember(how: JsonPut, text: string, path: Path, value: Json): string | undefined {
  const parent = path.slice(0, -1);
  const made = makePath(how, text, parent, "object");
  if (made === undefined) return undefined;
  const json = how.read(made);
  const holder = nodeAt(json.root, parent);
  const key = path.at(-1) ?? "";
  if (holder?.kind !== "object") return undefined;
  const known = holder.members.findLast((one) => one.key === key);
  if (known === undefined) return insert(json, holder, { key, value });
  if (same(toJson(known.value), value)) return made;
  const { start, end } = known.value;
  return applyEdits(made, [
    { start, end, text: render(json, value, indentAt(made, known.keyStart)) },
  ]);
}

/** Makes an array contain exactly these entries among those that `isOurs` recognises. All others stay. */
export function putItems(
  how: JsonPut,
  text: string,
  path: Path,
  { items, isOurs }: { readonly items: readonly Json[]; readonly isOurs: (item: Json) => boolean },
): string | undefined {
  const node = nodeAt(how.read(text).root, path);
  const there = node?.kind === "array" ? node.items.map(toJson).filter(isOurs) : [];
  if (there.length === items.length && there.every((one, index) => same(one, items[index] ?? null)))
    return node === undefined || node.kind === "array" ? text : undefined;
  const bare = node === undefined ? text : takeItems(how, text, path, isOurs);
  return items.reduce<string | undefined>((now, value) => {
    const made = now === undefined ? undefined : makePath(how, now, path, "array");
    if (made === undefined) return undefined;
    const json = how.read(made);
    const list = nodeAt(json.root, path);
    return list?.kind === "array" ? insert(json, list, { value }) : undefined;
  }, bare);
}

function same(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Removes a member, and the objects around it that were created for it. */
export function takeMember(how: JsonPut, text: string, path: Path): string {
  const json = how.read(text);
  const holder = nodeAt(json.root, path.slice(0, -1));
  if (holder?.kind !== "object") return text;
  const at = holder.members.findLastIndex((one) => one.key === path.at(-1));
  if (at < 0) return text;
  return prune(how, remove(json, holder, at), path.slice(0, -1));
}

/** Removes entries from an array, and the containers around it that were created for them. */
export function takeItems(
  how: JsonPut,
  text: string,
  path: Path,
  isOurs: (item: Json) => boolean,
): string {
  const json = how.read(text);
  const list = nodeAt(json.root, path);
  const at = list?.kind === "array" ? list.items.findLastIndex((one) => isOurs(toJson(one))) : -1;
  if (list?.kind !== "array" || at < 0) return text;
  const left = remove(json, list, at);
  const more = list.items.slice(0, at).some((one) => isOurs(toJson(one)));
  return more ? takeItems(how, left, path, isOurs) : prune(how, left, path);
}

const MADE = /^(?:\r\n|\n|\r)[ \t]*$|^ $/;

/** Removes an empty container if its spaces mark it as created here. */
function prune(how: JsonPut, text: string, path: Path): string {
  const node = nodeAt(how.read(text).root, path);
  if (path.length === 0 || node === undefined || entriesOf(node).length > 0) return text;
  return MADE.test(text.slice(node.start + 1, node.end - 1)) ? takeMember(how, text, path) : text;
}

/** Creates the containers along a path. Undefined if something else is in the way. */
function makePath(
  how: JsonPut,
  text: string,
  path: Path,
  last: "object" | "array",
): string | undefined {
  let now = text;
  for (let depth = 0; depth <= path.length; depth += 1) {
    const wanted = depth === path.length ? last : "object";
    const json = how.read(now);
    const node = nodeAt(json.root, path.slice(0, depth));
    if (node?.kind === wanted) continue;
    const holder = nodeAt(json.root, path.slice(0, depth - 1));
    if (node !== undefined || depth === 0 || holder?.kind !== "object") return undefined;
    now = insert(json, holder, { key: path[depth - 1] ?? "", made: wanted });
  }
  return now;
}

interface Entry {
  readonly key?: string;
  readonly value?: Json;
  /** An empty container to create here. */
  readonly made?: "object" | "array";
}

type Holder = JsonObjectNode | JsonArrayNode;

function insert(json: JsonText, holder: Holder, entry: Entry): string {
  const { text } = json;
  const entries = entriesOf(holder);
  const last = entries.at(-1);
  const broken = isBroken(json, holder);
  const indent = broken ? entryIndent(json, holder) : "";
  const gap = broken
    ? `${eolOf(text)}${indent}`
    : last === undefined
      ? innerBlank(json, holder)
      : " ";
  const body = `${gap}${entryText(json, entry, { broken, indent })}`;
  if (last === undefined) return applyEdits(text, [at(holder.start + 1, body)]);
  const comma = commaBehind(json, last.end, holder.end);
  if (comma !== undefined) return applyEdits(text, [at(lineTail(json, comma + 1), `${body},`)]);
  return applyEdits(text, [at(last.end, ","), at(lineTail(json, last.end), body)]);
}

function at(offset: number, text: string): Edit {
  return { start: offset, end: offset, text };
}

function entryText(
  json: JsonText,
  { key, value = null, made }: Entry,
  { broken, indent }: { readonly broken: boolean; readonly indent: string },
): string {
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  if (made === undefined)
    return `${name}${broken ? render(json, value, indent) : JSON.stringify(value)}`;
  const blanks = broken ? `${eolOf(json.text)}${indent}` : " ";
  return made === "object" ? `${name}{${blanks}}` : `${name}[${blanks}]`;
}

/** Removes one entry with its comma and the spaces before it. */
function remove(json: JsonText, holder: Holder, index: number): string {
  const entries = entriesOf(holder);
  const entry = entries[index];
  if (entry === undefined) return json.text;
  const before = entries[index - 1];
  const after = commaBehind(json, entry.end, entries[index + 1]?.start ?? holder.end);
  const previous = before === undefined ? undefined : commaBehind(json, before.end, entry.start);
  const least = previous === undefined ? holder.start + 1 : lineTail(json, previous + 1);
  const [blanks = ""] = /[ \t\r\n]*$/.exec(json.text.slice(least, entry.start)) ?? [];
  const edits = [{ start: entry.start - blanks.length, end: entry.end, text: "" }];
  if (after !== undefined) edits.push({ start: after, end: after + 1, text: "" });
  else if (previous !== undefined) edits.push({ start: previous, end: previous + 1, text: "" });
  return applyEdits(json.text, edits);
}

function entriesOf(node: JsonNode): readonly { readonly start: number; readonly end: number }[] {
  if (node.kind === "array") return node.items;
  if (node.kind === "scalar") return [];
  return node.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }));
}

/** Whether entries are on lines of their own; for an empty container, whether they would be. */
function isBroken(json: JsonText, holder: Holder): boolean {
  const [first] = entriesOf(holder);
  const inner = json.text.slice(holder.start + 1, first?.start ?? holder.end - 1);
  if (first !== undefined || inner !== "") return /[\r\n]/.test(inner);
  return holder === json.root || /[\r\n]/.test(json.text.trim());
}

function innerBlank({ text }: JsonText, holder: Holder): string {
  return text.slice(holder.start + 1, holder.end - 1) === "" ? "" : " ";
}

function entryIndent(json: JsonText, holder: Holder): string {
  const [first] = entriesOf(holder);
  if (first !== undefined) return indentAt(json.text, first.start);
  return `${lineIndent(json.text, holder.start)}${unitOf(json)}`;
}

/** JSON indented as the file is, with its line ending. */
function render(json: JsonText, value: Json, indent: string): string {
  return JSON.stringify(value, null, unitOf(json)).replaceAll("\n", `${eolOf(json.text)}${indent}`);
}

/** One level of indentation in this file. */
function unitOf({ text, root }: JsonText): string {
  const first = root === undefined ? undefined : entriesOf(root)[0];
  const unit = first === undefined ? "" : indentAt(text, first.start);
  return unit === "" ? "  " : unit;
}

/** The spaces before `offset`, if there is nothing else before it on its line. */
function indentAt(text: string, offset: number): string {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[1] ?? "";
}

/** The spaces at the start of the line that `offset` is on. */
function lineIndent(text: string, offset: number): string {
  const start =
    Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** The comma between `from` and `to`, outside comments. */
function commaBehind({ text }: JsonText, from: number, to: number): number | undefined {
  const found = withoutComments(text.slice(from, to)).indexOf(",");
  return found < 0 ? undefined : from + found;
}

/** After a comment that ends this line, so that a new entry does not separate a comment from what it is about. */
function lineTail({ text }: JsonText, from: number): number {
  const [rest = ""] = /^[^\r\n]*/.exec(text.slice(from)) ?? [];
  const comment = /^[ \t]*(?:\/\/.*|(?:\/\*(?:(?!\*\/).)*\*\/[ \t]*)+)$/.exec(rest);
  return comment === null ? from : from + rest.length;
}
