import { refused, start } from "../../engine/engine.ts";
import { replyTo, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const startVerb: Verb = {
  summary: "Begin a workflow",
  usage:
    "start <name> [--protocol <protocol>] [--type <type>] [--brief <text>] [--mode express|manual]",
  options: {
    protocol: { type: "string", about: "which protocol it follows (default: plugin-workflow)" },
    type: { type: "string", about: "plugin workflow: Audio Effect, MIDI Instrument or Synth" },
    brief: { type: "string", about: "what it is to be, in a sentence" },
    mode: { type: "string", about: "express goes on without asking until something is odd" },
    goal: { type: "string", about: "team contract: what the user wants" },
  },
  examples: [
    'holdpoint start TapeDelay --brief "A warm tape delay"',
    'holdpoint start ClapMachine --type "MIDI Instrument" --json',
  ],
  run,
};

async function run({ parts, args, flags, caller }: Call): Promise<Reply> {
  const [id, extra] = args;
  if (id === undefined || extra !== undefined)
    return usageReply("start needs one name.", `Usage: holdpoint ${startVerb.usage}`);
  const name = typeof flags["protocol"] === "string" ? flags["protocol"] : "plugin-workflow";
  const family = parts.families.find((one) => one.protocol.name === name);
  if (family === undefined) {
    return usageReply(
      `There is no protocol "${name}".`,
      `Protocols: ${parts.families.map((one) => one.protocol.name).join(", ")}.`,
    );
  }
  if (flags["mode"] !== undefined && flags["mode"] !== "express" && flags["mode"] !== "manual") {
    const refusal = {
      code: "mode-unknown",
      message: "The mode is express or manual",
      fix: "Use --mode express or --mode manual.",
      rule: "PW-312",
    };
    return replyTo(refused([refusal], id), family);
  }
  return replyTo(await start(parts, family, { id, options: flags, caller }), family);
}
