import { isFresh } from "../../../core/library.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Guard, Scope } from "../../../core/protocol.ts";
import type { Decision } from "../../../core/state.ts";
import { latestFinding } from "./guards-agents.ts";
import { number, object, text, texts } from "../../../core/json-read.ts";
import { enteredAt, requiredAgents } from "./states.ts";

/** What was released, rejected, negotiated and audited. */
export const releaseGuards: Readonly<Record<string, Guard>> = {
  classified,
  "risk-recorded": riskRecorded,
  acknowledged,
  approved,
  checkpoint,
  "change-fresh": changeFresh,
  rejected,
  "scope-concern": scopeConcern,
  "scope-decided": scopeDecided,
  "docs-only": docsOnly,
  audit,
};

const LEVELS: readonly string[] = ["HIGH", "MEDIUM", "LOW"];

function classified(scope: Scope): string | undefined {
  const record = scope.fact(scope.fill("classification:{id}"));
  if (record === undefined) return undefined;
  const { level, reason } = object(record);
  if (!LEVELS.includes(text(level))) return "the risk could not be classified";
  return text(reason) === "" ? "the risk has no reason" : undefined;
}

function riskRecorded(scope: Scope): string | undefined {
  const { risk_level, risk_reason } = scope.workflow.vars;
  if (!LEVELS.includes(text(risk_level))) return "no risk level is recorded";
  return text(risk_reason) === "" ? "the risk level has no recorded reason" : undefined;
}

function acknowledged(scope: Scope): string | undefined {
  return scope.input["acknowledged"] === true
    ? undefined
    : "the limits of the coordinator's role were not acknowledged";
}

/** The last time this was released, if nothing has made that void: no state entered, no agent added since. */
function release(scope: Scope, question: string, since: readonly string[]): Decision | undefined {
  const after = Math.max(0, ...since.map((state) => enteredAt(scope.workflow, state)));
  return Object.values(scope.workflow.decisions).findLast(
    (one) =>
      one.question === question &&
      one.status === "answered" &&
      one.settled?.option === "approve" &&
      one.settled.by.startsWith("person:") &&
      one.settled.seq > after,
  );
}

function approved(scope: Scope, args: JsonObject): string | undefined {
  const decision = release(scope, text(args["question"]), texts(args["since"]));
  if (decision === undefined) return "no person has released the plan";
  if (!isFresh(scope.fact, decision.bound))
    return "plan_changed_since_approval: the plan is not the one that was released";
  const later = Object.values(scope.workflow.units).filter(
    (unit) =>
      unit.kind === "agent" && (unit.entered["preparing"] ?? 0) > (decision.settled?.seq ?? 0),
  );
  return later.length === 0
    ? undefined
    : `${later.map((unit) => unit.id).join(", ")} joined after the plan was released`;
}

const WORK: readonly string[] = ["SYNTHESIS", "IMPLEMENTATION"];

function checkpoint(scope: Scope): string | undefined {
  return release(scope, "change", WORK) === undefined
    ? "CHECKPOINT VIOLATION: User approval not obtained"
    : undefined;
}

/** Released was a commit. Another one with the very same patch counts only where policy says so. */
function changeFresh(scope: Scope): string | undefined {
  const decision = release(scope, "change", WORK);
  if (decision === undefined) return undefined;
  const name = scope.workflow.vars["merge_policy"] === "same-patch" ? "patch:" : "head:";
  const bound = Object.fromEntries(
    Object.entries(decision.bound).filter(([key]) => key.startsWith(name)),
  );
  return isFresh(scope.fact, bound) ? undefined : "the commit to merge is not the released one";
}

/** Agents that rejected the tree under review, and have not changed their mind. */
function rejecting(scope: Scope): readonly string[] {
  const since = enteredAt(scope.workflow, "REVIEW");
  return requiredAgents(scope.workflow).filter((agent) => {
    const found = latestFinding(scope.workflow, "review", agent);
    return found !== undefined && found.seq > since && found.value === "REJECTED";
  });
}

function rejected(scope: Scope): string | undefined {
  return rejecting(scope).length > 0 ? undefined : "no agent has rejected the change";
}

/** Several agents reject, and each sees more than the allowed multiple of the planned work. */
function scopeConcern(scope: Scope, args: JsonObject): string | undefined {
  const { effort_ratio_max, scope_rejections_min } = scope.workflow.vars;
  const ratio = number(effort_ratio_max, 2);
  const over = rejecting(scope).filter(
    (agent) => number(latestFinding(scope.workflow, "effort", agent)?.value, 1) > ratio,
  );
  const concern = over.length >= number(scope_rejections_min, 2);
  if (args["not"] === true)
    return concern ? `${over.join(", ")} see more than ${ratio} times the planned work` : undefined;
  return concern
    ? undefined
    : `${over.length} agent(s) see more than ${ratio} times the planned work, ${number(scope_rejections_min, 2)} needed`;
}

function scopeDecided(scope: Scope, args: JsonObject): string | undefined {
  const since = enteredAt(scope.workflow, "SCOPE_NEGOTIATION");
  const said = rejecting(scope).map((agent) => {
    const found = latestFinding(scope.workflow, "scope", agent);
    return { agent, value: found !== undefined && found.seq > since ? found.value : null };
  });
  const { every, some } = args;
  if (some !== undefined)
    return said.some((one) => one.value === some) ? undefined : `nobody says ${text(some)}`;
  const others = said.filter((one) => one.value !== every).map((one) => one.agent);
  return others.length === 0 ? undefined : `${others.join(", ")} did not say ${text(every)}`;
}

/** No source changed: what was checked instead is recorded, as three pieces of evidence. */
function docsOnly(scope: Scope): string | undefined {
  const changed = scope.fact(scope.fill("source-changed:{id}"));
  if (changed === undefined) return undefined;
  if (changed !== false) return "source changed, so the full build is needed";
  const since = enteredAt(scope.workflow, "VALIDATION");
  const found = Object.values(scope.workflow.findings).find(
    (one) => one.kind === "docs-only" && one.seq > since,
  );
  const evidence = isJsonObject(found?.value) ? Object.values(found.value) : [];
  return evidence.length >= 3 && evidence.every((one) => one === true)
    ? undefined
    : "the documentation-only check is not recorded";
}

/** What CLEANUP must not lose: agents at work, work without a trace. */
function audit(scope: Scope): string | undefined {
  const { dispatches, vars } = scope.workflow;
  const all = Object.values(dispatches);
  const running = all.filter((one) => one.status !== "ended").map((one) => one.id);
  if (running.length > 0) return `${running.join(", ")} never ended`;
  const exempt = requiredAgents(scope.workflow).length === 0 && vars["risk_level"] === "LOW";
  return all.length === 0 && !exempt ? "no agent was ever invoked" : undefined;
}
