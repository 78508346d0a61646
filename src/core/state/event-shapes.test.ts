/** A journal is a file that anybody can write to: what is no event is named, and not folded. */
import { describe, expect, test } from "vitest";
import { ENGINE } from "../../../test/story.ts";
import { inReview, shipping } from "../../../test/toy.ts";
import { strangeFields, wrongEvent } from "./event-shapes.ts";
import type { Event } from "./events.ts";
import { toJson } from "../values/json.ts";
import type { Json } from "../values/json.ts";

const story = shipping().settle("failed");
story.when({ type: "note.add", list: "l", tag: "", text: "t" }, ENGINE);
const history = [...story.history, ...inReview().move("rework", { reason: "no" }).history];

describe("an event", () => {
  test("of a whole story is one, and has no field that nobody knows", () => {
    expect(new Set(history.map((one) => one.type)).size).toBeGreaterThan(9);
    for (const event of history) {
      expect(wrongEvent(toJson(event))).toBeUndefined();
      expect(strangeFields(event)).toEqual([]);
    }
  });

  test("with a field that is gone or of another kind is named, with the field", () => {
    const sent = { dispatch: "W", spec: "s", role: "r", unit: ".", session: "s", baseline: {} };
    for (const name of Object.keys(sent))
      for (const wrong of [undefined, 7, null, ["a"]]) {
        const event = { type: "dispatch.sent", ...sent, [name]: wrong };
        expect(wrongEvent(toJson(event))).toMatch(new RegExp(`as its ${name}$`));
      }
  });

  const STARTED = { type: "workflow.started", id: "x", vars: {} };
  const MOVED = { type: "unit.moved", unit: ".", move: "m", from: "a", to: "b", reason: "" };
  const ENDED = { type: "dispatch.ended", dispatch: "W", outcome: "o", claim: {} };
  const WANTED = { type: "effect.wanted", effect: "E", kind: "k", args: {}, unit: "." };
  const UNDO = { units: [{ id: "u", at: "a", back: ["b"] }], vars: {}, asks: "q" };
  const ASKED = { question: "q", unit: ".", about: {} };
  const NO = { asks: null, undo: null };
  const FOUND = { type: "finding.recorded", unit: ".", kind: "k", by: "b", bound: {} };

  test.each<[Json, string | undefined]>([
    [{ ...STARTED, protocol: { name: "p", version: 1 } }, undefined],
    [{ ...STARTED, protocol: { name: "p", version: 1, digest: "d" } }, undefined],
    [{ ...STARTED, protocol: { name: "p", version: 1, digest: 2 } }, "protocol"],
    [{ ...STARTED, protocol: { name: "p", version: "1" } }, "protocol"],
    [{ ...STARTED, protocol: { name: 1, version: 1 } }, "protocol"],
    [{ ...STARTED, protocol: "p" }, "protocol"],
    [{ ...MOVED, back: ["a", "b"] }, undefined],
    [{ ...MOVED, back: ["a", 1] }, "back"],
    [{ ...MOVED, back: "a" }, "back"],
    [{ ...ENDED, notes: [{ code: "c", message: "m", rule: "r" }] }, undefined],
    [{ ...ENDED, notes: [{ code: "c", message: "m" }] }, "notes"],
    [{ ...ENDED, notes: [], measured: {} }, undefined],
    [{ ...ENDED, notes: [], measured: null }, undefined],
    [{ ...ENDED, notes: [], measured: "x" }, "measured"],
    [{ ...WANTED, ...NO }, undefined],
    [{ ...WANTED, ...NO, asks: ASKED, undo: UNDO }, undefined],
    [{ ...WANTED, ...NO, asks: { ...ASKED, about: 1 } }, "asks"],
    [{ ...WANTED, ...NO, undo: { ...UNDO, units: [{ id: "u", at: "a" }] } }, "undo"],
    [{ ...WANTED, ...NO, undo: { ...UNDO, units: {} } }, "undo"],
    [{ ...WANTED, ...NO, by: { session: "s", process: "p" } }, undefined],
    [{ ...WANTED, ...NO, by: { session: "s" } }, "by"],
    [{ ...WANTED, ...NO, by: null }, "by"],
    [{ ...FOUND, value: null }, undefined],
    [{ ...FOUND }, "value"],
    [{ ...FOUND, value: 1, detail: "x" }, "detail"],
    ...["done", "failed", "skipped", "wanted", 1].map((status): [Json, string | undefined] => [
      { type: "effect.settled", effect: "E", status, detail: {} },
      ["done", "failed", "skipped"].includes(String(status)) ? undefined : "status",
    ]),
    ...["answered", "cancelled", "void", "open"].map((status): [Json, string | undefined] => [
      { type: "decision.settled", decision: "D", status, option: "o", text: "", by: "b" },
      status === "open" ? "status" : undefined,
    ]),
    [{ type: "artifact.sealed", artifact: "a", digest: null, by: "b", why: "w" }, undefined],
    [{ type: "artifact.sealed", artifact: "a", digest: 1, by: "b", why: "w" }, "digest"],
    [{ type: "note.added", list: "l", tag: "", text: "", at: 1 }, "at"],
  ])("%j: %s", (event, field) => {
    expect(wrongEvent(event)?.replace(/^.* as its /, "")).toBe(field);
  });

  test("of no type that is known is named, also one of an object's own names", () => {
    expect(wrongEvent(null)).toBe("is no event");
    expect(wrongEvent([])).toBe("is no event");
    expect(wrongEvent({})).toBe("is of the unknown type null");
    expect(wrongEvent({ type: 3 })).toBe("is of the unknown type 3");
    expect(wrongEvent({ type: "constructor" })).toBe('is of the unknown type "constructor"');
  });

  test("may have a field of a newer version, and that is told", () => {
    const event = { type: "budget.spent", budget: "b", extra: 1 };
    expect(wrongEvent(event)).toBeUndefined();
    expect(strangeFields(event as unknown as Event)).toEqual(["extra"]);
  });
});
