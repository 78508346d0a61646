import type { Command } from "../../../core/commands.ts";
import { ROOT } from "../../../core/state.ts";
import type { Workflow } from "../../../core/state.ts";
import { act, start } from "../../../engine/engine.ts";
import { streamOf } from "../../../engine/parts.ts";
import { openWorkflow } from "../open.ts";
import { replyTo, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const lockVerb: Verb = {
  summary: "Take a workflow for this session, give it back, or break another's lease",
  usage: "lock <name> [--release | --break --reason <text>]",
  options: {
    release: { type: "boolean", about: "give it back; only its owner can" },
    break: { type: "boolean", about: "end the lease of a session that is gone (people only)" },
    reason: { type: "string", about: "why; recorded" },
  },
  examples: [
    "holdpoint lock add-parser",
    "holdpoint lock add-parser --release",
    "holdpoint lock main",
    'holdpoint lock add-parser --break --reason "the session crashed an hour ago"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, extra] = call.args;
  const { release, break: breaks, reason } = call.flags;
  if (id === undefined || extra !== undefined || (release === true && breaks === true))
    return usageReply(
      "lock needs one name, and at most one of --release and --break.",
      `Usage: holdpoint ${lockVerb.usage}`,
    );
  const standing = await beginStanding(call, id);
  if (standing !== undefined) return standing;
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  const why = typeof reason === "string" ? reason : "";
  const command: Command =
    release === true
      ? { type: "lease.release" }
      : breaks === true
        ? { type: "lease.break", reason: why }
        : { type: "lease.take", previous: "none", why };
  const outcome = await act(call.parts, found, command, call.caller);
  const state = outcome.kind === "failed" ? found.state : outcome.state;
  return replyTo(outcome, found.family, { json: { lease: leaseJson(state) } });
}

/** What is always there has no start of its own: taking it for the first time begins it. */
async function beginStanding(
  { parts, caller, flags }: Call,
  id: string,
): Promise<Reply | undefined> {
  if (flags["release"] === true || flags["break"] === true) return undefined;
  const family = (await parts.families.all()).find((one) => one.names.standing === id);
  if (family === undefined) return undefined;
  const { state } = await parts.journal.load(streamOf(family, id));
  if (ROOT in state.units) return undefined;
  const outcome = await start(parts, family, { id, options: {}, caller });
  const now = outcome.kind === "failed" ? state : outcome.state;
  return replyTo(outcome, family, { json: { lease: leaseJson(now) } });
}

function leaseJson({ lease }: Workflow): { readonly [name: string]: string | number } | null {
  return lease === null ? null : { ...lease };
}
