/** Sealed files that have changed since they were sealed. Reported at once, not only with the next report. */
import type { Refusal } from "../../core/decide/answer.ts";
import { cite } from "../../core/table/cite.ts";
import { lookUp } from "../../engine/look/look.ts";
import { openWorld } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";
import { liveWorkflows } from "./live.ts";

export interface Broken {
  /** The fact that differs. */
  readonly key: string;
  readonly refusal: Refusal;
}

const TOLD_MAX = 5;

export async function brokenSeals(parts: Parts): Promise<readonly Broken[]> {
  const world = openWorld(parts);
  const broken: Broken[] = [];
  for (const { family, state } of (await liveWorkflows(parts)).found) {
    const seals = Object.values(state.seals);
    const keys = seals.map(({ artifact }) => `digest:${artifact}`);
    const facts = keys.length === 0 ? {} : await lookUp(family, world, state, keys);
    for (const { artifact, digest } of seals) {
      const now = facts[`digest:${artifact}`] ?? null;
      if (now === digest) continue;
      const refusal = {
        code: "sealed-artifact",
        message: `${artifact} is sealed for ${state.id}, and is not what it was when it was sealed`,
        fix: "Put it back as it was; else the next report is held, and a person is asked.",
        rule: "core",
      };
      broken.push({
        key: `${artifact} ${JSON.stringify(now)}`,
        refusal: cite(family.protocol, refusal),
      });
    }
  }
  return broken.slice(0, TOLD_MAX);
}
