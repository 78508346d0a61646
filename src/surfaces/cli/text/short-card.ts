/** What an open question is about, in one line. Shown under every menu if a policy asks for proof. */
import { object, objects } from "../../../core/values/json-read.ts";
import { find } from "../../../engine/engine.ts";
import { cardIn } from "../../../engine/look/look.ts";
import { oneLook } from "../../../engine/look/reading.ts";
import { openWorld } from "../../../engine/parts.ts";
import type { Parts } from "../../../engine/parts.ts";
import { inForce } from "../../../engine/release/policy.ts";
import { againIn } from "../../../operations/parts/again.ts";
import type { Standing, Taken } from "../../../operations/parts/answers.ts";
import { ruleText } from "./card-text.ts";

type Asked = Pick<Standing, "workflow" | "protocol" | "held">;

export async function shortCardOf(
  parts: Parts,
  { workflow, protocol, held }: Asked,
): Promise<string | undefined> {
  const [first] = held;
  if (first === undefined) return undefined;
  const world = openWorld(oneLook(parts));
  if (inForce(await world.bases(), protocol).length === 0) return undefined;
  const found = await find(parts, `${protocol}:${workflow}`);
  if (found.kind === "refused") return undefined;
  const card = await cardIn(world, found, first.id);
  if (typeof card === "string") return `What is to be released cannot be read in full: ${card}`;
  const evidence = objects(card.evidence);
  const stale = evidence.filter((one) => one["holds"] !== true).length;
  const waived = card.waivers.length === 0 ? "" : `, ${card.waivers.length} waived`;
  const weaker = card.weakened.length === 0 ? "" : ", a weaker policy waits to be accepted";
  return `Released by: ${ruleText(object(card.rule))}. ${evidence.length - stale} findings hold, ${stale} do not${waived}${weaker}.`;
}

/** If a command ends at a question, adds what has changed since it was last asked. */
export async function withAgain(parts: Parts, answer: Taken): Promise<Taken> {
  if (answer.held.length === 0 || answer.again !== undefined) return answer;
  const found = await find(parts, `${answer.protocol}:${answer.workflow}`);
  const again = found.kind === "refused" ? [] : await againIn(oneLook(parts), found);
  return again.length === 0 ? answer : { ...answer, again };
}
