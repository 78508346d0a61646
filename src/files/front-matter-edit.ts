import { type Field, type FieldMap, readFrontMatter } from "./front-matter.ts";
import { type Edit, eolOf } from "./text.ts";

/** Writing front matter: one value replaced or one line inserted at a time. */

/** A new value for one field: `yaml` is the value as it is written in the file. */
export interface Setting {
  readonly key: string;
  readonly yaml: string;
}

/** `order` is the documented order of keys: a new key goes after its nearest predecessor. */
export function setFields(
  text: string,
  map: FieldMap,
  settings: readonly Setting[],
  order: readonly string[],
): Edit[] {
  return settings.map(({ key, yaml }) => {
    const field = map.fields.find((one) => one.key === key);
    if (field !== undefined) return replaceValue(text, field, yaml);
    return insertField(text, map, { key, yaml }, predecessor(map, key, order));
  });
}

/** True if `after` has the fields of `before`, character by character, except those in `owned`. */
export function keepsOtherFields(before: string, after: string, owned: readonly string[]): boolean {
  const left = otherFields(before, owned);
  return left !== undefined && left === otherFields(after, owned);
}

function predecessor(map: FieldMap, key: string, order: readonly string[]): Field | undefined {
  const before = order.slice(0, Math.max(0, order.indexOf(key))).toReversed();
  for (const name of before) {
    const field = map.fields.find((one) => one.key === name);
    if (field !== undefined) return field;
  }
  return undefined;
}

function replaceValue(text: string, field: Field, yaml: string): Edit {
  const lead = text.charAt(field.start - 1) === ":" && !/^[\r\n]/.test(yaml) ? " " : "";
  return { start: field.start, end: field.end, text: `${lead}${yaml}` };
}

function insertField(
  text: string,
  map: FieldMap,
  setting: Setting,
  after: Field | undefined,
): Edit {
  const entry = `${setting.key}:${/^[\r\n]/.test(setting.yaml) ? "" : " "}${setting.yaml}`;
  if (map.flow) {
    const at = after?.end ?? map.start;
    const alone = map.fields.length === 0;
    const inserted = after === undefined ? `${entry}${alone ? "" : ", "}` : `, ${entry}`;
    return { start: at, end: at, text: inserted };
  }
  const eol = eolOf(text);
  const at = after === undefined ? map.start : nextLine(text, after.end);
  return { start: at, end: at, text: `${map.indent}${entry}${eol}` };
}

function nextLine(text: string, offset: number): number {
  const ending = /\r\n|\n|\r/g;
  ending.lastIndex = offset;
  return ending.exec(text) === null ? text.length : ending.lastIndex;
}

function otherFields(text: string, owned: readonly string[]): string | undefined {
  const read = readFrontMatter(text);
  if (read.state !== "read") return undefined;
  const others = read.frontMatter.map.fields.filter((field) => !owned.includes(field.key));
  return others.map((field) => `${field.key}\n${text.slice(field.start, field.end)}`).join("\n\n");
}
