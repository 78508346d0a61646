import type { Refusal } from "../../../core/answer.ts";
import type { Claim } from "../../../core/commands.ts";
import { act, takeInEdits } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import { openWorld } from "../../../engine/parts.ts";
import { findGaps, restoreViews } from "../../../engine/reconcile.ts";
import type { Gaps } from "../../../engine/reconcile.ts";
import { openWorkflow } from "../open.ts";
import { refusedReply, replyTo, usageReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { withOrder } from "./advance.ts";

export const reconcileVerb: Verb = {
  summary: "Settle what the files, the journal and git disagree about",
  usage: "reconcile <name> [--restore | --files --reason <text> | --skip --reason <text>]",
  options: {
    restore: {
      type: "boolean",
      about: "the journal is right: put its version back, keep the other text",
    },
    files: {
      type: "boolean",
      about: "the files are right: take them as the open dispatch's report",
    },
    skip: { type: "boolean", about: "do without an effect that cannot be done (people only)" },
    reason: { type: "string", about: "why; recorded" },
  },
  examples: [
    "holdpoint reconcile TapeDelay",
    "holdpoint reconcile TapeDelay --restore",
    'holdpoint reconcile TapeDelay --skip --reason "no git here"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, extra] = call.args;
  const { restore, files, skip } = call.flags;
  const modes = [restore, files, skip].filter((one) => one === true).length;
  if (id === undefined || extra !== undefined || modes > 1)
    return usageReply(
      "reconcile needs one name and at most one of --restore, --files, --skip.",
      `Usage: holdpoint ${reconcileVerb.usage}`,
    );
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  if (restore === true)
    return replyTo(await restoreViews(call.parts, found, call.caller), found.family);
  if (files === true) return await takeFiles(call, found);
  if (skip === true) return await skipEffects(call, found);
  await takeInEdits(call.parts, found, call.caller);
  return gapsReply(found, await findGaps(call.parts, found));
}

/** The choices depend on what is wrong; nothing is done before one of them is made. */
function gapsReply({ state, family }: Found, gaps: Gaps): Reply {
  const { good, warn, dim, bold } = style();
  const open = gaps.files.length + gaps.state.length + gaps.pending.length;
  const choices =
    open === 0
      ? []
      : [
          `holdpoint reconcile ${state.id} --restore`,
          ...(Object.values(state.dispatches).some((one) => one.status === "open")
            ? [`holdpoint reconcile ${state.id} --files --reason "..."`]
            : []),
          ...(gaps.pending.length > 0
            ? [`holdpoint reconcile ${state.id} --skip --reason "..."`]
            : []),
        ];
  const section = (title: string, rows: readonly string[]): readonly string[] =>
    rows.length === 0 ? [] : [bold(title), ...rows.map((row) => `  ${warn("!")} ${safe(row)}`)];
  const text = [
    ...section("Files", gaps.files),
    ...section("State", gaps.state),
    ...section("Git", gaps.git),
    ...gaps.pending.map((one) => `  ${warn("!")} ${safe(one.message)}\n    ${safe(one.fix)}`),
    ...(open === 0
      ? [good(`✓ ${state.id}: files and journal agree`)]
      : ["", "What would you like to do?", ...choices.map((choice) => `  ${dim(choice)}`)]),
  ].join("\n");
  return {
    exit: open === 0 ? 0 : 11,
    json: {
      ok: open === 0,
      workflow: state.id,
      protocol: family.protocol.name,
      gaps: { files: [...gaps.files], state: [...gaps.state], git: [...gaps.git] },
      pending: gaps.pending.map((one) => ({ ...one })),
      choices,
    },
    text,
  };
}

/** A person vouches for what an agent wrote but never reported. Every guard of the report still holds. */
async function takeFiles(call: Call, found: Found): Promise<Reply> {
  const { family, state } = found;
  const open = Object.values(state.dispatches).find((one) => one.status === "open");
  const reason = call.flags["reason"];
  if (open === undefined || typeof reason !== "string" || call.caller.actor.kind !== "person") {
    return refusedReply([
      {
        code:
          open === undefined
            ? "dispatch-unknown"
            : typeof reason === "string"
              ? "person-required"
              : "reason-missing",
        message:
          open === undefined
            ? `${state.id} has handed out no work, so nobody could have finished any`
            : "Only a person may vouch for the files, and must say why",
        fix:
          open === undefined
            ? `Keep the text and go back: holdpoint reconcile ${state.id} --restore; then hand the work out.`
            : "Give the reason with --reason.",
        rule: "PW-297",
      },
    ]);
  }
  const claimed = await family.work.claimOfFiles(openWorld(call.parts), state, open);
  if (claimed === undefined) return refusedReply([notClaimable(state.id)]);
  const claim: Claim = { ...claimed, description: reason, vouchedBy: call.caller.actor.name };
  return await withOrder(
    call,
    found,
    await act(
      call.parts,
      found,
      { type: "dispatch.report", dispatch: open.id, claim },
      call.caller,
    ),
  );
}

function notClaimable(id: string): Refusal {
  return {
    code: "report-required",
    message: `The files of ${id} cannot stand in for a report`,
    fix: `Give the report with holdpoint report ${id}.`,
    rule: "PW-297",
  };
}

async function skipEffects(call: Call, found: Found): Promise<Reply> {
  const wanted = Object.values(found.state.effects).find((one) => one.status === "wanted");
  const reason = call.flags["reason"];
  if (wanted === undefined || typeof reason !== "string") {
    const message =
      wanted === undefined ? `${found.state.id} has nothing pending` : "Skipping needs a reason";
    return refusedReply([
      {
        code: wanted === undefined ? "nothing-pending" : "reason-missing",
        message,
        fix: "Give it with --reason.",
        rule: "PW-204",
      },
    ]);
  }
  return replyTo(
    await act(
      call.parts,
      found,
      { type: "effect.settle", effect: wanted.id, status: "skipped", detail: { reason } },
      call.caller,
    ),
    found.family,
  );
}
