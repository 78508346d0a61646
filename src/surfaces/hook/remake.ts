import { compose } from "../../compose/compose.ts";
import { makeWatch } from "../../engine/watch.ts";
import type { Watch } from "../../watch/watch.ts";
import type { Env } from "./clients/client.ts";

/** Rebuilds what is held from the journals; a text says why that failed. */
export async function makeWatchAt(cwd: string, env: Env): Promise<Watch | string> {
  try {
    const composed = await compose({ cwd, readOnly: true, env });
    if (composed.kind === "failed") return composed.message;
    try {
      return await makeWatch(composed.parts);
    } finally {
      await composed.parts.journal.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
