/** What a report says it completes, held against what was handed out. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";
import { emptyWorkflow } from "../../../core/state/evolve.ts";
import type { Dispatch, Unit, Workflow } from "../../../core/state/state.ts";
import { guards } from "./guards.ts";

function scopeOf(spec: string, unit: string, claim: JsonObject, phases: readonly string[]): Scope {
  const units = Object.fromEntries(
    phases.map((id) => [id, { id, kind: "phase", at: "planned", data: {} } as unknown as Unit]),
  );
  const dispatches = spec === "" ? {} : { "W-1": { id: "W-1", spec, unit } as unknown as Dispatch };
  const workflow: Workflow = { ...emptyWorkflow("TapeDelay"), units, dispatches };
  return {
    workflow,
    before: workflow,
    claim: { agent: "a", outcome: "success", ...claim },
    dispatch: "W-1",
  } as unknown as Scope;
}

function says(guard: string, scope: Scope): string | undefined {
  const found = guards[guard];
  if (typeof found !== "function") throw new Error(`${guard} is no guard`);
  return found(scope, {});
}

describe("the position of a report", () => {
  const position = (spec: string, unit: string, claim: JsonObject): string | undefined =>
    says("claimed-position", scopeOf(spec, unit, claim, []));

  test("[PW-093][PW-096] is the stage that was handed out, or none is said", () => {
    expect(position("dsp", ".", { stage: 3, phase: null })).toBeUndefined();
    expect(position("dsp", ".", {})).toBeUndefined();
    expect(position("dsp", ".", { stage: 4 })).toBe(
      "the report completes stage 4, but stage 3 was handed out",
    );
    expect(position("", ".", { stage: 0 })).toBeUndefined();
    expect(position("", ".", { stage: 2 })).toBe(
      "the report completes stage 2, but stage 0 was handed out",
    );
  });

  test("[PW-096][PW-111] is that phase, and no phase where there is none", () => {
    expect(position("dsp-phase", "3.1", { stage: 3, phase: "3.1" })).toBeUndefined();
    expect(position("dsp-phase", "3.1", { stage: 3, phase: "3.2" })).toBe(
      "the report completes phase 3.2, but phase 3.1 was handed out",
    );
    expect(position("dsp", ".", { stage: 3, phase: "3.1" })).toBe(
      "the report completes phase 3.1, but stage 3 is done in one pass",
    );
  });
});

test("[PW-301] a phase is one of the plan, and those of the stage are named", () => {
  const planned = (phase: string | null, phases: readonly string[]): string | undefined =>
    says("phase-planned", scopeOf("dsp-phase", "3.1", { phase }, phases));
  expect(planned(null, [])).toBeUndefined();
  expect(planned("3.1", ["3.1"])).toBeUndefined();
  expect(planned("3.7", [])).toBe("phase 3.7 is not in plan.md");
});
