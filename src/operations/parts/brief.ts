import type { Found } from "../../engine/engine.ts";
import { openWorld } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";
import type { Advice, World } from "../../ports/family.ts";
import { againIn } from "./again.ts";
import type { Again } from "./again.ts";

/** What a person must see before answering, and what to do next. Part of `status`, `next` and every hold. */
export interface Brief {
  readonly shown?: readonly string[];
  readonly advice?: readonly Advice[];
  /** For questions that were asked before: what has changed since. */
  readonly again?: readonly Again[];
}

export async function briefOf(
  parts: Parts,
  found: Found,
  wants: { readonly advice: boolean; readonly world?: World },
): Promise<Brief> {
  const world = wants.world ?? openWorld(parts);
  const { shown, advice } = await found.family.words.brief(world, found.state);
  const again = await againIn(parts, found);
  return {
    ...(shown.length === 0 ? {} : { shown }),
    ...(wants.advice && advice.length > 0 ? { advice } : {}),
    ...(again.length === 0 ? {} : { again }),
  };
}
