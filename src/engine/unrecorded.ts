import type { Refusal } from "../core/decide/answer.ts";
import { remedy } from "../core/table/remedy.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Appended, JournalFailure, Loaded } from "../ports/journal.ts";
import { fixOf } from "./intake/find.ts";
import type { Failed, Outcome } from "./outcome.ts";

/** Explains why the journal did not accept a record. */

export function failed(appended: Extract<Appended<Workflow>, { kind: "failed" }>): Failed {
  const fix = FIXES[appended.code] ?? remedy("verify", { all: true }, "See what is wrong");
  return { kind: "failed", code: `journal-${appended.code}`, message: appended.message, fix };
}

export function damaged(stream: string, { damage }: Loaded<Workflow>): Failed {
  return {
    kind: "failed",
    code: damage?.code ?? "journal-broken",
    message: `The journal of ${stream} is damaged: ${damage?.message ?? ""}`,
    fix: fixOf(damage ?? { code: "journal-broken" }),
  };
}

export function busy(workflow: string): Failed {
  const message = `${workflow} is being changed by others all the time`;
  return { kind: "failed", code: "busy", message, fix: "Try again." };
}

const FIXES: Readonly<Partial<Record<JournalFailure, string>>> = {
  disk: "Make room or make the directory writable, then try again; nothing was recorded.",
  moved: "End this program and start it again with the new store; nothing was recorded here.",
};

/** An edit refers to an older text. On a newer record nobody knows what is meant. */
export function overtaken(workflow: string, basedOn: number | undefined, state: Workflow): Outcome {
  const message = `What was edited read as of record ${basedOn ?? 0}, and ${workflow} has gone on to ${state.seq} elsewhere`;
  const fix = remedy("status", { workflow }, "See where it stands, then edit it again");
  const refusals = [{ code: "edit-outdated", message, fix, rule: "core" }];
  return { kind: "refused", refusals, state };
}

/**
 * The effect is done, but the protocol refuses to record it. That is a mistake in its table, and is reported as
 * one.
 */
export function notRecorded(workflow: string, refusals: readonly Refusal[]): Failed {
  return {
    kind: "failed",
    code: "settle-refused",
    message: `What was done for ${workflow} could not be recorded: ${refusals[0]?.message ?? ""}`,
    fix: refusals[0]?.fix ?? "",
  };
}
