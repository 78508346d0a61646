import {
  type Heading,
  itemsBetween,
  type Markdown,
  readMarkdown,
} from "../../../files/markdown.ts";
import type { Problem } from "../../../files/problem.ts";
import { applyEdits, eolOf, oneLine } from "../../../files/text.ts";

/**
 * `task.md`: the task in words, at the root of its folder.
 *
 *   # Task Context: {task}
 *   ## Task Objective                    mandatory from the start, like the next two
 *   ## Scope Definition                  with FILES IN SCOPE and FILES OUT OF SCOPE
 *   ## Stakeholder Agent Reports         may be empty
 *   ## Implementation Plan               written in SYNTHESIS; see plan.ts
 */
export const MANDATORY_SECTIONS: readonly string[] = [
  "Task Objective",
  "Scope Definition",
  "Stakeholder Agent Reports",
];

export interface TaskDocument {
  readonly title: string | undefined;
  /** Mandatory sections that are missing. */
  readonly missing: readonly string[];
  readonly inScope: readonly string[];
  readonly outOfScope: readonly string[];
  readonly problems: readonly Problem[];
}

const IN_SCOPE = "FILES IN SCOPE";

/** Codes: `task-md-section`, `task-md-scope` (warning). */
export function parseTaskMd(text: string): TaskDocument {
  const markdown = readMarkdown(text);
  const missing = MANDATORY_SECTIONS.filter((name) => findSection(markdown, name) === undefined);
  const scope = findSection(markdown, "Scope Definition");
  const inScope = scopeList(text, markdown, scope, IN_SCOPE);
  const outOfScope = scopeList(text, markdown, scope, "FILES OUT OF SCOPE");
  const sections = missing.map((name): Problem => ({
    code: "task-md-section",
    line: 0,
    message: `The section "${name}" is missing`,
    fix: `Add a heading ## ${name}.`,
    rule: "TP-085",
    severity: "error",
  }));
  const empty: readonly Problem[] =
    scope === undefined || inScope.length > 0
      ? []
      : [
          {
            code: "task-md-scope",
            line: scope.at + markdown.firstLine,
            message: "Scope Definition lists no files in scope",
            fix: "List them below FILES IN SCOPE; the risk is read from there.",
            rule: "TP-086",
            severity: "warning",
          },
        ];
  const title = markdown.headings.find((one) => one.level === 1)?.text;
  return { title, missing, inScope, outOfScope, problems: [...sections, ...empty] };
}

export function findSection(markdown: Markdown, name: string): Heading | undefined {
  const wanted = name.toLowerCase();
  return markdown.headings.find(
    (one) => one.level >= 2 && one.text.toLowerCase().replace(/[:.]$/, "") === wanted,
  );
}

/** The text of a section without its heading; empty if there is none. */
export function sectionText(text: string, name: string): string {
  const markdown = readMarkdown(text);
  const heading = findSection(markdown, name);
  if (heading === undefined) return "";
  const from = markdown.lines[heading.at]?.next ?? text.length;
  return text.slice(from, markdown.lines[heading.until]?.start ?? text.length).trim();
}

/** The items after a label, up to the next label or heading. */
function scopeList(
  text: string,
  markdown: Markdown,
  section: Heading | undefined,
  label: string,
): readonly string[] {
  if (section === undefined) return [];
  const until = section.until;
  const labels = linesWith(text, markdown, section, "FILES ");
  const found = linesWith(text, markdown, section, label)[0];
  // A plain list in the scope section, without any labels, lists the files in scope.
  const at = found ?? (label === IN_SCOPE && labels.length === 0 ? section.at + 1 : undefined);
  if (at === undefined) return [];
  const next = labels.find((line) => line > at) ?? until;
  return itemsBetween(markdown, at, next)
    .filter((item) => !item.text.toUpperCase().includes(label))
    .map((item) => pathOf(item.text))
    .filter((path) => path !== "");
}

function linesWith(
  text: string,
  { lines }: Markdown,
  section: Heading,
  label: string,
): readonly number[] {
  return lines
    .map((line, index) => ({ index, words: text.slice(line.start, line.end).toUpperCase() }))
    .slice(section.at + 1, section.until)
    .filter(({ words }) => words.includes(label))
    .map(({ index }) => index);
}

/** The path that an item names: the part in backticks, or else its first word. */
export function pathOf(item: string): string {
  return (/`([^`]+)`/.exec(item)?.[1] ?? item.split(/:\s|\s+(?:[-–—:]\s+|\()/)[0] ?? "").trim();
}

export interface AddedAgent {
  readonly agent: string;
  readonly state: string;
  readonly reason: string;
  readonly report: string;
}

/** Adds the entry, section and reason of an agent that joins later, unless they are already there. */
export function addAgentSection(text: string, added: AddedAgent): string {
  const markdown = readMarkdown(text);
  const reports = findSection(markdown, "Stakeholder Agent Reports");
  const name = `Added agent: ${added.agent}`;
  if (reports === undefined || findSection(markdown, name) !== undefined) return text;
  const eol = eolOf(text);
  const body = [
    `### ${name}`,
    "",
    `- **Report**: \`${added.report}\``,
    `- **Joined in**: ${added.state}`,
    `- **Reason**: ${oneLine(added.reason)}`,
    "",
  ].join(eol);
  const at = markdown.lines[reports.until]?.start ?? text.length;
  const gap = at === text.length && !/\r?\n$/.test(text) ? eol : "";
  return applyEdits(text, [{ start: at, end: at, text: `${gap}${body}${eol}` }]);
}
