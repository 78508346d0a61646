import type { Edited } from "../../../../files/edited.ts";
import { keepsOtherFields } from "../../../../files/front-matter-edit.ts";
import { bodyStartOf, readFrontMatter } from "../../../../files/front-matter.ts";
import { COUNTED, completionTag, parseHandoff, sectionName } from "./handoff.ts";
import { SECTIONS } from "./format.ts";
import { FIELD_ORDER, fieldEdits, type HandoffFields } from "./fields.ts";
import { HANDOFF_TEMPLATE } from "./template.ts";
import { itemsBetween, readMarkdown } from "../../../../files/markdown.ts";
import type { Problem } from "../../../../files/problem.ts";
import {
  appendItems,
  asProse,
  NOTHING_YET,
  type OpenSection,
  openSection,
  replaceBody,
  replaceHeading,
  replaceItems,
} from "../../../../files/section-edit.ts";
import { applyEdits, eolOf, oneLine, tryEdits } from "../../../../files/text.ts";

export type { Edited } from "../../../../files/edited.ts";
export type { HandoffFields } from "./fields.ts";
export { HANDOFF_TEMPLATE } from "./template.ts";

export interface HandoffChanges {
  readonly fields?: HandoffFields;
  readonly title?: string;
  /** The text after `## Current State:` and, if given, the body below it. */
  readonly currentState?: { readonly summary: string; readonly body?: string };
  /** Bullets added under Completed So Far; a tag already there is not added again. */
  readonly completed?: readonly { readonly tag: string; readonly text: string }[];
  /** Bullets under Completed So Far with one of these tags are removed. */
  readonly isUnknown?: (tag: string) => boolean;
  /** Replaces the numbered list. */
  readonly nextSteps?: readonly string[];
  /** Replaces the list: `- VST3: path`. */
  readonly buildArtifacts?: readonly { readonly format: string; readonly path: string }[];
  /** Ticks items with this text, and adds missing ones. */
  readonly checklist?: readonly { readonly text: string; readonly done: boolean }[];
  /** Bullets added under Context to Preserve, each only once. */
  readonly context?: readonly string[];
}

/**
 * Changes what `changes` names, adds missing headings, and leaves every other character alone. Changes nothing if
 * the front matter is unreadable or a change breaks a rule.
 */
export function editHandoff(text: string, changes: HandoffChanges): Edited {
  const before = parseHandoff(text, { plugin: changes.fields?.plugin ?? "" });
  if (before.value === undefined) return { text, problems: before.problems };
  const named = setFields(text, changes.fields ?? {});
  if (named.problems.length > 0) return { text, problems: named.problems };
  const body = ensureSections(named.text, changes.title);
  if (!hasSections(body)) return { text, problems: [SWALLOWED] };
  const steps: ((text: string) => string)[] = [
    (now) => setTitle(now, changes.title),
    (now) => setState(now, changes.currentState),
    (now) => cutCompleted(now, changes.isUnknown),
    (now) => addCompleted(now, changes.completed ?? []),
    (now) =>
      setList(
        now,
        "Next Steps",
        changes.nextSteps
          ?.map(oneLine)
          .filter(Boolean)
          .map((step, index) => `${index + 1}. ${step}`),
      ),
    (now) =>
      setList(
        now,
        "Build Artifacts",
        changes.buildArtifacts?.map(({ format, path }) => `- ${oneLine(format)}: ${oneLine(path)}`),
      ),
    (now) => tick(now, changes.checklist ?? []),
    (now) => addContext(now, changes.context ?? []),
  ];
  return { text: steps.reduce((now, step) => step(now), body), problems: [] };
}

/** A new handoff, from the given template or the built-in one. */
export function createHandoff(template: string | undefined, changes: HandoffChanges): Edited {
  const given = template ?? HANDOFF_TEMPLATE;
  const text =
    readFrontMatter(given).state === "none"
      ? `---${eolOf(given)}---${eolOf(given)}${given}`
      : given;
  return editHandoff(text, { ...changes, fields: { ...NEW_FIELDS, ...changes.fields } });
}

