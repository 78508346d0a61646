/** Each cell of the threat model's first table: the way is tried under the policy, and what comes of it is what the page says. */
import { describe, expect, test } from "vitest";
import { tableBelow } from "../../threats.ts";
import { heldIn, POLICIES, stageAt, WAYS } from "../ways.ts";
import type { Stage } from "../ways.ts";

/** What an agent got: the question still waits; or something is named; or nothing is. */
function outcome(stage: Stage, held: string | undefined): string {
  if (stage.scratch.hold(["audit", "--chain"]).exit !== 0) return "seen";
  return heldIn(stage) === held ? "stopped" : "not stopped";
}

describe.each(tableBelow("What each policy stops"))("%s", (name, ...cells) => {
  const said = POLICIES.map((policy, at) => ({ policy, cell: cells[at] ?? "" }));
  test.each(said.filter(({ cell }) => cell !== "–"))("$policy: $cell", async ({ policy, cell }) => {
    const way = WAYS[name ?? ""];
    if (way === undefined) throw new Error(`Nobody tries "${name}"`);
    const stage = stageAt(policy, way.phrase);
    await way.before?.(stage);
    const held = heldIn(stage);
    expect(held).toBeDefined();
    const codes = await way.attack(stage);
    const refused = way.refused?.[policy];
    expect(codes).toEqual(refused === undefined ? [] : [refused]);
    expect(cell.split(/[;:(,]/)[0]?.trim()).toBe(outcome(stage, held));
  });
});
