import { childrenOf } from "../../../../core/decide/draft.ts";
import { rootOf } from "../../../../core/state/evolve.ts";
import { isFresh } from "../../../../core/guards/fresh.ts";
import { isJsonObject } from "../../../../core/values/json.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { CheckedGuard, Guard, Scope } from "../../../../core/table/protocol.ts";
import type { Finding, Workflow } from "../../../../core/state/state.ts";
import { canonicalAgent, isSelectable } from "../agents.ts";
import { number, object, text, texts } from "../../../../core/values/json-read.ts";
import { enteredAt, modeOf, requiredAgents, roundOf } from "../states.ts";

/** Guards on what agents must have done, what they may claim, and who may join. */
export const agentGuards: Readonly<Record<string, Guard | CheckedGuard>> = {
  "agents-chosen": agentsChosen,
  "agents-some": (scope) =>
    requiredAgents(scope.workflow).length > 0 ? undefined : "no agent is selected",
  completed,
  "each-agent": eachAgent,
  reports,
  report: (scope) => reportProblem(scope, scope.unit.id),
  "no-errors": noErrors,
  current,
  overdue,
  said,
  "reviewed-first": reviewedFirst,
  "agent-branch": { check: agentBranch, args: {} },
  brought: { check: brought, args: {} },
  "as-handed-out": { check: asHandedOut, args: {} },
  "judge-idle": { check: judgeIdle, args: {} },
  "not-judged": notJudged,
  authority,
  selectable,
  justified,
  "no-outvoting": noOutvoting,
};

/** Having no agents is allowed only for LOW risk, with a recorded reason. */
function agentsChosen(scope: Scope): string | undefined {
  const { vars } = scope.workflow;
  if (requiredAgents(scope.workflow).length > 0) return undefined;
  if (vars["risk_level"] === "LOW" && text(vars["risk_reason"]) !== "") return undefined;
  return `no agent is selected for ${text(vars["risk_level"]) || "unclassified"} risk`;
}

export function latestFinding(state: Workflow, kind: string, by: string): Finding | undefined {
  return Object.values(state.findings)
    .filter((one) => one.kind === kind && one.by === by)
    .toSorted((a, b) => a.seq - b.seq)
    .at(-1);
}

export interface Vouched {
  readonly kind: string;
  readonly value: string;
  readonly since: string;
}

/** Agents that have not vouched for the current content since the task last entered that state. */
export function notFresh(scope: Scope, { kind, value, since }: Vouched): readonly string[] {
  const entered = enteredAt(scope.workflow, since);
  const lacking = childrenOf(scope.workflow, "agent").filter(({ id }) => {
    const found = Object.values(scope.workflow.findings).filter(
      (one) => one.kind === kind && one.by === id && one.value === value && one.seq > entered,
    );
    return !found.some((one) => isFresh(scope.fact, one.bound));
  });
  return lacking.map(({ id }) => id);
}

function eachAgent(scope: Scope, args: JsonObject): string | undefined {
  const [kind, value, since] = ["kind", "value", "since"].map((name) => text(args[name]));
  const lacking = notFresh(scope, { kind: kind ?? "", value: value ?? "", since: since ?? "" });
  if (lacking.length === 0) return undefined;
  return `no fresh ${kind ?? ""} ${value ?? ""} by ${lacking.join(", ")}`;
}

/** Every required agent is done. Otherwise says how many are, and names the others. */
function completed(scope: Scope, args: JsonObject): string | undefined {
  // An agent whose worktree is still being made has joined and is waited for.
  const agents = childrenOf(scope.workflow, "agent").map(({ id }) => id);
  const since = enteredAt(scope.workflow, text(args["since"]));
  const late = agents.filter((agent) => {
    const found = latestFinding(scope.workflow, text(args["kind"]), agent);
    const fresh = Object.entries(found?.bound ?? {}).map(
      ([key, value]) => JSON.stringify(scope.fact(key) ?? null) === JSON.stringify(value),
    );
    return found?.value !== "COMPLETE" || found.seq <= since || fresh.includes(false);
  });
  if (late.length === 0) return undefined;
  return `${agents.length - late.length}/${agents.length} agents complete; missing: ${late.join(", ")}`;
}

