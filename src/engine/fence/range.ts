/** Whether every commit of a range was released, for a job that asks before it lets them on. */
import type { Parts } from "../parts.ts";
import { releasedMoves, verified } from "./moves.ts";
import { fenceOf, REPOSITORY_STREAM } from "./state.ts";
import type { Trouble } from "./state.ts";

export interface JudgedCommit {
  readonly oid: string;
  readonly released: boolean;
  /** By whom, or why not. */
  readonly why: string;
}

/** More than that are not judged one by one, so nothing is said about them. */
const COMMITS_MAX = 10_000;

export async function judgeRange(
  parts: Parts,
  range: string,
): Promise<readonly JudgedCommit[] | Trouble> {
  const { fencing } = parts;
  const oids = await fencing.range(range);
  if (oids === undefined)
    return {
      code: "range-unknown",
      message: `git does not understand "${range}", or does not have all of it`,
      fix: "Fetch both ends (in a shallow clone: `git fetch --unshallow`), then try again.",
    };
  if (oids.length > COMMITS_MAX)
    return {
      code: "range-too-long",
      message: `"${range}" has more than ${COMMITS_MAX} commits`,
      fix: "Check a shorter range.",
    };
  const commits = await fencing.commits(oids);
  const { state } = await parts.journal.load(REPOSITORY_STREAM);
  const all = await releasedMoves(parts, fenceOf(state)?.openings ?? []);
  return oids.map((oid) => {
    const commit = commits.get(oid);
    if (commit === undefined) return { oid, released: false, why: "it cannot be read" };
    const [by] = verified(all, new Map([[oid, commit]]), oid).filter((one) => one.to === oid);
    if (by !== undefined) return { oid, released: true, why: by.by };
    return { oid, released: false, why: unvouched(commit.trailers, fencing.isShallow()) };
  });
}

function unvouched(trailers: Readonly<Record<string, string>>, shallow: boolean): string {
  const said =
    trailers["Holdpoint-Record"] === undefined
      ? ""
      : `; it names record ${trailers["Holdpoint-Record"].slice(0, 12)}`;
  const where = shallow ? " (a shallow clone)" : "";
  return `it cannot be vouched for here${where}: no journal of this clone wanted it${said}`;
}
