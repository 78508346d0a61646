import type { Act, Refusal } from "../core/decide/answer.ts";
import type { Claim } from "../core/state/commands.ts";
import { aside } from "../engine/caller.ts";
import { act } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import type { Pending } from "../engine/outcome.ts";
import { openWorld } from "../engine/parts.ts";
import { findGaps, restoreViews } from "../engine/intake/reconcile.ts";
import type { Gaps } from "../engine/intake/reconcile.ts";
import { severalOut } from "../engine/step.ts";
import { answerTo, pendingAnswer, refusedIn, usage } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { freshOrder, openWorkflow, withEdits } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import {
  CHOICES,
  FLAG,
  PENDING,
  TAKEN_SHAPE,
  TEXT,
  TEXTS,
  answers,
  listOf,
  shape,
} from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";
import { remedy } from "../core/table/remedy.ts";

export type ReconcileInput = {
  readonly workflow: string;
  readonly restore?: boolean;
  readonly files?: boolean;
  readonly skip?: boolean;
  readonly definition?: boolean;
  readonly settings?: boolean;
  readonly reason?: string;
};

/** Where files, journal and git disagree, and what can be done about it. */
export interface GapsFound extends Answer {
  readonly workflow: string;
  readonly protocol: string;
  readonly gaps: Pick<Gaps, "files" | "state" | "git">;
  readonly pending: readonly Pending[];
  readonly choices: readonly Act[];
}

const RECONCILE: Schema = answers(
  TAKEN_SHAPE,
  shape({
    ok: FLAG,
    workflow: TEXT,
    protocol: TEXT,
    gaps: shape({ files: TEXTS, state: TEXTS, git: TEXTS }),
    pending: listOf(PENDING),
    choices: CHOICES,
  }),
);

export const reconcile: Operation<ReconcileInput, Answered<GapsFound | Taken>> = told({
  name: "reconcile",
  purpose: "Settle what the files, the journal and git disagree about",
  input: inputOf<ReconcileInput>({
    required: { workflow: text("which workflow") },
    optional: {
      restore: flag("the journal is right: put its version back, keep the other text"),
      files: flag("the files are right: take them as the open dispatch's report (people only)"),
      skip: flag("do without an effect that cannot be done (people only)"),
      definition: flag("go on under the protocol's definition as it is now (people only)"),
      settings: flag("go on under the repository's settings as they are now (people only)"),
      reason: text("why; recorded (people only)"),
    },
  }),
  result: RECONCILE,
  examples: [
    { workflow: "TapeDelay" },
    { workflow: "TapeDelay", restore: true },
    { workflow: "TapeDelay", skip: true, reason: "no git here" },
  ],
  run,
});

async function run(context: Context, input: ReconcileInput): Promise<Answered<GapsFound | Taken>> {
  const { restore = false, files = false, skip = false } = input;
  const { definition = false, settings = false } = input;
  if ([restore, files, skip, definition, settings].filter((one) => one).length > 1)
    return usage(
      "reconcile does one of restore, files, skip, definition and settings.",
      "Leave the others out.",
    );
  const { parts, caller } = context;
  const found = await openWorkflow(context, input.workflow, { skip });
  if ("ok" in found) return found;
  // When restoring from the journal, edits are not taken in first.
  if (restore) {
    const { reason } = input;
    return answerTo(await restoreViews(parts, found, { ...aside(caller), reason }), found);
  }
  if (files) return await takeFiles(context, found, input.reason);
  if (skip) return await skipEffects(context, found, input.reason);
  if (definition || settings) {
    const command = { type: "definition.accept", reason: input.reason ?? "" } as const;
    return answerTo(await act(parts, found, command, caller), found);
  }
  const now = await withEdits(context, found);
  if ("ok" in now) return now;
  const gaps = await findGaps(parts, now, caller);
  return gaps.foreign === undefined ? gapsAnswer(now, gaps) : refusedIn(now, [gaps.foreign]);
}

/** The choices depend on what is wrong. Nothing is done until one is made. */
function gapsAnswer(
  { state, family }: Found,
  { files, state: fields, git, pending }: Gaps,
): GapsFound {
  const workflow = state.id;
  const ok = files.length + fields.length + pending.length === 0;
  const out = Object.values(state.dispatches).some((one) => one.status === "open");
  const choice = (input: Partial<ReconcileInput>): Act => ({
    operation: "reconcile",
    input: { workflow, ...input },
  });
  const choices = [
    choice({ restore: true }),
    ...(out ? [choice({ files: true, reason: "..." })] : []),
    ...(pending.length > 0 ? [choice({ skip: true, reason: "..." })] : []),
  ];
  return {
    ok,
    workflow,
    protocol: family.protocol.name,
    gaps: { files, state: fields, git },
    pending: pending.map(pendingAnswer),
    choices: ok ? [] : choices,
  };
}

/** A person vouches for work that an agent did and never reported. Every guard of the report still applies. */
async function takeFiles(
  { parts, caller }: Context,
  found: Found,
  reason: string | undefined,
): Promise<Answered<Taken>> {
  const { family, state } = found;
  const { actor } = caller;
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const [open, second] = out;
  if (open === undefined) return refusedIn(found, [nobodyAtWork(state.id)]);
  if (second !== undefined) {
    const fix = remedy(
      "report",
      { workflow: state.id, dispatch: "<id>" },
      "Report for each of them",
    );
    return refusedIn(found, [severalOut(state.id, out, fix)]);
  }
  if (reason === undefined || actor.kind !== "person")
    return refusedIn(found, [
      {
        code: reason === undefined ? "reason-missing" : "person-required",
        message: "Only a person may vouch for the files, and must say why",
        fix: "Give the reason.",
        rule: "core",
      },
    ]);
  const claimed = await family.work.claimOfFiles(openWorld(parts), state, open);
  if (claimed === undefined) return refusedIn(found, [notClaimable(state.id)]);
  const claim: Claim = { ...claimed, description: reason, vouchedBy: actor.name };
  const command = { type: "dispatch.report", dispatch: open.id, claim } as const;
  const outcome = await act(parts, found, command, caller);
  return answerTo(outcome, found, await freshOrder(parts, found, outcome));
}

function nobodyAtWork(id: string): Refusal {
  return {
    code: "dispatch-unknown",
    message: `${id} has handed out no work, so nobody could have finished any`,
    fix: remedy(
      "reconcile",
      { workflow: id, restore: true },
      "Keep the text and go back, then hand the work out",
    ),
    rule: "core",
  };
}

function notClaimable(id: string): Refusal {
  return {
    code: "report-required",
    message: `The files of ${id} cannot stand in for a report`,
    fix: remedy("report", { workflow: id }, "Give the report"),
    rule: "core",
  };
}

async function skipEffects(
  { parts, caller }: Context,
  found: Found,
  reason: string | undefined,
): Promise<Answered<Taken>> {
  const wanted = Object.values(found.state.effects).find((one) => one.status === "wanted");
  if (wanted === undefined || reason === undefined)
    return refusedIn(found, [
      {
        code: wanted === undefined ? "nothing-pending" : "reason-missing",
        message:
          wanted === undefined
            ? `${found.state.id} has nothing pending`
            : "Skipping needs a reason",
        fix: "Give a reason.",
        rule: "core",
      },
    ]);
  const command = {
    type: "effect.settle",
    effect: wanted.id,
    status: "skipped",
    detail: { reason },
  } as const;
  return answerTo(await act(parts, found, command, caller), found);
}
