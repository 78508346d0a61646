import type { JsonObject } from "../../core/json.ts";
import type { Found } from "../../engine/engine.ts";
import type { Advice, World } from "../../ports/family.ts";
import { safe, style } from "./style.ts";
import type { Reply } from "./verb.ts";

/** Put before a question what a person must see to answer it, and behind the rest what to do next. */
export async function withBrief(
  world: World,
  { family, state }: Found,
  reply: Reply,
  wants: { readonly advice: boolean },
): Promise<Reply> {
  const brief = await family.words.brief(world, state);
  const shown = brief.shown.map(safe);
  const advice = wants.advice ? brief.advice : [];
  const json: JsonObject = {
    ...reply.json,
    ...(shown.length === 0 ? {} : { shown }),
    ...(advice.length === 0
      ? {}
      : { advice: advice.map((one) => ({ ...one, run: [...one.run] })) }),
  };
  const text = [...shown, ...(shown.length === 0 ? [] : [""]), reply.text, ...adviceLines(advice)];
  return { ...reply, json, text: text.join("\n") };
}

function adviceLines(advice: readonly Advice[]): readonly string[] {
  const { bold, dim } = style();
  return advice.flatMap(({ action, why, run }) => [
    `${bold(`» ${safe(action)}`)} ${safe(why)}`,
    ...run.map((line) => dim(`    ${safe(line)}`)),
  ]);
}
