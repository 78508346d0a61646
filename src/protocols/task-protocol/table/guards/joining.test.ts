/** Who may join a task, and speak for what: each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { agentGuards } from "./agents.ts";

function task(more: Stands = {}): Stands {
  const units = {
    quality: { kind: "agent", at: "ready" },
    style: { kind: "agent", at: "ready" },
    x: { kind: "other", data: { domain: "quality" } },
  };
  return { units, ...more };
}
const word = (kind: string, by: string, value: Json): object => ({ kind, by, value });
const words = (...all: readonly object[]): NonNullable<Stands["findings"]> =>
  Object.fromEntries(all.map((one, n) => [`f${n}`, one]));

describe("who joins", () => {
  const joins = (name: string, unit: string, more: Stands = {}): unknown =>
    judged(agentGuards, name)({ ...task(more), command: { type: "unit.open", unit } });

  test("[TP-214] is a stakeholder, by its own name, for a reason in four parts", () => {
    for (const unit of ["test", "test-2"]) expect(joins("selectable", unit)).toBeUndefined();
    expect(joins("selectable", "tester-2")).toBe('"tester-2" is called test here');
    expect(joins("selectable", "config")).toBe('"config" is not a stakeholder agent');
    expect(judged(agentGuards, "selectable")(task())).toBe('"" is not a stakeholder agent');
    const parts = {
      missing_expertise: "a",
      unmet_requirement: "b",
      why_not_first: "c",
      evidence: "d",
    };
    const why = (justification: Json): unknown =>
      joins("justified", "test", { input: { justification } });
    expect(why(parts)).toBeUndefined();
    expect(why({ ...parts, evidence: " ", why_not_first: 1 })).toMatch(
      /lacks (why_not_first, )?evidence$/,
    );
    expect(why(null)).toBe(
      "the justification lacks missing_expertise, unmet_requirement, why_not_first, evidence",
    );
  });

  test("[TP-219] outvotes nobody of its kind whose rejection stands", () => {
    const against = (unit: string, findings: readonly object[], input: JsonObject = {}): unknown =>
      joins("no-outvoting", unit, { findings: words(...findings), input });
    const says = "quality has rejected the work, and that stands";
    for (const kind of ["review", "round"])
      expect(against("quality-2", [word(kind, "quality", "REJECTED")])).toBe(says);
    expect(against("quality-2", [word("review", "quality", "APPROVED")])).toBeUndefined();
    expect(against("quality-2", [word("review", "x", "REJECTED")]), "no agent").toBeUndefined();
    expect(against("style-2", [word("review", "quality", "REJECTED")])).toBeUndefined();
    expect(against("test", [word("review", "quality", "REJECTED")], { domain: "engineer" })).toBe(
      says,
    );
  });

  test("[TP-218] defers only what is its own", () => {
    const own = (domain: string, data: JsonObject = {}, id = "quality"): unknown =>
      judged(
        agentGuards,
        "authority",
      )({ unit: id, units: { [id]: { kind: "agent", data } }, claim: { domain } });
    for (const domain of ["", "quality", "engineer"]) expect(own(domain)).toBeUndefined();
    expect(own("style")).toBe("quality may not defer an issue of style");
    expect(own("quality", {}, "quality-2")).toBeUndefined();
    expect(own("style", { domain: "formatter" })).toBeUndefined();
  });
});
