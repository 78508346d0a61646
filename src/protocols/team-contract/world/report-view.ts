import { rootOf } from "../../../core/state/evolve.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { sessionPath } from "../files/session-name.ts";
import { eolOf } from "../../../files/text.ts";
import type { View } from "../../../ports/family.ts";
import { evidenceLines } from "../table/evidence.ts";
import { statusLists } from "./render.ts";

/**
 * report.md is written by Docs, or in lean mode by the Orchestrator. The engine adds what a person accepted as it
 * is, and at the end the evidence that it works. Nothing else is touched.
 */
export function reportViews(state: Workflow): readonly View[] {
  if (!WITH_REPORT.includes(rootOf(state).at)) return [];
  const path = sessionPath(state.id, "report.md");
  const issues = statusLists(state).known_issues;
  const missing = (text: string): readonly string[] =>
    issues.filter((issue) => !text.includes(oneLine(issue)));
  const proved = rootOf(state).at === "DONE" ? evidenceLines(state).map(oneLine) : [];
  const unproved = (text: string): readonly string[] =>
    proved.filter((line) => !text.includes(line));
  return [
    {
      path,
      shared: false,
      render: (text) => {
        if (text === null) return { kind: "absent" };
        const named = withSection(text, "Accepted as it is", missing(text));
        return { kind: "text", text: withSection(named, "Evidence", unproved(text)) };
      },
      drift: (text) => {
        if (text === null) return [];
        return [...missing(text), ...unproved(text)].map(
          (line) => `${path} does not name "${oneLine(line)}"`,
        );
      },
    },
  ];
}

const WITH_REPORT: readonly string[] = ["INTEGRATE", "RELEASE", "DONE"];

function withSection(text: string, title: string, entries: readonly string[]): string {
  if (entries.length === 0) return text;
  const eol = eolOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  const lines = ["", `## ${title}`, "", ...entries.map((entry) => `- ${oneLine(entry)}`), ""];
  return `${text}${gap}${lines.join(eol)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
