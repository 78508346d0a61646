/** The fence as the repository's own journal has it: which branches, from where on, by which hook, opened for what. */
import type { Act, Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { REPOSITORY } from "../../core/state/policy.ts";
import type { Workflow } from "../../core/state/state.ts";
import { isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import type { FenceHook } from "../../ports/fence.ts";

export const REPOSITORY_STREAM: string = `${REPOSITORY}:${REPOSITORY}`;

/** The question a person is asked before a branch may move otherwise than by what is released. */
export const OPENING = "open-fence";

/** One move of one branch; an empty id stands for no branch. */
export interface RefMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

/** What is wrong, or why not; what helps is said by each surface in its own words. */
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

/** How long a move that a person has allowed may wait until it is made. */
const OPEN_MINUTES = 15;

/** Undefined where there is none, or none any more. */
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

/** For exactly one move, and not for long. A clock that jumped back opens nothing. */
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

/** How a person lets a branch make one move, or accepts that it has made it. */
export function openingOf({ ref, from, to }: RefMove, says: string, past = false): Act {
  const target = to === "" ? { delete: true } : { commit: shortOid(to) };
  const since = past ? { from: shortOid(from) } : {};
  const input = { action: "open", what: shortRef(ref), ...target, ...since, reason: "..." };
  return remedy("fence", input, says);
}
