import { matchesGlob } from "../values/glob.ts";
import { canonicalJson, member } from "../values/json.ts";
import type { JsonObject } from "../values/json.ts";
import { text, texts } from "../values/json-read.ts";
import {
  besideUnmeasured,
  changeKey,
  changedPaths,
  readMeasured,
  readingKey,
  tellHidden,
  tellPaths,
  tellUnmeasured,
  unmeasuredNear,
  unorderedKey,
} from "../values/measured.ts";
import type { Measured } from "../values/measured.ts";
import { plainPath } from "../values/paths.ts";
import type { CheckedGuard, Scope } from "../table/row.ts";
import { ROOT } from "../state/state.ts";
import type { Dispatch } from "../state/state.ts";
import { isUnknown } from "../values/unknown.ts";

/** Guards on the work itself: on what changed between order and report, whatever the report claims. */
export const WORK_GUARDS: Readonly<Record<string, CheckedGuard>> = {
  worked: { check: guardWorked, args: { paths: "texts" } },
  kept: { check: guardKept, args: { paths: "texts" } },
  unhidden: { check: guardUnhidden, args: { paths: "texts" } },
  "claimed-changed": { check: guardClaimedChanged, args: { field: "text" } },
  "changed-claimed": { check: guardChangedClaimed, args: { field: "text", paths: "texts" } },
  uncommitted: { check: guardUncommitted, args: {} },
  ordered: {
    check: guardOrdered,
    args: { paths: "texts", except: "texts?", kept: "text", ever: "flag?" },
  },
};

/** The measured change of the reported work; a sentence if it is not known. */
function measuredIn(scope: Scope): Measured | string | undefined {
  const id = scope.dispatch ?? "";
  const dispatch = member(scope.before.dispatches, id);
  if (dispatch === undefined || !Object.hasOwn(dispatch.baseline, readingKey(dispatch.unit)))
    return "nobody measured it when the work was handed out";
  return readMeasured(scope.fact(changeKey(id)));
}

/** Judges the measured change. If it is not known, that is the failure. */
export function withMeasured(
  scope: Scope,
  judge: (measured: Measured) => string | undefined,
): string | undefined {
  const measured = measuredIn(scope);
  if (measured === undefined) return undefined;
  return typeof measured === "string"
    ? `it cannot be told what changed: ${measured}`
    : judge(measured);
}

/** Something changed in these paths since the work was sent out. */
function guardWorked(scope: Scope, args: JsonObject): string | undefined {
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, (measured) => {
    // Changes that were committed and then reverted are not there any more, so they do not count as work.
    if (changedPaths({ ...measured, committed: [] }, paths, "inside").length > 0) return undefined;
    const none = `nothing changed in ${paths.join(", ")} since the work was handed out`;
    return besideUnmeasured(measured, none, paths);
  });
}

/** Nothing changed outside these paths since the work was sent out. */
function guardKept(scope: Scope, args: JsonObject): string | undefined {
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, (measured) => {
    const others = changedPaths(measured, paths, "outside");
    if (others.length === 0) return undefined;
    return paths.length === 0
      ? `this work changes nothing, but these changed: ${tellPaths(others)}`
      : `changed outside of ${paths.join(", ")}: ${tellPaths(others)}`;
  });
}

/** Nothing written in these paths is hidden by an ignore rule that was added with it. */
function guardUnhidden(scope: Scope, args: JsonObject): string | undefined {
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, ({ hidden }) => {
    const inside = hidden.filter((path) => paths.some((pattern) => matchesGlob(pattern, path)));
    return inside.length === 0 ? undefined : tellHidden(inside);
  });
}

