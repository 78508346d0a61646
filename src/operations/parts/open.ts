import type { Command } from "../../core/state/commands.ts";
import { find, orderFor, resettle, takeInEdits } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { streamOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";
import { failedAnswer, orderAnswer, refusedAnswer } from "./answers.ts";
import type { FailedAnswer, OrderAnswer, RefusedAnswer } from "./answers.ts";
import type { Context } from "../operation.ts";

/**
 * Opens the workflow for an operation that changes it. Whatever a crash left undone is finished first, so that
 * files and journal agree even if the operation is then refused.
 */
export async function openWorkflow(
  { parts, caller, progress }: Context,
  id: string,
  /** Set if the operation deals with what another process has left undone. */
  { skip = false }: { readonly skip?: boolean } = {},
): Promise<Found | RefusedAnswer | FailedAnswer> {
  const found = await find(parts, id);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const settled = await resettle(parts, found, caller.session, caller.actor);
  if (settled.kind === "failed") return failedAnswer(settled);
  if (settled.foreign !== undefined && !skip) return refusedAnswer([settled.foreign.refusal]);
  for (const warning of settled.warnings) progress?.(`! ${warning}`);
  for (const { short } of settled.commits)
    progress?.(`! finished what was interrupted: commit ${short}`);
  return { family: found.family, state: settled.state };
}

/** The same, after taking in edits of its files by hand. */
export async function openEdited(
  context: Context,
  id: string,
): Promise<Found | RefusedAnswer | FailedAnswer> {
  const found = await openWorkflow(context, id);
  return "ok" in found ? found : await withEdits(context, found);
}

export async function withEdits(
  { parts, caller, progress }: Context,
  found: Found,
  skips?: (command: Command) => boolean,
): Promise<Found | RefusedAnswer | FailedAnswer> {
  const edits = await takeInEdits(parts, found, caller, skips);
  const failed = edits.find((one) => one.kind === "failed");
  if (failed !== undefined) return failedAnswer(failed);
  const warnings = edits.flatMap((one) => ("warnings" in one ? one.warnings : []));
  for (const warning of warnings) progress?.(`! ${warning}`);
  return edits.length === 0 ? found : await reload(parts, found);
}

/** The workflow as it is now, after a change. */
export async function reload(
  parts: Parts,
  { family, state }: Found,
): Promise<Found | RefusedAnswer> {
  const now = await find(parts, streamOf(family, state.id));
  return now.kind === "refused" ? refusedAnswer(now.refusals) : now;
}

/** The order of work that was just sent out. */
export async function freshOrder(
  parts: Parts,
  { family }: Found,
  outcome: Outcome,
): Promise<{ readonly order?: OrderAnswer }> {
  if (outcome.kind === "refused" || outcome.kind === "failed") return {};
  const { state, events } = outcome;
  const sent = Object.values(state.dispatches).findLast((one) => one.status === "open");
  if (sent === undefined) return {};
  const fresh =
    sent.sentSeq === state.seq || events.some((event) => event.type === "dispatch.sent");
  return fresh ? { order: orderAnswer(await orderFor(parts, { family, state }, sent)) } : {};
}
