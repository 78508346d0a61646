/** How risky a change is, and what follows from it: each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { releaseGuards } from "./release.ts";

const on = (name: string): ReturnType<typeof judged> => judged(releaseGuards, name);

describe("risk", () => {
  const now = (found: Json | undefined, vars: JsonObject = { risk_level: "MEDIUM" }): Stands => ({
    vars,
    facts: { "classification:w": found },
    units: { quality: { kind: "agent" } },
  });

  test("[TP-072] is classified and recorded, each with its reason", () => {
    const classified = on("classified");
    expect(classified(now(undefined))).toBeUndefined();
    expect(classified(now({ level: "LOW", reason: "x" }))).toBeUndefined();
    expect(classified(now({ level: "odd", reason: "x" }))).toBe("the risk could not be classified");
    expect(classified(now({ level: "LOW" }))).toBe("the risk has no reason");
    const recorded = (vars: JsonObject): unknown => on("risk-recorded")({ vars });
    expect(recorded({ risk_level: "LOW", risk_reason: "x" })).toBeUndefined();
    expect(recorded({ risk_reason: "x" })).toBe("no risk level is recorded");
    expect(recorded({ risk_level: "LOW" })).toBe("the risk level has no recorded reason");
  });

  test("[TP-074] is not higher now, and asks for nobody else", () => {
    const kept = on("risk-kept");
    expect(kept(now(undefined))).toBeUndefined();
    for (const level of ["LOW", "MEDIUM"])
      expect(kept(now({ level, agents: ["quality"] }))).toBeUndefined();
    expect(kept(now({ level: "HIGH", reason: "src" }))).toBe(
      "it was classified MEDIUM, and what it touches now is HIGH (src)",
    );
    expect(kept(now({ level: "LOW", agents: ["quality", "test", "build"] }))).toBe(
      "what it touches now asks for test, build, not selected when it was classified",
    );
    expect(kept(now({ level: "odd" }))).toBe("the risk is not known");
    expect(kept(now({ level: "LOW" }, {}))).toBe("the risk is not known");
  });

  test("[TP-081] that is low has a short way, for what the change is", () => {
    const short = on("short-way");
    expect(short(now(undefined))).toBeUndefined();
    expect(short(now({ level: "LOW", change_type: "code" }))).toBeUndefined();
    expect(short(now({ level: "MEDIUM", change_type: "documentation_only" }))).toBeUndefined();
    expect(short(now({ level: "MEDIUM", change_type: "code" }))).toBe(
      "a change of code at MEDIUM risk has no short way",
    );
    expect(short(now({ level: "odd", change_type: "x" }))).toContain("no short way");
    const source = (changed: Json | undefined): unknown =>
      on("source")({ facts: { "source-changed:w": changed } });
    expect([source(true), source(undefined), source(null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(source(false)).toBe("no source changed");
  });
});
