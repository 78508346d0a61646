import type { Refusal } from "../../core/decide/answer.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Parts } from "../parts.ts";

/**
 * Where several clones share one journal, it names commits that another of them made. Nothing goes on from a tree that
 * does not have the last of them: files and work read as they did before it.
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
  // What is not below HEAD is told by its own id.
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
