import type { Command, Import } from "../state/commands.ts";
import { questionOf, shownOptions } from "./decisions/ask.ts";
import { who } from "./who.ts";
import { addNotes, emit, refuse } from "./draft.ts";
import { refOf } from "../table/definition.ts";
import type { Draft } from "./draft.ts";
import { rootOf } from "../state/evolve.ts";
import { holdsTrue, passes, runGuards } from "../guards/guard.ts";
import { canonicalJson, member } from "../values/json.ts";
import { machineOf, voidQuestion } from "./move.ts";
import { isFree } from "./unit-name.ts";
import { maySet } from "./decisions/override.ts";
import { leaseOf } from "./lease.ts";
import { isReleased } from "./decisions/release.ts";
import { remedy } from "../table/remedy.ts";
import { ROOT } from "../state/state.ts";

/** How workflows and units begin: started fresh, adopted from files, or opened later. */

export function start(draft: Draft, command: Extract<Command, { type: "workflow.start" }>): void {
  const { root, kinds, vars } = draft.protocol;
  const { start: first = "", starts = [] } = kinds[root] ?? {};
  // Advance grants belong to people, at the start as well.
  for (const [one, value] of Object.entries(command.vars)) {
    const open = Object.hasOwn(draft.protocol.open ?? {}, one);
    if (open && canonicalJson(value) !== canonicalJson(vars[one] ?? null))
      maySet(draft, one, value);
  }
  emit(draft, {
    type: "workflow.started",
    id: command.workflow,
    protocol: refOf(draft.protocol),
    vars: { ...vars, ...command.vars },
  });
  const opened = { type: "unit.opened", unit: ROOT, kind: root, data: {} } as const;
  emit(draft, { ...opened, at: first });
  const row = starts.find(({ when }) => holdsTrue(draft, rootOf(draft.state), when));
  if (row?.to !== undefined && row.to !== first) {
    draft.events.pop();
    emit(draft, { ...opened, at: row.to });
  }
  draft.input = command.vars;
  addNotes(draft, rootOf(draft.state), row?.notes);
  if (draft.protocol.lease === "owner") emit(draft, leaseOf(draft));
  runGuards(draft, rootOf(draft.state), row?.needs);
  // While the start waits for a person, no effect is carried out.
  if (draft.holds.length > 0) return;
  for (const effect of row?.effects ?? []) draft.effects.push({ row: effect, unit: ROOT });
  askAtGate(draft);
}

/** If a workflow begins at a gate, the gate's question is asked in the first record. */
function askAtGate(draft: Draft, other?: string): void {
  const gate = machineOf(draft, rootOf(draft.state)).gates?.[rootOf(draft.state).at] ?? other;
  if (gate === undefined) return;
  if (passes(draft, rootOf(draft.state), draft.protocol.questions[gate]?.needs))
    draft.asks = { question: gate, unit: ROOT, about: {} };
}

/** Turns files without a journal into the first record. What they say is taken as true and marked as adopted. */
export function adopt(draft: Draft, command: Extract<Command, { type: "workflow.adopt" }>): void {
  const { root, vars } = draft.protocol;
  const { import: from } = command;
  const beyond = isBeyondStart(draft, from);
  if (draft.envelope.actor.kind !== "person" && beyond) {
    refuse(draft, {
      code: "person-required",
      message: `Only a person may adopt ${command.workflow} at ${from.at}: no journal shows how it came there`,
      fix: remedy(
        "adopt",
        { workflow: command.workflow, dryRun: true },
        "Let a person adopt it, after a look at what the files claim",
      ),
      rule: "core",
    });
    return;
  }
  if (beyond && !isReleased(draft)) return;
  emit(draft, {
    type: "workflow.started",
    id: command.workflow,
    protocol: refOf(draft.protocol),
    vars: { ...vars, ...from.vars },
  });
  emit(draft, { type: "unit.opened", unit: ROOT, kind: root, at: from.at, data: {} });
  if (from.back !== undefined) {
    const stays = { from: from.at, to: from.at, back: from.back, reason: from.why };
    emit(draft, { type: "unit.moved", unit: ROOT, move: "adopt", ...stays });
  }
  for (const { id, kind, at, data } of from.units)
    emit(draft, { type: "unit.opened", unit: id, kind, at, data });
  for (const note of from.notes) emit(draft, { type: "note.added", ...note });
  for (const [artifact, digest] of Object.entries(from.seals)) {
    emit(draft, { type: "artifact.sealed", artifact, digest, by: who(draft), why: from.why });
  }
  adoptLedgers(draft, from);
  if (from.owner !== undefined)
    emit(draft, { type: "lease.taken", session: from.owner, holder: who(draft) });
  emit(draft, { type: "workflow.adopted", from: from.from, why: from.why });
  askAtGate(draft, from.asks);
}

