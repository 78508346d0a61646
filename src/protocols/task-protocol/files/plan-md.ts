import {
  type Heading,
  itemsBetween,
  type Markdown,
  readMarkdown,
} from "../../../files/markdown.ts";
import { readManifestItem } from "./manifest.ts";
import type { ManifestItem } from "./manifest.ts";
import { findSection } from "./task-md.ts";

/**
 * The plan inside `task.md`: what a person releases before anything is written.
 *
 *   ## Implementation Plan
 *   ### File Manifest                 create: path, purpose, lines; modify: path, changes
 *   ### API Specifications            exact signatures
 *   ### Behavioral Specifications     scenario, input, expected
 *   ### Test Specifications           name, input, expected; a number of tests is no specification
 *   ### Implementation Sequence       ordered phases, each with its agent
 *   ### Decision Log                  decision, options, chosen, rationale; nothing left open
 */
export const PLAN_COMPONENTS: readonly string[] = [
  "File Manifest",
  "API Specifications",
  "Behavioral Specifications",
  "Test Specifications",
  "Implementation Sequence",
  "Decision Log",
];

const OTHER_NAMES: Readonly<Record<string, string>> = {
  "behavioural specifications": "behavioral specifications",
  "api specification": "api specifications",
  "test specification": "test specifications",
  sequence: "implementation sequence",
};

export interface Plan {
  /** The plan's own text, whose digest a release is bound to. */
  readonly text: string;
  readonly missing: readonly string[];
  readonly problems: readonly string[];
  /** Paths of the file manifest. */
  readonly manifest: readonly string[];
  /** The content of each component: its items and rows, or else its lines. */
  readonly said: Readonly<Record<string, readonly string[]>>;
}

/** Undefined if the document has no plan. */
export function parsePlanMd(text: string): Plan | undefined {
  const markdown = readMarkdown(text);
  const plan = findSection(markdown, "Implementation Plan");
  if (plan === undefined) return undefined;
  const start = markdown.lines[plan.at]?.start ?? 0;
  const end = markdown.lines[plan.until]?.start ?? text.length;
  const bodies = new Map(
    PLAN_COMPONENTS.map((name) => [name, bodyOf(text, markdown, plan, name)] as const),
  );
  const missing = PLAN_COMPONENTS.filter((name) => (bodies.get(name)?.text ?? "") === "");
  const items = (bodies.get("File Manifest")?.entries ?? []).map(readManifestItem);
  const manifest = items.flatMap(({ path }) => path ?? []);
  const problems = [
    ...manifestProblems(bodies.get("File Manifest"), items),
    ...testProblems(bodies.get("Test Specifications")),
    ...decisionProblems(bodies.get("Decision Log")),
    ...openProblems(text.slice(start, end)),
  ];
  const said = Object.fromEntries([...bodies].map(([name, body]) => [name, linesOf(body)]));
  return { text: text.slice(start, end), missing, problems, manifest, said };
}

function linesOf(body: Body | undefined): readonly string[] {
  const lines =
    (body?.entries.length ?? 0) > 0 ? (body?.entries ?? []) : (body?.text.split("\n") ?? []);
  return lines.map((line) => line.replaceAll(/\s+/g, " ").trim()).filter((line) => line !== "");
}

interface Body {
  readonly text: string;
  /** List items and table rows, without the table's header. */
  readonly entries: readonly string[];
}

function bodyOf(text: string, markdown: Markdown, plan: Heading, name: string): Body | undefined {
  const wanted = name.toLowerCase();
  const heading = markdown.headings.find((one) => {
    if (one.at <= plan.at || one.at >= plan.until) return false;
    const said = one.text
      .toLowerCase()
      .replace(/^[\d.]+\s*/, "")
      .replace(/[:.]$/, "");
    return (OTHER_NAMES[said] ?? said) === wanted;
  });
  if (heading === undefined) return undefined;
  const from = markdown.lines[heading.at]?.next ?? text.length;
  const until = markdown.lines[heading.until]?.start ?? text.length;
  const lines = markdown.lines
    .slice(heading.at + 1, heading.until)
    .map((line) => text.slice(line.start, line.end));
  const rows = lines.filter((line) => /^\s*\|.*\|\s*$/.test(line));
  const body = rows.filter((line) => !/^[\s|:-]+$/.test(line)).slice(rows.length > 1 ? 1 : 0);
  const items = itemsBetween(markdown, heading.at + 1, heading.until).map((item) =>
    text.slice(item.textStart, markdown.lines[item.until - 1]?.end),
  );
  return {
    text: text.slice(from, until).trim(),
    entries: [
      ...items,
      ...body.map((line) =>
        line
          .trim()
          .replaceAll(/^\||\|$/g, "")
          .trim(),
      ),
    ],
  };
}

