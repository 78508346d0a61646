import type { Remark } from "../../../core/state/state.ts";
import type { ToldLine } from "../../../ports/family.ts";

/** It is normal that an agent leaves the state to Holdpoint. Claiming to have written it is a lie. */
export function remarks(all: readonly Remark[]): readonly ToldLine[] {
  const others = all.filter((one) => one.code === NOBODY);
  return [
    ...ofState(all.filter((one) => one.code !== NOBODY)),
    ...others.map(({ message }): ToldLine => ({ tone: "warn", text: `! ${message}` })),
  ];
}

/** Changes while no agent is at work may be the person's own, so no agent is blamed for them. */
const NOBODY = "nobody-at-work";

function ofState(all: readonly Remark[]): readonly ToldLine[] {
  if (all.length === 0) return [];
  if (all.some((one) => one.code === "stateUpdated_false"))
    return [
      { tone: "warn", text: "! The agent left the state files to Holdpoint, which wrote them." },
      { tone: "dim", text: `  ${all.map((one) => one.code).join(", ")}` },
    ];
  return [
    { tone: "bad", text: "✗ The agent says it wrote the state, but:" },
    ...all.map(({ code, message }): ToldLine => ({ tone: "warn", text: `  ${code}: ${message}` })),
    { tone: "dim", text: "  Holdpoint wrote what was missing." },
  ];
}
