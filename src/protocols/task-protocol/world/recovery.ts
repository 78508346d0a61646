import { canonicalAgent } from "../table/agents.ts";
import { minutesBetween } from "../table/guards/agents.ts";

/**
 * Plans what to do about agents that are not done. Pure: the plans are carried out as dispatches and moves, which
 * check the same limits again.
 */
export interface AgentView {
  readonly agent: string;
  /** Null if there is no status at all. */
  readonly status: string | null;
  readonly reportBytes: number | null;
  readonly worktree: boolean;
  readonly sentAt: string;
  readonly updatedAt: string | null;
  readonly errorMessage: string;
  readonly retries: number;
}

export interface Limits {
  readonly retries: number;
  readonly statusMinutes: number;
  readonly staleMinutes: number;
  readonly waitMinutes: number;
  readonly reportBytes: number;
}

export const LIMITS: Limits = {
  retries: 2,
  statusMinutes: 5,
  staleMinutes: 30,
  waitMinutes: 60,
  reportBytes: 100,
};

export type Action =
  | "NONE"
  | "WAIT"
  | "REINVOKE"
  | "REINVOKE_SMALLER"
  | "REINVOKE_CLARIFIED"
  | "REVIEW_MODE"
  | "RETURN_TO_CLASSIFIED"
  | "ESCALATE";

export interface AgentPlan {
  readonly agent: string;
  readonly action: Action;
  readonly why: string;
}

/** Done means that the status says so and that there is a usable report. */
export function isComplete(view: AgentView, limits: Limits = LIMITS): boolean {
  return view.status === "COMPLETE" && (view.reportBytes ?? 0) >= limits.reportBytes;
}

export function planAgent(view: AgentView, now: string, limits: Limits = LIMITS): AgentPlan {
  const { agent } = view;
  if (isComplete(view, limits)) return { agent, action: "NONE", why: "complete" };
  const { action, why } = actionFor(view, now, limits);
  const retries = action.startsWith("REINVOKE") && view.retries >= limits.retries;
  return retries
    ? { agent, action: "ESCALATE", why: `${why}; ${view.retries} retries are used up` }
    : { agent, action, why };
}

function actionFor(view: AgentView, now: string, limits: Limits): Omit<AgentPlan, "agent"> {
  switch (view.status) {
    case "ERROR":
      return errorAction(view.errorMessage);
    case "BLOCKED":
      return { action: "REVIEW_MODE", why: "blocked: a review-mode agent decides" };
    case null:
      return silentAction(view, now, limits);
    case "COMPLETE":
      return { action: "REINVOKE", why: `the report has ${view.reportBytes ?? 0} bytes` };
    default:
      return workingAction(view, now, limits);
  }
}

export type ErrorKind = "tool_limitation" | "blocker" | "agent_fault";

/** Classifies a failure by the agent's own message. */
export function classifyError(message: string): ErrorKind {
  if (
    /\b(?:token|context|output|length|size)\b.*\b(?:limit|exceeded|too (?:large|long))|too (?:large|long)|timed? ?out|rate limit/i.test(
      message,
    )
  )
    return "tool_limitation";
  return /\b(?:blocked|blocker|missing|unclear|ambiguous|undefined requirement|not defined|credentials|permission|contradict)/i.test(
    message,
  )
    ? "blocker"
    : "agent_fault";
}

function errorAction(message: string): Omit<AgentPlan, "agent"> {
  switch (classifyError(message)) {
    case "tool_limitation":
      return { action: "REINVOKE_SMALLER", why: `tool limitation: ${message}` };
    case "blocker":
      return { action: "RETURN_TO_CLASSIFIED", why: `blocker: ${message}` };
    case "agent_fault":
      return { action: "REINVOKE", why: `agent fault: ${message}` };
  }
}

function silentAction(view: AgentView, now: string, limits: Limits): Omit<AgentPlan, "agent"> {
  if (!view.worktree) return { action: "RETURN_TO_CLASSIFIED", why: "its worktree is missing" };
  return minutesBetween(view.sentAt, now) > limits.statusMinutes
    ? { action: "REINVOKE", why: `no status within ${limits.statusMinutes} minutes` }
    : { action: "WAIT", why: "just started" };
}

function workingAction(view: AgentView, now: string, limits: Limits): Omit<AgentPlan, "agent"> {
  if (minutesBetween(view.sentAt, now) > limits.waitMinutes)
    return { action: "REINVOKE", why: `over ${limits.waitMinutes} minutes in all` };
  return minutesBetween(view.updatedAt ?? view.sentAt, now) > limits.staleMinutes
    ? { action: "REINVOKE", why: `no news for over ${limits.staleMinutes} minutes` }
    : { action: "WAIT", why: "at work" };
}

export type Pattern = "none" | "all" | "one-kind" | "scattered";

export interface RecoveryPlan {
  readonly pattern: Pattern;
  readonly plans: readonly AgentPlan[];
}

/** With several agents, the common pattern is considered before each single one. */
export function planRecovery(
  views: readonly AgentView[],
  now: string,
  limits: Limits = LIMITS,
): RecoveryPlan {
  const plans = views.map((view) => planAgent(view, now, limits));
  const failed = plans.filter((plan) => plan.action !== "NONE" && plan.action !== "WAIT");
  const pattern = patternOf(failed, views.length);
  if (pattern === "all")
    return { pattern, plans: plans.map((plan) => replace(plan, "RETURN_TO_CLASSIFIED")) };
  if (pattern === "one-kind")
    return {
      pattern,
      plans: plans.map((plan) =>
        failed.includes(plan) ? replace(plan, "REINVOKE_CLARIFIED") : plan,
      ),
    };
  return { pattern, plans };
}

function replace(plan: AgentPlan, action: Action): AgentPlan {
  const kept = plan.action === "ESCALATE" || plan.action === "NONE" || plan.action === "WAIT";
  return kept ? plan : { ...plan, action };
}

function patternOf(failed: readonly AgentPlan[], total: number): Pattern {
  if (failed.length < 2) return failed.length === 0 ? "none" : "scattered";
  if (failed.length === total) return "all";
  const kinds = new Set(failed.map((plan) => canonicalAgent(plan.agent.replace(/-\d+$/, ""))));
  return kinds.size === 1 ? "one-kind" : "scattered";
}

export type Resumption =
  | { readonly kind: "TRANSITION_TO_SYNTHESIS" }
  | { readonly kind: "INVOKE_ALL_AGENTS"; readonly agents: readonly string[] }
  | { readonly kind: "INVOKE_INCOMPLETE"; readonly agents: readonly string[] };

/** After an interruption: what is done stays done, and everything else starts together. */
export function resumption(required: readonly string[], complete: readonly string[]): Resumption {
  const agents = required.filter((agent) => !complete.includes(agent));
  if (agents.length === 0) return { kind: "TRANSITION_TO_SYNTHESIS" };
  const kind = agents.length === required.length ? "INVOKE_ALL_AGENTS" : "INVOKE_INCOMPLETE";
  return { kind, agents };
}
