import { describe, expect, test } from "vitest";
import { canonicalJson, isJsonObject } from "../values/json.ts";
import { list, number, object, objects, text, textIfAny, texts } from "../values/json-read.ts";
import { nearest } from "../values/nearest.ts";

describe("what is not of the kind asked for reads as nothing", () => {
  test("texts, numbers, objects and lists", () => {
    expect([text("a"), text(1), text(undefined)]).toEqual(["a", "", ""]);
    expect([textIfAny("a"), textIfAny(1)]).toEqual(["a", undefined]);
    expect([number(2, 7), number("2", 7)]).toEqual([2, 7]);
    expect([object({ a: 1 }), object([1]), object(null)]).toEqual([{ a: 1 }, {}, {}]);
    expect([list([1]), list("a")]).toEqual([[1], []]);
    expect(texts(["a", 1, null, "b"])).toEqual(["a", "b"]);
    expect(objects([{ a: 1 }, [], null, "x"])).toEqual([{ a: 1 }]);
    expect([isJsonObject([]), isJsonObject(null), isJsonObject({})]).toEqual([false, false, true]);
  });

  test("one text for one value, whatever the order of its names", () => {
    const value = { b: [1, { d: null, c: "x" }], a: true };
    expect(canonicalJson(value)).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson({ a: true, b: [1, { c: "x", d: null }] })).toBe(canonicalJson(value));
    expect(canonicalJson([2, 1])).toBe("[2,1]");
  });
});

describe("the name that was probably meant", () => {
  const NAMES = ["report", "reconcile", "answer", "advance"];

  test.each([
    ["reprot", "report"],
    ["REPORT", "report"],
    ["repotr", "report"],
    ["reports", "report"],
    ["reort", "report"],
    ["anwser", "answer"],
    ["anwsre", "answer"],
    ["adv", "advance"],
    ["ad", undefined],
    ["rec", "reconcile"],
    ["rep", "report"],
    ["re", undefined],
    ["zzzzzz", undefined],
    ["r".repeat(65), undefined],
  ])("%s: %s", (given, meant) => {
    expect(nearest(given, NAMES)).toBe(meant);
  });

  test("nothing is near where there is nothing, or too much that begins so", () => {
    expect(nearest("a", [])).toBeUndefined();
    expect(nearest("abc", ["abcdefgh", "abcdefgx"])).toBeUndefined();
    expect(nearest("b", ["a"])).toBe("a");
    expect(nearest("n".repeat(64), [`${"n".repeat(64)}m`])).toBe(`${"n".repeat(64)}m`);
  });
});
