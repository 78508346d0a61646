import type { JsonObject } from "../../core/json.ts";
import { openWorld } from "../../engine/parts.ts";
import type { Choice } from "../../ports/family.ts";
import { safe, style } from "./style.ts";
import type { Call, Reply } from "./verb.ts";

/** What could be started here, from every family that keeps a list of work, behind what runs already. */
export async function withChoices({ parts }: Call, reply: Reply): Promise<Reply> {
  const families = await parts.families.all();
  const world = openWorld(parts);
  const found = await Promise.all(families.map(async (family) => await family.choice(world)));
  const choices = found.filter((one) => one !== undefined);
  if (choices.length === 0) return reply;
  const json: JsonObject = { ...reply.json, choices: choices.map(jsonOf) };
  const empty = Array.isArray(reply.json["workflows"]) && reply.json["workflows"].length === 0;
  const text = [...(empty ? [] : [reply.text, ""]), ...choices.flatMap(linesOf)].join("\n");
  return { ...reply, json, text };
}

function jsonOf({ next, run, counts, checked }: Choice): JsonObject {
  return { next, run: [...run], counts, checked: checked.map((one) => ({ ...one })) };
}

function linesOf({ next, run, counts, checked }: Choice): readonly string[] {
  const { good, dim, warn } = style();
  const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return [
    next === null
      ? warn(`Nothing can be started: ${sums.join(", ")}`)
      : `${good("→")} ${safe(next)} can be started`,
    ...run.map((line) => dim(`    ${safe(line)}`)),
    ...checked
      .filter((one) => one.name !== next)
      .map((one) => dim(`  ${safe(one.name).padEnd(24)} ${safe(one.why)}`)),
  ];
}
