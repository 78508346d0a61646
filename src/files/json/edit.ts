import type { Json } from "../../core/values/json.ts";
import { type Edit, applyEdits, eolOf } from "../text.ts";
import { type JsonObjectNode, type JsonText, nodeAt, readJsonText } from "./source.ts";

/**
 * Edits of single members of a JSON object in its text. Every other character stays: order, spaces, unknown
 * members, the way numbers and strings are written, line endings.
 */

/** Sets top-level members. New ones go to the end; undefined ones are left alone. */
export function setMembers(
  json: JsonText,
  changes: Readonly<Record<string, Json | undefined>>,
): readonly Edit[] {
  const { root } = json;
  if (root?.kind !== "object") return [];
  const added: [string, Json][] = [];
  const edits: Edit[] = [];
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const member = root.members.findLast((one) => one.key === key);
    if (member === undefined) {
      added.push([key, value]);
    } else if (!sameText(json, member.value.start, member.value.end, value)) {
      const { start, end } = member.value;
      edits.push({ start, end, text: renderValue(json, value, indentAt(json, member.keyStart)) });
    }
  }
  return added.length === 0 ? edits : [...edits, insertion(json, root, added)];
}

/** Removes top-level members one after the other, because neighbours share a comma. */
export function removeMembers(text: string, keys: readonly string[]): string {
  return keys.reduce((now, key) => {
    const { root } = readJsonText(now);
    if (root?.kind !== "object" || !root.members.some((one) => one.key === key)) return now;
    return applyEdits(now, [removal(root, key)]);
  }, text);
}

/** Appends entries to a top-level array, which is created if it is absent or null. */
export function appendItems(
  json: JsonText,
  key: string,
  items: readonly Json[],
): readonly Edit[] | undefined {
  const node = nodeAt(json.root, [key]);
  if (items.length === 0) return [];
  if (node === undefined || (node.kind === "scalar" && node.value === null))
    return setMembers(json, { [key]: items });
  if (node.kind !== "array") return undefined;
  const last = node.items.at(-1);
  if (last === undefined) return setMembers(json, { [key]: items });
  const broken = /[\r\n]/.test(json.text.slice(node.start, node.items[0]?.start));
  const gap = broken ? `${eolOf(json.text)}${indentAt(json, last.start)}` : " ";
  const texts = items.map((item) =>
    renderValue(json, item, broken ? indentAt(json, last.start) : ""),
  );
  return [{ start: last.end, end: last.end, text: texts.map((one) => `,${gap}${one}`).join("") }];
}

function sameText(json: JsonText, start: number, end: number, value: Json): boolean {
  return JSON.stringify(JSON.parse(json.text.slice(start, end))) === JSON.stringify(value);
}

/** Removes a member together with its comma and the spaces around it. */
function removal(root: JsonObjectNode, key: string): Edit {
  const index = root.members.findLastIndex((one) => one.key === key);
  const member = root.members[index];
  const following = root.members[index + 1];
  const previous = root.members[index - 1];
  if (member === undefined) return { start: 0, end: 0, text: "" };
  if (following !== undefined) return { start: member.keyStart, end: following.keyStart, text: "" };
  if (previous !== undefined) return { start: previous.value.end, end: member.value.end, text: "" };
  return { start: root.start + 1, end: root.end - 1, text: "" };
}

function insertion(
  json: JsonText,
  root: JsonObjectNode,
  added: readonly (readonly [string, Json])[],
): Edit {
  const first = root.members[0];
  const last = root.members.at(-1);
  const eol = eolOf(json.text);
  if (first === undefined || last === undefined) {
    const body = added.map(([key, value]) => `  ${entry(json, key, value, "  ")}`).join(`,${eol}`);
    return { start: root.start, end: root.end, text: `{${eol}${body}${eol}}` };
  }
  const broken = /[\r\n]/.test(json.text.slice(root.start, first.keyStart));
  const indent = broken ? indentAt(json, first.keyStart) : "";
  const gap = broken ? `${eol}${indent}` : " ";
  const at = last.value.end;
  const text = added.map(([key, value]) => `,${gap}${entry(json, key, value, indent)}`).join("");
  return { start: at, end: at, text };
}

function entry(json: JsonText, key: string, value: Json, indent: string): string {
  return `${JSON.stringify(key)}: ${renderValue(json, value, indent)}`;
}

/** JSON indented like the file and with its line ending; on one line if the file is. */
function renderValue(json: JsonText, value: Json, indent: string): string {
  const text = JSON.stringify(value, null, unitOf(json, indent));
  return text.replaceAll("\n", `${eolOf(json.text)}${indent}`);
}

function unitOf(json: JsonText, indent: string): string {
  if (indent !== "") return indent.includes("\t") ? "\t" : topIndent(json);
  return /[\r\n]/.test(json.text.trim()) ? "  " : "";
}

function topIndent(json: JsonText): string {
  const first = json.root?.kind === "object" ? json.root.members[0] : undefined;
  return first === undefined ? "  " : indentAt(json, first.keyStart) || "  ";
}

/** The spaces before `offset`, if there is nothing else before it on its line. */
function indentAt({ text }: JsonText, offset: number): string {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(Math.max(0, offset - 200), offset))?.[1] ?? "";
}
