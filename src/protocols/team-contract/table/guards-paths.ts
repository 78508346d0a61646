import { isJsonArray, isJsonObject, member, showJson } from "../../../core/json.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Guard, Scope } from "../../../core/protocol.ts";
import { ROOT } from "../../../core/state.ts";
import { SESSIONS } from "../files/session-name.ts";
import { leftByRuns } from "./evidence.ts";
import { isMissing } from "../../../core/unknown.ts";
import { isProduct, mayTouch } from "./paths.ts";

/**
 * Role boundaries, found from what changed on disk between order and report, never from what the agent
 * says. The fact `worktree` maps every path that differs from the session's first commit to its digest.
 */
export const pathGuards: Readonly<Record<string, Guard>> = {
  "role-paths": rolePaths,
  "claimed-files": claimedFiles,
  "product-code": productCode,
  "artifact-changed": artifactChanged,
  "own-status": ownStatus,
  stray: strayChanges,
};

/** Paths whose content is not what it was when the work was handed out. */
export function touchedPaths(before: Json | undefined, after: Json | undefined): readonly string[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => digestIn(before, path) !== digestIn(after, path)).sort();
}

/** An entry is a digest (null: deleted), or `{ digest, change, from }`. */
function digestIn(tree: JsonObject, path: string): string {
  const entry = tree[path];
  return showJson(isJsonObject(entry) ? (entry["digest"] ?? null) : (entry ?? "same"));
}

function touched(scope: Scope): readonly string[] {
  const key = `worktree:${scope.workflow.id}`;
  const dispatch = member(scope.before.dispatches, scope.dispatch ?? "");
  // A report may lead to a run of the checks before it is decided.
  const left = leftByRuns(scope.workflow, dispatch?.sentSeq ?? 0);
  return touchedPaths(dispatch?.baseline[key], scope.fact(key)).filter(
    (path) => !left.includes(path),
  );
}

function rolePaths(scope: Scope): string | undefined {
  const { role = "" } = member(scope.before.dispatches, scope.dispatch ?? "") ?? {};
  const state = scope.before.units[ROOT]?.at ?? "";
  const outside = touched(scope).filter((path) => !mayTouch(role, state, scope.workflow.id, path));
  return outside.length === 0
    ? undefined
    : `${role} may not change ${outside.slice(0, 20).join(", ")}`;
}

/** Only workers change the product. What changed between two of them was the Orchestrator's hand, or a person's. */
function strayChanges({ workflow, fact }: Scope): string | undefined {
  const key = `worktree:${workflow.id}`;
  const now = fact(key);
  const left = Object.values(workflow.findings)
    .filter((one) => one.kind === LEFT)
    .toSorted((a, b) => b.seq - a.seq)[0];
  const last = Object.values(workflow.dispatches).findLast((one) => one.status === "ended");
  // Whoever was called off may have left anything behind.
  if (left === undefined || last?.outcome === "cancelled") return undefined;
  const checks = leftByRuns(workflow, left.seq);
  const paths = touchedPaths(left.bound[key], now).filter(
    (path) => path !== "@HEAD" && !path.startsWith(`${SESSIONS}/`) && !checks.includes(path),
  );
  return paths.length === 0
    ? undefined
    : `changed while no agent was at work: ${paths.slice(0, 20).join(", ")}`;
}

/** The finding that keeps how the files were when a worker was done. */
export const LEFT = "left";

/** Integration mends builds; where it reached into the product, that is told. */
function productCode(scope: Scope): string | undefined {
  const paths = touched(scope).filter((path) => path !== "@HEAD" && isProduct(path));
  return paths.length === 0
    ? undefined
    : `the Integrator changed product code: ${paths.slice(0, 20).join(", ")}`;
}

/** Files the agent says it wrote are there, or were deleted. */
function claimedFiles(scope: Scope): string | undefined {
  const files = scope.claim?.["files"];
  const tree = scope.fact(`worktree:${scope.workflow.id}`);
  const missing = (isJsonArray(files) ? files.map(showJson) : []).filter(
    (path) => isMissing(scope.fact(`digest:${path}`)) && !isDeleted(tree, path),
  );
  return missing.length === 0
    ? undefined
    : `the report names files that do not exist: ${missing.join(", ")}`;
}

function isDeleted(tree: Json | undefined, path: string): boolean {
  return isJsonObject(tree) && path in tree && digestIn(tree, path) === "null";
}

/** Nobody but the engine completes a task: where tasks.yaml says so too early, it is told and put back. */
function ownStatus(scope: Scope): string | undefined {
  const tasks = scope.fact(`tasks:${scope.workflow.id}`);
  const early = (isJsonArray(tasks) ? tasks : []).flatMap((one) => {
    const id = isJsonObject(one) && one["status"] === "completed" ? showJson(one["id"]) : "";
    const unit = member(scope.before.units, id);
    return unit === undefined || unit.at === "completed" ? [] : [`${id} is ${unit.at}`];
  });
  return early.length === 0
    ? undefined
    : `tasks.yaml said completed, but ${early.join(", ")}; only checks complete a task`;
}

/** Something of what the correction was for reads differently now. */
function artifactChanged(scope: Scope, args: JsonObject): string | undefined {
  const dispatch = member(scope.before.dispatches, scope.dispatch ?? "");
  const keys = isJsonArray(args["keys"])
    ? args["keys"].map((key) => scope.fill(showJson(key)))
    : [];
  const same = keys.every((key) => {
    const now = scope.fact(key);
    return now === undefined
      ? false
      : JSON.stringify(now) === JSON.stringify(dispatch?.baseline[key] ?? null);
  });
  return same
    ? `nothing changed in ${keys.map((key) => key.replace(/^\w+:/, "")).join(", ")}`
    : undefined;
}
