import type { Claim } from "../../../core/state/commands.ts";
import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { designSpecPath, sessionPath } from "../files/session-name.ts";
import type { World } from "../../../ports/family.ts";

/**
 * A design spec of up to eighty lines may be inside the Designer's reply. Gates and other agents need a file, so
 * it is written to one, replacing an earlier one.
 */
export async function deliver(world: World, state: Workflow, claim: Claim): Promise<void> {
  const text = inlineSpec(claim);
  if (text === undefined) return;
  const path = sessionPath(state.id, designSpecPath(showJson(state.vars["goal"] ?? "")));
  const file = await world.workspace.read(path);
  if (file.kind === "unreadable" || (file.kind === "text" && file.text === text)) return;
  if (file.kind === "text") await world.blobs.put(file.text);
  await world.workspace.install(path, text, file.kind === "text" ? file.text : null);
}

function inlineSpec({ agent, reply }: Claim): string | undefined {
  const artifacts = isJsonObject(reply) ? reply["artifacts"] : undefined;
  const text = isJsonObject(artifacts) ? artifacts["design_spec_inline"] : undefined;
  if (agent !== "Designer" || typeof text !== "string" || text.trim() === "") return undefined;
  return text.endsWith("\n") ? text : `${text}\n`;
}
