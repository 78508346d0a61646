import type { Command } from "../core/state/commands.ts";
import { ROOT } from "../core/state/state.ts";
import { aside } from "../engine/caller.ts";
import { act, start } from "../engine/engine.ts";
import { streamOf } from "../engine/parts.ts";
import { answerTo, usage } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openWorkflow } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";

export type LockInput = {
  readonly workflow: string;
  readonly release?: boolean;
  readonly break?: boolean;
  readonly reason?: string;
};

export const lock: Operation<LockInput, Answered<Taken>> = told({
  name: "lock",
  purpose: "Take a workflow, give it back, or break another session's lease",
  input: inputOf<LockInput>({
    required: { workflow: text("which workflow") },
    optional: {
      release: flag("give it back; only its owner can"),
      break: flag("end the lease of a session that is gone (people only)"),
      reason: text("why; recorded"),
    },
  }),
  result: TAKEN,
  examples: [
    { workflow: "add-parser" },
    { workflow: "add-parser", release: true },
    { workflow: "main" },
    { workflow: "add-parser", break: true, reason: "the session crashed an hour ago" },
  ],
  run,
});

/**
 * Edits by hand are not taken in here: whoever is taking the workflow does not have it yet, and may not be the
 * one who edited.
 */
async function run(context: Context, input: LockInput): Promise<Answered<Taken>> {
  if (input.release === true && input.break === true)
    return usage("lock either gives a lease back or breaks it.", "Leave one of the two out.");
  const standing = await beginStanding(context, input);
  if (standing !== undefined) return standing;
  const found = await openWorkflow(context, input.workflow, { skip: true });
  if ("ok" in found) return found;
  const outcome = await act(context.parts, found, commandOf(input), context.caller);
  const { lease } = outcome.kind === "failed" ? found.state : outcome.state;
  return answerTo(outcome, found, { lease });
}

function commandOf({ release, break: breaks, reason = "" }: LockInput): Command {
  if (release === true) return { type: "lease.release" };
  return breaks === true
    ? { type: "lease.break", reason }
    : { type: "lease.take", previous: "none", why: reason };
}

/** A workflow that always exists cannot be started by name. Taking it for the first time starts it. */
async function beginStanding(
  { parts, caller }: Context,
  { workflow: id, release, break: breaks }: LockInput,
): Promise<Answered<Taken> | undefined> {
  if (release === true || breaks === true) return undefined;
  const family = (await parts.families.all()).find((one) => one.names.standing === id);
  if (family === undefined) return undefined;
  const { state } = await parts.journal.load(streamOf(family, id));
  if (ROOT in state.units) return undefined;
  const outcome = await start(parts, family, { id, options: {}, caller: aside(caller) });
  const { lease } = outcome.kind === "failed" ? state : outcome.state;
  return answerTo(outcome, { family }, { lease });
}
