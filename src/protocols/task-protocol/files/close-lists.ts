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
 * The two lists as a finished task leaves them: its entry closed, its name in the changelog, and whoever
 * waited only for it ready. Others close theirs at the same time, and both are kept.
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

/** Other tasks whose entry in the list is not what it was; whoever waited for this one alone may be ready now. */
export function changedEntries(before: string, after: string, task: string): readonly string[] {
  const now = entriesOf(after);
  const freed = entriesOf(freeDependants(removeTodoEntry(before, task), task));
  return [...entriesOf(before)].flatMap(([name, text]) =>
    name === task || [text, freed.get(name)].includes(now.get(name)) ? [] : [name],
  );
}

/** Lines around the entries that are gone: people wrote them, and no task does without saying so. */
export function lostProse(before: string, after: string): readonly string[] {
  return without(proseOf(before), proseOf(after));
}

/** The same around the sections of tasks in the changelog. */
export function lostWords(before: string, after: string): readonly string[] {
  return without(wordsOf(before), wordsOf(after));
}

function wordsOf(changelog: string): readonly string[] {
  const sections = parseChangelog(changelog).map(({ task }) => sectionText(changelog, task));
  return linesIn(sections.reduce((text, section) => text.replace(section, () => ""), changelog));
}

/** Each line as often as it is there. */
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

/** The same for what the changelog says of others. */
export function changedSections(before: string, after: string, task: string): readonly string[] {
  const others = parseChangelog(before).flatMap((one) => (one.task === task ? [] : [one.task]));
  return others.filter((one) => sectionText(before, one) !== sectionText(after, one));
}

/** Where git cannot merge the two texts, keep theirs and add the entries that only this task has. */
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

/** The changelog with this task in it. A section that the task branch has for it is kept as written there. */
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

/** What the changelog says under a task's heading; empty where it has none. */
export function sectionText(text: string, task: string): string {
  return sectionOf(text, task)?.text ?? "";
}

function replaceSection(text: string, task: string, own: Section | undefined): string {
  const there = sectionOf(text, task);
  if (there === undefined || own === undefined) return text;
  const end = there.start + there.text.length;
  return applyEdits(text, [{ start: there.start, end, text: own.text }]);
}
