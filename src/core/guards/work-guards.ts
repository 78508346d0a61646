import { member } from "../values/json.ts";
import type { JsonObject } from "../values/json.ts";
import { text, texts } from "../values/json-read.ts";
import {
  changeKey,
  changedPaths,
  readMeasured,
  readingKey,
  tellPaths,
} from "../values/measured.ts";
import type { Measured } from "../values/measured.ts";
import { plainPath } from "../values/paths.ts";
import type { CheckedGuard, Scope } from "../table/row.ts";

/** Guards on the work itself: what changed between the order and the report, whatever the report says. */
export const WORK_GUARDS: Readonly<Record<string, CheckedGuard>> = {
  worked: { check: guardWorked, args: { paths: "texts" } },
  kept: { check: guardKept, args: { paths: "texts" } },
  "claimed-changed": { check: guardClaimedChanged, args: { field: "text" } },
  "changed-claimed": { check: guardChangedClaimed, args: { field: "text", paths: "texts" } },
  uncommitted: { check: guardUncommitted, args: {} },
};

/** The measured change of the work that is reported; a sentence where it is not known. */
function measuredIn(scope: Scope): Measured | string | undefined {
  const id = scope.dispatch ?? "";
  const dispatch = member(scope.before.dispatches, id);
  if (dispatch === undefined || !Object.hasOwn(dispatch.baseline, readingKey(dispatch.unit)))
    return "nobody measured it when the work was handed out";
  return readMeasured(scope.fact(changeKey(id)));
}

/** Judge what changed; where nobody can tell, that is what is said. */
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

/** Something changed in these paths since the work was handed out. */
function guardWorked(scope: Scope, args: JsonObject): string | undefined {
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, (measured) =>
    changedPaths(measured, paths, "inside").length > 0
      ? undefined
      : `nothing changed in ${paths.join(", ")} since the work was handed out`,
  );
}

/** Nothing changed outside of these paths since the work was handed out. */
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

/** Every file that the report names has changed. */
function guardClaimedChanged(scope: Scope, args: JsonObject): string | undefined {
  const named = texts(scope.claim?.[text(args["field"])]).map(plainPath);
  return withMeasured(scope, ({ files, moved }) => {
    const changed = new Set([...Object.keys(files), ...Object.values(moved)]);
    const same = named.filter((path) => !changed.has(path));
    return same.length === 0 ? undefined : `named, but not changed: ${tellPaths(same)}`;
  });
}

/** Every file of these paths that has changed is named in the report. */
function guardChangedClaimed(scope: Scope, args: JsonObject): string | undefined {
  const named = new Set(texts(scope.claim?.[text(args["field"])]).map(plainPath));
  const paths = texts(args["paths"]).map((path) => scope.fill(path));
  return withMeasured(scope, (measured) => {
    const silent = changedPaths(measured, paths, "inside").filter((path) => !named.has(path));
    return silent.length === 0 ? undefined : `changed, but not named: ${tellPaths(silent)}`;
  });
}

/** Nobody but Holdpoint has committed since the work was handed out. */
function guardUncommitted(scope: Scope): string | undefined {
  return withMeasured(scope, ({ commits }) =>
    commits.length === 0 ? undefined : `committed meanwhile: ${tellPaths(commits)}`,
  );
}
