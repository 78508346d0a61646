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
import { basesOf } from "./policy.ts";
import { weakened } from "./weaker.ts";

/**
 * Records which policy is in force. The first committed policy is accepted as it is, and one that requires at
 * least as much replaces the accepted one. A weaker policy waits for a person to accept it.
 */
export async function followPolicy(parts: Parts): Promise<void> {
  const bases = await basesOf(parts);
  const { accepted, remembered, committed } = bases;
  const [now] = committed;
  const isWeaker = weakened(bases).length > 0;
  // The repository's journal is gone, but a workflow still knows what was agreed on. The new journal starts from
  // that.
  const first = isWeaker ? remembered : now;
  if (first === undefined || first.from === "worktree") return;
  if (accepted !== undefined && (isWeaker || now === undefined || sameAs(accepted, now))) return;
  if (unfulfilled(first).length > 0) return;
  const vars = { accepted: toJson(first), heads: await openWorld(parts).heads() };
  // The journal may already exist for another reason, such as a fence.
  const { state } = await parts.journal.load(`${REPOSITORY}:${REPOSITORY}`);
  await put(
    parts,
    !Object.hasOwn(state.units, ROOT)
      ? { type: "workflow.start", workflow: REPOSITORY, vars }
      : { type: "unit.move", unit: ROOT, move: "follow" },
  );
}

/** A refusal is ignored: another process was faster and has recorded the same. */
async function put(parts: Parts, command: Command): Promise<void> {
  const family = await parts.families.get(REPOSITORY);
  if (family === undefined) return;
  await submit(parts, { family, workflow: REPOSITORY, command, actor: ENGINE, session: "engine" });
}

function sameAs(a: Basis, b: Basis): boolean {
  return canonicalJson({ ...a, from: "" }) === canonicalJson({ ...b, from: "" });
}
