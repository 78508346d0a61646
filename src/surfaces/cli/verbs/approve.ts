import { ROOT } from "../../../core/state.ts";
import { attest } from "../../../engine/attest.ts";
import { act } from "../../../engine/engine.ts";
import { openWorld } from "../../../engine/parts.ts";
import { openWorkflow } from "../open.ts";
import { refusedReply, replyTo, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const approveVerb: Verb = {
  summary: "Vouch for what only a person can check, or do without it (people only)",
  usage: "approve <name> <what> [--waive --reason <text>]",
  options: {
    waive: { type: "boolean", about: "do without a criterion or an agent; needs a reason" },
    reason: { type: "string", about: "why; recorded" },
  },
  examples: [
    'holdpoint approve 2026-02-17_add-dark-mode "manual: it is dark"',
    'holdpoint approve 2026-02-17_add-dark-mode AC-003 --waive --reason "next release"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, ...words] = call.args;
  const what = words.join(" ").trim();
  if (id === undefined || what === "")
    return usageReply("approve needs a name and what.", `Usage: holdpoint ${approveVerb.usage}`);
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  const { parts, caller, flags } = call;
  if (flags["waive"] !== true)
    return replyTo(await attest(parts, found, what, caller), found.family);
  const waivable = await found.family.attest.waivable(openWorld(parts), found.state);
  if (waivable?.includes(what) === false)
    return refusedReply([
      {
        code: "waiver-unknown",
        message: `"${what}" is nothing that ${id} could do without`,
        fix: waivable.length === 0 ? "There is nothing." : `These are: ${waivable.join(", ")}.`,
        rule: "core",
      },
    ]);
  const reason = typeof flags["reason"] === "string" ? flags["reason"] : "";
  const command = { type: "gate.waive", unit: ROOT, gate: what, reason } as const;
  return replyTo(await act(parts, found, command, caller), found.family);
}
