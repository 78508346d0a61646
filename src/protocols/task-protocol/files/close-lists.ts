import { readMarkdown } from "../../../files/markdown.ts";
import { applyEdits, eolOf } from "../../../files/text.ts";
import { addChange, parseChangelog } from "./changelog-md.ts";
import {
  freeDependants,
  linesIn,
  parseTodo,
  proseOf,
  removeTodoEntry,
  tickTodoEntry,
} from "./todo-md.ts";

/**
 * The two lists with a task closed: its entry removed, its name in the changelog, and tasks that waited only for
 * it marked READY. Other tasks may close theirs at the same time; both changes are kept.
 */
export interface ListVersions {
  readonly merged: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  readonly since: string | undefined;
}

export type Completion = "remove+changelog" | "mark";

export function closeTodo(versions: ListVersions, task: string, how: Completion): string {
  const list = versions.merged ?? graftEntries(versions);
  const closed = how === "mark" ? tickTodoEntry(list, task) : removeTodoEntry(list, task);
  return freeDependants(closed, task);
}

/** Entries of other tasks that have changed. A task that waited only for this one may now be READY. */
export function changedEntries(before: string, after: string, task: string): readonly string[] {
  const now = entriesOf(after);
  const freed = entriesOf(freeDependants(removeTodoEntry(before, task), task));
  return [...entriesOf(before)].flatMap(([name, text]) =>
    name === task || [text, freed.get(name)].includes(now.get(name)) ? [] : [name],
  );
}

/** Lines outside the entries that are gone. People wrote them, so no task may remove them silently. */
export function lostProse(before: string, after: string): readonly string[] {
  return without(proseOf(before), proseOf(after));
}

/** The same for lines outside the tasks' sections in the changelog. */
export function lostWords(before: string, after: string): readonly string[] {
  return without(wordsOf(before), wordsOf(after));
}

function wordsOf(changelog: string): readonly string[] {
  const sections = parseChangelog(changelog).map(({ task }) => sectionText(changelog, task));
  return linesIn(sections.reduce((text, section) => text.replace(section, () => ""), changelog));
}

/** Lines that are in the first list more often than in the second. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function entriesOf(list: string): ReadonlyMap<string, string> {
  return new Map(parseTodo(list).entries.map((one) => [one.name, one.text.trimEnd()]));
}

/** Changelog sections of other tasks that have changed. */
export function changedSections(before: string, after: string, task: string): readonly string[] {
  const others = parseChangelog(before).flatMap((one) => (one.task === task ? [] : [one.task]));
  return others.filter((one) => sectionText(before, one) !== sectionText(after, one));
}

/** If git cannot merge the two texts, keeps theirs and adds the entries that only this task has. */
function graftEntries({ ours = "", theirs = "", since = "" }: ListVersions): string {
  const known = new Set([...names(theirs), ...names(since)]);
  const added = parseTodo(ours).entries.filter((one) => !known.has(one.name));
  const eol = eolOf(theirs);
  return added.reduce((list, entry) => {
    const gap = list === "" || list.endsWith("\n") ? "" : eol;
    return `${list}${gap}${entry.text}${eol}`;
  }, theirs);
}

function names(list: string): readonly string[] {
  return parseTodo(list).entries.map((one) => one.name);
}

export interface Change {
  readonly task: string;
  readonly date: string;
  readonly title: string;
}

/** The changelog with this task in it. A section written on the task branch is kept as it is. */
export function closeChangelog(versions: ListVersions, change: Change): string {
  const { merged, ours = "", theirs = "" } = versions;
  if (merged !== undefined || ours === "") return addChange(merged ?? theirs, change);
  const own = parseChangelog(ours).find((one) => one.task === change.task);
  if (own === undefined) return addChange(theirs, change);
  const date = own.date === "" ? change.date : own.date;
  const listed = addChange(theirs, { ...change, date, title: own.title });
  return replaceSection(listed, change.task, sectionOf(ours, change.task));
}

interface Section {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function sectionOf(text: string, task: string): Section | undefined {
  const entry = parseChangelog(text).find((one) => one.task === task);
  const markdown = readMarkdown(text);
  const heading = markdown.headings.find((one) => one.at + markdown.firstLine === entry?.line);
  if (heading === undefined) return undefined;
  const start = markdown.lines[heading.at]?.start ?? 0;
  const end = markdown.lines[heading.until]?.start ?? text.length;
  return { start, end, text: text.slice(start, end).trimEnd() };
}

/** The changelog's text under a task's heading; empty if there is none. */
export function sectionText(text: string, task: string): string {
  return sectionOf(text, task)?.text ?? "";
}

function replaceSection(text: string, task: string, own: Section | undefined): string {
  const there = sectionOf(text, task);
  if (there === undefined || own === undefined) return text;
  const end = there.start + there.text.length;
  return applyEdits(text, [{ start: there.start, end, text: own.text }]);
}
