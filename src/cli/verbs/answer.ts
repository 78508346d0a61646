import type { Decision } from "../../core/state.ts";
import { act, find } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { formatMenu } from "../menu.ts";
import { openDecisions, refusedReply, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { withOrder } from "./advance.ts";

export const answerVerb: Verb = {
  summary: "Answer the question a workflow waits with (people only)",
  usage: "answer <name> [<choice>] [--reason <text>] [--decision <id>] [--nonce <nonce>]",
  options: {
    reason: { type: "string", about: "why; some choices need it, and it is recorded" },
    decision: { type: "string", about: "which question, where several are open" },
    nonce: { type: "string", about: "refuse if the question was asked anew since it was shown" },
  },
  examples: [
    "holdpoint answer TapeDelay",
    "holdpoint answer TapeDelay 1",
    "holdpoint answer TapeDelay continue --json",
    'holdpoint answer TapeDelay update --reason "the client changed the brief"',
    'holdpoint answer TapeDelay "other: look at the filter first"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, ...words] = call.args;
  if (id === undefined)
    return usageReply("answer needs a name.", `Usage: holdpoint ${answerVerb.usage}`);
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const decision = pickDecision(found, call.flags["decision"]);
  if (decision === undefined) {
    return refusedReply([
      {
        code: "nothing-to-answer",
        message: `${id} waits for no answer`,
        fix: `holdpoint next ${id} shows what can be done.`,
        rule: "PW-242",
      },
    ]);
  }
  const text = words.length > 0 ? words.join(" ") : await askFor(call, decision);
  if (text === undefined)
    return usageReply(
      `Say which choice.\n\n${formatMenu(decision)}`,
      `Usage: holdpoint ${answerVerb.usage}`,
    );
  const { reason, nonce } = call.flags;
  const command = {
    type: "decision.answer",
    decision: decision.id,
    text,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof nonce === "string" ? { nonce } : {}),
  } as const;
  const outcome = await act(call.parts, found, command, call.caller);
  return await withOrder(call, found, outcome);
}

/** The named one, even if it is settled (the refusal then says how), else the oldest that is open. */
function pickDecision(
  { state }: Found,
  wanted: string | boolean | undefined,
): Decision | undefined {
  if (typeof wanted === "string") return state.decisions[wanted];
  return openDecisions(state)[0] ?? Object.values(state.decisions).at(-1);
}

async function askFor(call: Call, decision: Decision): Promise<string | undefined> {
  if (!call.terminal.interactive) return undefined;
  return await call.terminal.ask(formatMenu(decision).replace(/_$/, ""));
}
