/**
 * The end of an agent's turn. It must not end silently while the session has work out, claims to be done without
 * being so, or has left something undone.
 */
import type { Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import type { Found } from "../../engine/engine.ts";
import type { Batch } from "../../ports/family.ts";
import type { Context } from "../operation.ts";
import { liveWorkflows, outIn } from "./live.ts";
import type { Live, Out } from "./live.ts";

export interface TurnEnd {
  readonly said: string;
  /** When the turn started, if known. */
  readonly since?: string;
  /** Agents still running in the background, if the client says which. */
  readonly working?: readonly string[];
  /** The conversation as the client stored it, read only on demand. */
  readonly batches?: () => readonly Batch[];
}

export interface TurnEnded {
  /** Why the turn should continue. */
  readonly refusals: readonly Refusal[];
  /** Open questions, if they are why the turn may end. */
  readonly waits: readonly string[];
  /** Remarks on how the agent worked, by workflow. */
  readonly remarks: readonly (readonly [workflow: string, remark: string])[];
}

/** The caller is the session's main agent. */
export async function endTurn({ parts, caller }: Context, ended: TurnEnd): Promise<TurnEnded> {
  const live = await liveWorkflows(parts);
  const own = outIn(live).filter(({ dispatch }) => dispatch.session === caller.session);
  const late = own.filter((out) => isLeft(out, caller.actor.agent, ended.working));
  const led = live.found.filter((found) => isLed(found, caller.session));
  return {
    refusals: [
      ...late.map(unreported),
      ...led.flatMap(undone),
      ...live.found
        .filter((found) => led.includes(found) || isBegun(found, ended))
        .filter((found) => claimsDone(found, ended))
        .map(unfinished),
    ],
    waits: waitsIn(live),
    remarks: remarksOn(led, ended),
  };
}

function remarksOn(led: readonly Found[], { batches }: TurnEnd): TurnEnded["remarks"] {
  if (led.length === 0 || batches === undefined) return [];
  const seen = batches();
  return led.flatMap(({ family, state }) => {
    const remark = family.words.pace(state, seen);
    return remark === undefined ? [] : [[state.id, remark] as const];
  });
}

/** Nobody is doing this work: neither an agent in the background nor one that is about to report. */
function isLeft(
  { dispatch: { agent } }: Out,
  main: string | undefined,
  working: readonly string[] | undefined,
): boolean {
  if (agent === undefined || agent === main) return true;
  return working !== undefined && !working.includes(agent);
}

function isLed({ state }: Found, session: string): boolean {
  const { lease, dispatches, effects } = state;
  return (
    lease?.session === session ||
    Object.values(dispatches).some((one) => one.session === session) ||
    Object.values(effects).some((one) => one.by?.session === session)
  );
}

/** Started in this turn and mentioned, although no work was sent out yet. */
function isBegun({ state: { id, startedAt } }: Found, { said, since }: TurnEnd): boolean {
  return said.includes(id) && (since === undefined || startedAt > since);
}

function unreported({ found: { state }, dispatch: { id, role } }: Out): Refusal {
  const input = { workflow: state.id, dispatch: id };
  return {
    code: "work-unreported",
    message: `${id} (${role}) of ${state.id} is handed out and not reported`,
    fix: remedy("report", input, "Let its agent report, or take the step cancel"),
    rule: "core",
  };
}

/** Recorded steps whose commit or other effect is still missing. */
function undone({ family, state }: Found): readonly Refusal[] {
  return Object.values(state.effects)
    .filter((one) => one.status === "wanted")
    .slice(0, 1)
    .map(({ kind }) => ({
      code: "effect-pending",
      message: `${state.id} (${family.words.describe(state).headline}) is recorded, but its ${kind} is not made`,
      fix: remedy("reconcile", { workflow: state.id }, "Finish it"),
      rule: "core",
    }));
}

const DONE = /\b(?:done|complete[d]?|finished|ready|delivered|shipped)\b/i;

/**
 * The agent says that it is done, but nothing is out, no question is open and the workflow has not ended. If the
 * turn neither moved the workflow nor mentions it, it was probably about something else.
 */
function claimsDone({ state }: Found, { said, since }: TurnEnd): boolean {
  const open = Object.values(state.decisions).some((one) => one.status === "open");
  const out = Object.values(state.dispatches).some((one) => one.status !== "ended");
  const words = said.slice(-SAID_CHARS_MAX);
  const meant = words.includes(state.id) || (since !== undefined && state.updatedAt > since);
  return !open && !out && meant && DONE.test(words);
}

const SAID_CHARS_MAX = 20_000;

function unfinished({ family, state }: Found): Refusal {
  return {
    code: "not-done",
    message: `${state.id} is not done: it stands at ${family.words.describe(state).headline}`,
    fix: remedy("next", { workflow: state.id }, "Go on, or say to the person that it is not done"),
    rule: "core",
  };
}

function waitsIn({ found }: Live): readonly string[] {
  return found.flatMap(({ state }) =>
    Object.values(state.decisions)
      .filter((one) => one.status === "open")
      .map((one) => `${state.id} waits for a person: ${one.prompt}`),
  );
}
