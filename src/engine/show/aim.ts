/**
 * Before a branch moves, the journal records which branch and where to, so that the fence can check the move
 * against it.
 */
import type { Aim, Effect } from "../../core/state/state.ts";
import type { Memory } from "../../ports/family.ts";
import type { Problem } from "../../ports/problem.ts";
import { ENGINE } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { submit } from "../submit.ts";
import { memoryOf } from "./holder.ts";
import type { Settling } from "./holder.ts";
import { remedyText } from "../../core/table/remedy.ts";

/** What an attempt stores for the next one and for the fence. */
export function attemptOf(parts: Parts, of: Settling, effect: Effect): Memory {
  return {
    ...memoryOf(parts, of, effect),
    aim: async (aim) => await aimAt(parts, of, effect, aim),
  };
}

export async function aimAt(
  parts: Parts,
  { family, workflow, session }: Settling,
  effect: Effect,
  aim: Aim,
): Promise<Problem | undefined> {
  const command = { type: "effect.aim", effect: effect.id, aim } as const;
  const outcome = await submit(parts, { family, workflow, session, actor: ENGINE, command });
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return undefined;
  const why = outcome.kind === "failed" ? outcome : outcome.refusals[0];
  return {
    code: why?.code ?? "aim-refused",
    message: `${aim.ref} is not moved, because the journal does not say so: ${why?.message ?? ""}`,
    fix: remedyText(why?.fix ?? ""),
  };
}
