/**
 * The fence as recorded in the repository's own journal: which branches, from which commits on, which hook, and
 * what it was opened for.
 */
import type { Act, Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { REPOSITORY } from "../../core/state/policy.ts";
import type { Workflow } from "../../core/state/state.ts";
import { isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import type { FenceHook } from "../../ports/fence.ts";

export const REPOSITORY_STREAM: string = `${REPOSITORY}:${REPOSITORY}`;

/** The question asked of a person before a branch may move without a release from a workflow. */
export const OPENING = "open-fence";

/** One move of one branch. An empty id means that the branch does not exist. */
export interface RefMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

/** What is wrong, or why not; each surface phrases the remedy. */
export type Trouble = Pick<Refusal, "code" | "message" | "fix">;

export interface Fence {
  /** Where each protected branch stood when the fence was put up. */
  readonly refs: Readonly<Record<string, string>>;
  readonly since: string;
  readonly hook: FenceHook;
  readonly openings: readonly Opening[];
}

export interface Opening extends RefMove {
  readonly at: string;
  readonly by: string;
}

/** How many minutes a move that a person has allowed stays allowed. */
const OPEN_MINUTES = 15;

/** Undefined if there is no fence, or it was taken down. */
export function fenceOf(state: Workflow): Fence | undefined {
  const { fence } = state.vars;
  if (!isJsonObject(fence) || !isHook(fence["hook"])) return undefined;
  const refs = Object.entries(object(fence["refs"])).map(([ref, tip]) => [ref, text(tip)] as const);
  return {
    refs: Object.fromEntries(refs),
    since: text(fence["since"]),
    hook: fence["hook"],
    openings: openingsOf(state),
  };
}

function isHook(value: Json | undefined): value is FenceHook {
  return (
    isJsonObject(value) && typeof value["directory"] === "string" && isJsonObject(value["files"])
  );
}

export function openingsOf({ decisions }: Workflow): readonly Opening[] {
  return Object.values(decisions).flatMap(({ question, about, settled }) => {
    if (question !== OPENING || settled?.option !== "open") return [];
    return [{ ...moveIn(about), at: settled.at, by: settled.by }];
  });
}

/** The move that people were asked about. */
export function moveIn({ ref, from, to }: JsonObject): RefMove {
  return { ref: text(ref), from: text(from), to: text(to) };
}

/**
 * Whether the fence is open for exactly this move, for a limited time. A clock that was set back must not extend
 * that.
 */
export function isOpenFor({ openings }: Fence, move: RefMove, now: string): boolean {
  return openings.some((one) => {
    const age = Date.parse(now) - Date.parse(one.at);
    return isSame(one, move) && age >= -CLOCK_MS_MAX && age <= OPEN_MINUTES * 60_000;
  });
}

const CLOCK_MS_MAX = 60_000;

export function isSame(one: RefMove, other: RefMove): boolean {
  return one.ref === other.ref && one.from === other.from && one.to === other.to;
}

export function shortRef(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

export function shortOid(oid: string): string {
  return oid === "" ? "nothing" : oid.slice(0, 12);
}

/** The command by which a person allows one move, or accepts one that has already happened. */
export function openingOf({ ref, from, to }: RefMove, says: string, past = false): Act {
  const target = to === "" ? { delete: true } : { commit: shortOid(to) };
  const since = past ? { from: shortOid(from) } : {};
  const input = { action: "open", what: shortRef(ref), ...target, ...since, reason: "..." };
  return remedy("fence", input, says);
}
