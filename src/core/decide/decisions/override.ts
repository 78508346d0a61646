import type { Command } from "../../state/commands.ts";
import { who } from "../who.ts";
import { emit, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member } from "../../values/json.ts";
import type { Json } from "../../values/json.ts";
import { isForPeople, isReleased } from "./release.ts";
import { reseal } from "../seal.ts";
import type { Unit } from "../../state/state.ts";
import { remedy } from "../../table/remedy.ts";

/** What people may change by hand: settings, sealed files, gates. Always recorded with a reason. */

export function setVar(draft: Draft, command: Extract<Command, { type: "vars.set" }>): void {
  const { name, value } = command;
  if (maySet(draft, name, value)) emit(draft, { type: "vars.changed", vars: { [name]: value } });
}

/** Whether whoever asks may give a variable this value, at the start or later. */
export function maySet(draft: Draft, name: string, value: Json): boolean {
  const rule = member(draft.protocol.open ?? {}, name);
  const legal = rule?.values.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;
  const mayAct = rule?.by.includes(draft.envelope.actor.kind) === true;
  if (rule === undefined || !legal || !mayAct) {
    refuse(draft, {
      code: rule === undefined ? "var-closed" : legal ? "person-required" : "value-illegal",
      message: `Cannot set ${name} to ${JSON.stringify(value)} as ${who(draft)}`,
      fix:
        rule === undefined
          ? "It is set by the workflow itself."
          : `Legal values: ${JSON.stringify(rule.values)}, set by ${rule.by.join(" or ")}.`,
      rule: rule?.rule ?? "core",
    });
    return false;
  }
  return !isForPeople(rule.by) || isReleased(draft);
}

export function resealByCommand(
  draft: Draft,
  command: Extract<Command, { type: "artifact.reseal" }>,
): void {
  if (!needsPerson(draft, command.reason, "accept a changed artifact", "core")) return;
  const unknown = command.artifacts.filter((one) => !Object.hasOwn(draft.state.seals, one));
  if (unknown.length > 0) {
    refuse(draft, {
      code: "artifact-unknown",
      message: `${unknown.join(", ")} is not sealed in ${draft.state.id}`,
      fix: `Sealed are: ${Object.keys(draft.state.seals).join(", ")}.`,
      rule: "core",
    });
    return;
  }
  reseal(draft, command.artifacts, command.reason);
}

/** Waives a gate. The waiver is recorded as a finding, and only guards that name `waiver` accept it. */
export function waive(draft: Draft, command: Extract<Command, { type: "gate.waive" }>): void {
  if (!needsPerson(draft, command.reason, `waive ${command.gate}`, "core")) return;
  if (knownUnit(draft, command.unit) === undefined) return;
  const { unit, gate } = command;
  emit(draft, {
    type: "finding.recorded",
    unit,
    kind: `waiver:${gate}`,
    by: who(draft),
    value: "waived",
    bound: {},
  });
  emit(draft, { type: "note.added", list: "waivers", tag: gate, text: command.reason });
}

/** Records a finding. A finding vouches for something, so only those the protocol names may sign one. */
export function recordFinding(
  draft: Draft,
  command: Extract<Command, { type: "finding.record" }>,
): void {
  const { unit, kind, by, value, bound, detail } = command;
  if (knownUnit(draft, unit) === undefined) return;
  const word = kind.split(/[^a-z]/i)[0] ?? "";
  const signers = member(draft.protocol.signs ?? {}, word) ?? ["engine"];
  const { actor } = draft.envelope;
  // A person may sign only with their own name.
  const own = actor.kind !== "person" || by === who(draft);
  if (!signers.includes(actor.kind) || !own) {
    refuse(draft, {
      code: "actor-not-allowed",
      message: `A finding "${kind}" is recorded by ${signers.join(" or ")}; you are ${who(draft)}`,
      fix: "Let Holdpoint run the check, or report the work.",
      rule: "core",
    });
    return;
  }
  if (actor.kind === "person" && !isReleased(draft)) return;
  const kept = detail === undefined ? {} : { detail };
  emit(draft, { type: "finding.recorded", unit, kind, by, value, bound, ...kept });
}

export function knownUnit(draft: Draft, id: string): Unit | undefined {
  const unit = member(draft.state.units, id);
  if (unit === undefined) {
    refuse(draft, {
      code: "unit-unknown",
      message: `There is no "${id}" in ${draft.state.id}`,
      fix: remedy("status", { workflow: draft.state.id }, "See what there is"),
      rule: "core",
    });
  }
  return unit;
}

export function needsPerson(draft: Draft, reason: string, what: string, rule: string): boolean {
  const person = draft.envelope.actor.kind === "person";
  if (person && reason.trim() !== "") return isReleased(draft);
  refuse(draft, {
    code: person ? "reason-missing" : "person-required",
    message: `Only a person may ${what}, and must say why`,
    fix: person ? "Give a reason." : "Ask a person to do it.",
    rule,
  });
  return false;
}
