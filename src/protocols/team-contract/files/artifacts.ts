import { lastFilled, plain, readMarkdown } from "../../../files/markdown.ts";
import type { Problem } from "../../../files/problem.ts";
import { textStart } from "../../../files/text.ts";
import { problem, warning } from "./json-problems.ts";

/**
 * Checks the content of Markdown artifacts. A heading is found whatever its level, case, numbering and trailing
 * words (`## 2. goals`, `# Goals and scope`). Other languages come from an alias table.
 */
export type Artifact = "spec" | "architecture" | "adr" | "design-spec" | "research" | "report";

interface Section {
  readonly name: string;
  readonly titles: RegExp;
}

/** A project's own words for section names: `{ "Goals": ["Cele"] }`. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** Code: `section-missing`; `section-empty` as a warning. */
export function checkArtifact(
  artifact: Artifact,
  text: string,
  aliases: Aliases = {},
): readonly Problem[] {
  const { rule, sections } = GATES[artifact];
  const markdown = readMarkdown(text, textStart(text));
  const missing = sections.flatMap(({ name, titles }) => {
    const heading = markdown.headings.find(({ text: title }) =>
      isSection(title, titles, aliases[name]),
    );
    if (heading === undefined) return [lacks(name, rule)];
    const empty = lastFilled(markdown, heading.at + 1, heading.until) === heading.at + 1;
    return empty ? [isEmpty(name, markdown.firstLine + heading.at, rule)] : [];
  });
  return artifact === "report" ? [...missing, ...plainProblems(text)] : missing;
}

/** The kind of artifact at a path of a session, if its content is checked. */
export function artifactOf(path: string): Artifact | undefined {
  const [, artifact] = PATHS.find(([pattern]) => pattern.test(path)) ?? [];
  return artifact;
}

const PATHS: readonly (readonly [RegExp, Artifact])[] = [
  [/^spec\.md$/, "spec"],
  [/^architecture\.md$/, "architecture"],
  [/^report\.md$/, "report"],
  [/^adr\/[^/]+\.md$/, "adr"],
  [/^design-specs\/[^/]+\.md$/, "design-spec"],
  [/^research\/[^/]+\.md$/, "research"],
];

function section(name: string, titles: RegExp): Section {
  return { name, titles };
}

const GATES: Readonly<
  Record<Artifact, { readonly rule: string; readonly sections: readonly Section[] }>
> = {
  spec: {
    rule: "TC-132",
    sections: [
      section("Goals", /^goals?\b/),
      section("Acceptance Criteria", /^acceptance criteri(?:a|on)\b/),
      section("Definition of Done", /^definition of done\b/),
    ],
  },
  architecture: {
    rule: "TC-134",
    sections: [
      section("Overview", /^overview\b/),
      section("Modules/components", /^(?:modules?|components?)\b/),
    ],
  },
  adr: {
    rule: "TC-026",
    sections: [
      section("Context", /^context\b/),
      section("Decision", /^decision\b/),
      section("Alternatives considered", /^alternatives\b/),
      section("Consequences", /^consequences?\b/),
      section("Notes", /^notes?\b/),
    ],
  },
  "design-spec": {
    rule: "TC-138",
    sections: [
      section("Layout", /^layout\b/),
      section("Accessibility", /\b(?:accessib\w*|contrast|colou?rs?)\b/),
      section("States", /\bstates?\b/),
    ],
  },
  research: {
    rule: "TC-138",
    sections: [
      section("Topic / Question", /^(?:topic|(?:research )?question)\b/),
      section("Context", /^context\b/),
      section("Methodology", /^method/),
      section("Findings", /^findings?\b/),
      section("Options / Alternatives", /^(?:options?|alternatives?)\b/),
      section("Recommendation", /^recommendations?\b/),
      section("Sources / References", /^(?:sources?|references?)\b/),
      section("Open Questions", /^open questions?\b/),
    ],
  },
  report: {
    rule: "TC-178",
    sections: [
      section("What was done", /^(?:what was done|summary|done)\b/),
      section("How to run", /^(?:how to )?run\b/),
      section("How to test", /^(?:how to )?test\b/),
      section("Known issues", /^known issues?\b/),
    ],
  },
};

function isSection(title: string, titles: RegExp, aliases: readonly string[] = []): boolean {
  const words = plain(title)
    .replace(/^(?:\d+(?:\.\d+)*[.):]?|[A-Z][.)])\s+/u, "")
    .toLowerCase();
  return titles.test(words) || aliases.some((alias) => words.startsWith(alias.toLowerCase()));
}

function lacks(name: string, rule: string): Problem {
  const message = `There is no section "${name}"`;
  return problem({
    code: "section-missing",
    line: 0,
    message,
    fix: `Add a heading ${name}.`,
    rule,
  });
}

function isEmpty(name: string, line: number, rule: string): Problem {
  const message = `The section "${name}" is empty`;
  return warning({ code: "section-empty", line, message, fix: "Say something there.", rule });
}

/** The report is plain Markdown that starts with a heading. */
function plainProblems(text: string): readonly Problem[] {
  const markdown = readMarkdown(text, textStart(text));
  const first = markdown.kinds.findIndex((kind) => kind !== "blank");
  const html = markdown.lines.findIndex(
    (line, at) =>
      ["html", "text"].includes(markdown.kinds[at] ?? "") &&
      /^\s*<\/?[a-z][^>]*>/i.test(text.slice(line.start, line.end)),
  );
  const rule = "TC-176";
  const untitled = first >= 0 && markdown.kinds[first] !== "heading";
  return [
    ...(untitled ? [note(first + 1, "The report does not open with a heading", rule)] : []),
    ...(html >= 0 ? [note(html + 1, "The report holds raw HTML", rule)] : []),
  ];
}

function note(line: number, message: string, rule: string): Problem {
  return warning({ code: "report-style", line, message, fix: "Keep it plain Markdown.", rule });
}
