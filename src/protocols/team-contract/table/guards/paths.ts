import { isJsonArray, isJsonObject, member, showJson } from "../../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { texts } from "../../../../core/values/json-read.ts";
import { isFresh } from "../../../../core/guards/fresh.ts";
import { besideUnmeasured, tellPaths, touchedIn } from "../../../../core/values/measured.ts";
import type { Measured } from "../../../../core/values/measured.ts";
import { plainPath } from "../../../../core/values/paths.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { ROOT } from "../../../../core/state/state.ts";
import type { Dispatch } from "../../../../core/state/state.ts";
import { isMissing, isUnknown, whyUnknown } from "../../../../core/values/unknown.ts";
import { withMeasured } from "../../../../core/guards/work-guards.ts";
import { SESSIONS } from "../../files/session-name.ts";
import { leftByRuns } from "../evidence.ts";
import { LEAN_FILES_MAX } from "../lean.ts";
import { isProduct, mayTouch } from "../paths.ts";

/**
 * Guards on role boundaries and on false lists of files. They use what was measured, never what the agent claims.
 */
export const pathGuards: Readonly<Record<string, Guard>> = {
  "role-paths": rolePaths,
  "claimed-files": claimedFiles,
  unclaimed,
  busy,
  "lean-size": leanSize,
  "product-code": productCode,
  "artifact-changed": artifactChanged,
  "own-status": ownStatus,
};

/** Paths whose content has changed. */
export function touchedPaths(before: Json | undefined, after: Json | undefined): readonly string[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  const entry = (tree: JsonObject, path: string): string => showJson(tree[path] ?? "nothing");
  return [...paths].filter((path) => entry(before, path) !== entry(after, path)).sort();
}

function dispatchOf(scope: Scope): Dispatch | undefined {
  return member(scope.before.dispatches, scope.dispatch ?? "");
}

/**
 * What the worker changed. Files written by check runs, which may happen while a report is decided, are left out.
 */
function touched(scope: Scope, measured: Measured): readonly string[] {
  const left = leftByRuns(scope.workflow, dispatchOf(scope)?.sentSeq ?? 0);
  return touchedIn(measured).filter((path) => !left.includes(path));
}

function rolePaths(scope: Scope): string | undefined {
  const { role = "", baseline = {} } = dispatchOf(scope) ?? {};
  const state = scope.before.units[ROOT]?.at ?? "";
  const { id } = scope.workflow;
  const [before, now] = [baseline[`sessions:${id}`], scope.fact(`sessions:${id}`)];
  return withMeasured(scope, (measured) => {
    const odd = [before, now].find(isUnknown);
    if (odd !== undefined) return `it cannot be told what changed: ${whyUnknown(odd)}`;
    const seen = touched(scope, measured);
    const hidden = touchedPaths(before, now).filter(
      (path) => !seen.some((one) => one === path || one.startsWith(`${path}/`)),
    );
    const outside = [...seen, ...hidden].filter((path) => !mayTouch(role, state, id, path));
    const commits = WRITERS.includes(role) ? [] : measured.commits;
    const sentences = [
      ...(outside.length === 0 ? [] : [`${role} may not change ${tellPaths(outside)}`]),
      ...(commits.length === 0 ? [] : [`${role} may not commit, but did: ${tellPaths(commits)}`]),
    ];
    return sentences.length === 0 ? undefined : sentences.join("; ");
  });
}

/** A commit can hide changes, so only roles that may write may commit. */
const WRITERS: readonly string[] = ["Coder", "Integrator", "QA", "Docs"];

/** The work changed nothing. A person decides whether there was really nothing to do. */
function busy(scope: Scope): string | undefined {
  return withMeasured(scope, (measured) =>
    touched(scope, { ...measured, committed: [] }).length > 0 || isAgreed(scope)
      ? undefined
      : besideUnmeasured(measured, "nothing has changed since the work was handed out", [""]),
  );
}

function isAgreed(scope: Scope): boolean {
  const { sentSeq = 0, unit } = dispatchOf(scope) ?? {};
  return Object.values(scope.workflow.decisions).some(
    (one) =>
      one.question === "nothing-done" &&
      one.unit === unit &&
      one.askedSeq > sentSeq &&
      one.settled?.option === "agree",
  );
}

/**
 * A lean session must stay small, by measured size. A person may allow a larger one, for exactly this content.
 */
function leanSize({ workflow, fact }: Scope): string | undefined {
  const changed = fact(`worktree:${workflow.id}`);
  if (changed === undefined) return undefined;
  if (isUnknown(changed)) return `it cannot be told how much changed: ${whyUnknown(changed)}`;
  const count = isJsonObject(changed) ? Object.keys(changed).length : 0;
  const agreed = Object.values(workflow.decisions).some(
    (one) =>
      one.question === "lean-outgrown" &&
      one.settled?.option === "keep" &&
      isFresh(fact, one.bound),
  );
  return count <= LEAN_FILES_MAX || agreed
    ? undefined
    : `a lean session changes at most ${LEAN_FILES_MAX} files, and this one has changed ${count}`;
}

/** Integration fixes builds. Changes to the product itself are reported. */
function productCode(scope: Scope): string | undefined {
  return withMeasured(scope, (measured) => {
    const paths = touched(scope, measured).filter(isProduct);
    return paths.length === 0
      ? undefined
      : `the Integrator changed product code: ${tellPaths(paths)}`;
  });
}

/** Files that the agent claims to have written exist, or were deleted. */
function claimedFiles(scope: Scope): string | undefined {
  const tree = scope.fact(`worktree:${scope.workflow.id}`);
  const named = texts(scope.claim?.["files"]).map(plainPath);
  return withMeasured(scope, ({ files }) => {
    const isKnown = (path: string): boolean =>
      Object.hasOwn(files, path) || (isJsonObject(tree) && Object.hasOwn(tree, path));
    const missing = named.filter(
      (path) => isMissing(scope.fact(`digest:${path}`)) && !isKnown(path),
    );
    return missing.length === 0
      ? undefined
      : `the report names files that do not exist: ${tellPaths(missing)}`;
  });
}

/** Changed files that the report does not list. The session's own files need not be listed. */
function unclaimed(scope: Scope): string | undefined {
  const named = texts(scope.claim?.["files"]).map(plainPath);
  return withMeasured(scope, (measured) => {
    const silent = touched(scope, measured).filter(
      (path) => !path.startsWith(`${SESSIONS}/`) && !named.includes(path),
    );
    return silent.length === 0 ? undefined : `changed, but not named: ${tellPaths(silent)}`;
  });
}

/** Only the engine completes tasks. If tasks.yaml says so too early, that is reported and put back. */
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

/** Part of what the work was to make has changed. */
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
