/** Whether every commit of a range was released, for CI jobs that ask before they go on. */
import type { CommitFacts } from "../../ports/fence.ts";
import type { Parts } from "../parts.ts";
import { basisAt, USUAL } from "../release/policy.ts";
import { absentRecord } from "./merges.ts";
import { judgeCarried } from "./carried.ts";
import { distrust } from "../prove/trust.ts";
import { releasedMoves, verified } from "./moves.ts";
import { fenceOf, REPOSITORY_STREAM, shortOid } from "./state.ts";
import type { Trouble } from "./state.ts";

export interface JudgedCommit {
  readonly oid: string;
  readonly released: boolean;
  /** Who released it, or why it is not released. */
  readonly why: string;
}

/** A longer range is not judged commit by commit; the answer is then unknown. */
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
  const trust = new Map<string, Trouble | undefined>();
  const judged: JudgedCommit[] = [];
  // Nobody's release makes up for these.
  const claimed: JudgedCommit[] = [];
  for (const oid of oids) {
    const commit = commits.get(oid);
    const known = commit === undefined ? [] : verified(all, new Map([[oid, commit]]), oid);
    const by = known.find((one) => one.to === oid);
    if (by !== undefined && !trust.has(by.stream))
      trust.set(by.stream, await distrust(parts, by.stream));
    const absent = commit && (await absentRecord(parts, commit));
    if (absent !== undefined) {
      claimed.push({ oid, released: false, why: absent });
      continue;
    }
    const wrong = by && trust.get(by.stream)?.message;
    const why = by === undefined ? unvouched(commit, fencing.isShallow()) : (wrong ?? by.by);
    judged.push({ oid, released: by !== undefined && wrong === undefined, why });
  }
  const whole = judged.every((one) => one.released)
    ? judged
    : await judgeWhole(parts, range, judged);
  return oids.flatMap((oid) => [...claimed, ...whole].find((one) => one.oid === oid) ?? []);
}

/** People may have released the whole range as one move, and their signatures have come along. */
async function judgeWhole(
  parts: Parts,
  range: string,
  judged: readonly JudgedCommit[],
): Promise<readonly JudgedCommit[]> {
  const { fencing } = parts;
  const [, ...ends] = /^(.+[^.])\.\.([^.].*)?$/.exec(range) ?? [];
  if (ends.length === 0) return judged;
  const [from, to] = await Promise.all(ends.map((end) => fencing.resolve(end ?? "HEAD")));
  if (from === undefined || to === undefined) return judged;
  const { protected: named = [] } = (await basisAt(fencing.committed, "", from)) ?? {};
  const branches = named.length > 0 ? named : USUAL;
  let why = "";
  for (const branch of branches) {
    const wrong = await judgeCarried(parts, { ref: `refs/heads/${branch}`, from, to });
    if (wrong === undefined)
      return judged.map(({ oid }) => ({
        oid,
        released: true,
        why: `people released that ${branch} moves to ${shortOid(to)}`,
      }));
    why ||= wrong;
  }
  return judged.map((one) => (one.released ? one : { ...one, why: `${one.why}; ${why}` }));
}

function unvouched(commit: CommitFacts | undefined, shallow: boolean): string {
  if (commit === undefined) return "it cannot be read";
  const { trailers } = commit;
  const said =
    trailers["Holdpoint-Record"] === undefined
      ? ""
      : `; it names record ${trailers["Holdpoint-Record"].slice(0, 12)}`;
  const where = shallow ? " (a shallow clone)" : "";
  return `it cannot be vouched for here${where}: no journal of this clone wanted it${said}`;
}
