/** Judges all reference changes of one git call. Either all are allowed or none. */
import { remedy } from "../../core/table/remedy.ts";
import type { Parts } from "../parts.ts";
import { judgeCarried } from "./carried.ts";
import { judgeMove, unreleased } from "./judge.ts";
import { fenceStanding } from "./standing.ts";
import { provenFence } from "./proven.ts";
import type { ProvenFence } from "./proven.ts";
import { openingOf, shortRef } from "./state.ts";
import type { RefMove, Trouble } from "./state.ts";

/** A line of the hook's input: a reference and its new id, empty for deletion. */
export interface RefLine {
  readonly ref: string;
  readonly to: string;
}

export async function judgeAll(
  parts: Parts,
  lines: readonly RefLine[],
): Promise<readonly Trouble[]> {
  // Whether a branch is protected at all is also taken from proven records only.
  const fence = await provenFence(parts);
  if (fence === undefined || "code" in fence) return [unknownFence(fence)];
  const problems: Trouble[] = [];
  for (const line of lines) {
    const problem = await judgeLine(parts, fence, line, lines);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function judgeLine(
  parts: Parts,
  fence: ProvenFence,
  { ref: told, to }: RefLine,
  brought: readonly RefLine[],
): Promise<Trouble | undefined> {
  // A worktree can name a shared reference with a prefix of its own, so the prefix is ignored.
  const ref = told.replace(/^(?:main-worktree|worktrees\/[^/]+)\//, "");
  if (ref.startsWith("refs/replace/")) return to === "" ? undefined : replaced(ref);
  if (ref.startsWith("refs/holdpoint/releases/")) return await judgeCarriedRef(parts, ref, to);
  const known = Object.keys(fence.refs).find((one) => one.toLowerCase() === ref.toLowerCase());
  if (known === undefined) return undefined;
  if (known !== ref || to.startsWith("ref:")) return disguised(known, known === ref ? to : ref);
  const { oid, symbolic, packed, locked } = await parts.fencing.stands(ref);
  // Deleting the reference's own file leaves its packed value. That is what packing references does, and it
  // changes nothing.
  const after = to === "" && !locked ? packed : to;
  if (symbolic === "" && oid !== "" && after === oid) return undefined;
  const move: RefMove = { ref, from: oid, to };
  const problem = await judgeMove(parts, fence, move);
  if (problem === undefined || (await isWayBack(parts, move))) return undefined;
  return parts.place.kind === "none" ? await judgeBrought(parts, move, brought) : problem;
}

/** Without journals here (on a server), a move must be released by what came along with the push. */
async function judgeBrought(
  parts: Parts,
  move: RefMove,
  brought: readonly RefLine[],
): Promise<Trouble | undefined> {
  const why = await judgeCarried(parts, move, { brought, now: parts.clock.now() });
  if (why === undefined) return undefined;
  const says =
    "Let a person release it in the clone that it comes from, signed, and push it with refs/holdpoint/releases/* in one atomic push";
  return {
    ...unreleased(move, `no journal here wants it, and ${why}`),
    fix: openingOf(move, says, true),
  };
}

/** A branch that was moved past the fence may always be moved back to where released moves had led it. */
async function isWayBack(parts: Parts, { ref, from, to }: RefMove): Promise<boolean> {
  const { branches } = await fenceStanding(parts);
  return branches.some((one) => one.ref === ref && one.released === to && to !== "" && from !== to);
}

/** On a server, these references are the record of who released what, so they must not be changed. */
async function judgeCarriedRef(
  { fencing, place }: Parts,
  ref: string,
  to: string,
): Promise<Trouble | undefined> {
  if (place.kind !== "none") return undefined;
  const { oid, packed, locked } = await fencing.stands(ref);
  const after = to === "" && !locked ? packed : to;
  if (oid === "" || after === oid) return undefined;
  return {
    code: "fence-release-kept",
    message: `${ref} is not changed: releases stay as they came, or nobody can tell afterwards who released what`,
    fix: "Push only releases that are not there yet.",
  };
}

function replaced(ref: string): Trouble {
  return {
    code: "fence-replaced",
    message: `${ref} is not written: git would show other content under the id of a commit that was released`,
    fix: "Commit what you mean; a fenced repository has no replacements.",
  };
}

function disguised(ref: string, by: string): Trouble {
  return {
    code: "fence-disguised",
    message: `${shortRef(ref)} is protected, and ${by} would stand for it`,
    fix: "Choose a name that differs in more than capitals, and leave the protected branch one of its own.",
  };
}

function unknownFence(why: Trouble | undefined): Trouble {
  if (why !== undefined) {
    const message = `Which branches are protected is not known, so none of them moves: ${why.message}`;
    return { ...why, message };
  }
  return {
    code: "fence-journal",
    message:
      "A hook of the fence is here, and no journal says which branches it protects: none of them moves",
    fix: remedy(
      "fence",
      { action: "install" },
      "Restore the journals from a backup, or let a person put the fence up anew",
    ),
  };
}
