/** "The journal proves itself": what somebody writes into it with a correct hash is named, with its record. */
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { forgerOf } from "./forged.ts";
import { DONE, FAILED, aboutToReport, expectFinishes, report } from "./hostile.ts";
import { NAME } from "./plugin.ts";

function stateOf(snapshot: JsonObject): JsonObject {
  const { state } = snapshot;
  return isJsonObject(state) ? state : {};
}

describe("a snapshot that says something else than the records", () => {
  const FORGED: readonly (readonly [string, (value: JsonObject) => JsonObject])[] = [
    [
      "where the workflow stands",
      (one) => ({ ...one, state: { ...stateOf(one), vars: { x: 1 } } }),
    ],
    ["a lease", (one) => ({ ...one, state: { ...stateOf(one), lease: null } })],
    ["commands that were never given", (one) => ({ ...one, recent: [["x", 1, 1]] })],
    ["another time", (one) => ({ ...one, at: "2020-01-01T00:00:00.000Z" })],
  ];

  test.each(FORGED)("%s: named by verify and audit, and gone with the file", (_, change) => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.changeSnapshot(change);
    for (const call of ["verify --all", `verify ${NAME}`]) {
      const reply = scratch.hold(call);
      expect(reply.exit, reply.stdout).toBe(2);
      expect(reply.stdout).toMatch(/snapshot-false.*at record 2 /);
    }
    expect(scratch.hold(`audit ${NAME}`).exit).toBe(FAILED);
    forger.forget("snapshots");
    expect(scratch.hold("verify --all").exit).toBe(DONE);
    expectFinishes(scratch);
  });

  test("one that hides the records behind it is named", () => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    let old: JsonObject = {};
    forger.changeSnapshot((value) => (old = value));
    report(scratch);
    const end = forger.records().length;
    let size = 0;
    forger.changeSnapshot((value) => {
      size = Number(value["offset"]);
      return { ...old, offset: size };
    });
    expect(end).toBeGreaterThan(2);
    expect(scratch.hold("verify --all").stdout).toMatch(/snapshot-false.*offset differs/);
  });

  test("one with a correct hash and nothing in it is only a cache", () => {
    const scratch = aboutToReport();
    forgerOf(scratch).changeSnapshot(({ format = 1 }) => ({ format, x: [] }));
    expectFinishes(scratch);
  });
});

describe("a record that no fold understands", () => {
  const STRANGE: readonly (readonly [string, JsonObject])[] = [
    ["unknown type", { type: "workflow.finished", by: "me" }],
    ["__proto__", { type: "constructor" }],
    ["no type", {}],
    [
      "has 7 as its to",
      { type: "unit.moved", unit: ".", move: "x", from: "a", to: 7, back: [], reason: "" },
    ],
    [
      "as its options",
      {
        type: "decision.asked",
        decision: "D-9",
        question: "q",
        unit: ".",
        prompt: "",
        options: [1],
        bound: {},
        nonce: "",
        about: {},
      },
    ],
    [
      "never asked",
      {
        type: "decision.settled",
        decision: "constructor",
        status: "answered",
        option: "x",
        text: "",
        by: "person:ada",
      },
    ],
    [
      "never sent",
      { type: "dispatch.ended", dispatch: "toString", outcome: "success", claim: {}, notes: [] },
    ],
  ];

  test.each(STRANGE)("%s: named with its number, never folded", (says, event) => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.append({
      command: "note.add",
      actor: "person:ada",
      session: "s",
      events: [event],
      used: {},
    });
    const reply = scratch.hold("verify --all");
    expect(reply.exit).toBe(2);
    expect(reply.stdout).toContain("journal-event");
    expect(reply.stdout).toContain("record 3 on line");
    expect(
      says === "__proto__" || says === "no type" || reply.stdout.includes(says),
      reply.stdout,
    ).toBe(true);
    for (const call of [`status ${NAME}`, `advance ${NAME}`, `audit ${NAME}`]) {
      const answer = scratch.hold(call);
      expect(answer.exit, answer.stdout).toBe(FAILED);
      expect(answer.stdout).toContain("journal-event");
    }
    forger.cut(2);
    forger.forget("snapshots");
    expectFinishes(scratch);
  });
});
