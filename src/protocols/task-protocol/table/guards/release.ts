import { isFresh } from "../../../../core/guards/fresh.ts";
import { isJsonObject } from "../../../../core/values/json.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { CheckedGuard, Guard, Scope } from "../../../../core/table/protocol.ts";
import type { Decision } from "../../../../core/state/state.ts";
import { latestFinding, notFresh } from "./agents.ts";
import { logOf } from "../log.ts";
import { isLevel, mayTakeShortWay, riskier } from "../risk.ts";
import { number, object, text, texts } from "../../../../core/values/json-read.ts";
import { enteredAt, requiredAgents } from "../states.ts";

/** Guards on what was released, rejected, negotiated and audited. */
export const releaseGuards: Readonly<Record<string, Guard | CheckedGuard>> = {
  classified,
  "risk-recorded": riskRecorded,
  "risk-kept": { check: riskKept, args: {} },
  "short-way": { check: shortWay, args: {} },
  vouched: { check: vouched, args: {} },
  source: { check: source, args: {} },
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

function classified(scope: Scope): string | undefined {
  const record = scope.fact(scope.fill("classification:{id}"));
  if (record === undefined) return undefined;
  const { level, reason } = object(record);
  if (!isLevel(level)) return "the risk could not be classified";
  return text(reason) === "" ? "the risk has no reason" : undefined;
}

function riskRecorded(scope: Scope): string | undefined {
  const { risk_level, risk_reason } = scope.workflow.vars;
  if (!isLevel(risk_level)) return "no risk level is recorded";
  return text(risk_reason) === "" ? "the risk level has no recorded reason" : undefined;
}

/** Scope, plan and change are not riskier than what was classified, and need no agent that was not selected. */
function riskKept(scope: Scope): string | undefined {
  const now = scope.fact(scope.fill("classification:{id}"));
  if (now === undefined) return undefined;
  const { level, reason, agents } = object(now);
  const { risk_level } = scope.workflow.vars;
  if (!isLevel(level) || !isLevel(risk_level)) return "the risk is not known";
  if (riskier(level, risk_level) !== risk_level)
    return `it was classified ${risk_level}, and what it touches now is ${level} (${text(reason)})`;
  const absent = texts(agents).filter((agent) => !Object.hasOwn(scope.workflow.units, agent));
  return absent.length === 0
    ? undefined
    : `what it touches now asks for ${absent.join(", ")}, not selected when it was classified`;
}

/** The short way depends on what the change is, and not on what it was announced to be. */
function shortWay(scope: Scope): string | undefined {
  const now = scope.fact(scope.fill("classification:{id}"));
  if (now === undefined) return undefined;
  const { level, change_type } = object(now);
  return isLevel(level) && mayTakeShortWay(level, text(change_type))
    ? undefined
    : `a change of ${text(change_type)} at ${text(level)} risk has no short way`;
}

/** Used as a condition: source counts as changed unless it is known that it did not. */
function source(scope: Scope): string | undefined {
  return scope.fact(scope.fill("source-changed:{id}")) === false ? "no source changed" : undefined;
}

/** What vouched for the change on the way here still applies to it now. */
function vouched(scope: Scope): string | undefined {
  const from = logOf(scope.workflow).at(-1)?.from ?? "";
  if (from === "SYNTHESIS") return shortWay(scope);
  const deferred = from === "SCOPE_NEGOTIATION" ? rejecting(scope) : [];
  const lacking = notFresh(scope, { kind: "review", value: "APPROVED", since: "REVIEW" });
  const open = lacking.filter((agent) => !deferred.includes(agent));
  const moved = deferred.filter(
    (agent) => !isFresh(scope.fact, latestFinding(scope.workflow, "review", agent)?.bound ?? {}),
  );
  const all = [...open, ...moved];
  return all.length === 0
    ? undefined
    : `nobody has judged this very change for ${all.join(", ")}: it is another since`;
}

function acknowledged(scope: Scope): string | undefined {
  return scope.input["acknowledged"] === true
    ? undefined
    : `the limits of the coordinator's role were not acknowledged. ${ROLE_LIMITS.join(" ")}`;
}

/** The rules that the coordinator acknowledges before agents start to write. */
const ROLE_LIMITS: readonly string[] = [
  "Role: you coordinate; agents implement, each in its own worktree.",
  "Not allowed: writing source, tests or build files, or mending an agent's work.",
  "Way of work: hand out together, let each validate and merge, review, repeat.",
];

/** The last release, unless one of these states was entered since. */
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
  if (args["agents"] !== true) return undefined;
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

/**
 * A release is for one commit. Another commit with exactly the same patch counts only if the settings allow it.
 */
function changeFresh(scope: Scope): string | undefined {
  const decision = release(scope, "change", WORK);
  if (decision === undefined) return undefined;
  const name = scope.workflow.vars["merge_policy"] === "same-patch" ? "patch:" : "head:";
  const bound = Object.fromEntries(
    Object.entries(decision.bound).filter(([key]) => key.startsWith(name)),
  );
  return isFresh(scope.fact, bound) ? undefined : "the commit to merge is not the released one";
}

/** Agents that rejected the tree under review and have not changed their verdict. */
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

/** Several agents reject, and each estimates more than the allowed multiple of the planned work. */
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

/** No source changed: three pieces of evidence say what was checked instead. */
function docsOnly(scope: Scope): string | undefined {
  const changed = scope.fact(scope.fill("source-changed:{id}"));
  if (changed === undefined) return undefined;
  if (changed !== false) return "source changed, so the full build is needed";
  const since = enteredAt(scope.workflow, "VALIDATION");
  const tree = scope.fill("tree:{id}");
  const found = Object.values(scope.workflow.findings).find(
    ({ kind, seq, bound }) =>
      kind === "docs-only" &&
      seq > since &&
      Object.hasOwn(bound, tree) &&
      isFresh(scope.fact, bound),
  );
  const evidence = isJsonObject(found?.value) ? Object.values(found.value) : [];
  return evidence.length >= 3 && evidence.every((one) => one === true)
    ? undefined
    : "the documentation-only check is not recorded";
}

/** What CLEANUP must not lose: agents that are working, and work without a record. */
function audit(scope: Scope): string | undefined {
  const { dispatches, vars } = scope.workflow;
  const all = Object.values(dispatches);
  const running = all.filter((one) => one.status !== "ended").map((one) => one.id);
  if (running.length > 0) return `${running.join(", ")} never ended`;
  const exempt = requiredAgents(scope.workflow).length === 0 && vars["risk_level"] === "LOW";
  return all.length === 0 && !exempt ? "no agent was ever invoked" : undefined;
}
