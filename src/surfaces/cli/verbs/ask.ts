import { ROOT } from "../../../core/state.ts";
import type { Question } from "../../../core/protocol.ts";
import { act } from "../../../engine/engine.ts";
import { openWorkflow } from "../open.ts";
import { refusedReply, replyTo, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const askVerb: Verb = {
  summary: "Put a question to a person; it is recorded before anybody sees it",
  usage: "ask <name> <question> [--origin <origin>] [--unit <unit>]",
  options: {
    origin: { type: "string", about: "where it comes from: requirements, design or scope" },
    unit: { type: "string", about: "which task it is about" },
    kind: {
      type: "string",
      about: "which question of the protocol (default: the one with free text)",
    },
  },
  examples: [
    'holdpoint ask 2026-02-17_add-dark-mode "Shall it follow the system?" --origin requirements',
    'holdpoint answer 2026-02-17_add-dark-mode "yes"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, ...words] = call.args;
  const text = words.join(" ").trim();
  if (id === undefined || text === "")
    return usageReply("ask needs a name and a question.", `Usage: holdpoint ${askVerb.usage}`);
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  const { family } = found;
  const { origin, unit, kind } = call.flags;
  const question = typeof kind === "string" ? kind : askable(family.protocol.questions);
  if (question === undefined)
    return refusedReply([
      {
        code: "ask-illegal",
        message: `${family.protocol.title} asks its questions itself; none can be added`,
        fix: `See holdpoint next ${id} for what is open.`,
        rule: "core",
      },
    ]);
  const command = {
    type: "decision.ask",
    question,
    unit: typeof unit === "string" ? unit : ROOT,
    about: { question: text, origin: typeof origin === "string" ? origin : "requirements" },
  } as const;
  return replyTo(await act(call.parts, found, command, call.caller), family);
}

/** The question that agents may ask in their own words. */
function askable(questions: Readonly<Record<string, Question>>): string | undefined {
  return Object.entries(questions).find(([, one]) => one.by?.includes("agent") === true)?.[0];
}
