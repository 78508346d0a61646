import { COMMON_EFFECTS, COMMON_LOOKS } from "../core/common.ts";
import type { Consequence, EffectRow, Protocol } from "../core/protocol.ts";

/** Kinds of effects that a row of the table wants and neither the engine nor the family performs. */
export function unknownEffects(
  protocol: Protocol,
  known: Readonly<Record<string, unknown>>,
): readonly string[] {
  const kinds = new Set(effectsOf(protocol).map((one) => one.kind));
  return [...kinds].filter((kind) => !COMMON_EFFECTS.includes(kind) && !Object.hasOwn(known, kind));
}

/** Words of facts that the table may ask for and neither the engine nor the family looks up. */
export function unknownLooks(
  { looks }: Protocol,
  known: Readonly<Record<string, unknown>>,
): readonly string[] {
  return looks.filter((name) => !COMMON_LOOKS.includes(name) && !Object.hasOwn(known, name));
}

function effectsOf({ starts, kinds, questions, dispatches }: Protocol): readonly EffectRow[] {
  const consequences = [
    ...Object.values(questions).flatMap(({ options, invalid }) => [
      ...options.flatMap((option) => option.does),
      ...(invalid?.does ?? []),
    ]),
    ...Object.values(dispatches).flatMap(({ sent, outcomes }) => [
      ...(sent ?? []),
      ...Object.values(outcomes).flat(),
    ]),
  ];
  return [
    ...(starts?.effects ?? []),
    ...Object.values(kinds).flatMap(({ opens, moves }) => [
      ...(opens?.effects ?? []),
      ...moves.flatMap((move) => move.effects ?? []),
    ]),
    ...consequences.flatMap(effectsIn),
  ];
}

function effectsIn(then: Consequence): readonly EffectRow[] {
  if (then.do === "effect") return [then.effect];
  return then.do === "within" ? then.otherwise.flatMap(effectsIn) : [];
}
