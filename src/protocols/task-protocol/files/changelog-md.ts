import { readMarkdown } from "../../../files/markdown.ts";
import { applyEdits, eolOf, oneLine } from "../../../files/text.ts";

/**
 * `changelog.md`: finished tasks, newest day first.
 *
 *   ## 2026-03-01
 *
 *   ### Parse the new syntax
 *
 *   **Task**: `add-parser`
 *
 * A task owns the `###` section that names it.
 */
export interface ChangelogEntry {
  readonly task: string;
  readonly date: string;
  readonly title: string;
  readonly line: number;
}

export function parseChangelog(text: string): readonly ChangelogEntry[] {
  const markdown = readMarkdown(text);
  let date = "";
  return markdown.headings.flatMap((heading) => {
    if (heading.level === 2) date = /^(\d{4}-\d\d-\d\d)\b/.exec(heading.text)?.[1] ?? "";
    if (heading.level !== 3) return [];
    const from = markdown.lines[heading.at]?.next ?? text.length;
    const until = markdown.lines[heading.until]?.start ?? text.length;
    const task = /^\*\*Task:?\*\*:?\s*`([^`]+)`/m.exec(text.slice(from, until))?.[1];
    return task === undefined
      ? []
      : [{ task, date, title: heading.text, line: heading.at + markdown.firstLine }];
  });
}

export interface NewChange {
  readonly task: string;
  readonly date: string;
  readonly title: string;
}

/** Adds a finished task under its day. A task that is already there is left alone. */
export function addChange(text: string, { task, date, title }: NewChange): string {
  if (parseChangelog(text).some((one) => one.task === task)) return text;
  const eol = eolOf(text);
  const entry = [`### ${oneLine(title)}`, "", `**Task**: \`${task}\``].join(eol);
  const markdown = readMarkdown(text);
  const day = markdown.headings.find((one) => one.level === 2 && one.text.startsWith(date));
  if (day !== undefined) {
    const at = markdown.lines[day.at]?.end ?? text.length;
    return applyEdits(text, [{ start: at, end: at, text: `${eol}${eol}${entry}` }]);
  }
  const block = `## ${date}${eol}${eol}${entry}${eol}`;
  const first = markdown.headings.find((one) => one.level === 2);
  if (first === undefined) {
    if (text === "") return `# Changelog${eol}${eol}${block}`;
    return `${text}${text.endsWith("\n") ? "" : eol}${eol}${block}`;
  }
  const at = markdown.lines[first.at]?.start ?? 0;
  return applyEdits(text, [{ start: at, end: at, text: `${block}${eol}` }]);
}
