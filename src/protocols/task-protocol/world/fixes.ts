/**
 * What the coordinator fixed itself in VALIDATION: the subjects of commits that no agent brought, each once,
 * because the same fix in fifty places counts as one. Squashing removes these commits from the branch, so its
 * record keeps their subjects.
 */
import type { JsonObject } from "../../../core/values/json.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import type { TaskPlaces } from "./places.ts";
import { objects, text, texts } from "../../../core/values/json-read.ts";

type GitPart = Pick<TaskPlaces, "ahead" | "contains">;

export async function readFixes(git: GitPart, state: Workflow): Promise<readonly string[]> {
  const since = validatedAt(state);
  if (since === "") return [];
  const squashed = await lastSquash(git, state, since);
  const brought = new Set(
    done(state, "merge-ff").flatMap((one) => objects(one.detail["commits"]).map(subjectOf)),
  );
  // Commits that came from main are new on the branch too, but nobody's fixes.
  const own = new Set((await git.ahead(state.id, text(state.vars["main"]))).commits.map(shaOf));
  const made = (await git.ahead(state.id, text(squashed?.["oid"]) || since)).commits
    .filter((one) => own.has(one.sha) && !brought.has(one.subject))
    .map((one) => one.subject);
  return [...new Set([...texts(squashed?.["fixes"]), ...made])];
}

/** The last squash that is still on the branch. Its record includes the fixes before earlier ones. */
async function lastSquash(
  git: GitPart,
  state: Workflow,
  since: string,
): Promise<JsonObject | undefined> {
  for (const { detail } of done(state, "squash").toReversed()) {
    if (detail["since"] !== since) return undefined;
    if (await git.contains(state.id, text(detail["oid"]))) return detail;
  }
  return undefined;
}

/** What the record of a squash says about the fixes in it. */
export async function fixesIn(git: GitPart, state: Workflow): Promise<JsonObject> {
  const since = validatedAt(state);
  return since === "" ? {} : { since, fixes: [...(await readFixes(git, state))] };
}

/** Where the branch was when VALIDATION began; empty in other states. */
function validatedAt(state: Workflow): string {
  return rootOf(state).at === "VALIDATION" ? text(state.vars["validated"]) : "";
}

function done({ effects }: Workflow, kind: string): readonly Effect[] {
  return Object.values(effects).filter((one) => one.kind === kind && one.status === "done");
}

function subjectOf(commit: JsonObject): string {
  return text(commit["subject"]);
}

function shaOf({ sha }: { readonly sha: string }): string {
  return sha;
}
