import { compose } from "../../compose/compose.ts";
import type { Composed } from "../../compose/compose.ts";
import type { Failed } from "../../engine/outcome.ts";

export interface Opened {
  readonly kind: "opened";
  readonly composed: Extract<Composed, { readonly kind: "open" }>;
  /** Why the store can only be read. */
  readonly shut?: Failed;
}

/**
 * Opens the repository here. A store that cannot be written is opened for reading, so that a command can be left
 * in the inbox.
 */
export async function open(cwd: string, readOnly: boolean): Promise<Opened | Failed> {
  const composed = await compose({ cwd, readOnly });
  if (composed.kind === "open") return { kind: "opened", composed };
  if (composed.code !== "unwritable" || readOnly) return composed;
  const looked = await compose({ cwd, readOnly: true });
  return looked.kind === "open" ? { kind: "opened", composed: looked, shut: composed } : composed;
}
