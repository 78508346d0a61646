import { find, resettle } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { failedReply, refusedReply } from "./reply.ts";
import { safe } from "./style.ts";
import type { Call, Reply } from "./verb.ts";

/**
 * The workflow that a changing verb is about, after whatever a crash left undone is finished: also a
 * verb that is then refused leaves files and journal in agreement.
 */
export async function openWorkflow(call: Call, id: string): Promise<Found | Reply> {
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const settled = await resettle(call.parts, found, call.caller.session, call.caller.actor);
  if (settled.kind === "failed") return failedReply(settled);
  for (const warning of settled.warnings) call.terminal.note(`! ${safe(warning)}`);
  for (const { short } of settled.commits)
    call.terminal.note(`! finished what was interrupted: commit ${short}`);
  return { family: found.family, state: settled.state };
}
