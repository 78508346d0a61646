import type { Actor } from "../core/state/commands.ts";

/** Who is asking, and for which session. */
export interface Caller {
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  /** The command's id, if the caller may have to ask again: the same one again answers what it answered before. */
  readonly id?: string;
}

/** The same caller with something else than what was asked for: the id belongs to that alone. */
export function aside(caller: Caller): Caller {
  const { id: _, ...same } = caller;
  return same;
}