/** Whether the files claim more than a start: a step, a finished part, an answer. */
function isBeyondStart(
  { protocol: { kinds, root } }: Draft,
  { at, units, decisions = [] }: Import,
): boolean {
  const firsts = (kind: string): readonly string[] => {
    const { start: first = "", starts = [] } = member(kinds, kind) ?? {};
    return [first, ...starts.flatMap(({ to }) => to ?? [])];
  };
  return (
    !firsts(root).includes(at) ||
    units.some((one) => !firsts(one.kind).includes(one.at)) ||
    decisions.some((one) => one.settled !== null)
  );
}

/** Decisions and spendings from before there was a journal. Holdpoint did not witness them. */
function adoptLedgers(draft: Draft, { decisions = [], spent = {} }: Import): void {
  for (const { id, question, prompt, about, settled } of decisions) {
    emit(draft, {
      type: "decision.asked",
      decision: id,
      question,
      unit: ROOT,
      prompt,
      options: shownOptions(draft, questionOf(draft, question), ROOT),
      bound: {},
      nonce: `${draft.envelope.id}.${id}`,
      about,
    });
    if (settled !== null)
      emit(draft, { type: "decision.settled", decision: id, ...settled, by: ADOPTED });
  }
  for (const [budget, times] of Object.entries(spent))
    for (let time = 0; time < times; time += 1) emit(draft, { type: "budget.spent", budget });
}

/** Recorded as the author of decisions that were found in a file. */
export const ADOPTED = "adopted";

/** Anybody may add a unit, if its kind has a start row that allows it here. */
export function openUnit(draft: Draft, command: Extract<Command, { type: "unit.open" }>): void {
  const machine = member(draft.protocol.kinds, command.kind);
  const root = rootOf(draft.state);
  const rows = command.kind === root.kind ? [] : (machine?.starts ?? []);
  draft.input = { reason: command.reason ?? "", ...command.data };
  const row = rows.find(
    ({ from = [], when }) => from.includes(root.at) && holdsTrue(draft, root, when),
  );
  const taken = Object.hasOwn(draft.state.units, command.unit);
  if (machine === undefined || row === undefined || taken) {
    const places = [...new Set(rows.flatMap(({ from = [] }) => from))];
    refuse(draft, {
      code: "open-illegal",
      message: taken
        ? `${draft.state.id} has a "${command.unit}" already`
        : `"${command.unit}" (${command.kind}) cannot be added while ${draft.state.id} is at ${root.at}`,
      fix:
        places.length === 0 && machine !== undefined && command.kind !== root.kind
          ? `Give ${command.kind} starts in the table of ${draft.protocol.name}, with the states where it may be added: starts: [{ from: ["${root.at}"] }].`
          : `It can be added in ${places.join(", ") || "no state"}, once.`,
      rule: rows[0]?.rule ?? "core",
    });
    return;
  }
  const rule = row.rule;
  if (!isFree(draft, { unit: command.unit, kind: command.kind, rule })) return;
  runGuards(draft, root, row.needs);
  if (draft.refusals.length > 0 || draft.holds.length > 0) return;
  emit(draft, {
    type: "unit.opened",
    unit: command.unit,
    kind: command.kind,
    at: row.to ?? machine.start,
    data: { ...command.data, added_at_state: root.at, added_at: draft.envelope.at },
  });
  for (const question of row.voids ?? []) voidQuestion(draft, question);
  for (const effect of row.effects ?? []) draft.effects.push({ row: effect, unit: command.unit });
}
