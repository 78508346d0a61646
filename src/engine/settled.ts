import type { Command } from "../core/state/commands.ts";
import { member, showJson } from "../core/values/json.ts";
import { readRemedy, remedyText } from "../core/table/remedy.ts";
import type { Effect, Workflow } from "../core/state/state.ts";
import type { Performed } from "../ports/family.ts";
import { ENGINE } from "./caller.ts";
import type { Accepted, Commit, Outcome, Pending } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import type { Foreign } from "./show/holder.ts";
import { kindOf, submit } from "./submit.ts";
import type { Request } from "./submit.ts";

/** The result of bringing everything outside up to the journal. */
export type Settled = {
  readonly kind: "settled";
  readonly state: Workflow;
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  readonly pending: readonly Pending[];
  /** What is left undone because it is another process's to do. */
  readonly foreign?: Foreign;
};

/** Combines a command's outcome with what was settled before and after it. */
export function merge(outcome: Accepted, before: Settled, after: Settled): Accepted {
  return {
    ...outcome,
    kind: kindOf(after.state),
    state: after.state,
    // The same edit is reported when it is recorded and again when the file is written, so duplicates are
    // removed.
    warnings: [
      ...new Set([...before.warnings, ...outcome.warnings, ...after.warnings]),
      ...leftUndone(after),
    ],
    commits: [...before.commits, ...after.commits],
    pending: after.pending,
    failed: failedSince(outcome.state, after.state),
  };
}

/** Combines two results of settling; the later state counts. */
export function together(earlier: Settled, later: Settled): Settled {
  return {
    ...later,
    warnings: [...earlier.warnings, ...later.warnings],
    commits: [...earlier.commits, ...later.commits],
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

type Ended = Exclude<Performed, { kind: "pending" }>;

export async function recordSettled(
  parts: Parts,
  of: Pick<Request, "family" | "workflow" | "session">,
  { startedAt }: Workflow,
  { effect, performed }: { readonly effect: Effect; readonly performed: Ended },
): Promise<Outcome> {
  const settlement = settlementOf(performed);
  const command: Command = { type: "effect.settle", effect: effect.id, ...settlement };
  // The start time is part of the id: when a name is used again, effects are numbered from one again.
  const id = `${of.workflow}.${startedAt}.${effect.id}.${settlement.status}`;
  const { family, workflow, session } = of;
  return await submit(parts, { family, workflow, session, command, actor: ENGINE, id });
}

function settlementOf(
  performed: Ended,
): Pick<Extract<Command, { type: "effect.settle" }>, "status" | "detail"> {
  if (performed.kind === "done") return { status: "done", detail: performed.detail };
  const { kind: status, code, message, fix } = performed;
  return { status, detail: { code, message, fix } };
}

export function warningsOf(performed: Ended): readonly string[] {
  if (performed.kind === "done") return performed.warnings;
  return [`${performed.message} ${remedyText(performed.fix)}`.trim()];
}
