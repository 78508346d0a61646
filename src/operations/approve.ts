import type { Refusal } from "../core/decide/answer.ts";
import { ROOT } from "../core/state/state.ts";
import { remedy } from "../core/table/remedy.ts";
import { attest, vouchable } from "../engine/intake/attest.ts";
import type { Vouchable } from "../engine/intake/attest.ts";
import { act, find } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { openWorld } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { answerTo, refusedAnswer, refusedIn, usage } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openEdited } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, TAKEN_SHAPE, TEXT, TEXTS, answers, listOf, orNull, shape } from "./parts/shapes.ts";

export type ApproveInput = {
  readonly workflow: string;
  readonly what?: string;
  readonly all?: boolean;
  readonly waive?: boolean;
  readonly reason?: string;
};

/** What a person can vouch for or waive, listed when nothing was named. */
export interface ToApprove extends Answer {
  readonly workflow: string;
  readonly vouchable: readonly Vouchable[];
  readonly waivable: readonly string[];
}

export const approve: Operation<ApproveInput, Answered<Taken | ToApprove>> = told({
  name: "approve",
  purpose: "Vouch for what only a person can check, or waive it (people only)",
  input: inputOf<ApproveInput>({
    required: { workflow: text("which workflow") },
    optional: {
      what: text("the check or agent, or ids of checks; without it, what there is"),
      all: flag("everything that nobody has vouched for yet"),
      waive: flag("do without a criterion or an agent; needs a reason"),
      reason: text("why; recorded"),
    },
  }),
  result: answers(
    TAKEN_SHAPE,
    shape({
      ok: FLAG,
      workflow: TEXT,
      vouchable: listOf(shape({ id: TEXT, what: TEXT, by: orNull(TEXT) })),
      waivable: TEXTS,
    }),
  ),
  examples: [
    { workflow: "2026-02-17_add-dark-mode" },
    { workflow: "2026-02-17_add-dark-mode", what: "manual: it is dark" },
    { workflow: "2026-02-17_add-dark-mode", what: "AC-003", waive: true, reason: "next release" },
  ],
  readOnly: ({ what, all }) => what === undefined && all !== true,
  run,
});

async function run(context: Context, input: ApproveInput): Promise<Answered<Taken | ToApprove>> {
  const { parts, caller } = context;
  const { workflow, what, reason = "" } = input;
  if (what === undefined && input.all !== true) return await listed(parts, workflow);
  if (what !== undefined && input.all === true)
    return usage("approve takes names, or all.", "Give one of the two.");
  const found = await openEdited(context, workflow);
  if ("ok" in found) return found;
  if (what === undefined) return await vouchAll(context, found);
  if (input.waive !== true) return await vouch(context, found, what);
  const waivable = await found.family.attest.waivable(openWorld(parts), found.state);
  if (waivable?.includes(what) === false)
    return refusedIn(found, [notWaivable(workflow, what, waivable)]);
  const command = { type: "gate.waive", unit: ROOT, gate: what, reason } as const;
  return answerTo(await act(parts, found, command, caller), found);
}

async function listed(parts: Parts, workflow: string): Promise<Answered<ToApprove>> {
  const found = await find(parts, workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const { family, state } = found;
  const waivable = (await family.attest.waivable(openWorld(parts), state)) ?? [];
  return { ok: true, workflow: state.id, vouchable: await vouchable(parts, found), waivable };
}

async function vouchAll(context: Context, found: Found): Promise<Answered<Taken>> {
  const open = (await vouchable(context.parts, found)).filter(({ by }) => by === null);
  if (open.length === 0) return refusedIn(found, [nothingOpen(found)]);
  return await vouch(context, found, open.map(({ id }) => id).join(" "));
}

/** Vouches for one after the other, but only once every name is known to be valid. */
async function vouch(context: Context, found: Found, what: string): Promise<Answered<Taken>> {
  const { parts, caller } = context;
  const names = namesIn(what, await vouchable(parts, found));
  if (typeof names === "string") return refusedIn(found, [unknownId(found, names)]);
  let done: Taken | undefined;
  let { state } = found;
  for (const name of names) {
    const outcome = await attest(parts, { ...found, state }, name, caller);
    const answer = answerTo(outcome, found);
    if (!("events" in answer)) return answer;
    if ("state" in outcome) ({ state } = outcome);
    done = done === undefined ? answer : together(done, answer);
  }
  return done ?? refusedIn(found, [unknownId(found, what)]);
}

/**
 * The entries with these ids, or the words of a single one. If some ids are valid, returns the first that is not.
 */
function namesIn(what: string, rows: readonly Vouchable[]): readonly string[] | string {
  const words = what.split(/[\s,]+/).filter((word) => word !== "");
  const ids = new Map(rows.map(({ id, what: name }) => [id, name]));
  if (!words.some((word) => ids.has(word))) return [what];
  const unknown = words.find((word) => !ids.has(word));
  return unknown ?? words.flatMap((word) => ids.get(word) ?? []);
}

function together(before: Taken, after: Taken): Taken {
  const { events, notes, warnings, commits, vouched = [] } = before;
  return {
    ...after,
    events: [...events, ...after.events],
    notes: [...notes, ...after.notes],
    warnings: [...warnings, ...after.warnings],
    commits: [...commits, ...after.commits],
    vouched: [...vouched, ...(after.vouched ?? [])],
  };
}

function unknownId({ state }: Found, id: string): Refusal {
  return {
    code: "check-unknown",
    message: `${JSON.stringify(id)} is no id of something that ${state.id} asks a person about`,
    fix: remedy("approve", { workflow: state.id }, "See what there is"),
    rule: "core",
  };
}

function nothingOpen({ state }: Found): Refusal {
  return {
    code: "nothing-to-attest",
    message: `${state.id} has nothing that a person has yet to vouch for`,
    fix: remedy("next", { workflow: state.id }, "See what is open"),
    rule: "core",
  };
}

function notWaivable(workflow: string, what: string, waivable: readonly string[]): Refusal {
  return {
    code: "waiver-unknown",
    message: `"${what}" is nothing that ${workflow} could do without`,
    fix: waivable.length === 0 ? "There is nothing." : `These are: ${waivable.join(", ")}.`,
    rule: "core",
  };
}
