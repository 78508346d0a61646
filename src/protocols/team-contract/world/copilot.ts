import type { JsonObject } from "../../../core/values/json.ts";
import type { World } from "../../../ports/family.ts";

/** A project may have its own instructions for every agent. */
export const COPILOT = ".github/copilot-instructions.md";

/** Whether they exist, and when that was checked. */
export async function copilotOf({ workspace, now }: World): Promise<JsonObject> {
  return { exists: (await workspace.digest(COPILOT)) !== undefined, at: now };
}
