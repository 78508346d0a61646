import type { VerifyFinding } from "../../../../core/guards/verified.ts";
import { parseAgentStatus } from "../agent-status.ts";
import { parseAuditTrail } from "../audit-trail.ts";
import { parsePlanMd } from "../plan-md.ts";
import { parseRequirementsReport, reportName } from "../requirements-report.ts";
import type { TaskLock } from "../task-json.ts";
import { parseTaskMd } from "../task-md.ts";
import { parseTodo } from "../todo-md.ts";
import { finding, located, type Subject } from "./finding.ts";

/** One check for each file in a task's folder. */

const BEFORE_DOCUMENT: readonly string[] = ["INIT", "CLASSIFIED"];

export function verifyDocument({ tree, dir, lock }: Subject): readonly VerifyFinding[] {
  const file = `${dir}/task.md`;
  const text = tree.texts.get(file);
  if (text === undefined) {
    if (lock?.state === undefined || BEFORE_DOCUMENT.includes(lock.state)) return [];
    const stray = tree.texts.has(`${dir}/code/task.md`);
    const message = stray
      ? "task.md lies in code/, it belongs at the task's root"
      : "There is no task.md";
    return [finding(file, "task-md-missing", message)];
  }
  const plan = needsPlan(lock) ? parsePlanMd(text) : null;
  const missing = plan === undefined ? ["the implementation plan"] : (plan?.missing ?? []);
  const lacking = missing.map((part) =>
    finding(file, "plan-incomplete", `${part} is missing from the plan`),
  );
  return [...located(file, parseTaskMd(text).problems), ...lacking];
}

const AFTER_PLAN: readonly string[] = [
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "AWAITING_USER_APPROVAL",
  "COMPLETE",
];

function needsPlan(lock: TaskLock | undefined): boolean {
  return AFTER_PLAN.includes(lock?.state ?? "");
}

const BEFORE_WORK: readonly string[] = ["INIT", "CLASSIFIED", "REQUIREMENTS", "SYNTHESIS"];
const AFTER_REQUIREMENTS: readonly string[] = ["SYNTHESIS", "SCOPE_NEGOTIATION", ...AFTER_PLAN];

export function verifyAgents({ tree, dir, id, lock }: Subject): readonly VerifyFinding[] {
  const agents = lock?.requiredAgents ?? [];
  const needed = AFTER_REQUIREMENTS.includes(lock?.state ?? "");
  const reports = agents.flatMap((agent) => {
    const file = `${dir}/${reportName(id, agent)}`;
    const text = tree.texts.get(file) ?? tree.texts.get(`${dir}/${agent}-requirements.md`);
    if (text !== undefined) return located(file, parseRequirementsReport(text).problems);
    return needed ? [finding(file, "report-missing", `${agent} left no report`)] : [];
  });
  const statuses = [...tree.texts].flatMap(([path, text]) => {
    const match = /^agents\/([^/]+)\/status\.json$/.exec(path.slice(dir.length + 1));
    const agent = match?.[1];
    if (agent === undefined || !path.startsWith(`${dir}/`)) return [];
    const unknown = agents.includes(agent)
      ? []
      : [finding(path, "agent-unlisted", `${agent} is not in required_agents`)];
    const { value, problems } = parseAgentStatus(text, { agent, task: id });
    const early = value?.mode === "implementation" && BEFORE_WORK.includes(lock?.state ?? "");
    const phase = early
      ? [finding(path, "agent-status-phase", `${agent} reports source in ${lock?.state ?? ""}`)]
      : [];
    return [...located(path, problems), ...unknown, ...phase];
  });
  return [...reports, ...statuses];
}

/** A person's wish for changes leads back to IMPLEMENTATION; the states after it are then entered again. */
const AFTER_REWORK: readonly string[] = ["IMPLEMENTATION", "VALIDATION", "REVIEW"];

const PLAN_FLAGS: readonly string[] = [
  "user-plan-approval-obtained.flag",
  "user-approved-synthesis.flag",
];

/** A release leaves a flag file. Without it, or if the checkpoint disagrees, nothing was released. */
export function verifyReleases({ tree, dir, lock }: Subject): readonly VerifyFinding[] {
  const { state = "", checkpoint } = lock ?? {};
  const file = `${dir}/task.json`;
  const planned = PLAN_FLAGS.some((flag) => tree.texts.has(`${dir}/${flag}`));
  const findings: VerifyFinding[] = [];
  if (AFTER_PLAN.includes(state) && !planned)
    findings.push(finding(file, "approval-plan-missing", `${state} without a released plan`));
  if (state === "AWAITING_USER_APPROVAL" && checkpoint === undefined)
    findings.push(finding(file, "checkpoint-missing", "No commit was presented"));
  if (state === "COMPLETE" && checkpoint?.approved !== true)
    findings.push(
      finding(file, "approval-change-missing", "CHECKPOINT VIOLATION: User approval not obtained"),
    );
  if (AFTER_REWORK.includes(state) && checkpoint?.approved === true)
    findings.push(
      finding(file, "approval-outlived", "An approval from before the rework is still open"),
    );
  if (state === "CLEANUP")
    findings.push(
      finding(file, "cleanup-left-over", "The task is over, but its folder is still here"),
    );
  return findings;
}

export function verifyTrail({ tree, dir, lock }: Subject): readonly VerifyFinding[] {
  const file = `${dir}/audit-trail.json`;
  const text = tree.texts.get(file);
  if (text !== undefined) return located(file, parseAuditTrail(text).problems);
  if (lock === undefined) return [];
  return [finding(file, "audit-missing", "There is no audit trail")];
}

export function verifyTodo({ tree, id, lock }: Subject): readonly VerifyFinding[] {
  const text = tree.todo === undefined ? undefined : tree.texts.get(tree.todo);
  if (
    text === undefined ||
    lock === undefined ||
    lock.state === "CLEANUP" ||
    lock.state === "COMPLETE"
  )
    return [];
  const known = parseTodo(text).entries.some((entry) => entry.name === id);
  return known
    ? []
    : [finding(tree.todo ?? "", "todo-missing", `\`${id}\` is not in the task list`)];
}

/** States in which agents have work or may get some. */
const AT_WORK: readonly string[] = [
  "REQUIREMENTS",
  "SYNTHESIS",
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "SCOPE_NEGOTIATION",
];

/** Only a folder that git lists as a worktree counts as one. */
export function verifyWorktrees({ tree, dir, lock }: Subject): readonly VerifyFinding[] {
  const { worktrees } = tree;
  if (worktrees === undefined || lock?.state === undefined || lock.state === "CLEANUP") return [];
  const agents = AT_WORK.includes(lock.state) ? lock.requiredAgents : [];
  const homeless = agents
    .map((agent) => ({ agent, place: `${dir}/agents/${agent}/code` }))
    .filter(({ place }) => !worktrees.has(place))
    .map(({ agent, place }) =>
      finding(place, "agent-worktree-missing", `The worktree of ${agent} is not registered in git`),
    );
  if (worktrees.has(`${dir}/code`)) return homeless;
  const lost = "The task worktree is not registered in git";
  return [finding(`${dir}/code`, "worktree-missing", lost), ...homeless];
}
