import { itemsBetween, readMarkdown } from "../../../files/markdown.ts";
import { findSection, sectionText } from "./task-md.ts";

/**
 * What SYNTHESIS leaves in `task.md` beside the plan: how the agents' requirements became one design.
 *
 *   ## Conflict Resolution     ## Architecture     ## Requirements Mapping
 *   ## Trade-offs              ## Execution Planning     ## Success Criteria
 */
export const SYNTHESIS_SECTIONS: readonly string[] = [
  "Conflict Resolution",
  "Architecture",
  "Requirements Mapping",
  "Trade-offs",
  "Execution Planning",
  "Success Criteria",
];

export interface Synthesis {
  readonly missing: readonly string[];
  readonly unmapped: readonly string[];
  readonly undecided: readonly string[];
}

export function parseSynthesis(text: string, requirements: readonly string[]): Synthesis {
  const markdown = readMarkdown(text);
  const body = (name: string): string => sectionText(text, name);
  const missing = SYNTHESIS_SECTIONS.filter((name) => body(name) === "");
  const mapped = new Set(requirementIds(body("Requirements Mapping")));
  const unmapped = requirements.filter((id) => !mapped.has(id));
  const conflicts = findSection(markdown, "Conflict Resolution");
  const undecided =
    conflicts === undefined
      ? []
      : itemsBetween(markdown, conflicts.at, conflicts.until)
          .map((item) => text.slice(item.textStart, markdown.lines[item.until - 1]?.end))
          .filter((item) => !/\b(?:decided|decision|resolved|chosen|none)\b|→|->/i.test(item))
          .map((item) => item.replaceAll(/\s+/g, " ").slice(0, 80));
  return { missing, unmapped, undecided };
}

/** The numbers that agents give their requirements: `R1`, `REQ-2`, `SEC-R3`. */
export function requirementIds(text: string): readonly string[] {
  return [
    ...new Set([...text.matchAll(/\b(?:[A-Z]{2,12}-)?R(?:EQ-?)?\d{1,4}\b/g)].map((one) => one[0])),
  ];
}
