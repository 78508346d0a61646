import { answer } from "./decisions/answering.ts";
import { cite } from "../table/cite.ts";
import type { Answer, Evidence, Refusal } from "./answer.ts";
import type { Command, Envelope } from "../state/commands.ts";
import { openDecisions } from "./decisions/ask.ts";
import { who } from "./who.ts";
import { acceptDefinition, checkDefinition, isChanged } from "../table/definition.ts";
import { beginDraft, emit, refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { runGuards } from "../guards/guard.ts";
import { member, showJson } from "../values/json.ts";
import { dropAnswer, keepAnswer } from "./work/keep.ts";
import {
  breakLease,
  checkLease,
  endLease,
  refuseHeld,
  endOwnership,
  isHolder,
  releaseLease,
  takeLease,
} from "./lease.ts";
import { measure, noteLeft } from "./work/left.ts";
import { requestMove } from "./move.ts";
import { knownUnit, recordFinding, resealByCommand, setVar, waive } from "./decisions/override.ts";
import type { Protocol } from "../table/protocol.ts";
import { park, takeReport } from "./work/report.ts";
import { noteAgreed } from "./decisions/release.ts";
import { refuseStale } from "./stale.ts";
import { aimEffect, settleEffect } from "./work/settle.ts";
import { adopt, openUnit, start } from "./start.ts";
import { takeDispatch } from "./work/taken.ts";
import { ROOT } from "../state/state.ts";
import type { Workflow } from "../state/state.ts";
import { finish, handOut } from "./consequence.ts";
import { remedy } from "../table/remedy.ts";

export interface Decide {
  readonly protocol: Protocol;
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly evidence: Evidence;
  /** Keys of the checks that were run for this command. Without the list, `decide` asks for no runs. */
  readonly ran?: readonly string[];
}

/**
 * The only place that allows anything. A pure function of what is known: it accepts with events, refuses with
 * every reason, holds with a question, or says which facts or check runs it still needs.
 */
export function decide(input: Decide): Answer {
  const draft = beginDraft(input);
  checkStarted(draft);
  checkLease(draft);
  checkDefinition(draft);
  if (draft.refusals.length === 0) {
    runCommand(draft, input.command);
    // While a changed definition waits to be accepted, nothing happens automatically.
    if (!isChanged(draft.protocol, draft.state)) {
      finish(draft);
      noteLeft(draft);
      noteAgreed(draft);
      endOwnership(draft);
    }
  }
  return answerOf(draft);
}

function answerOf(draft: Draft): Answer {
  if (draft.needs.size > 0) return { kind: "needs", facts: [...draft.needs] };
  if (draft.runs.size > 0) return { kind: "runs", runs: [...draft.runs.values()] };
  if (draft.refusals.length > 0)
    return {
      kind: "refused",
      refusals: dedupe(draft.refusals.map((one) => cite(draft.protocol, one))),
    };
  const kind = openDecisions(draft).length > 0 ? "held" : "accepted";
  return { kind, events: draft.events, used: draft.used, notes: draft.notes };
}

function dedupe(refusals: readonly Refusal[]): readonly Refusal[] {
  return refusals.filter(
    (one, index) =>
      refusals.findIndex((other) => other.code === one.code && other.message === one.message) ===
      index,
  );
}

/** True once the workflow has ended and no effect is pending: its name may then be used for a new run. */
function mayStartAgain({ root, kinds }: Protocol, state: Workflow): boolean {
  const at = state.units[ROOT]?.at ?? "";
  const over = kinds[root]?.ends.includes(at) === true;
  const wanted = Object.values(state.effects).some((one) => one.status === "wanted");
  const again = kinds[root]?.starts?.some(({ from = [] }) => from.includes(at)) === true;
  return again && over && !wanted;
}

function checkStarted(draft: Draft): void {
  const { type } = draft.command;
  const starts = type === "workflow.start" || type === "workflow.adopt";
  const exists = ROOT in draft.state.units;
  if (starts === !exists) return;
  if (type === "workflow.start" && mayStartAgain(draft.protocol, draft.state)) return;
  if (exists && isOwnedByAnother(draft)) return refuseHeld(draft);
  refuse(draft, {
    code: exists ? "workflow-exists" : "workflow-unknown",
    message: exists
      ? `${draft.state.id} is already a workflow`
      : `There is no workflow ${draft.state.id}`,
    fix: exists
      ? remedy("next", { workflow: draft.state.id }, "Go on with it")
      : remedy("start", { workflow: draft.state.id }, "Start it"),
    rule: "core",
  });
}

/** True if another session owns the workflow, so that the refusal can say which. */
function isOwnedByAnother({ protocol, state, envelope }: Draft): boolean {
  return protocol.lease === "owner" && state.lease !== null && !isHolder(state.lease, envelope);
}

function runCommand(draft: Draft, command: Command): void {
  switch (command.type) {
    case "workflow.start":
      return start(draft, command);
    case "workflow.adopt":
      return adopt(draft, command);
    case "unit.move": {
      const { unit, move, reason = "" } = command;
      draft.input = { reason, ...command.input };
      return requestMove(draft, { unit, move, reason, consequence: false });
    }
    case "unit.open":
      return openUnit(draft, command);
    case "dispatch.send":
      return handOut(draft, { ...command, consequence: false });
    case "dispatch.take":
      return takeDispatch(draft, command);
    case "dispatch.report":
      return takeReport(draft, command.dispatch, command.claim);
    case "dispatch.park":
      return parkByCommand(draft, command);
    case "dispatch.cancel":
      return cancelDispatch(draft, command);
    case "decision.ask":
      return askByCommand(draft, command);
    case "decision.answer":
      return answer(draft, command);
    case "answer.keep":
      return keepAnswer(draft, command);
    case "answer.drop":
      return dropAnswer(draft, command);
    case "finding.record":
      return recordFinding(draft, command);
    case "effect.settle":
      return settleEffect(draft, command);
    case "effect.aim":
      return aimEffect(draft, command);
    case "definition.accept":
      return acceptDefinition(draft, command);
    case "lease.take":
      return takeLease(draft, command);
    case "lease.release":
      return releaseLease(draft);
    case "lease.break":
      return breakLease(draft, command.reason);
    case "vars.set":
      return setVar(draft, command);
    case "artifact.reseal":
      return resealByCommand(draft, command);
    case "gate.waive":
      return waive(draft, command);
    case "note.add": {
      const { list, tag, text } = command;
      return emit(draft, { type: "note.added", list, tag, text });
    }
    case "edit.refuse": {
      const { view, blob, reasons } = command;
      return emit(draft, { type: "edit.refused", view, blob, reasons });
    }
  }
}

function parkByCommand(draft: Draft, command: Extract<Command, { type: "dispatch.park" }>): void {
  const dispatch = member(draft.state.dispatches, command.dispatch);
  if (dispatch === undefined || dispatch.status === "ended") {
    refuseStale(draft, command.dispatch, dispatch);
    return;
  }
  if (!Object.hasOwn(draft.protocol.questions, command.asks)) {
    refuse(draft, {
      code: "question-unknown",
      message: `"${command.asks}" is not a question of ${draft.protocol.name}`,
      fix: "Park the report with a question the protocol has.",
      rule: "core",
    });
    return;
  }
  const about = Object.fromEntries(
    Object.entries(command.about).map(([name, value]) => [name, showJson(value)]),
  );
  park(draft, dispatch, command.claim, { question: command.asks, about });
}

function cancelDispatch(
  draft: Draft,
  command: Extract<Command, { type: "dispatch.cancel" }>,
): void {
  const dispatch = member(draft.state.dispatches, command.dispatch);
  if (dispatch === undefined || dispatch.status === "ended") {
    refuse(draft, {
      code: "dispatch-unknown",
      message: `There is no open dispatch "${command.dispatch}" in ${draft.state.id}`,
      fix: remedy("status", { workflow: draft.state.id }, "See what is out"),
      rule: "core",
    });
    return;
  }
  const claim = { why: command.reason, by: who(draft) };
  emit(draft, {
    type: "dispatch.ended",
    dispatch: dispatch.id,
    outcome: "cancelled",
    claim,
    measured: measure(draft, dispatch),
    notes: [],
  });
  endLease(draft, command.reason);
}

function askByCommand(draft: Draft, command: Extract<Command, { type: "decision.ask" }>): void {
  const question = member(draft.protocol.questions, command.question);
  if (question?.by?.includes(draft.envelope.actor.kind) !== true) {
    refuse(draft, {
      code: "ask-illegal",
      message: `"${command.question}" cannot be asked by ${draft.envelope.actor.kind} ${draft.envelope.actor.name}`,
      fix: remedy(
        "next",
        { workflow: draft.state.id },
        "Questions open by themselves; see what is open",
      ),
      rule: question?.rule ?? "core",
    });
    return;
  }
  const unit = knownUnit(draft, command.unit);
  if (unit === undefined) return;
  draft.input = command.about;
  runGuards(draft, unit, question.needs);
  const { about } = command;
  draft.asks = { question: command.question, unit: command.unit, about, apart: true };
}
