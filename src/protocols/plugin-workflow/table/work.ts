import { isJsonArray } from "../../../core/values/json.ts";
import {
  besideUnmeasured,
  changeKey,
  readMeasured,
  tellPaths,
  touchedIn,
} from "../../../core/values/measured.ts";
import type { Measured } from "../../../core/values/measured.ts";
import { plainPath } from "../../../core/values/paths.ts";
import { isMissing } from "../../../core/values/unknown.ts";
import { variable } from "../../../core/guards/guards.ts";
import type { RuledNeed, Scope } from "../../../core/table/protocol.ts";
import { FINISHED } from "./rows.ts";

/** Compares what a report says about files with what was measured. */

const HOME = "plugins/{id}/**";
/** True while no person has accepted that there was nothing to do, or that the work exists anyway. */
const DISPUTED = variable("idle", [false, null]);

/** Requires measured work, and reports changes made elsewhere, not named, or already committed. */
export function workRows(what: "ideas" | "code"): readonly RuledNeed[] {
  const rows: readonly RuledNeed[] = [
    {
      guard: `worked-on-${what}`,
      when: [DISPUTED],
      code: "work-not-measured",
      fix: "Do the work, then report again; or let a person agree that there is nothing to do.",
      rule: "PW-149",
      ask: "no-work",
    },
    {
      guard: "claimed-files",
      code: "files-missing",
      fix: "Write the files, or report only what is there.",
      rule: "PW-072",
    },
    {
      guard: "files-changed",
      when: [DISPUTED],
      code: "files-unchanged",
      fix: "Report the files that this work changed, and no others.",
      rule: "PW-072",
      ask: "no-work",
    },
    { guard: "files-named", code: "files-unnamed", fix: "", rule: "PW-072", soft: true },
    {
      guard: "kept",
      args: { paths: [HOME] },
      code: "work-outside",
      fix: "",
      rule: "PW-222",
      soft: true,
    },
    {
      guard: "unhidden",
      args: { paths: [HOME] },
      code: "files-hidden",
      fix: "",
      rule: "PW-222",
      soft: true,
    },
    { guard: "uncommitted", code: "agent-committed", fix: "", rule: "PW-099", soft: true },
  ];
  return rows.map((row) => ({ ...row, when: [FINISHED, ...(row.when ?? [])] }));
}

/** Planning must change ideas, every other stage code. */
export function workedOnIdeas(scope: Scope): string | undefined {
  return worked(scope, (path) => path.startsWith(".ideas/"));
}

export function workedOnCode(scope: Scope): string | undefined {
  return worked(scope, (path) => !path.startsWith(".ideas/"));
}

function worked(scope: Scope, counts: (path: string) => boolean): string | undefined {
  const measured = readMeasured(scope.fact(changeKey(scope.dispatch ?? "")));
  if (measured === undefined) return undefined;
  if (typeof measured === "string") return `it cannot be told what changed: ${measured}`;
  const home = `plugins/${scope.workflow.id}/`;
  const isWork = (path: string): boolean =>
    path.startsWith(home) && counts(path.slice(home.length));
  if (Object.keys(measured.files).some(isWork)) return undefined;
  const none = `nothing of this work changed in ${home} since it was handed out`;
  return besideUnmeasured(measured, none, [home]);
}

/** Files the agent claims to have written exist, or are known to have been removed. */
export function claimedFiles(scope: Scope): string | undefined {
  const measured = measuredIn(scope);
  const missing = claimedPaths(scope).filter((names) =>
    names.every(
      (path) => isMissing(scope.fact(`digest:${path}`)) && measured?.files[path] === undefined,
    ),
  );
  return missing.length === 0
    ? undefined
    : `the report names files that do not exist: ${tellPaths(missing.map(([first = ""]) => first))}`;
}

/** Files the agent claims to have written have changed since the work was sent out. */
export function filesChanged(scope: Scope): string | undefined {
  const measured = measuredIn(scope);
  if (measured === undefined) return undefined;
  const { files, moved } = measured;
  const changed = new Set([...Object.keys(files), ...Object.values(moved)]);
  const same = claimedPaths(scope).filter((names) => !names.some((path) => changed.has(path)));
  if (same.length === 0) return undefined;
  const names = tellPaths(same.map(([first = ""]) => first));
  return besideUnmeasured(
    measured,
    `the report names files that did not change: ${names}`,
    same.flat(),
  );
}

/** All changed files of the plugin are named in the report. */
export function filesNamed(scope: Scope): string | undefined {
  const measured = measuredIn(scope);
  const named = new Set(claimedPaths(scope).flat());
  const home = `plugins/${scope.workflow.id}/`;
  const silent = (measured === undefined ? [] : touchedIn(measured)).filter(
    (path) => path.startsWith(home) && !named.has(path),
  );
  return silent.length === 0 ? undefined : `changed, but not named: ${tellPaths(silent)}`;
}

function measuredIn(scope: Scope): Measured | undefined {
  const measured = readMeasured(scope.fact(changeKey(scope.dispatch ?? "")));
  return typeof measured === "string" ? undefined : measured;
}

/** Agents name files relative to the top, to the plugin's folder, or by their name in `Source/`. */
function claimedPaths({ claim, workflow: { id } }: Scope): readonly (readonly string[])[] {
  const files = claim?.["files"];
  const named = isJsonArray(files) ? files.filter((path) => typeof path === "string") : [];
  return named.map((path) => {
    const plain = plainPath(path);
    if (plain === "" || /^(?:\.\.|plugins\/|\/)/.test(plain)) return [plain];
    return [plain, `plugins/${id}/${plain}`, `plugins/${id}/Source/${plain}`];
  });
}