/** Every file that the report names has changed. */
function guardClaimedChanged(scope: Scope, args: JsonObject): string | undefined {
  const named = texts(scope.claim?.[text(args["field"])]).map(plainPath);
  return withMeasured(scope, (measured) => {
    const changed = new Set([...Object.keys(measured.files), ...Object.values(measured.moved)]);
    const others = named.filter((path) => !changed.has(path));
    const blind = others.filter((path) => unmeasuredNear(measured, path).length > 0);
    const same = others.filter((path) => !blind.includes(path));
    const told = [
      ...(same.length === 0 ? [] : [`named, but not changed: ${tellPaths(same)}`]),
      ...(blind.length === 0 ? [] : [`named, but ${tellUnmeasured(blind)}`]),
    ];
    return told.length === 0 ? undefined : told.join("; ");
  });
}

/** Every changed file in these paths is named in the report. */
function guardChangedClaimed(scope: Scope, args: JsonObject): string | undefined {
  const named = new Set(texts(scope.claim?.[text(args["field"])]).map(plainPath));
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, (measured) => {
    const silent = changedPaths(measured, paths, "inside").filter((path) => !named.has(path));
    return silent.length === 0 ? undefined : `changed, but not named: ${tellPaths(silent)}`;
  });
}

/** Nobody but Holdpoint has committed since the work was sent out. */
function guardUncommitted(scope: Scope): string | undefined {
  return withMeasured(scope, ({ commits }) =>
    commits.length === 0 ? undefined : `committed meanwhile: ${tellPaths(commits)}`,
  );
}

/**
 * Every change in these paths since the last step was ordered; with `ever`, since the first step. A change that
 * was reverted does not count, nor one that a person has accepted (a finding of the kind `kept`).
 */
function guardOrdered(scope: Scope, args: JsonObject): string | undefined {
  const { findings, unordered, dispatches } = scope.workflow;
  const key = unorderedKey(ROOT);
  const kept = Object.values(findings).filter((one) => one.kind === text(args["kept"]));
  const since = Math.max(0, ...kept.map((one) => one.seq));
  const now = scope.fact(key) ?? null;
  const isSeen = kept.some(
    ({ bound }) => !isUnknown(now) && canonicalJson(bound[key] ?? null) === canonicalJson(now),
  );
  const told = unordered.filter((one) => one.seq > since && args["ever"] === true);
  const odd: string[] = [];
  const paths = [
    ...told,
    ...(now === null || isSeen ? [] : [{ changed: now, seq: Number.POSITIVE_INFINITY }]),
  ].flatMap(({ changed, seq }) => {
    const measured = readMeasured(changed);
    if (typeof measured === "string") odd.push(measured);
    if (typeof measured !== "object") return [];
    const since = Object.values(dispatches).filter((one) => one.sentSeq >= seq);
    return standing(scope, measured, args).filter((path) => !since.some(tookOver(path)));
  });
  const sentences = [
    ...(paths.length === 0 ? [] : [tellPaths([...new Set(paths)])]),
    ...odd.map((why) => `what changed is not known: ${why}`),
  ];
  return sentences.length === 0
    ? undefined
    : `changed while no agent was at work: ${sentences.join("; ")}`;
}

/** Work reported later took over the change: its agent was told of it and changed the same file. */
function tookOver(path: string): (dispatch: Dispatch) => boolean {
  return ({ status, outcome, measured }) => {
    if (status !== "ended" || outcome === "cancelled") return false;
    const worked = readMeasured(measured);
    return typeof worked === "object" && Object.hasOwn(worked.files, path);
  };
}

/** The changed paths that match and still differ from how they were before. */
function standing(scope: Scope, measured: Measured, args: JsonObject): readonly string[] {
  const except = texts(args["except"]).map((path) => scope.fill(path));
  const patterns = texts(args["paths"]).map((path) => scope.fill(path));
  return changedPaths({ ...measured, committed: [] }, patterns, "inside").filter((path) => {
    if (except.some((pattern) => matchesGlob(pattern, path))) return false;
    const [before = null] = measured.files[path] ?? [];
    const digest = scope.fact(`digest:${path}`);
    return before === null
      ? digest !== null
      : typeof digest !== "string" || !digest.endsWith(before.slice(before.lastIndexOf(" ") + 1));
  });
}