const NEW_FIELDS: HandoffFields = {
  stage: 0,
  phase: null,
  status: "in_progress",
  complexityScore: null,
  phasedImplementation: null,
  orchestrationMode: true,
  nextAction: null,
  nextPhase: null,
  checksums: { creative_brief: null, parameter_spec: null, architecture: null, plan: null },
};

function setFields(text: string, fields: HandoffFields): Edited {
  const { edits, problems } = fieldEdits(text, fields);
  if (problems.length > 0) return { text, problems };
  const after = applyEdits(text, edits);
  if (keepsOtherFields(text, after, FIELD_ORDER)) return { text: after, problems: [] };
  return { text, problems: [CANNOT_EDIT] };
}

const CANNOT_EDIT: Problem = {
  code: "handoff-unparseable",
  line: 1,
  message: "The front matter cannot be changed without touching fields that are not ours",
  fix: "Write it as plain `key: value` lines, without anchors and without braces around the whole",
  rule: "PW-017",
  severity: "error",
};

function hasSections(text: string): boolean {
  const { headings } = readMarkdown(text, bodyStartOf(text));
  return SECTIONS.every((name) =>
    headings.some((one) => one.level === 2 && sectionName(one) === name),
  );
}

const SWALLOWED: Problem = {
  code: "handoff-field",
  line: 0,
  message:
    "Cannot add the missing headings: a code fence or comment in the handoff is never closed",
  fix: "Close it, then try again",
  rule: "PW-015",
  severity: "error",
};

/** A missing heading goes after the section before it, or before the one after it. */
function ensureSections(text: string, title: string | undefined): string {
  let now = ensureTitle(text, title);
  for (const [index, name] of SECTIONS.entries()) {
    const markdown = readMarkdown(now, bodyStartOf(now));
    const sections = markdown.headings.filter((heading) => heading.level === 2);
    if (sections.some((heading) => sectionName(heading) === name)) continue;
    const earlier = SECTIONS.slice(0, index).toReversed();
    const before = earlier
      .map((one) => sections.find((heading) => sectionName(heading) === one))
      .find(Boolean);
    const later = sections.find((heading) => SECTIONS.includes(sectionName(heading)));
    const at = before?.until ?? later?.at ?? markdown.lines.length;
    const heading = name === "Current State" ? "## Current State: Unknown" : `## ${name}`;
    now = insertBlock(now, markdown.lines[at]?.start ?? now.length, heading);
  }
  return now;
}

function ensureTitle(text: string, title: string | undefined): string {
  const start = bodyStartOf(text);
  const markdown = readMarkdown(text, start);
  if (markdown.headings.some((heading) => heading.level === 1)) return text;
  const eol = eolOf(text);
  const words = `# ${oneLine(title ?? "") || "Resume Point"}`;
  const rest = text.slice(start);
  const gap = rest === "" || /^[\r\n]/.test(rest) ? "" : eol;
  const ended = start === 0 || /[\r\n]$/.test(text.slice(0, start)) ? "" : eol;
  return `${text.slice(0, start)}${ended}${eol}${words}${eol}${gap}${rest}`;
}

function insertBlock(text: string, offset: number, heading: string): string {
  const eol = eolOf(text);
  const before = text.slice(0, offset);
  const ended = before === "" || /[\r\n]$/.test(before) ? "" : eol;
  const gap = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(before) ? "" : eol;
  const after = offset < text.length ? eol : "";
  return `${before}${ended}${gap}${heading}${eol}${eol}${NOTHING_YET}${eol}${after}${text.slice(offset)}`;
}

function setTitle(text: string, title: string | undefined): string {
  const section = openSection(text, bodyStartOf(text), (heading) => heading.level === 1);
  if (title === undefined || section === undefined) return text;
  return replaceHeading(section, oneLine(title));
}

