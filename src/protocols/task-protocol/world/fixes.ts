/**
 * What the coordinator mended in VALIDATION itself: subjects of commits that no agent brought, each once,
 * because the same fix in fifty places is one. Making one commit of all takes them off the branch; then the
 * record of that has their subjects.
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
  // What main got meanwhile is new on the branch too, and nobody's fix.
  const own = new Set((await git.ahead(state.id, text(state.vars["main"]))).commits.map(shaOf));
  const made = (await git.ahead(state.id, text(squashed?.["oid"]) || since)).commits
    .filter((one) => own.has(one.sha) && !brought.has(one.subject))
    .map((one) => one.subject);
  return [...new Set([...texts(squashed?.["fixes"]), ...made])];
}

/** The last one that is still on the branch: its record has the fixes of those before it too. */
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

/** What the record of a squash says about the fixes that go into it. */
export async function fixesIn(git: GitPart, state: Workflow): Promise<JsonObject> {
  const since = validatedAt(state);
  return since === "" ? {} : { since, fixes: [...(await readFixes(git, state))] };
}

/** Where the branch stood when VALIDATION began; empty outside of it. */
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
