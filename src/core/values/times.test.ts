import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../state/events.ts";
import { emptyWorkflow, evolveAll } from "../state/evolve.ts";

const time = fc.date({
  noInvalidDate: true,
  min: new Date("2025-01-01"),
  max: new Date("2099-01-01"),
});
const asked = {
  question: "q",
  unit: ".",
  prompt: "",
  options: [],
  bound: {},
  nonce: "",
  about: {},
};
const events: readonly Event[] = [
  { type: "note.added", list: "x", tag: "", text: "" },
  { type: "decision.asked", decision: "D-1", ...asked },
  { type: "lease.taken", session: "s", holder: "h" },
  { type: "artifact.sealed", artifact: "a", digest: null, by: "b", why: "" },
  { type: "work.left", unit: ".", baseline: {} },
  { type: "finding.recorded", unit: ".", kind: "k", by: "b", value: 1, bound: {} },
];

test("whatever the clocks said, nothing in the state is later than its last record", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(time, fc.constantFrom(...events)), { minLength: 1 }), (steps) => {
      const state = steps.reduce(
        (now, [at, event], index) =>
          evolveAll(now, [event], { seq: index + 1, at: at.toISOString() }),
        emptyWorkflow("w"),
      );
      const times = JSON.stringify(state).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
      expect(times.filter((one) => one > state.updatedAt)).toEqual([]);
      expect(state.updatedAt).toBe(steps.at(-1)?.[0].toISOString());
    }),
  );
});
