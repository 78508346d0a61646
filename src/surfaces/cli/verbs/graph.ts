import { drawMachine } from "../../../core/draw.ts";
import { ROOT } from "../../../core/state.ts";
import { find } from "../../../engine/engine.ts";
import { refusedReply, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const graphVerb: Verb = {
  summary: "Draw a protocol as a Mermaid diagram, or a workflow with the place where it stands",
  usage: "graph <name or protocol> [--kind <kind>]",
  options: {
    kind: { type: "string", about: "which of its machines (default: the workflow's own)" },
  },
  examples: ["holdpoint graph team-contract", "holdpoint graph TapeDelay > tape-delay.mmd"],
  readOnly: () => true,
  run,
};

async function run({ parts, args, flags }: Call): Promise<Reply> {
  const [name, extra] = args;
  if (name === undefined || extra !== undefined)
    return usageReply("graph needs one name.", `Usage: holdpoint ${graphVerb.usage}`);
  const known = await parts.families.get(name);
  const found = known === undefined ? await find(parts, name) : undefined;
  if (found?.kind === "refused") return refusedReply(found.refusals);
  const protocol = (known ?? found?.family)?.protocol;
  if (protocol === undefined) return usageReply(`There is no "${name}".`, "See holdpoint list.");
  const kind = typeof flags["kind"] === "string" ? flags["kind"] : protocol.root;
  if (!Object.hasOwn(protocol.kinds, kind))
    return usageReply(
      `${protocol.title} has no machine "${kind}".`,
      `It has: ${Object.keys(protocol.kinds).join(", ")}.`,
    );
  const here = kind === protocol.root ? found?.state.units[ROOT]?.at : undefined;
  const text = drawMachine(protocol, kind, here);
  const json = { ok: true, protocol: protocol.name, kind, at: here ?? null, mermaid: text };
  return { exit: 0, json, text: text.trimEnd() };
}
