import type { Found } from "../../engine/engine.ts";
import type { Advice, World } from "../../ports/family.ts";

/** What a person must see before answering, and what to do next; for `status`, `next` and every hold. */
export async function briefOf(
  world: World,
  { family, state }: Found,
  wants: { readonly advice: boolean },
): Promise<{ readonly shown?: readonly string[]; readonly advice?: readonly Advice[] }> {
  const { shown, advice } = await family.words.brief(world, state);
  return {
    ...(shown.length === 0 ? {} : { shown }),
    ...(wants.advice && advice.length > 0 ? { advice } : {}),
  };
}
