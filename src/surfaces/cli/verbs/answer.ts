import type { Decision, Workflow } from "../../../core/state.ts";
import { detailsOf } from "../../../engine/details.ts";
import { act } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import type { Accepted } from "../../../engine/outcome.ts";
import { openWorld } from "../../../engine/parts.ts";
import { withBrief } from "../brief.ts";
import { formatMenu } from "../menu.ts";
import { openWorkflow } from "../open.ts";
import { openDecisions, refusedReply, usageReply } from "../reply.ts";
import { safe } from "../style.ts";
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
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
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
  const text = words.length > 0 ? words.join(" ") : await askFor(call, found, decision);
  if (text === undefined)
    return await withBrief(
      openWorld(call.parts),
      found,
      usageReply(
        `Say which choice.\n\n${formatMenu(decision)}`,
        `Usage: holdpoint ${answerVerb.usage}`,
      ),
      { advice: false },
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
  const reply = await withOrder(call, found, outcome);
  if (outcome.kind !== "held") return reply;
  if (isLook(outcome)) return withDetails(reply, outcome.state);
  const now = { ...found, state: outcome.state };
  return await withBrief(openWorld(call.parts), now, reply, { advice: false });
}

/** The choice only asked to see something: the question stays open. */
function isLook({ events }: Accepted): boolean {
  return events.some((event) => event.type === "option.looked");
}

function withDetails(reply: Reply, state: Workflow): Reply {
  const shown = detailsOf(state);
  return {
    ...reply,
    json: { ...reply.json, shown: [...shown] },
    text: [...shown.map(safe), "", reply.text].join("\n"),
  };
}

/** The named one, even if it is settled (the refusal then says how), else the oldest that is open. */
function pickDecision(
  { state }: Found,
  wanted: string | boolean | undefined,
): Decision | undefined {
  if (typeof wanted === "string") return state.decisions[wanted];
  return openDecisions(state)[0] ?? Object.values(state.decisions).at(-1);
}

async function askFor(call: Call, found: Found, decision: Decision): Promise<string | undefined> {
  if (!call.terminal.interactive) return undefined;
  const menu: Reply = { exit: 0, json: {}, text: formatMenu(decision).replace(/_$/, "") };
  const { text } = await withBrief(openWorld(call.parts), found, menu, { advice: false });
  return await call.terminal.ask(text);
}