function reports(scope: Scope): string | undefined {
  const wrong = requiredAgents(scope.workflow)
    .map((agent) => reportProblem(scope, agent))
    .filter((problem) => problem !== undefined);
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

/** An empty report says nothing; it never means that there are no requirements. */
function reportProblem(scope: Scope, agent: string): string | undefined {
  const found = scope.fact(`report:${agent}`);
  if (found === undefined) return undefined;
  if (!isJsonObject(found)) return `${agent}: the report is missing`;
  const bytes = number(found["bytes"], 0);
  const min = number(scope.workflow.vars["report_bytes_min"], 0);
  if (bytes === 0) return `${agent}: the report is empty`;
  return bytes < min
    ? `${agent}: the report has ${bytes} bytes, at least ${min} needed`
    : undefined;
}

function noErrors(scope: Scope, args: JsonObject): string | undefined {
  const since = enteredAt(scope.workflow, text(args["since"]));
  const failed = requiredAgents(scope.workflow).filter((agent) => {
    const found = latestFinding(scope.workflow, text(args["kind"]), agent);
    return found?.value === "ERROR" && found.seq > since;
  });
  if (failed.length === 0) return undefined;
  return failed.map((agent) => `${agent}: ${lastError(scope.workflow, agent)}`).join("; ");
}

export function lastError(state: Workflow, agent: string): string {
  const ended = Object.values(state.dispatches)
    .filter((one) => one.unit === agent && one.status === "ended" && one.outcome !== "COMPLETE")
    .at(-1);
  return text(ended?.claim?.["error_message"]) || (ended?.outcome ?? "error");
}

/** If a report names a task, mode or round, it must be this one. */
function current(scope: Scope): string | undefined {
  const dispatch = scope.before.dispatches[scope.dispatch ?? ""];
  if (dispatch === undefined) return undefined;
  const expected: JsonObject = {
    task: scope.workflow.id,
    mode: modeOf(dispatch.spec),
    round: roundOf(scope.before, dispatch.unit, dispatch.spec),
  };
  const wrong = Object.entries(expected).flatMap(([field, value]) => {
    const given = scope.claim?.[field] ?? null;
    return given === null || given === value
      ? []
      : [`${field} is ${JSON.stringify(given)}, handed out was ${JSON.stringify(value)}`];
  });
  return wrong.length === 0 ? undefined : `the report is for something else: ${wrong.join("; ")}`;
}

/** Minutes between two times; NaN if one of them is invalid. */
export function minutesBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 60_000;
}

/** An agent may be given up only after enough time: no sign of life, no progress, or too long in total. */
function overdue(scope: Scope): string | undefined {
  const dispatch = scope.before.dispatches[scope.dispatch ?? ""];
  if (dispatch === undefined) return undefined;
  const { vars } = scope.workflow;
  const now = scope.envelope.at;
  const total = minutesBetween(dispatch.sentAt, now);
  if (total > number(vars["wait_minutes_max"], 60)) return undefined;
  const status = scope.fact(`agent-status:${dispatch.unit}`);
  if (status === undefined) return undefined;
  if (!isJsonObject(status)) {
    const max = number(vars["status_minutes_max"], 5);
    return total > max ? undefined : `started ${total.toFixed(1)} of ${max} minutes ago`;
  }
  const idle = minutesBetween(text(status["updated_at"]) || dispatch.sentAt, now);
  const max = number(vars["stale_minutes_max"], 30);
  return idle > max ? undefined : `last heard of ${idle.toFixed(1)} of ${max} minutes ago`;
}

function said(scope: Scope, args: JsonObject): string | undefined {
  const field = text(args["field"]);
  return text(scope.claim?.[field]).trim() === "" ? `the report does not give ${field}` : undefined;
}

function reviewedFirst(scope: Scope): string | undefined {
  if (scope.unit.data["added_at_state"] !== "IMPLEMENTATION") return undefined;
  return latestFinding(scope.workflow, "round", scope.unit.id) === undefined
    ? `${scope.unit.id} joined during IMPLEMENTATION and has not looked at the task branch`
    : undefined;
}

/** Commits on a detached HEAD or on another branch are not merged. */
function agentBranch(scope: Scope): string | undefined {
  const place = scope.fact(`worktree:${scope.unit.id}`);
  if (place === undefined) return undefined;
  const { branch } = object(place);
  const wanted = scope.fill("{id}-{unit}");
  return branch === wanted
    ? undefined
    : scope.fill(`{root}/{id}/agents/{unit}/code is not on ${wanted}`);
}

