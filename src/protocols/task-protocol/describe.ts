import { rootOf } from "../../core/evolve.ts";
import type { Workflow } from "../../core/state.ts";
import type { Description } from "../../ports/family.ts";
import { latestFinding } from "./guards-agents.ts";
import { logOf } from "./log.ts";
import { checkpointOf } from "./render.ts";
import { text } from "./read.ts";
import { guidance } from "./resume.ts";
import { isTaskState, requiredAgents } from "./states.ts";

/** A task in the words people use. */
export function describe(state: Workflow): Description {
  const { at } = rootOf(state);
  const again = logOf(state).filter((one) => one.to === at).length > 1;
  const details = [
    { name: "owner", value: state.lease?.session ?? "nobody" },
    { name: "risk", value: text(state.vars["risk_level"]) },
    {
      name: "agents",
      value: requiredAgents(state)
        .map((agent) => progress(state, agent))
        .join(", "),
    },
    { name: "shown commit", value: text(checkpointOf(state)?.["commit_sha"]) },
    { name: "ended", value: text(state.vars["ended"]) },
    { name: "to do", value: isTaskState(at) ? guidance(at, again) : "" },
  ].filter(({ value }) => value !== "");
  return { headline: HEADLINES[at] ?? at, state: at, details, finished: at === "CLEANUP" };
}

function progress(state: Workflow, agent: string): string {
  const kind = STAGES[rootOf(state).at];
  const found = kind === undefined ? undefined : latestFinding(state, kind, agent);
  const busy = Object.values(state.dispatches).some(
    (one) => one.unit === agent && one.status !== "ended",
  );
  return `${agent}${busy ? " (at work)" : found === undefined ? "" : ` (${text(found.value)})`}`;
}

const STAGES: Readonly<Record<string, string>> = {
  REQUIREMENTS: "requirements",
  IMPLEMENTATION: "implementation",
  REVIEW: "review",
  SCOPE_NEGOTIATION: "scope",
};

const HEADLINES: Readonly<Record<string, string>> = {
  INIT: "Taken",
  CLASSIFIED: "Classified",
  REQUIREMENTS: "Gathering requirements",
  SYNTHESIS: "Planning",
  IMPLEMENTATION: "Implementing",
  VALIDATION: "Validating",
  REVIEW: "Under review",
  AWAITING_USER_APPROVAL: "Waiting for a person",
  SCOPE_NEGOTIATION: "Negotiating the scope",
  COMPLETE: "Merged",
  CLEANUP: "Finished",
};
