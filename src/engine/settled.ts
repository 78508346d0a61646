import { member, showJson } from "../core/values/json.ts";
import { readRemedy, remedyText } from "../core/table/remedy.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Accepted, Commit, Pending } from "./outcome.ts";
import type { Foreign } from "./show/holder.ts";
import { kindOf } from "./submit.ts";

/** What bringing the world up to the journal came to. */
export type Settled = {
  readonly kind: "settled";
  readonly state: Workflow;
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  readonly pending: readonly Pending[];
  /** What stays undone because it is somebody else's to do. */
  readonly foreign?: Foreign;
};

/** A command and what was brought up before and after it, as one outcome. */
export function merge(outcome: Accepted, before: Settled, after: Settled): Accepted {
  return {
    ...outcome,
    kind: kindOf(after.state),
    state: after.state,
    // What an edit said is told when it is recorded, and found again when the file is written.
    warnings: [
      ...new Set([...before.warnings, ...outcome.warnings, ...after.warnings]),
      ...leftUndone(after),
    ],
    commits: [...before.commits, ...after.commits],
    pending: after.pending,
    failed: failedSince(outcome.state, after.state),
  };
}

function leftUndone({ foreign }: Settled): readonly string[] {
  if (foreign === undefined) return [];
  const { message, fix } = foreign.refusal;
  return [`${message}. ${remedyText(fix)}`];
}

function failedSince(before: Workflow, { effects }: Workflow): readonly Pending[] {
  return Object.values(effects)
    .filter((one) => one.status === "failed" && member(before.effects, one.id)?.status !== "failed")
    .map(({ id, detail: { code, message, fix } }) => ({
      effect: id,
      code: showJson(code),
      message: showJson(message),
      fix: readRemedy(fix),
    }));
}