/** A manifest without files is refused: after its release, every change would deviate from the plan. */
function manifestProblems(
  body: Body | undefined,
  items: readonly ManifestItem[],
): readonly string[] {
  if (body === undefined || body.text === "") return [];
  if (items.every(({ path }) => path === undefined))
    return ["File Manifest names no file (each as `path` - what becomes of it)"];
  return items.flatMap(({ unread }) =>
    unread === undefined
      ? []
      : [`File Manifest: put the path in backticks: ${unread.slice(0, SHOWN_CHARS)}`],
  );
}

const SHOWN_CHARS = 80;

/** A test case needs a name, an input and an expected result. */
function testProblems(body: Body | undefined): readonly string[] {
  if (body === undefined || body.text === "") return [];
  const concrete = body.entries.filter(
    (entry) =>
      entry.split("|").filter((cell) => cell.trim() !== "").length >= 3 ||
      (/\binput\b/i.test(entry) && /\bexpect/i.test(entry)) ||
      /(?:→|->|=>)/.test(entry),
  );
  if (concrete.length > 0) return [];
  const counted = /\b\d+\+?\s+(?:unit\s+|new\s+)?tests?\b/i.exec(body.text)?.[0];
  return [
    counted === undefined
      ? "Test Specifications names no concrete test (name, input, expected)"
      : `"${counted}" is a number, not a test (name, input, expected)`,
  ];
}

const UNDECIDED =
  /\b(?:TBD|to be decided|undecided|unresolved|open question)\b|\?\s*$|\|\s*(?:-|\?)?\s*\|/i;

function decisionProblems(body: Body | undefined): readonly string[] {
  return (body?.entries ?? [])
    .filter((entry) => UNDECIDED.test(`${entry} |`.replace(/ \|$/, "")))
    .map((entry) => `undecided: ${entry.replaceAll(/\s+/g, " ").slice(0, SHOWN_CHARS)}`);
}

function openProblems(text: string): readonly string[] {
  const open = /^#{2,6}\s+Open (?:Questions|Issues)\s*$/im.exec(text);
  if (open === null) return [];
  const rest = text.slice(open.index + open[0].length).split(/^#{1,6}\s/m)[0] ?? "";
  return rest.replaceAll(/\bnone\.?|[-*\s]/gi, "") === "" ? [] : ["it still has open questions"];
}

/** Changed files that the manifest does not list. A listed folder covers its content. */
export function unplannedFiles(plan: Plan, changed: readonly string[]): readonly string[] {
  return changed.filter(
    (path) =>
      !plan.manifest.some((one) => one === path || (one.endsWith("/") && path.startsWith(one))),
  );
}

/** What the manifest lists and the change does not touch. For a folder, any file in it is enough. */
export function untouchedPlans(plan: Plan, changed: readonly string[]): readonly string[] {
  return plan.manifest.filter(
    (one) => !changed.some((path) => one === path || (one.endsWith("/") && path.startsWith(one))),
  );
}

export interface Wording {
  readonly severity: "ok" | "warning" | "error";
  readonly sentence: string;
}

const ACTS =
  /\b(?:implement|writ|creat|cod|add|fix|refactor|modif|build)(?:e|es|s|ing|ify|ifies|ed|ten)?\b/i;
const AGENTS =
  /\b(?:architect|quality|style|test|build|security|performance|usability|engineer|formatter|tester|builder|hacker|optimizer|designer)\b|\bagents?\b/i;
const SELF =
  /\b(?:I|we|main agent|coordinator)\b\s+(?:will\s+|shall\s+|then\s+|directly\s+)*(?:implement|writ|creat|cod|add|fix|refactor|modif)/i;

/** Each phase must name its agent. Naming nobody is a warning, naming the coordinator an error. */
export function lintDelegation(sentence: string): Wording {
  if (SELF.test(sentence)) return { severity: "error", sentence };
  if (!ACTS.test(sentence) || AGENTS.test(sentence)) return { severity: "ok", sentence };
  return { severity: "warning", sentence };
}
