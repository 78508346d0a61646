import { expect, test } from "vitest";
import { FACTS, inReview, planned, shipping, started, toy, withMoves } from "../../../test/toy.ts";
import type { Envelope } from "../state/commands.ts";
import { decide } from "./decide.ts";
import { emptyWorkflow } from "../state/evolve.ts";
import type { Evidence } from "./answer.ts";
import { next } from "./next.ts";
import type { Next } from "./next.ts";
import type { Workflow } from "../state/state.ts";

const envelope: Envelope = {
  id: "c1",
  at: "2026-03-01T10:00:00.000Z",
  actor: { kind: "agent", name: "claude" },
  session: "s-1",
};

test("[C75] what is offered is what decide answers to it", () => {
  for (const { state } of [started(), planned(), inReview(), shipping()]) {
    for (const { command, refusals } of nextOf(state, FACTS).candidates) {
      const answer = decide({ protocol: toy, state, envelope, command, evidence: FACTS });
      expect(answer.kind === "refused" ? answer.refusals : []).toEqual(refusals);
    }
  }
});

test("[C75] a step that only the engine takes is offered to nobody", () => {
  const only = { id: "tidy-up", from: ["doing"], to: "stuck", by: ["engine"], rule: "T" } as const;
  const protocol = withMoves(only, { ...only, id: "pause", by: ["engine", "agent"] });
  const { state } = planned({}, protocol);
  const labels = next({ protocol, state, envelope, evidence: FACTS }).candidates.map(
    (one) => one.label,
  );
  expect(labels).toContain("pause");
  expect(labels).not.toContain("tidy-up");
});

test("[C75] every fitting dispatch and every move somebody could ask for", () => {
  const { candidates, open, needs } = nextOf(planned().state, FACTS);
  expect(candidates.map((one) => [one.label, one.refusals.map((refusal) => refusal.code)])).toEqual(
    [
      ["hand work to writer (write)", []],
      ["hand a to builder (build)", []],
      ["hand b to builder (build)", []],
      ["hand work to auditor (audit)", []],
      ["replan", []],
      ["block", []],
      ["paint", []],
      ["paint", []],
      ["check-all", ["claim", "input", "var"]],
      ["hurry", []],
      ["strict", []],
    ],
  );
  expect(open).toEqual([]);
  expect(needs).toEqual([]);
});

test("[C75] open questions stand first and block the rest", () => {
  const { open, candidates } = nextOf(inReview().state, FACTS);
  expect(open.map((one) => one.question)).toEqual(["approve"]);
  const ship = candidates.find((one) => one.label === "ship");
  expect(ship?.refusals.map((refusal) => refusal.code)).toEqual(["held", "unapproved", "untested"]);
});

test("[C75] facts that are missing are named", () => {
  expect(nextOf(started().state, {}).needs).toEqual([
    "digest:plan.md",
    "digest:Toy.md",
    "tidy",
    "ready",
    "tree",
    "digest:notes.md",
    "parts",
  ]);
});

test("[C75] where nothing was started nothing is offered", () => {
  expect(nextOf(emptyWorkflow("Toy"), {})).toEqual({ open: [], candidates: [], needs: [] });
});

function nextOf(state: Workflow, evidence: Evidence): Next {
  return next({ protocol: toy, state, envelope, evidence });
}
