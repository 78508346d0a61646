import { openWorld } from "../../../engine/parts.ts";
import { start } from "../../../engine/engine.ts";
import { refusedReply, replyTo, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const startVerb: Verb = {
  summary: "Begin a workflow",
  usage: "start <name> [--protocol <protocol>] [options]; a team session may go without a name",
  options: {
    protocol: { type: "string", about: "which protocol it follows (default: plugin-workflow)" },
    type: { type: "string", about: "plugin workflow: Audio Effect, MIDI Instrument or Synth" },
    brief: { type: "string", about: "what it is to be, in a sentence" },
    mode: {
      type: "string",
      about: "plugin workflow: express or manual; team contract: full or lean",
    },
    feasibility: {
      type: "string",
      about: "task protocol: yes, or the three findings and what is the user's to choose, as JSON",
    },
    description: { type: "string", about: "task protocol: what it is, if the task list says less" },
    "risk-level": { type: "string", about: "task protocol: HIGH, MEDIUM or LOW (people only)" },
    "force-full-protocol": { type: "boolean", about: "task protocol: every agent, every state" },
    goal: {
      type: "string",
      about: "team contract: what the user wants; the session is named after it",
    },
    "project-type": { type: "string", about: "team contract: web, api, cli, lib or mixed" },
    lean: { type: "boolean", about: "team contract: a small request, the same as --mode lean" },
    criteria: {
      type: "string",
      about: 'team contract: what speaks for lean mode, such as \'{"files":2,"minutes":5}\'',
    },
    ui: {
      type: "boolean",
      about: "team contract: there is something to see, so a Designer takes part",
    },
    research: {
      type: "string",
      about: "team contract: a question for the Researcher to answer first",
    },
    constraint: { type: "string", about: "team contract: something every agent must keep to" },
  },
  examples: [
    'holdpoint start TapeDelay --brief "A warm tape delay"',
    'holdpoint start ClapMachine --type "MIDI Instrument" --json',
    "holdpoint start add-parser --protocol task-protocol --feasibility yes",
    'holdpoint start --protocol team-contract --goal "Add dark mode" --project-type web',
    'holdpoint start --protocol team-contract --goal "Fix the typo in --help" --lean',
  ],
  run,
};

async function run({ parts, args, flags, caller }: Call): Promise<Reply> {
  const usage = `Usage: holdpoint ${startVerb.usage}`;
  const [given, extra] = args;
  if (extra !== undefined) return usageReply("start needs one name.", usage);
  const name = typeof flags["protocol"] === "string" ? flags["protocol"] : "plugin-workflow";
  const family = await parts.families.get(name);
  if (family === undefined) {
    return usageReply(
      `There is no protocol "${name}".`,
      `Protocols: ${parts.families.names.join(", ")}.`,
    );
  }
  const named =
    given === undefined
      ? await family.names.make(openWorld(parts), flags)
      : ({ kind: "named", id: given } as const);
  if (named.kind === "unnamed") return usageReply("start needs one name.", usage);
  if (named.kind === "refused") return refusedReply(named.refusals);
  return replyTo(await start(parts, family, { id: named.id, options: flags, caller }), family);
}
