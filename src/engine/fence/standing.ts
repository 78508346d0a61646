/**
 * The state of the fence: whether its hook is in place, and whether its branches stand where released moves have
 * led.
 */
import { remedy, remedyText } from "../../core/table/remedy.ts";
import type { Parts } from "../parts.ts";
import { carriedMoves } from "./carried.ts";
import { distrust } from "../prove/trust.ts";
import { followed, releasedMoves, UNDECIDED, verified } from "./moves.ts";
import type { Released } from "./moves.ts";
import { fenceOf, openingOf, REPOSITORY_STREAM, shortOid, shortRef } from "./state.ts";
import type { Fence, Trouble } from "./state.ts";

export interface FenceStanding {
  readonly fence: Fence | undefined;
  readonly branches: readonly BranchStanding[];
  readonly problems: readonly Trouble[];
  /** The journals that this answer relies on. */
  readonly vouching: readonly string[];
}

export interface BranchStanding {
  readonly ref: string;
  readonly tip: string;
  readonly released: string;
}

/**
 * Warnings about the fence, shown before any command. Costs almost nothing while nothing has changed since the
 * last check.
 */
export async function fenceBreaches(parts: Parts): Promise<readonly string[]> {
  const { fencing } = parts;
  const { state, damage } = await parts.journal.load(REPOSITORY_STREAM);
  const fence = fenceOf(state);
  if (fence === undefined && damage === undefined)
    return fencing.recall() === "" ? [] : [FORGOTTEN];
  const stamp = fence === undefined ? "" : fencing.stamp(fence.hook, Object.keys(fence.refs));
  if (damage === undefined && stamp === fencing.recall()) return [];
  const { problems } = await fenceStanding(parts);
  if (problems.length === 0) fencing.keep(stamp);
  return problems.map(({ message, fix }) => `${message}. ${remedyText(fix)}`);
}

const FORGOTTEN =
  "A fence was put up here, and the journal of the repository does not know it any more. Restore the journal from a backup, or let a person put the fence up anew.";

export async function fenceStanding(parts: Parts): Promise<FenceStanding> {
  const { state, damage } = await parts.journal.load(REPOSITORY_STREAM);
  const fence = fenceOf(state);
  const none = { fence, branches: [], vouching: [] };
  if (damage !== undefined) return { ...none, problems: [unknown(damage.message)] };
  if (fence === undefined) return { ...none, problems: [] };
  const problems: Trouble[] = [...(await parts.fencing.look(fence.hook))];
  const branches: BranchStanding[] = [];
  const moves = await releasedMoves(parts, fence.openings);
  for (const ref of Object.keys(fence.refs)) {
    const found = await judgeBranch(parts, fence, ref, moves);
    branches.push(found.standing);
    problems.push(...found.problems);
  }
  const own = moves.filter((one) => one.ref in fence.refs && one.at >= fence.since);
  const vouching = [...new Set([REPOSITORY_STREAM, ...own.map((one) => one.stream)])];
  return { fence, branches, problems, vouching };
}

/** The same, and whether the journals it relies on are trustworthy: a forged line could release any commit. */
export async function provenStanding(parts: Parts): Promise<FenceStanding> {
  const standing = await fenceStanding(parts);
  const problems = [...standing.problems];
  // That there is no fence is also taken from a proven journal only.
  for (const stream of new Set([REPOSITORY_STREAM, ...standing.vouching])) {
    const wrong = await distrust(parts, stream);
    if (wrong !== undefined) problems.push(wrong);
  }
  return { ...standing, problems };
}

async function judgeBranch(
  parts: Parts,
  fence: Fence,
  ref: string,
  all: readonly Released[],
): Promise<{ readonly standing: BranchStanding; readonly problems: readonly Trouble[] }> {
  const { fencing, place } = parts;
  const { oid: tip, symbolic } = await fencing.stands(ref);
  const from = fence.refs[ref] ?? "";
  const own = all.filter((one) => one.ref === ref && one.at >= fence.since);
  const made = own.flatMap((one) =>
    one.savepoint === undefined || one.to === UNDECIDED ? [] : [one.to],
  );
  const known = verified(own, await fencing.commits([...made, tip]), tip);
  const brought = place.kind === "none" ? await carriedMoves(parts, ref, { from, tip }) : [];
  const moves = [...known, ...brought.toReversed().map((one) => ({ ...one, ...BROUGHT }))];
  const released = followed(moves, from, tip);
  const standing = { ref, tip, released };
  if (symbolic !== "") return { standing, problems: [isSymbolic(ref, symbolic)] };
  const strayed = strayMoves(fencing.logged(ref), fence, ref, moves);
  const problems = released === tip ? [] : [breached(standing)];
  return { standing, problems: [...problems, ...strayed] };
}

/** Stands for releases that people signed elsewhere and a push brought along. */
const BROUGHT = { at: "", by: "people", stream: "", sure: false };

/** Moves in the reflog that nobody released, or not that often, even if they were undone since. */
function strayMoves(
  logged: ReturnType<Parts["fencing"]["logged"]>,
  { refs, since }: Fence,
  ref: string,
  moves: readonly Released[],
): readonly Trouble[] {
  const start = Math.floor(Date.parse(since) / 1000);
  const begun = logged.findLastIndex((one) => one.to === refs[ref] && one.at <= start);
  const left = new Map<string, number>();
  for (const { from, to } of moves) left.set(`${from} ${to}`, (left.get(`${from} ${to}`) ?? 0) + 1);
  const isLeft = (key: string): boolean => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0;
  };
  return logged
    .filter(({ at }, index) => (begun < 0 ? at > start : index > begun))
    .filter(({ from, to }) => from !== to && !isLeft(`${from} ${to}`))
    .slice(-STRAYED_MAX)
    .map(({ from, to, at }) => ({
      code: "branch-strayed",
      message: `${shortRef(ref)} went from ${shortOid(from)} to ${shortOid(to)} at ${new Date(at * 1000).toISOString()}, and nobody released that`,
      fix: accept(ref, from, to),
    }));
}

const STRAYED_MAX = 5;

function breached({ ref, tip, released }: BranchStanding): Trouble {
  return {
    code: "branch-breached",
    message: `${shortRef(ref)} stands at ${shortOid(tip)}, and nobody released that: released moves lead to ${shortOid(released)}`,
    fix: accept(ref, released, tip),
  };
}

function accept(ref: string, from: string, to: string): Trouble["fix"] {
  const says = "Look at it and put the branch back, or a person accepts it";
  return openingOf({ ref, from, to }, says, true);
}

function isSymbolic(ref: string, to: string): Trouble {
  return {
    code: "branch-symbolic",
    message: `${shortRef(ref)} is no branch of its own any more: it stands for ${to}`,
    fix: `Find out who did it, then make it one again: git symbolic-ref --delete ${ref}, and git update-ref.`,
  };
}

function unknown(message: string): Trouble {
  return {
    code: "fence-journal",
    message: `Whether there is a fence is not known: ${message}`,
    fix: remedy(
      "verify",
      { all: true },
      "Restore the journal of the repository from a backup; see which line",
    ),
  };
}
