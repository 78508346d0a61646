import { itemsBetween, type Item, type Markdown, readMarkdown } from "../../../files/markdown.ts";
import type { Problem } from "../../../files/problem.ts";
import { type Edit, applyEdits, eolOf, oneLine } from "../../../files/text.ts";

/**
 * `todo.md`: the list of tasks, shared by all of them.
 *
 *   - [ ] **READY:** `add-parser` - parse the new syntax
 *     - **Dependencies**: `add-lexer`, `add-tokens`
 *     - **Blocks**: `add-printer`
 *     - **Purpose**: …
 *     - **Scope**: …
 *     - **Components**: …
 *
 * The word is READY, BLOCKED or IN_PROGRESS. A task owns its own entry and nothing else: headings,
 * prose and the entries of others keep every character. Names are compared whole, never as parts.
 */
export type TodoWord = "READY" | "BLOCKED" | "IN_PROGRESS";

export interface TodoEntry {
  readonly name: string;
  readonly status: TodoWord;
  readonly done: boolean;
  readonly description: string;
  readonly dependencies: readonly string[];
  readonly blocks: readonly string[];
  /** The fields below the entry, by lower-case name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly line: number;
  /** The entry's own text with its fields. */
  readonly text: string;
}

export interface ParsedTodo {
  readonly entries: readonly TodoEntry[];
  readonly problems: readonly Problem[];
}

interface Found {
  readonly entry: TodoEntry;
  readonly item: Item;
  readonly wordAt: number;
}

/** Codes: `todo-entry` (a task's line that cannot be read), `todo-twice`. */
export function parseTodo(text: string): ParsedTodo {
  const markdown = readMarkdown(text);
  const entries = findEntries(text, markdown);
  const seen = new Set<string>();
  const twice = entries.filter(({ entry: { name } }) => {
    const again = seen.has(name);
    seen.add(name);
    return again;
  });
  const problems = twice.map(({ entry: { name, line } }): Problem => ({
    code: "todo-twice",
    line,
    message: `\`${name}\` is in the list twice`,
    fix: "Keep one of the entries.",
    rule: "TP-001",
    severity: "error",
  }));
  return {
    entries: entries.map((one) => one.entry),
    problems: [...malformed(text, markdown), ...problems],
  };
}

