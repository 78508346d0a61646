import type { Workflow } from "../../../core/state/state.ts";
import { latestFinding } from "../table/guards/agents.ts";
import { checkpointOf } from "../world/render.ts";
import { text } from "../../../core/values/json-read.ts";
import { requiredAgents } from "../table/states.ts";

/** What a person is shown before each of the two releases. */
export interface PlanShown {
  readonly objective: string;
  readonly files: readonly string[];
  readonly signatures: readonly string[];
  readonly behaviour: readonly string[];
  readonly tests: readonly string[];
  readonly phases: readonly string[];
  readonly decisions: readonly string[];
  readonly estimate: string;
  /** Already on the branch, but not brought there by an agent. */
  readonly own: readonly string[];
}

export function planPresentation(state: Workflow, shown: PlanShown): string {
  return [
    `# Plan of \`${state.id}\``,
    "",
    `**Risk**: ${text(state.vars["risk_level"])} (${text(state.vars["risk_reason"])})`,
    `**Estimated changes**: ${shown.estimate}`,
    "",
    "## What will be built",
    "",
    shown.objective,
    "",
    "## Files",
    "",
    ...list(shown.files),
    "",
    ...(shown.own.length === 0
      ? []
      : ["## On the branch already, by no agent", "", ...list(shown.own), ""]),
    "## Key signatures",
    "",
    ...list(shown.signatures),
    "",
    "## Behaviour",
    "",
    ...list(shown.behaviour),
    "",
    "## Tests",
    "",
    ...list(shown.tests),
    "",
    "## Phases",
    "",
    ...list(shown.phases),
    "",
    "## Decisions",
    "",
    ...list(shown.decisions),
    "",
    `The whole plan: ${text(state.vars["root"])}/${state.id}/task.md`,
    "Answer:",
    `    holdpoint answer ${state.id} approved`,
    `    holdpoint answer ${state.id} revise --reason "what should change"`,
    "",
  ].join("\n");
}

/** A plan may be long, so only its beginning is shown, and its file is named. */
function list(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return ["- (none)"];
  const more = lines.length - LINES_MAX;
  return [
    ...lines.slice(0, LINES_MAX).map((line) => `- ${line}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

const LINES_MAX = 20;

const NO_VERDICT = "no verdict on this very change";

export interface ChangeShown {
  readonly branch: string;
  readonly subject: string;
  readonly pushed: boolean;
  readonly files: readonly string[];
  readonly decisions: readonly string[];
  readonly gates: readonly string[];
  readonly requirements: readonly string[];
  /** Digest of the change now; verdicts on another one do not count. */
  readonly work: string;
  /** What others brought to main meanwhile. */
  readonly foreign: readonly string[];
}

export function changePresentation(state: Workflow, shown: ChangeShown): string {
  const history = requiredAgents(state).map((agent) => {
    const rounds = Object.values(state.dispatches).filter((one) => one.unit === agent).length;
    const found = latestFinding(state, "review", agent);
    const fresh = found?.bound[`work:${state.id}`] === shown.work;
    const verdict = fresh ? `${text(found.value)}, for these very files` : NO_VERDICT;
    return `${agent}: ${verdict}, after ${rounds} orders`;
  });
  return [
    `# Change of \`${state.id}\``,
    "",
    `**Commit**: ${text(checkpointOf(state)?.["commit_sha"])} ${shown.subject}`.trimEnd(),
    `**Branch**: ${shown.branch}${shown.pushed ? "" : " (not pushed: no remote)"}`,
    "",
    "## Changed files",
    "",
    ...list(shown.files),
    "",
    ...foreignShown(shown.foreign),
    "## Key decisions",
    "",
    ...list(shown.decisions),
    "",
    "## Tests and gates",
    "",
    ...list(shown.gates),
    "",
    "## Requirements",
    "",
    ...list(shown.requirements),
    "",
    "## Agents",
    "",
    ...list(history),
    "",
    `See it all: git show ${text(checkpointOf(state)?.["commit_sha"]).slice(0, 12)}`,
    "Answer:",
    `    holdpoint answer ${state.id} approved`,
    `    holdpoint answer ${state.id} changes --reason "what"`,
    "",
  ].join("\n");
}

/** Commits that nobody has looked at here, and that this change is merged on top of. */
function foreignShown(foreign: readonly string[]): readonly string[] {
  return foreign.length === 0 ? [] : ["## Not made by Holdpoint", "", ...list(foreign), ""];
}