function setState(text: string, state: HandoffChanges["currentState"]): string {
  const section = open(text, "Current State");
  if (state === undefined || section === undefined) return text;
  const named = replaceHeading(section, `Current State: ${oneLine(state.summary)}`);
  const again = open(named, "Current State");
  if (state.body === undefined || again === undefined) return named;
  return replaceBody(again, asProse(state.body.trim() || NOTHING_YET));
}

function cutCompleted(text: string, isUnknown: HandoffChanges["isUnknown"]): string {
  const section = open(text, "Completed So Far");
  if (section === undefined || isUnknown === undefined) return text;
  const { markdown, heading } = section;
  const items = itemsBetween(markdown, heading.at + 1, heading.until);
  const edits = markdown.lines.flatMap((line, at) => {
    if (at <= heading.at || at >= heading.until) return [];
    const tag = completionTag(text.slice(line.start, line.end));
    if (tag === undefined || !COUNTED.includes(markdown.kinds[at] ?? "blank") || !isUnknown(tag))
      return [];
    const until = items.find((item) => item.at === at)?.until ?? at + 1;
    return [{ start: line.start, end: markdown.lines[until - 1]?.next ?? text.length, text: "" }];
  });
  return tryEdits(text, edits) ?? text;
}

function addCompleted(text: string, completed: NonNullable<HandoffChanges["completed"]>): string {
  return completed.reduce((now, { tag, text: words }) => {
    const section = open(now, "Completed So Far");
    const line = `- **${oneLine(tag)}:** ${oneLine(words)}`;
    if (
      section === undefined ||
      hasLine(section, (one) => one === line || completionTag(one) === tag)
    )
      return now;
    return appendItems(section, [line]);
  }, text);
}

function addContext(text: string, context: readonly string[]): string {
  return context.reduce((now, words) => {
    const section = open(now, "Context to Preserve");
    const line = `- ${oneLine(words)}`;
    if (section === undefined || line === "- " || hasLine(section, (one) => one === line))
      return now;
    return appendItems(section, [line]);
  }, text);
}

function setList(text: string, name: string, lines: readonly string[] | undefined): string {
  const section = open(text, name);
  if (lines === undefined || section === undefined) return text;
  return replaceItems(section, lines.length === 0 ? [`- ${NOTHING_YET}`] : lines);
}

function tick(text: string, checklist: NonNullable<HandoffChanges["checklist"]>): string {
  return checklist.reduce((now, { text: words, done }) => {
    const section = open(now, "Testing Checklist");
    const wanted = oneLine(words);
    if (section === undefined || wanted === "") return now;
    const items = itemsBetween(section.markdown, section.heading.at + 1, section.heading.until);
    const found = items.find(
      (item) => /^\[[ xX]\] /.test(item.text) && item.text.slice(4).trim() === wanted,
    );
    if (found === undefined) return appendItems(section, [`- [${done ? "x" : " "}] ${wanted}`]);
    // Whoever ticked it has checked it, so nothing is unticked.
    if (!done) return now;
    const box = found.textStart + 1;
    return applyEdits(now, [{ start: box, end: box + 1, text: "x" }]);
  }, text);
}

function open(text: string, name: string): OpenSection | undefined {
  return openSection(
    text,
    bodyStartOf(text),
    (heading) => heading.level === 2 && sectionName(heading) === name,
  );
}

function hasLine(
  { text, markdown, heading }: OpenSection,
  wanted: (line: string) => boolean,
): boolean {
  for (let at = heading.at + 1; at < heading.until; at += 1) {
    const line = markdown.lines[at];
    const kind = markdown.kinds[at];
    if (line === undefined || kind === "fence" || kind === "html" || kind === "code") continue;
    if (wanted(text.slice(line.start, line.end).trim())) return true;
  }
  return false;
}
