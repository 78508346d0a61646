import { matchAnswer } from "./match-answer.ts";
import type { Act } from "../answer.ts";
import type { Command } from "../../state/commands.ts";
import type { Protocol } from "../../table/protocol.ts";
import { remedy } from "../../table/remedy.ts";
import { member, showJson } from "../../values/json.ts";
import type { JsonObject } from "../../values/json.ts";
import { ROOT } from "../../state/state.ts";
import type { Workflow } from "../../state/state.ts";

/** What a command needs a person's word for: at which gate, on which question, and what the word is. */
export interface AskedFor {
  readonly gate: string;
  /** The question it settles, or empty. */
  readonly hold: string;
  readonly choice: string;
  readonly reason: string;
}

/** Gates that are neither questions nor moves. */
export const GATES: readonly string[] = [
  "waive",
  "attest",
  "reseal",
  "accept",
  "lease",
  "adopt",
  "skip",
  "set",
];

export function askedFor(
  protocol: Pick<Protocol, "questions">,
  state: Workflow,
  command: Command,
): AskedFor {
  if (command.type === "decision.answer" || command.type === "answer.keep") {
    const { decision: hold, text, reason = "" } = command;
    const gate = member(state.decisions, hold)?.question ?? "";
    return { gate, hold, choice: choiceOf(protocol, state, hold, text), reason };
  }
  if (command.type === "unit.move") {
    const { move, unit, reason = "", input = {} } = command;
    const given = Object.keys(input).length === 0 ? "" : ` ${JSON.stringify(input)}`;
    return plain(move, `${onUnit(move, unit)}${given}`, reason);
  }
  if (command.type === "gate.waive")
    return plain("waive", onUnit(command.gate, command.unit), command.reason);
  if (command.type === "finding.record")
    return plain("attest", `${onUnit(command.kind, command.unit)} ${showJson(command.value)}`);
  if (command.type === "artifact.reseal")
    return plain("reseal", command.artifacts.join(", "), command.reason);
  if (command.type === "definition.accept") return plain("accept", "settings", command.reason);
  if (command.type === "lease.break") return plain("lease", "break", command.reason);
  if (command.type === "lease.take") return plain("lease", "take", command.why);
  if (command.type === "workflow.adopt")
    return plain("adopt", command.workflow, command.import.why);
  if (command.type === "effect.settle") return plain("skip", command.effect);
  if (command.type === "vars.set")
    return plain("set", `${command.name} ${showJson(command.value)}`);
  if (command.type === "workflow.start") return plain("set", JSON.stringify(command.vars));
  return plain(command.type, command.type);
}

function plain(gate: string, choice: string, reason: string = ""): AskedFor {
  return { gate, hold: "", choice, reason };
}

function onUnit(what: string, unit: string): string {
  return unit === "." ? what : `${what} of ${unit}`;
}

/** The chosen option's id and the words given with it. Signing a bare number would not say what was chosen. */
function choiceOf(
  { questions }: Pick<Protocol, "questions">,
  { decisions }: Workflow,
  id: string,
  text: string,
): string {
  const decision = member(decisions, id);
  const question = decision && member(questions, decision.question);
  const chosen = question && matchAnswer(question, decision, text);
  if (chosen === undefined || chosen.option === "other") return text.trim();
  const { id: option } = chosen.option;
  return chosen.text.trim() === option ? option : `${option}: ${chosen.text.trim()}`;
}

/** The same command again, with what is needed to prove it. */
export function againWith(workflow: string, command: Command, more: JsonObject, says: string): Act {
  const [operation, input] = againBy(command);
  return remedy(operation, { workflow, ...input, ...more }, says);
}

function againBy(command: Command): readonly [string, JsonObject] {
  if (command.type === "decision.answer")
    return ["answer", { choice: command.text, ...whyOf(command.reason) }];
  if (command.type === "unit.move") {
    const { move, unit, input = {} } = command;
    const on = unit === ROOT ? {} : { unit };
    const given = Object.keys(input).length === 0 ? {} : { input };
    return ["advance", { step: move, ...on, ...given, ...whyOf(command.reason) }];
  }
  if (command.type === "gate.waive")
    return ["approve", { what: command.gate, waive: true, reason: command.reason }];
  if (command.type === "finding.record") return ["approve", { what: command.kind }];
  if (command.type === "effect.settle")
    return ["reconcile", { skip: true, reason: showJson(command.detail["reason"] ?? "...") }];
  if (command.type === "definition.accept")
    return ["reconcile", { settings: true, reason: command.reason }];
  if (command.type === "lease.break") return ["lock", { break: true, reason: command.reason }];
  if (command.type === "lease.take") return ["advance", { take: true }];
  if (command.type === "vars.set") return ["advance", { set: { [command.name]: command.value } }];
  return command.type === "workflow.adopt"
    ? ["adopt", { at: command.import.at, yes: true }]
    : ["next", {}];
}

function whyOf(reason: string | undefined): JsonObject {
  return reason === undefined || reason === "" ? {} : { reason };
}
