/** A subagent that was started for a piece of work has it. */
import { sameRole } from "../../core/decide/work/taken.ts";
import { act } from "../../engine/engine.ts";
import type { Context } from "../operation.ts";
import { liveWorkflows, outIn } from "./live.ts";
import type { Live, Out } from "./live.ts";

export interface Begun {
  /** The new agent, below the one that calls. */
  readonly agent: string;
  /** What it was told, where that is known. */
  readonly prompt?: string;
  /** What its client calls this kind of agent. */
  readonly type?: string;
}

/** The caller is the main agent that started it. Says what the agent has, and nothing where it is not clear. */
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

/** Work whose id stands in the prompt, beside its workflow's name where several are under way. */
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

/** A word at the end of a sentence. */
function bare(word: string): string {
  return word.replace(/[.-]+$/, "");
}

/** Work that nobody has, for the role that this agent was started as. */
function ofRole(live: Live, { type }: Begun): readonly Out[] {
  if (type === undefined) return [];
  return outIn(live).filter(
    ({ dispatch }) => dispatch.agent === undefined && sameRole(dispatch.role, type),
  );
}
