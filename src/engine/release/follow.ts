import type { Command } from "../../core/state/commands.ts";
import { REPOSITORY } from "../../core/state/policy.ts";
import type { Basis } from "../../core/state/policy.ts";
import { ROOT } from "../../core/state/state.ts";
import { canonicalJson, toJson } from "../../core/values/json.ts";
import { ENGINE } from "../caller.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { submit } from "../submit.ts";
import { unfulfilled } from "./fulfil.ts";
import { basesOf, weakened } from "./policy.ts";

/**
 * Keep which policy is in force. The first one that is committed is accepted as it is, and one that asks for no less than
 * the accepted one takes its place; anything weaker waits for a person.
 */
export async function followPolicy(parts: Parts): Promise<void> {
  const bases = await basesOf(parts);
  const { accepted, remembered, committed } = bases;
  const [now] = committed;
  const isWeaker = weakened(bases).length > 0;
  // The repository's journal is gone, and a workflow still knows what was agreed: that is where it begins again.
  const first = isWeaker ? remembered : now;
  if (first === undefined || first.from === "worktree") return;
  if (accepted !== undefined && (isWeaker || now === undefined || sameAs(accepted, now))) return;
  if (unfulfilled(first).length > 0) return;
  const vars = { accepted: toJson(first), heads: await openWorld(parts).heads() };
  // Its journal may have begun for something else, such as a fence.
  const { state } = await parts.journal.load(`${REPOSITORY}:${REPOSITORY}`);
  await put(
    parts,
    !Object.hasOwn(state.units, ROOT)
      ? { type: "workflow.start", workflow: REPOSITORY, vars }
      : { type: "unit.move", unit: ROOT, move: "follow" },
  );
}

/** Who was faster has recorded the same; a refusal is no news. */
async function put(parts: Parts, command: Command): Promise<void> {
  const family = await parts.families.get(REPOSITORY);
  if (family === undefined) return;
  await submit(parts, { family, workflow: REPOSITORY, command, actor: ENGINE, session: "engine" });
}

function sameAs(a: Basis, b: Basis): boolean {
  return canonicalJson({ ...a, from: "" }) === canonicalJson({ ...b, from: "" });
}
