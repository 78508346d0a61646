import { rootOf } from "../../../core/state/evolve.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import type { Description } from "../../../ports/family.ts";
import { latestFinding } from "../table/guards/agents.ts";
import { logOf } from "../table/log.ts";
import { checkpointOf } from "../world/render.ts";
import { text, texts } from "../../../core/values/json-read.ts";
import { guidance } from "../world/resume.ts";
import { isTaskState, requiredAgents } from "../table/states.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** Effects on git and on the task's folder, in words. */
export const CALLED: Readonly<Record<string, string>> = {
  worktree: "worktree made",
  "worktree-remove": "worktree removed",
  "merge-ff": "merged",
  squash: "made one commit",
  push: "pushed",
  archive: "archived",
};

/** Describes a task in everyday words. */
export function describe(state: Workflow): Description {
  const { at } = rootOf(state);
  // The move is recorded before the merge, which a lock may still delay.
  const merging = mergeOf(state)?.status === "wanted";
  const again = logOf(state).filter((one) => one.to === at).length > 1;
  const asked = isTaskState(at) ? guidance(at, again).replaceAll("\n", " ") : "";
  const details = [
    { name: "owner", value: state.lease?.session ?? "nobody" },
    { name: "risk", value: riskOf(state) },
    {
      name: "agents",
      value: requiredAgents(state)
        .map((agent) => progress(state, agent))
        .join(", "),
    },
    { name: "shown commit", value: text(checkpointOf(state)?.["commit_sha"]) },
    { name: "ended", value: merging ? "" : text(state.vars["ended"]) },
    { name: "to do", value: asked },
  ].filter(({ value }) => value !== "");
  const finished = at === "CLEANUP";
  const headline =
    (finished ? ENDS[text(state.vars["ended"])] : HEADLINES[at]) ?? HEADLINES[at] ?? at;
  return {
    headline: merging ? "Being merged" : headline,
    state: at,
    details,
    ...(asked === "" ? {} : { asked }),
    finished,
    ...(finished ? { closing: closingOf(state) } : {}),
  };
}

/** With its reason, because a long way needs an explanation. */
function riskOf({ vars }: Workflow): string {
  const reason = text(vars["risk_reason"]);
  return [text(vars["risk_level"]), ...(reason === "" ? [] : [`(${reason})`])].join(" ").trim();
}

const ENDS: Readonly<Record<string, string>> = {
  abandoned: "Abandoned",
  "rolled-back": "Not started",
  "not-started": "Not started",
};

/** How the task ended, where its evidence is, and what may come next. */
function closingOf(state: Workflow): NonNullable<Description["closing"]> {
  const { ended } = state.vars;
  const kept = Object.values(state.effects).findLast((one) => one.kind === "archive");
  const merge = mergeOf(state);
  const saved = Object.values(state.effects).flatMap((one) => texts(one.detail["saved"]));
  const where = text(kept?.detail["to"]);
  const there = kept?.by?.place === undefined ? "" : ` of ${kept.by.place}`;
  const evidence = where === "" ? "" : `; its evidence is in ${where}${there}`;
  const message =
    ended === "merged"
      ? `merged to ${text(state.vars["main"])} as ${text(merge?.detail["oid"]).slice(0, 12)}${evidence}`
      : ended === "abandoned"
        ? `abandoned; ${text(state.vars["main"])} was left alone${evidence}`
        : "nothing was started, and what had been made is undone";
  const says = [...saved.map((ref) => `saved: ${ref}`), "next"].join("; ");
  const options = { feasibility: "yes" };
  const again = { workflow: state.id, protocol: "task-protocol", options };
  const fix = ended === "merged" ? remedy("next", {}, says) : remedy("start", again, says);
  return { message, fix };
}

function mergeOf({ effects }: Workflow): Effect | undefined {
  return Object.values(effects).findLast(
    (one) => one.kind === "merge-ff" && one.args["scope"] === "main",
  );
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
