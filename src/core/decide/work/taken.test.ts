// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { PERSON } from "../../../../test/story.ts";
import type { As, Story } from "../../../../test/story.ts";
import { planned } from "../../../../test/toy.ts";

const MAIN = "claude-code:s-1";
const ONE = `${MAIN}/a1`;
const TWO = `${MAIN}/a2`;

function as(agent?: string, role?: string): As {
  const known = agent === undefined ? {} : { agent };
  return {
    actor: { kind: "agent", name: "claude", ...known, ...(role === undefined ? {} : { role }) },
  };
}

function take(told: Story, agent: string | null, by: As = as(agent ?? undefined)): Story {
  return told.when({ type: "dispatch.take", dispatch: "W-1", agent }, by);
}

const out = (): Story => planned().send("write").expectAccepted();
const holder = (told: Story): string | undefined => told.state.dispatches["W-1"]?.agent;
const good = { pages: 1, text: "a page" };

describe("whoever fetches an order has it", () => {
  test("another known agent is refused with who has it, at the order and at the report", () => {
    const told = take(out(), ONE).expectAccepted();
    expect(holder(told)).toBe(ONE);
    take(told, TWO).expectRefused("dispatch-taken");
    told.report(good, as(TWO)).expectRefused("dispatch-taken");
    expect(told.refusals[0]).toMatchObject({
      message: `W-1 (writer) is with ${ONE}; you are ${TWO}`,
      fix: { operation: "order", input: { workflow: "Toy", dispatch: "W-1", take: true } },
    });
    told.report(good, as(ONE)).expectAccepted();
    expect(holder(told)).toBe(ONE);
  });

  test("an agent that nobody knows reports only what no known agent has", () => {
    out().report(good, as()).expectAccepted();
    const told = take(out(), ONE);
    told.report(good, as()).expectRefused("dispatch-taken");
    expect(told.refusals[0]?.message).toContain("an agent that no client vouches for");
    take(out(), ONE, as()).expectRefused("agent-unknown");
    take(out(), ONE, as("codex:s-9")).expectRefused("agent-unknown");
  });

  test("taking it again says nothing new, and what is over cannot be taken", () => {
    expect(take(take(out(), ONE), ONE).expectAccepted().events).toEqual([]);
    take(out().report(good, as(ONE)), TWO).expectRefused("report-stale");
    const told = out();
    told
      .when({ type: "dispatch.take", dispatch: "W-7", agent: ONE }, as(ONE))
      .expectRefused("dispatch-unknown");
  });

  test("a report that nobody fetched the order for is its reporter's, also while it waits", () => {
    expect(holder(out().report(good, as(TWO)).expectAccepted())).toBe(TWO);
    const waits = out().given({ "digest:plan.md": "p2" }).report(good, as(TWO));
    expect(holder(waits.expectHeld("plan-changed"))).toBe(TWO);
  });
});

describe("work is handed down and given free", () => {
  test("a main agent hands it to an agent below it, and to another when that one is gone", () => {
    const told = take(take(out(), MAIN), ONE, as(MAIN)).expectAccepted();
    expect(holder(told)).toBe(ONE);
    told.report(good, as(MAIN)).expectRefused("dispatch-taken");
    expect(holder(take(told, TWO, as(MAIN)).expectAccepted())).toBe(TWO);
    told.report(good, as(ONE)).expectRefused("dispatch-taken");
  });

  test("an agent takes what its main agent has, and not what the main agent of others has", () => {
    expect(holder(take(take(out(), MAIN), ONE).expectAccepted())).toBe(ONE);
    expect(holder(take(out(), MAIN).report(good, as(ONE)).expectAccepted())).toBe(ONE);
    take(take(out(), "codex:s-9"), ONE).expectRefused("dispatch-taken");
    // A name that only begins alike is another one.
    take(take(out(), "claude-code:s-10"), "claude-code:s-1/0").expectRefused("dispatch-taken");
  });

  test("its agent and a person give it free; others do not", () => {
    const told = take(out(), ONE);
    take(told, null, as(TWO)).expectRefused("dispatch-taken");
    take(told, null, as()).expectRefused("dispatch-taken");
    expect(holder(take(told.fork(), null, as(ONE)).expectAccepted())).toBeUndefined();
    take(told, null, PERSON).expectAccepted();
    take(told, TWO).expectAccepted();
    take(out(), ONE, PERSON).expectRefused("agent-unknown");
  });

  test("a person may bring any report", () => {
    take(out(), ONE).report(good, PERSON).expectAccepted();
  });
});

describe("one role at a time", () => {
  test("a claimed role must be the one the work was given to, however it is spelled", () => {
    out().report(good, as(undefined, "builder")).expectRefused("role-mismatch");
    out().report(good, as(ONE, "auditor")).expectRefused("role-mismatch");
    out().report(good, as(undefined, "Writer")).expectAccepted();
    out().report(good, as(undefined, "nobody")).expectRefused("role-mismatch");
  });

  test("whoever made something does not judge it; another agent does", () => {
    const told = out().report(good, as(ONE)).send("audit").expectAccepted();
    told.report({}, as(ONE)).expectRefused("judges-itself");
    expect(told.refusals[0]?.message).toBe(
      `${ONE} worked as writer (W-1), and W-2 judges that work`,
    );
    told
      .when({ type: "dispatch.take", dispatch: "W-2", agent: ONE }, as(ONE))
      .expectRefused("judges-itself");
    told.report({}, as(TWO)).expectAccepted();
  });
});
