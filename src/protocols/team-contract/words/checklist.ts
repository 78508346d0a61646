import type { ProjectType } from "../files/names.ts";

/** What the three checkers look for, by kind of project. What does not apply is reported as N/A. */
export interface Checklist {
  readonly focus: readonly string[];
  readonly skip: readonly string[];
}

const WEB_ONLY: readonly string[] = ["CSRF", "XSS", "tenant scoping", "templates"];

export const CHECKLISTS: Readonly<Record<Exclude<ProjectType, "mixed">, Checklist>> = {
  web: {
    focus: [
      "CSRF",
      "XSS",
      "SQL injection",
      "tenant scoping",
      "SSRF",
      "CSP",
      "auth",
      "input validation",
    ],
    skip: [],
  },
  api: {
    focus: [
      "auth",
      "input validation",
      "rate limiting",
      "secrets",
      "response format",
      "error handling",
    ],
    skip: ["templates", "UI", "form CSRF", "template XSS", "CSP"],
  },
  cli: {
    focus: [
      "input validation",
      "privilege escalation",
      "secrets",
      "path traversal",
      "argument parsing",
      "exit codes",
      "error messages",
    ],
    skip: [...WEB_ONLY, "routing", "SSRF", "CSP"],
  },
  lib: {
    focus: ["API safety", "input validation", "dependency hygiene", "API contract", "edge cases"],
    skip: [...WEB_ONLY, "routing", "SSRF", "CSP"],
  },
};

/** In a mixed project, files for a browser are checked as web, all others as a library. */
const WEB_FILE = /\.(?:html?|css|scss|jsx|tsx|vue|svelte|ejs|hbs|njk|twig|php|erb)$/i;
const CLI_FILE = /(?:^|\/)(?:bin|cli|cmd)\//;

export function checklistFor(type: ProjectType, file = ""): Checklist {
  if (type !== "mixed") return CHECKLISTS[type];
  if (WEB_FILE.test(file)) return CHECKLISTS.web;
  return CLI_FILE.test(file) ? CHECKLISTS.cli : CHECKLISTS.lib;
}

export function checklistLines(type: ProjectType, files: readonly string[]): readonly string[] {
  if (type !== "mixed") return [lineFor("", CHECKLISTS[type])];
  return files.map((file) => lineFor(`${file}: `, checklistFor(type, file)));
}

function lineFor(lead: string, { focus, skip }: Checklist): string {
  const skipped = skip.length === 0 ? "" : ` Report as N/A: ${skip.join(", ")}.`;
  return `${lead}Look for ${focus.join(", ")}.${skipped}`;
}
