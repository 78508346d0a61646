import type { Refusal } from "../core/decide/answer.ts";
import { ROOT } from "../core/state/state.ts";
import { attest } from "../engine/intake/attest.ts";
import { act } from "../engine/engine.ts";
import { openWorld } from "../engine/parts.ts";
import { answerTo, refusedIn } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openEdited } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";

export type ApproveInput = {
  readonly workflow: string;
  readonly what: string;
  readonly waive?: boolean;
  readonly reason?: string;
};

export const approve: Operation<ApproveInput, Answered<Taken>> = told({
  name: "approve",
  purpose: "Vouch for what only a person can check, or do without it (people only)",
  input: inputOf<ApproveInput>({
    required: { workflow: text("which workflow"), what: text("the check, criterion or agent") },
    optional: {
      waive: flag("do without a criterion or an agent; needs a reason"),
      reason: text("why; recorded"),
    },
  }),
  result: TAKEN,
  examples: [
    { workflow: "2026-02-17_add-dark-mode", what: "manual: it is dark" },
    { workflow: "2026-02-17_add-dark-mode", what: "AC-003", waive: true, reason: "next release" },
  ],
  run,
});

async function run(context: Context, input: ApproveInput): Promise<Answered<Taken>> {
  const { parts, caller } = context;
  const { workflow, what, reason = "" } = input;
  const found = await openEdited(context, workflow);
  if ("ok" in found) return found;
  if (input.waive !== true) return answerTo(await attest(parts, found, what, caller), found);
  const waivable = await found.family.attest.waivable(openWorld(parts), found.state);
  if (waivable?.includes(what) === false)
    return refusedIn(found, [notWaivable(workflow, what, waivable)]);
  const command = { type: "gate.waive", unit: ROOT, gate: what, reason } as const;
  return answerTo(await act(parts, found, command, caller), found);
}

function notWaivable(workflow: string, what: string, waivable: readonly string[]): Refusal {
  return {
    code: "waiver-unknown",
    message: `"${what}" is nothing that ${workflow} could do without`,
    fix: waivable.length === 0 ? "There is nothing." : `These are: ${waivable.join(", ")}.`,
    rule: "core",
  };
}
