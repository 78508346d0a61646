import type { JsonObject } from "../../../core/values/json.ts";
import type { World } from "../../../ports/family.ts";

/** A project may have instructions of its own for every agent. */
export const COPILOT = ".github/copilot-instructions.md";

/** Whether it has them, and when that was looked at. */
export async function copilotOf({ workspace, now }: World): Promise<JsonObject> {
  return { exists: (await workspace.digest(COPILOT)) !== undefined, at: now };
}
