import type { Command } from "../../state/commands.ts";
import { isReleased } from "../decisions/release.ts";
import { who } from "../who.ts";
import { emit, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member, showJson } from "../../values/json.ts";
import type { Effect } from "../../state/state.ts";

/**
 * Records what became of an effect; only the engine may. If it succeeded, the waiting question opens. If it
 * failed, the move is undone and its question asked.
 */
export function settleEffect(
  draft: Draft,
  command: Extract<Command, { type: "effect.settle" }>,
): void {
  const effect = member(draft.state.effects, command.effect);
  const maySkip = command.status === "skipped" && draft.envelope.actor.kind === "person";
  if (
    effect === undefined ||
    effect.status !== "wanted" ||
    (draft.envelope.actor.kind !== "engine" && !maySkip)
  ) {
    refuse(draft, {
      code: effect?.status === "wanted" ? "actor-not-allowed" : "effect-settled",
      message: `The outcome of "${command.effect}" cannot be recorded by ${who(draft)}`,
      fix: "The engine records it; a person may only skip it.",
      rule: "core",
    });
    return;
  }
  if (maySkip && !isReleased(draft)) return;
  emit(draft, {
    type: "effect.settled",
    effect: effect.id,
    status: command.status,
    detail: command.detail,
  });
  if (command.status === "failed")
    return undo(draft, effect, showJson(command.detail["message"] ?? ""));
  draft.asks = effect.asks;
}

/** Records which branch is about to be moved; only the engine may, and only for a wanted effect. */
export function aimEffect(
  draft: Draft,
  { effect, aim }: Extract<Command, { type: "effect.aim" }>,
): void {
  const isWanted = member(draft.state.effects, effect)?.status === "wanted";
  if (isWanted && draft.envelope.actor.kind === "engine")
    return emit(draft, { type: "effect.aimed", effect, aim });
  refuse(draft, {
    code: isWanted ? "actor-not-allowed" : "effect-settled",
    message: `${who(draft)} cannot say which branch "${effect}" moves`,
    fix: "The engine says it, before it moves the branch.",
    rule: "core",
  });
}

function undo(draft: Draft, effect: Effect, message: string): void {
  if (effect.undo === null) return;
  for (const { id, at, back } of effect.undo.units) {
    const unit = member(draft.state.units, id);
    if (unit === undefined) continue;
    const reason = `${effect.kind} failed`;
    emit(draft, {
      type: "unit.moved",
      unit: id,
      move: "undo",
      from: unit.at,
      to: at,
      back,
      reason,
    });
  }
  const { vars } = effect.undo;
  if (Object.keys(vars).length > 0) emit(draft, { type: "vars.changed", vars });
  draft.asks = { question: effect.undo.asks, unit: effect.unit, about: { message } };
}