/** The ordered work exists, or the plan has none for this agent, or a person agrees that there is none. */
function brought(scope: Scope): string | undefined {
  const { workflow, unit } = scope;
  const [files, part] = [scope.fact(`brings:${unit.id}`), scope.fact(`parts:${unit.id}`)];
  if (files === undefined || part === undefined) return undefined;
  if (texts(files).length > 0 || part === false) return undefined;
  const since = enteredAt(workflow, "IMPLEMENTATION");
  const agreed = Object.values(workflow.decisions).some(
    (one) =>
      one.question === "no-work" &&
      one.unit === unit.id &&
      one.settled?.option === "agree" &&
      one.settled.seq > since &&
      isFresh(scope.fact, one.bound),
  );
  if (agreed) return undefined;
  const why = text(scope.claim?.["details"]) || text(scope.claim?.["feedback"]);
  return `the plan gives ${unit.id} a part, and its branch brings nothing${why === "" ? "" : ` (${why})`}`;
}

/** A verdict applies to the change that was sent out for judging, and not to what became of it meanwhile. */
function asHandedOut(scope: Scope): string | undefined {
  const key = scope.fill("work:{id}");
  const { baseline = {} } = scope.before.dispatches[scope.dispatch ?? ""] ?? {};
  const now = scope.fact(key);
  // Old orders have nothing to compare with.
  if (now === undefined || !Object.hasOwn(baseline, key)) return undefined;
  return isFresh(scope.fact, { [key]: baseline[key] ?? null })
    ? undefined
    : "the change is another one than the one that was handed out to be judged";
}

/** Uncommitted files that have appeared in the task's worktree since a judge was asked. */
function judgeIdle(scope: Scope): string | undefined {
  const key = scope.fill("clean:{id}");
  const { baseline = {} } = scope.before.dispatches[scope.dispatch ?? ""] ?? {};
  const before = texts(baseline[key]);
  const fresh = texts(scope.fact(key)).filter((path) => !before.includes(path));
  return fresh.length === 0
    ? undefined
    : `changed in the task's worktree while it was judged: ${fresh.join(", ")}`;
}

/** An agent that has judged this very tree is not asked again in the hope of another answer. */
function notJudged(scope: Scope, args: JsonObject): string | undefined {
  const { workflow, unit } = scope;
  const found = latestFinding(workflow, text(args["kind"]), unit.id);
  const since = enteredAt(workflow, rootOf(workflow).at);
  if (found === undefined || found.seq <= since || !isFresh(scope.fact, found.bound))
    return undefined;
  return `${unit.id} has judged this tree: ${text(found.value)}`;
}

function authority(scope: Scope): string | undefined {
  const domain = text(scope.claim?.["domain"]);
  if (domain === "" || canonicalAgent(domain) === domainOf(scope.unit.id, scope.unit.data))
    return undefined;
  return `${scope.unit.id} may not defer an issue of ${domain}`;
}

function domainOf(id: string, data: JsonObject): string {
  return canonicalAgent(text(data["domain"]) || id.replace(/-\d+$/, ""));
}

function openedUnit(scope: Scope): string {
  return scope.command.type === "unit.open" ? scope.command.unit : "";
}

function selectable(scope: Scope): string | undefined {
  const id = openedUnit(scope);
  const canonical = canonicalAgent(id.replace(/-\d+$/, ""));
  if (!isSelectable(canonical)) return `"${id}" is not a stakeholder agent`;
  return id.replace(/-\d+$/, "") === canonical ? undefined : `"${id}" is called ${canonical} here`;
}

const REASONS = ["missing_expertise", "unmet_requirement", "why_not_first", "evidence"] as const;

function justified(scope: Scope): string | undefined {
  const given = object(scope.input["justification"]);
  const missing = REASONS.filter((part) => text(given[part]).trim() === "");
  return missing.length === 0 ? undefined : `the justification lacks ${missing.join(", ")}`;
}

/** While a rejection stands, no agent of the same kind may join to outvote it. */
function noOutvoting(scope: Scope): string | undefined {
  const joining = domainOf(openedUnit(scope), scope.input);
  const against = Object.values(scope.workflow.units)
    .filter((unit) => unit.kind === "agent")
    .filter((unit) => domainOf(unit.id, unit.data) === joining)
    .filter((unit) =>
      ["review", "round"].some(
        (kind) => latestFinding(scope.workflow, kind, unit.id)?.value === "REJECTED",
      ),
    );
  return against.length === 0
    ? undefined
    : `${against.map((unit) => unit.id).join(", ")} has rejected the work, and that stands`;
}
