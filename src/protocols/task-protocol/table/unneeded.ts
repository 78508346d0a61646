import { text } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { latestFinding } from "./guards/agents.ts";
import { enteredAt, requiredAgents } from "./states.ts";

/** Whether work is not sent out automatically, because it is done or not due yet. It can be asked for by name. */
export function unneeded(state: Workflow, spec: string, unit: string): boolean {
  switch (spec) {
    case "requirements":
      return isDone(state, { kind: spec, unit, since: "REQUIREMENTS" });
    case "implementation":
      return isImplemented(state, unit);
    case "round-review":
      return !requiredAgents(state).every((agent) => isImplemented(state, agent));
    case "scope":
      return isDone(state, { kind: spec, unit, since: "SCOPE_NEGOTIATION" });
    default:
      // Advice is only sent out when somebody asks for it.
      return spec !== "review";
  }
}

interface Ended {
  readonly kind: string;
  readonly unit: string;
  readonly since: string;
}

function isDone(state: Workflow, { kind, unit, since }: Ended): boolean {
  const found = latestFinding(state, kind, unit);
  const over = ["COMPLETE", "DEFER", "RESOLVE_NOW"].includes(text(found?.value));
  return over && (found?.seq ?? 0) > enteredAt(state, since);
}

/** The work is done, and its result is on the branch. */
function isImplemented(state: Workflow, unit: string): boolean {
  const merges = Object.values(state.effects).filter(
    (one) => one.kind === "merge-ff" && one.args["agent"] === unit,
  );
  const since = "IMPLEMENTATION";
  return (
    isDone(state, { kind: "implementation", unit, since }) && merges.at(-1)?.status !== "failed"
  );
}
