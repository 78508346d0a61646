import { rootOf } from "../../core/evolve.ts";
import type { Workflow } from "../../core/state.ts";
import { sessionPath } from "../../files/team/session-name.ts";
import { eolOf } from "../../files/text.ts";
import type { View } from "../../ports/family.ts";
import { statusLists } from "./render.ts";

/**
 * report.md, which Docs writes, or in lean mode the Orchestrator. What a person accepted as it is stands
 * in it whoever wrote it; nothing else is touched.
 */
export function reportViews(state: Workflow): readonly View[] {
  if (!WITH_REPORT.includes(rootOf(state).at)) return [];
  const path = sessionPath(state.id, "report.md");
  const issues = statusLists(state).known_issues;
  const missing = (text: string): readonly string[] =>
    issues.filter((issue) => !text.includes(oneLine(issue)));
  return [
    {
      path,
      shared: false,
      render: (text) => {
        if (text === null) return { kind: "absent" };
        return { kind: "text", text: withIssues(text, missing(text)) };
      },
      drift: (text) => {
        if (text === null) return [];
        return missing(text).map((issue) => `${path} does not name "${oneLine(issue)}"`);
      },
    },
  ];
}

const WITH_REPORT: readonly string[] = ["INTEGRATE", "RELEASE", "DONE"];

function withIssues(text: string, issues: readonly string[]): string {
  if (issues.length === 0) return text;
  const eol = eolOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  const lines = [
    "",
    "## Accepted as it is",
    "",
    ...issues.map((issue) => `- ${oneLine(issue)}`),
    "",
  ];
  return `${text}${gap}${lines.join(eol)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