const ENTRY =
  /^\[([ xX])\]\s+\*\*(READY|BLOCKED|IN_PROGRESS):?\*\*:?\s+`([^`]+)`(?:\s*[-–—]\s*(.*))?$/;

function findEntries(text: string, markdown: Markdown): readonly Found[] {
  return itemsBetween(markdown, 0, markdown.lines.length).flatMap((item) => {
    const match = ENTRY.exec(item.text);
    if (match === null) return [];
    const [, box, word = "", name = "", description = ""] = match;
    const fields = fieldsOf(text, markdown, item);
    const entry: TodoEntry = {
      name,
      status: word === "BLOCKED" || word === "IN_PROGRESS" ? word : "READY",
      done: box !== " ",
      description,
      dependencies: namesIn(fields["dependencies"]),
      blocks: namesIn(fields["blocks"]),
      fields,
      line: item.at + markdown.firstLine,
      text: text.slice(markdown.lines[item.at]?.start, markdown.lines[item.until - 1]?.end),
    };
    return [
      {
        entry,
        item,
        wordAt: item.textStart + item.text.indexOf(`**${word}`) + 2,
      },
    ];
  });
}

function malformed(text: string, markdown: Markdown): readonly Problem[] {
  return itemsBetween(markdown, 0, markdown.lines.length)
    .filter((item) => /^\[[ xX]\].*\*\*[A-Z_]+:?\*\*/.test(item.text) && !ENTRY.test(item.text))
    .map((item): Problem => ({
      code: "todo-entry",
      line: item.at + markdown.firstLine,
      message: `"${oneLine(item.text).slice(0, 80)}" is no entry that can be read`,
      fix: "Write it as - [ ] **READY:** `task-name` - description.",
      rule: "TP-001",
      severity: "error",
    }));
}

function fieldsOf(text: string, markdown: Markdown, item: Item): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (let index = item.at + 1; index < item.until; index += 1) {
    const { start = 0, end = 0 } = markdown.lines[index] ?? {};
    const line = text.slice(start, end).trim();
    const field = /^(?:[-*+]\s+)?\*\*([^*]+?):?\*\*:?\s*(.*)$/.exec(line);
    const last = entries.at(-1);
    if (field !== null) entries.push([(field[1] ?? "").toLowerCase(), field[2] ?? ""]);
    else if (last !== undefined && line !== "") last[1] = `${last[1]} ${line}`.trim();
  }
  return Object.fromEntries(entries);
}

/** The lines of the list outside all entries. Lines that would be removed with an entry belong to it. */
export function proseOf(list: string): readonly string[] {
  return linesIn(
    parseTodo(list).entries.reduce((text, { name }) => removeTodoEntry(text, name), list),
  );
}

/** Lines without surrounding spaces; blank ones are left out. */
export function linesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function namesIn(value = ""): readonly string[] {
  const quoted = [...value.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
  if (quoted.length > 0) return quoted;
  return value
    .split(/[,;]/)
    .map((one) => one.trim())
    .filter((one) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(one) && one !== "none");
}

/** Changes one entry's word and nothing else. */
export function setTodoWord(text: string, name: string, word: TodoWord): string {
  const entry = findEntries(text, readMarkdown(text)).find((one) => one.entry.name === name);
  if (entry === undefined || entry.entry.status === word) return text;
  const { wordAt } = entry;
  return applyEdits(text, [{ start: wordAt, end: wordAt + entry.entry.status.length, text: word }]);
}

/**
 * Removes an entry with its fields. The blank line after the last entry stays, and so do unindented lines that
 * directly follow the entry.
 */
export function removeTodoEntry(text: string, name: string): string {
  const markdown = readMarkdown(text);
  const edits = findEntries(text, markdown)
    .filter((one) => one.entry.name === name)
    .map(({ item }): Edit => ({
      start: markdown.lines[item.at]?.start ?? 0,
      end: markdown.lines[item.until - 1]?.next ?? text.length,
      text: proseBelow(text, markdown, item),
    }));
  return applyEdits(text, edits);
}

function proseBelow(text: string, { lines }: Markdown, { at, until }: Item): string {
  const line = (index: number): string => text.slice(lines[index]?.start, lines[index]?.next);
  const below = lines.slice(at + 1, until).map((_, index) => line(at + 1 + index));
  const prose = below.filter((one) => /^\S/.test(one)).join("");
  // A blank line keeps this text from becoming part of the entry above.
  const gap = prose === "" || at === 0 || line(at - 1).trim() === "" ? "" : eolOf(text);
  return `${gap}${prose}`;
}

/** Ticks an entry, for repositories that tick instead of removing. */
export function tickTodoEntry(text: string, name: string): string {
  const entry = findEntries(text, readMarkdown(text)).find(
    (one) => one.entry.name === name && !one.entry.done,
  );
  if (entry === undefined) return text;
  const start = entry.item.textStart + 1;
  return applyEdits(text, [{ start, end: start + 1, text: "x" }]);
}

/** Sets READY in the entries that wait for this task and no other open one. */
export function freeDependants(text: string, task: string): string {
  const edits = dependantsOf(text, task).map(({ wordAt, entry: { status } }): Edit => ({
    start: wordAt,
    end: wordAt + status.length,
    text: "READY",
  }));
  return applyEdits(text, edits);
}

/** Names of entries that are BLOCKED although this task was the last they waited for. */
export function freedNames(text: string, task: string): readonly string[] {
  return dependantsOf(text, task).map((one) => one.entry.name);
}

/**
 * BLOCKED entries for which this task was the last open one. A task is open while its entry is there and not
 * ticked.
 */
function dependantsOf(text: string, task: string): readonly Found[] {
  const entries = findEntries(text, readMarkdown(text));
  const open = new Set(entries.filter((one) => !one.entry.done).map((one) => one.entry.name));
  return entries.filter(
    ({ entry: { status, dependencies } }) =>
      status === "BLOCKED" &&
      dependencies.includes(task) &&
      dependencies.every((name) => !open.has(name)),
  );
}
