import type { Refusal } from "../../core/decide/answer.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Parts } from "../parts.ts";

/**
 * Where several clones share a journal, it may name a commit made by another clone. Nothing goes on in a clone
 * that has not fetched the last of these, because its files are from before that commit.
 */
export async function unfetched(
  { processes: { place }, git, clock }: Pick<Parts, "processes" | "git" | "clock">,
  { id, effects }: Workflow,
): Promise<Refusal | undefined> {
  if (place === undefined) return undefined;
  const last = Object.values(effects).findLast(
    ({ kind, status }) => kind === "commit" && status === "done",
  );
  const oid = last?.detail["oid"];
  const madeAt = last?.by?.place;
  if (typeof oid !== "string" || oid === "" || madeAt === undefined || madeAt === place)
    return undefined;
  const since = await git.commitsSince(oid, clock.now());
  // A commit that HEAD does not contain is looked up by its id.
  if (since !== undefined && !since.some((one) => one.oid === oid)) return undefined;
  const short = oid.slice(0, 7);
  return {
    code: "not-fetched",
    message:
      since === undefined
        ? `This clone has not fetched commit ${short} of ${id}, which was made in ${madeAt}`
        : `Commit ${short} of ${id}, which was made in ${madeAt}, is not in what is checked out here`,
    fix: `${since === undefined ? "git fetch, then " : ""}git merge --ff-only, and try again.`,
    rule: "core",
  };
}
