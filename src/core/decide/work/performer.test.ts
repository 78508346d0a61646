// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, PERSON } from "../../../../test/story.ts";
import type { As, Story } from "../../../../test/story.ts";
import { inReview, must, toy, toyTable } from "../../../../test/toy.ts";
import type { Previous } from "../../state/commands.ts";
import { checkedProtocol } from "../../table/define.ts";
import { heldEffect, mayTake } from "./performer.ts";

const OWNER: As = { ...AGENT, session: "s-1", process: "p-1" };
const STRANGER: As = { ...AGENT, session: "s-2", process: "p-3" };
const EVE: As = { ...PERSON, session: "s-9", process: "p-9" };

const lease = { type: "lease.take", previous: "none", why: "mine" } as const;

/** An effect is wanted: by the process p-1 of session s-1, where nobody else is named. */
function wanted(as: As = OWNER, first: Story = inReview()): Story {
  const waive = { type: "gate.waive", unit: ".", gate: "tests", reason: "none yet" } as const;
  return first.reply("approve", "yes").when(waive).move("ship", as).expectAccepted();
}

function may({ state }: Story, { session = "" }: As): Record<Previous, boolean> {
  const effect = must(state.effects, "E-1");
  const known = (previous: Previous): boolean => mayTake(state, effect, session, previous);
  return { dead: known("dead"), quiet: known("quiet"), none: known("none") };
}

const NEVER = { dead: false, quiet: false, none: false };
const AFTER_DEATH = { dead: true, quiet: false, none: false };

describe("who carries an effect out", () => {
  test("[C104] it is recorded who wanted it", () => {
    const told = wanted();
    const { seq } = told.state;
    expect(told.state.effects["E-1"]?.by).toEqual({ session: "s-1", process: "p-1", seq });
  });

  test("[C104] its own session takes it over after a proven death, and only then", () => {
    expect(may(wanted(), OWNER)).toEqual(AFTER_DEATH);
  });

  test("[C104] a stranger never does, and is told whose it is; with the lease it is no stranger", () => {
    const told = wanted();
    for (const as of [STRANGER, EVE]) expect(may(told, as)).toEqual(NEVER);
    const effect = must(told.state.effects, "E-1");
    const held = heldEffect(toy, told.state, effect, {
      session: "s-2",
      previous: "dead",
      why: "gone",
    });
    expect(held).toMatchObject({ code: "effect-held", message: expect.stringContaining("s-1") });
    told.when(lease, STRANGER).expectAccepted();
    expect(may(told, STRANGER)).toEqual(AFTER_DEATH);
    expect(may(told, OWNER)).toEqual(NEVER);
  });

  test("[C104] who holds the lease may, also what somebody else has wanted", () => {
    const whole = checkedProtocol({ ...toyTable, lease: "workflow" });
    const told = wanted(EVE, inReview({}, whole).when({ ...lease, previous: "dead" }, STRANGER));
    expect(may(told, STRANGER)).toEqual(AFTER_DEATH);
    expect(may(told, EVE)).toEqual(AFTER_DEATH);
    expect(may(told, OWNER)).toEqual(NEVER);
  });

  test("[C104] a person who takes the lease since may, whatever became of the process", () => {
    expect(may(wanted(EVE, inReview().when(lease, EVE)), EVE)).toEqual(AFTER_DEATH);
    const taken = wanted().when(lease, EVE);
    expect(may(taken, EVE)).toEqual({ dead: true, quiet: true, none: true });
  });

  test("[C104] journals from before it was recorded: whoever has the lease, or anybody where nobody has", () => {
    const old = wanted(AGENT);
    expect(old.state.effects["E-1"]?.by).toBeUndefined();
    expect(may(old, STRANGER)).toEqual(AFTER_DEATH);
    old.when(lease, AGENT);
    expect(may(old, STRANGER)).toEqual(NEVER);
    expect(may(old, OWNER)).toEqual(AFTER_DEATH);
  });
});

describe("what somebody else is told", () => {
  const asks = (session: string, previous: Previous) => ({ session, previous, why: "gone" });

  test("[C104] without a lease: take it over once it is dead, and wait for it until then", () => {
    const { state } = wanted();
    const effect = must(state.effects, "E-1");
    const fix = (previous: Previous): unknown =>
      heldEffect(toy, state, effect, asks("s-2", previous)).fix;
    expect(fix("dead")).toMatchObject({ operation: "lock" });
    expect(fix("quiet")).toMatch(/^Wait for it/);
    expect(fix("none")).toMatch(/^Wait for it/);
  });

  test("[C104] with a lease: whose it is; the holder itself is told to wait", () => {
    const { state } = wanted().when(lease, OWNER);
    const effect = must(state.effects, "E-1");
    expect(heldEffect(toy, state, effect, asks("s-2", "dead")).code).toBe("lease-held");
    const own = heldEffect(toy, state, effect, asks("s-1", "dead"));
    expect(own).toMatchObject({ code: "effect-held", fix: expect.stringMatching(/^Wait for it/) });
    const other = wanted().when(lease, STRANGER).state;
    expect(heldEffect(toy, other, effect, asks("s-9", "dead")).code).toBe("effect-held");
    const { by: _, ...old } = effect;
    expect(heldEffect(toy, state, old, asks("s-2", "dead")).code).toBe("lease-held");
  });
});
