/** One step of a workflow: finds the command for a name, or the next step forward if no name is given. */
import type { Refusal, Remedy } from "../core/decide/answer.ts";
import type { Command } from "../core/state/commands.ts";
import { changedRefusal, isChanged } from "../core/table/definition.ts";
import { member } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import type { Candidate, Offer } from "../core/decide/next.ts";
import { ROOT } from "../core/state/state.ts";
import type { Dispatch, Workflow } from "../core/state/state.ts";
import { nextIn, offeredIn } from "./engine.ts";
import type { Caller, Finding, Found } from "./engine.ts";
import { pickForward } from "./intake/forward.ts";
import { openWorld } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { remedy } from "../core/table/remedy.ts";

/** The step that somebody wants. */
export interface StepRequest {
  readonly step?: string;
  /** The phase, task or agent it is about. */
  readonly unit?: string;
  readonly reason?: string;
  /** Input values for the step. */
  readonly input?: JsonObject;
}

type Stepped = Finding<{ readonly kind: "command"; readonly command: Command }>;

export async function stepCommand(
  parts: Parts,
  found: Found,
  caller: Caller,
  request: StepRequest,
): Promise<Stepped> {
  const { family, state } = found;
  if (isChanged(family.protocol, state))
    return { kind: "refused", refusals: [changedRefusal(family.protocol, state)] };
  if (request.step !== undefined) return await namedCommand(parts, found, caller, request);
  const { candidates } = await nextIn(openWorld(parts), found, caller);
  const candidate = pickForward(found, candidates);
  // If a question is open, the way forward is to answer it, not to take the step that waits for it.
  const waits = candidate?.refusals.length !== 0 && isHeld(found.state);
  if (candidate === undefined || waits)
    return { kind: "refused", refusals: nothingLeft(found, candidates) };
  return { kind: "command", command: withInput(candidate.command, request) };
}

/** The command for a name: one offered here, or what it would be if it were. */
async function namedCommand(
  parts: Parts,
  found: Found,
  caller: Caller,
  request: StepRequest,
): Promise<Stepped> {
  const { step = "", unit = ROOT, reason, input = {} } = request;
  const { family, state } = found;
  const { questions, work } = family.protocol;
  if (step === "cancel") return cancelCommand(state, request);
  const wanted = member(family.words.aliases, step) ?? [step];
  const offer = (await offeredIn(openWorld(parts), found, caller)).find(
    (one) => wanted.includes(nameOf(one)) && fitsUnit(one, request.unit),
  );
  if (offer !== undefined) return { kind: "command", command: withInput(offer.command, request) };
  const [name = step] = wanted;
  if (member(questions, name)?.by !== undefined) {
    const about = { ...(reason === undefined ? {} : { reason }), ...input };
    return { kind: "command", command: { type: "decision.ask", question: name, unit, about } };
  }
  const command: Command = Object.hasOwn(work, name)
    ? { type: "dispatch.send", spec: name, unit }
    : withInput({ type: "unit.move", unit, move: name }, request);
  return { kind: "command", command };
}

function fitsUnit({ command }: Offer, unit: string | undefined): boolean {
  return unit === undefined || ("unit" in command && command.unit === unit);
}

export function nameOf({ command }: Pick<Offer, "command">): string {
  if (command.type === "unit.move") return command.move;
  return command.type === "dispatch.send" ? command.spec : "";
}

/** Adds the given reason and input values to a move. */
function withInput(command: Command, { reason = "", input = {} }: StepRequest): Command {
  if (command.type !== "unit.move") return command;
  return { ...command, reason, input: { reason, ...input } };
}

function cancelCommand({ id, dispatches }: Workflow, { unit, reason }: StepRequest): Stepped {
  const out = Object.values(dispatches).filter(
    (one) => one.status !== "ended" && (unit === undefined || one.unit === unit),
  );
  const [open, second] = out;
  if (open === undefined) return { kind: "refused", refusals: [nothingOut(id, unit)] };
  if (second !== undefined) {
    const input = { workflow: id, step: "cancel", unit: open.unit };
    const fix = remedy("advance", input, "Say whose is taken back");
    return { kind: "refused", refusals: [severalOut(id, out, fix)] };
  }
  const why = reason === undefined || reason === "" ? "cancelled by hand" : reason;
  return {
    kind: "command",
    command: { type: "dispatch.cancel", dispatch: open.id, reason: why },
  };
}

/** Several pieces of work are out; the caller must say which one is meant. */
export function severalOut(id: string, several: readonly Dispatch[], fix: Remedy): Refusal {
  const listed = several.map(({ id: dispatch, role, unit, status }) =>
    [`${dispatch} (${role}`, ...(unit === ROOT || unit === role ? [] : [unit]), `${status})`].join(
      ", ",
    ),
  );
  return {
    code: "dispatch-ambiguous",
    message: `${id} has several orders out: ${listed.join(", ")}`,
    fix,
    rule: "core",
  };
}

function nothingOut(id: string, unit: string | undefined): Refusal {
  const what = unit === undefined ? id : `${unit} of ${id}`;
  return {
    code: "dispatch-unknown",
    message: `nothing of ${what} is handed out, so there is nothing to cancel`,
    fix: remedy("next", { workflow: id }, "See what is open"),
    rule: "core",
  };
}

function isHeld({ decisions }: Workflow): boolean {
  return Object.values(decisions).some((one) => one.status === "open");
}

/** Why there is no next step: a question is open, the workflow has ended, or the caller must name a step. */
function nothingLeft(
  { state, family }: Found,
  candidates: readonly Candidate[],
): readonly Refusal[] {
  const { headline, closing } = family.words.describe(state);
  const waiting = Object.values(state.decisions)
    .filter((one) => one.status === "open")
    .map((one) => ({
      code: "held",
      message: `${state.id} waits for a person: ${one.prompt}`,
      fix: remedy("answer", { workflow: state.id, decision: one.id }),
      rule: family.protocol.questions[one.question]?.rule ?? "core",
    }));
  if (waiting.length > 0) return waiting;
  if (closing !== undefined) return [{ code: "nothing-to-do", ...closing, rule: "core" }];
  const names = [...new Set(candidates.map(nameOf))].filter((name) => name !== "");
  return [
    {
      code: "nothing-to-do",
      message: `${state.id} is at ${headline}; there is no step that leads on by itself`,
      fix:
        names.length === 0
          ? remedy("status", { workflow: state.id }, "See how it ended")
          : remedy(
              "next",
              { workflow: state.id },
              `Ask for a step by name (${names.join(", ")}); see what each needs`,
            ),
      rule: "core",
    },
  ];
}
