/** Whether a protected branch may make one move: only if a trustworthy journal wants exactly this move, now. */
import type { Effect } from "../../core/state/state.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { Head } from "../../ports/journal.ts";
import type { Parts } from "../parts.ts";
import type { Proof } from "../prove/prove.ts";
import { SHORT } from "../prove/recorded.ts";
import { trusted } from "../prove/trust.ts";
import { decoded } from "../prove/witnesses.ts";
import { absentRecord } from "./merges.ts";
import { distrustOpening } from "./proven.ts";
import type { ProvenFence } from "./proven.ts";
import { isOpenFor, isSame, openingOf, shortOid, shortRef } from "./state.ts";
import type { Fence, RefMove, Trouble } from "./state.ts";
import { differsFrom } from "./wanted.ts";

/**
 * How many journals are searched. A merge is recorded right before it happens, so its journal is among the last
 * ones written.
 */
const STREAMS_MAX = 32;

/** Why the move is not allowed; undefined if it is. */
export async function judgeMove(
  parts: Parts,
  fence: ProvenFence,
  move: RefMove,
): Promise<Trouble | undefined> {
  const ends = await parts.fencing.commits([move.to, move.from]);
  const commit = ends.get(move.to);
  const absent = commit && (await absentRecord(parts, commit));
  if (absent !== undefined) return unreleased(move, absent);
  if (isOpenFor(fence, move, parts.clock.now())) return await distrustOpening(parts, fence, move);
  if (move.to === "") return unreleased(move, "nobody has released that it goes");
  if (commit === undefined) return unreleased(move, "it cannot be read");
  const said = decoded((commit.trailers["Holdpoint-Journal"] ?? "").split(" ")[0] ?? "");
  const named = said === "" ? [] : (await parts.journal.streams()).filter((one) => one === said);
  const streams = said === "" ? await lastWritten(parts) : named;
  let why = said === "" ? "no journal wants it" : `no journal here is called ${said}`;
  for (const stream of streams) {
    const judged = await judgeBy(parts, stream, { fence, move, commit, ends });
    if (judged === "released") return undefined;
    if (typeof judged === "object") return judged;
    if (said !== "") why = judged;
  }
  return unreleased(move, why);
}

async function lastWritten({ journal }: Parts): Promise<readonly string[]> {
  const all = await journal.list();
  return all
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, STREAMS_MAX)
    .map(({ stream }) => stream);
}

/**
 * The verdict of one journal: "released", why the journal cannot be trusted, or why it does not want the move.
 */
async function judgeBy(parts: Parts, stream: string, judging: Judging): Promise<Trouble | string> {
  const { move, commit } = judging;
  const { state, head } = await parts.journal.load(stream);
  const hint = Object.values(state.effects).filter((one) => concerns(one, move));
  if (hint.length === 0 && commit.trailers["Holdpoint-Record"] === undefined)
    return "no journal wants it";
  const released = (proof: Proof | Trouble): Trouble | string =>
    "code" in proof ? proof : wants(proof, move, commit);
  const known = head.seq < SHORT ? undefined : await judgedBefore(parts, stream, judging);
  const quick = known && released(await trusted(parts, stream, { known }));
  return quick === "released" ? quick : released(await trusted(parts, stream));
}

interface Judging {
  readonly fence: Fence;
  readonly move: RefMove;
  readonly commit: CommitFacts;
  /** The facts of that commit and of the one where the branch stands. */
  readonly ends: ReadonlyMap<string, CommitFacts>;
}

const BEFORE_MAX = 200;

/**
 * The last record of this journal for which a commit on the branch was made since the fence was put up. That
 * commit passed this same judgement, and its hash covers everything before it, so judging can start there.
 * Commits that bypassed the fence are reported elsewhere.
 */
async function judgedBefore(
  { fencing }: Parts,
  stream: string,
  { fence: { refs, since }, move: { ref, from }, ends }: Judging,
): Promise<Head | undefined> {
  const begun = refs[ref] ?? "";
  if (begun === "" || begun === from) return undefined;
  const last = recordOf(ends.get(from), stream);
  if (last !== undefined) return last;
  const made = (await fencing.line(from, BEFORE_MAX)).slice(1);
  const later = made.includes(begun) ? made.slice(0, made.indexOf(begun)) : made;
  const facts = await fencing.commits(later);
  return later
    .map((oid) => facts.get(oid))
    .filter((one) => one !== undefined && one.at * 1000 >= Date.parse(since))
    .map((one) => recordOf(one, stream))
    .find((one) => one !== undefined);
}

/** The record that a commit names in its trailers, if it is in this journal. */
function recordOf(commit: CommitFacts | undefined, stream: string): Head | undefined {
  const { trailers = {} } = commit ?? {};
  const [name = "", , seq = ""] = (trailers["Holdpoint-Journal"] ?? "").split(" ");
  if (decoded(name) !== stream || !/^[1-9]\d{0,9}$/.test(seq)) return undefined;
  return { seq: Number(seq), hash: trailers["Holdpoint-Record"] ?? "" };
}

function wants(
  { state, seen: { hashes }, unjudged }: Proof,
  move: RefMove,
  commit: CommitFacts,
): string {
  const record = commit.trailers["Holdpoint-Record"] ?? "";
  let why = `${state.id} wants no such move`;
  for (const effect of Object.values(state.effects)) {
    const seq = effect.by?.seq ?? 0;
    const hash = hashes[seq - 1] ?? "";
    const differs = differsFrom(effect, move, { commit, hash });
    const isWanted = effect.status === "wanted";
    // A forged record could claim another build so that its guards are skipped. So a record whose guards could
    // not be rerun does not release anything.
    if (differs === undefined && isWanted) return unjudged.has(seq) ? OTHER_BUILD : "released";
    if (differs === undefined) why = `${state.id} wanted it once, and that is over (${effect.id})`;
    else if (hash === record) why = `its trailer names ${effect.id} of ${state.id}, but ${differs}`;
  }
  return why;
}

const OTHER_BUILD =
  "its record was decided by another build of Holdpoint than the one in the hook (put the fence up again with the one that is used)";

function concerns({ status, aim, args }: Effect, move: RefMove): boolean {
  if (status !== "wanted") return false;
  return (
    args["savepoint"] !== undefined ||
    (aim !== undefined && (isSame(aim, move) || aim.to === move.from))
  );
}

export function unreleased({ ref, from, to }: RefMove, why: string): Trouble {
  const name = shortRef(ref);
  return {
    code: "fence-unreleased",
    message: `${name} does not move from ${shortOid(from)} to ${shortOid(to)}: ${why}`,
    fix: openingOf(
      { ref, from, to },
      "Let Holdpoint commit or merge it; or a person allows this one move",
    ),
  };
}
