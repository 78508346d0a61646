import type { Parsed, Problem } from "../../../../files/problem.ts";
import { type FieldMap, type FieldValue, readFrontMatter } from "../../../../files/front-matter.ts";
import {
  type Checksums,
  CONTRACT_KEYS,
  type ContractKey,
  type Handoff,
  type HandoffKind,
  textOf,
} from "./format.ts";
import { checkFields } from "./rules.ts";
import {
  type Heading,
  type LineKind,
  type Markdown,
  itemsBetween,
  plain,
  readMarkdown,
} from "../../../../files/markdown.ts";

export type { Checksums, ContractKey, GuiType, Handoff, HandoffKind } from "./format.ts";
export { CONTRACT_KEYS, SECTIONS, pastStageZero } from "./format.ts";

/** What was read, what kind of file it is, and everything that is wrong with it. Never throws. */
export interface ParsedHandoff extends Parsed<Handoff> {
  readonly kind: HandoffKind;
}

export function parseHandoff(text: string, context: { readonly plugin: string }): ParsedHandoff {
  const read = readFrontMatter(text);
  if (read.state === "none")
    return { value: undefined, kind: "prose", problems: [NO_FRONT_MATTER] };
  if (read.state === "broken") {
    const problems = read.problems.map(({ line, message }) => unreadable(line, message));
    return { value: undefined, kind: "broken", problems };
  }
  const { map, bodyStart } = read.frontMatter;
  const value: Handoff = { ...readFields(map), ...readBody(text, bodyStart) };
  const kind = kindOf(value);
  return { value, kind, problems: checkFields({ map, value, kind, plugin: context.plugin }) };
}

/** The section of a heading: `Current State: Foundation Complete` is `Current State`. */
export function sectionName(heading: Heading): string {
  const words = plain(heading.text);
  return words.startsWith("Current State") ? "Current State" : words.replace(/:$/, "");
}

/** The tag of a line such as `- **Stage 3.1:** Core processing`; undefined for other lines. */
export function completionTag(line: string): string | undefined {
  const match = /^(?:[-+*]\s+)?\*\*\s*Stage (\d+(?:\.\d+)?)\s*(?::\*\*|\*\*:)/.exec(line.trim());
  return match === null ? undefined : `Stage ${match[1]}`;
}

const NO_FRONT_MATTER = unreadable(
  1,
  "The handoff has no front matter (it does not begin with a `---` line)",
);

function unreadable(line: number, message: string): Problem {
  const fix = "Give the file one YAML mapping between two `---` lines at its head";
  return { code: "handoff-unparseable", line, message, fix, rule: "PW-002", severity: "error" };
}

function kindOf(value: Handoff): HandoffKind {
  if (typeof value.stage === "string" && /^[a-z][a-z_-]*$/i.test(value.stage))
    return "pre-workflow";
  return value.checksums === undefined ? "old" : "current";
}

type Fields = Omit<Handoff, "title" | "currentState" | "sections" | "completed" | "nextSteps">;

function readFields(map: FieldMap): Fields {
  const of = (key: string): FieldValue | undefined =>
    map.fields.find((one) => one.key === key)?.value;
  const checksums = of("contract_checksums");
  return {
    plugin: textOf(of("plugin")) ?? undefined,
    stage: stageOf(of("stage")),
    phase: textOf(of("phase")),
    status: textOf(of("status")) ?? undefined,
    lastUpdated: /^\d{4}-\d{2}-\d{2}/.exec(textOf(of("last_updated")) ?? "")?.[0],
    complexityScore: numberOf(of("complexity_score")),
    phasedImplementation: flagOf(of("phased_implementation")),
    orchestrationMode: flagOf(of("orchestration_mode")) ?? undefined,
    guiType: textOf(of("gui_type")) === "headless" ? "headless" : "webview",
    nextAction: textOf(of("next_action")),
    nextPhase: textOf(of("next_phase")),
    checksums: checksums?.kind === "map" ? readChecksums(checksums.map) : undefined,
    keys: map.fields.map((field) => field.key),
  };
}

function readChecksums(map: FieldMap): Checksums {
  const sums: { [K in ContractKey]?: string | null } = {};
  for (const key of CONTRACT_KEYS) {
    const text = textOf(map.fields.find((field) => field.key === key)?.value);
    if (text !== undefined) sums[key] = text === "null" ? null : text;
  }
  return sums;
}

function stageOf(value: FieldValue | undefined): number | string | undefined {
  const text = textOf(value);
  if (text === null || text === undefined) return undefined;
  return /^(?:0|[1-9]\d{0,3})$/.test(text) ? Number(text) : text;
}

function numberOf(value: FieldValue | undefined): number | null | undefined {
  const text = textOf(value);
  if (text === null || value?.kind !== "text" || value.quoted)
    return text === null ? null : undefined;
  return /^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(value.text) ? Number(value.text) : undefined;
}

function flagOf(value: FieldValue | undefined): boolean | null | undefined {
  const text = textOf(value);
  if (text === null) return null;
  if (value?.kind !== "text" || value.quoted) return undefined;
  return text === "true" ? true : text === "false" ? false : undefined;
}

function readBody(text: string, bodyStart: number): Omit<Handoff, keyof Fields> {
  const markdown = readMarkdown(text, bodyStart);
  const sections = markdown.headings.filter((heading) => heading.level === 2);
  const title = markdown.headings.find((heading) => heading.level === 1)?.text;
  const state = sections.find((heading) => sectionName(heading) === "Current State");
  const done = sections.find((heading) => sectionName(heading) === "Completed So Far");
  const next = sections.find((heading) => sectionName(heading) === "Next Steps");
  return {
    title: title === undefined ? undefined : plain(title),
    currentState:
      state === undefined
        ? undefined
        : plain(state.text)
            .slice(13)
            .replace(/^[:\s]+/, ""),
    sections: sections.map(sectionName),
    completed: done === undefined ? [] : completedTags(text, markdown, done),
    nextSteps:
      next === undefined
        ? []
        : itemsBetween(markdown, next.at + 1, next.until).map((item) => item.text.trim()),
  };
}

/** Kinds of lines that can say that a step is completed. */
export const COUNTED: readonly LineKind[] = ["item", "text", "nested"];

function completedTags(text: string, markdown: Markdown, section: Heading): string[] {
  const tags: string[] = [];
  for (let at = section.at + 1; at < section.until; at += 1) {
    const line = markdown.lines[at];
    const kind = markdown.kinds[at];
    if (line === undefined || !COUNTED.includes(kind ?? "blank")) continue;
    const tag = completionTag(text.slice(line.start, line.end));
    if (tag !== undefined && !tags.includes(tag)) tags.push(tag);
  }
  return tags;
}
