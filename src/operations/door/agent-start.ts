/** Assigns a piece of work to the subagent that was started for it. */
import { sameRole } from "../../core/decide/work/taken.ts";
import { act } from "../../engine/engine.ts";
import type { Context } from "../operation.ts";
import { liveWorkflows, outIn } from "./live.ts";
import type { Live, Out } from "./live.ts";

export interface Begun {
  /** The new agent, a subagent of the caller. */
  readonly agent: string;
  /** Its prompt, if known. */
  readonly prompt?: string;
  /** The client's name for this kind of agent. */
  readonly type?: string;
}

/** Called for the main agent that started it. Returns what the new agent has; empty if that is not clear. */
export async function takeForAgent(
  { parts, caller }: Context,
  begun: Begun,
): Promise<Out | undefined> {
  const live = await liveWorkflows(parts);
  const [only, second] = named(live, begun) ?? ofRole(live, begun);
  if (only === undefined || second !== undefined) return undefined;
  const { found, dispatch } = only;
  const command = { type: "dispatch.take", dispatch: dispatch.id, agent: begun.agent } as const;
  const outcome = await act(parts, found, command, caller);
  return outcome.kind === "refused" || outcome.kind === "failed" ? undefined : only;
}

/** The work whose id is in the prompt, together with its workflow's name if several are under way. */
function named(live: Live, { prompt }: Begun): readonly Out[] | undefined {
  if (prompt === undefined) return undefined;
  const words = new Set(
    prompt
      .slice(0, PROMPT_CHARS_MAX)
      .match(/[\w.-]+/g)
      ?.map(bare) ?? [],
  );
  const fitting = outIn(live).filter(
    ({ found, dispatch }) =>
      words.has(dispatch.id) && (live.found.length === 1 || words.has(found.state.id)),
  );
  return fitting.length === 0 ? undefined : fitting;
}

const PROMPT_CHARS_MAX = 100_000;

/** The word without punctuation at its end. */
function bare(word: string): string {
  return word.replace(/[.-]+$/, "");
}

/** Unassigned work for the role this agent was started in. */
function ofRole(live: Live, { type }: Begun): readonly Out[] {
  if (type === undefined) return [];
  return outIn(live).filter(
    ({ dispatch }) => dispatch.agent === undefined && sameRole(dispatch.role, type),
  );
}
