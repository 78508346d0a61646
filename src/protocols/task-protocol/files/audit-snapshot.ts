import type { JsonObject } from "../../../core/values/json.ts";
import { rowsOf } from "./audit-trail.ts";

/**
 * `audit-snapshot.json`: the trail in numbers, kept when the task is done. Always computed from the
 * trail, so that it cannot say anything else.
 */
export function snapshotOf(trail: JsonObject, completedAt: string): JsonObject {
  const invocations = rowsOf(trail, "agent_invocations");
  const commits = rowsOf(trail, "commits");
  const builds = rowsOf(trail, "build_verifications");
  const agents = [...new Set(invocations.map((row) => row["agent_name"] ?? null))];
  const byAgents = commits.filter((row) => row["agent"] !== "main").length;
  return {
    task_name: trail["task_name"] ?? null,
    completion_timestamp: completedAt,
    final_state: "COMPLETE",
    total_state_transitions: rowsOf(trail, "state_transitions").filter(
      (row) => row["verification_passed"] !== false,
    ).length,
    total_agent_invocations: invocations.length,
    agents_used: agents,
    total_commits: commits.length,
    implementation_commits: byAgents,
    coordination_commits: commits.length - byAgents,
    build_verifications: builds.length,
    verification_summary: {
      all_builds_passed: builds.every((row) => row["result"] === "SUCCESS"),
      stakeholder_agents_used: agents.length > 0,
    },
  };
}
