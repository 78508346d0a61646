import type { Refusal } from "../../core/decide/answer.ts";
import type { Command } from "../../core/state/commands.ts";
import type { Found } from "../../engine/engine.ts";

/** Describes a gate check by check, passed or not. */
export function gateOf(
  { family }: Found,
  command: Command,
  refusals: readonly Refusal[],
): { readonly gate?: readonly string[] } {
  const gate = command.type === "unit.move" ? family.words.gate(command.move, refusals) : [];
  return gate.length === 0 ? {} : { gate };
}
