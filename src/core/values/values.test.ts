/** Small values: names that were meant, facts that are unknown, texts in order, times that were taken back. */
import { describe, expect, test } from "vitest";
import { planned, inReview } from "../../../test/toy.ts";
import { createLedgers } from "../state/ledgers.ts";
import { isFresh } from "../guards/fresh.ts";
import { decodeText } from "./bytes.ts";
import { compareTexts } from "./json.ts";
import { list, number, object, objects, text, textIfAny, texts } from "./json-read.ts";
import {
  besideUnmeasured,
  changedPaths,
  isReading,
  readMeasured,
  tellMeasured,
  tellPaths,
  tellUnordered,
  trimMeasured,
  unmeasuredNear,
} from "./measured.ts";
import { nearest } from "./nearest.ts";
import { notAfter } from "./times.ts";
import { isMissing, isUnknown, unknown, whyUnknown } from "./unknown.ts";

describe("the name that was meant", () => {
  test.each([
    ["publsih", "publish"],
    ["publis", "publish"],
    ["publishh", "publish"],
    ["pablish", "publish"],
    ["PUBLISH", "publish"],
    ["re", undefined],
    ["rev", "review"],
    ["upblish", "publish"],
    ["publihs", "publish"],
    ["hsilbup", undefined],
    ["", undefined],
    ["og", "go"],
    ["gone", undefined],
  ])("%j is %j", (given, meant) => {
    expect(nearest(given, ["publish", "review", "rework", "go"])).toBe(meant);
  });

  test("is none where there are no names, or a book was typed", () => {
    expect(nearest("publish", [])).toBeUndefined();
    const long = "p".repeat(65);
    expect(nearest(long, [long])).toBeUndefined();
    const most = "p".repeat(64);
    expect(nearest(most, [most])).toBe(most);
  });

  test("is the only one that begins so, however much longer it is", () => {
    expect(nearest("pub", ["publish-everything-at-once", "print"])).toBe(
      "publish-everything-at-once",
    );
    expect(nearest("pub", ["publish-everything", "publish-nothing"])).toBeUndefined();
    expect(nearest("pu", ["publish-everything"])).toBeUndefined();
  });
});

describe("a fact that is unknown", () => {
  test("equals nothing, not even itself, and says why", () => {
    const odd = unknown("too large");
    expect([isUnknown(odd), isUnknown({}), isUnknown("unknown"), isUnknown(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([whyUnknown(odd), whyUnknown({ a: 1 }), whyUnknown(null)]).toEqual([
      "too large",
      "",
      "",
    ]);
    expect([isMissing(odd), isMissing(null), isMissing(undefined), isMissing(0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isFresh(() => odd, { a: odd })).toBe(false);
    expect(isFresh(() => "x", { a: "x" })).toBe(true);
    expect(isFresh(() => "y", { a: "x" })).toBe(false);
  });
});

test("texts have one order everywhere", () => {
  expect(["b", "a", "B", "a"].toSorted(compareTexts)).toEqual(["B", "a", "a", "b"]);
  expect([compareTexts("a", "a"), compareTexts("a", "b"), compareTexts("b", "a")]).toEqual([
    0, -1, 1,
  ]);
});

test("bytes are a text or they are not", () => {
  expect(decodeText(Buffer.from("ä"))).toBe("ä");
  expect(decodeText(Buffer.from([0xef, 0xbb, 0xbf, 0x61]))).toBe("\uFEFFa");
  expect(decodeText(Buffer.from([0xff]))).toBeUndefined();
});

test("what is not of the kind asked for reads as nothing", () => {
  expect([text("a"), text(1), text(undefined)]).toEqual(["a", "", ""]);
  expect([textIfAny("a"), textIfAny(1)]).toEqual(["a", undefined]);
  expect([number(2, 7), number("2", 7)]).toEqual([2, 7]);
  expect([object({ a: 1 }), object([])]).toEqual([{ a: 1 }, {}]);
  expect([list([1]), list({})]).toEqual([[1], []]);
  expect(texts(["a", 1, "b"])).toEqual(["a", "b"]);
  expect(objects([{ a: 1 }, "b"])).toEqual([{ a: 1 }]);
});

describe("what was measured", () => {
  const whole = {
    files: {
      a: [null, "f 1"],
      b: ["f 1", "f 2"],
      c: ["f 1", null],
      d: [null, "f 3"],
      e: ["f 3", null],
    },
    moved: { d: "e" },
    commits: ["1 x"],
    committed: ["z"],
  };

  test("names what nobody looked at, where it lies in or around what is asked about", () => {
    const unmeasured = ["build/", "src/dist/", "x.log"];
    const measured = readMeasured({ files: {}, unmeasured });
    if (typeof measured !== "object") throw new Error("not read");
    const near = (place: string): readonly string[] => unmeasuredNear(measured, place);
    expect(near("")).toEqual(unmeasured);
    expect(near("**")).toEqual(unmeasured);
    expect(near("src/**")).toEqual(["src/dist/"]);
    expect(near("src")).toEqual(["src/dist/"]);
    expect(near("src/dist/a.js")).toEqual(["src/dist/"]);
    expect(near("src/distant.js")).toEqual([]);
    expect(near("x.log")).toEqual(["x.log"]);
    expect(near("x.log/y")).toEqual([]);
    expect(near("other/*.log")).toEqual([]);
    expect(besideUnmeasured(measured, "no", ["src", "src/**"])).toBe(
      "no; ignored, and so not measured: src/dist/",
    );
    expect(besideUnmeasured(measured, "no", ["other"])).toBe("no");
    expect(tellMeasured({ files: { a: [null, "f"] }, unmeasured })).toBe(
      "added a; ignored, and so not measured: build/, src/dist/, x.log",
    );
    const many = Array.from({ length: 101 }, (_, at) => `${at}/`);
    expect(trimMeasured({ files: {}, unmeasured: many })).toEqual({
      files: {},
      unmeasured: many.slice(0, 100),
    });
  });

  test("is read, told in one line, and cut where it is long", () => {
    expect(tellMeasured(whole)).toBe(
      "added a; modified b; deleted c; moved e → d; committed 1 x; only in commits z",
    );
    expect(tellMeasured({ files: {} })).toBe("nothing changed");
    expect(tellMeasured(unknown("odd"))).toBe("what changed is not known: odd");
    expect(readMeasured(undefined)).toBeUndefined();
    expect(readMeasured("text")).toBe("nobody has measured what changed");
    expect(
      readMeasured({ files: { a: "odd", b: [1, "f"] }, moved: 1, commits: 2, committed: 3 }),
    ).toEqual({
      files: { a: [null, null], b: [null, "f"] },
      moved: {},
      commits: [],
      committed: [],
      hidden: [],
      unmeasured: [],
    });
    expect(tellMeasured({ files: { a: [null, "f"] }, hidden: ["a"] })).toBe(
      "added a; left out by a new ignore rule, and so in no tree that was checked: a",
    );
    const many = (count: number): Record<string, readonly [null, string]> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`f${at}`, [null, "f"] as const]),
      );
    const hundred = { files: many(100), moved: { a: "b" } };
    expect(trimMeasured(hundred)).toBe(hundred);
    const hidden = Object.keys(many(103));
    const cut = trimMeasured({ files: many(103), moved: { a: "b" }, hidden });
    expect(cut).toMatchObject({ moved: {}, more: 3, hidden: hidden.slice(0, 100) });
    expect(tellMeasured(cut)).toMatch(/ and 80 more; and 3 more; left out .* and 80 more$/);
    expect(trimMeasured("text")).toBe("text");
    expect(trimMeasured({ files: 1 })).toEqual({ files: 1 });
    expect(tellPaths(Object.keys(many(20)))).not.toContain("more");
  });

  test("is inside or outside of patterns, in the files or only in commits", () => {
    const measured = readMeasured(whole);
    if (typeof measured !== "object") throw new Error("not read");
    expect(changedPaths(measured, ["a", "z"], "inside")).toEqual(["a", "z"]);
    expect(changedPaths(measured, ["a", "z"], "outside")).toEqual(["b", "c", "d", "e"]);
  });

  test("while no order was out is told with whose work was called off", () => {
    expect(tellUnordered({ files: {}, off: ["W-1", "W-2"] })).toBe(
      "W-1 was called off, and W-2 was called off, and changed while no agent was at work: nothing changed",
    );
    expect(tellUnordered({ files: {} })).toBe(
      "changed while no agent was at work: nothing changed",
    );
    expect([isReading("tip"), isReading("files:a"), isReading("file:a")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("times that were taken back", () => {
  test("are those that are later, and no others", () => {
    const told = inReview().reply("approve", "yes");
    const { state } = told;
    const at = state.startedAt;
    const back = notAfter(state, at);
    const times = JSON.stringify(back).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    expect([...new Set(times)]).toEqual([at]);
    expect(notAfter(state, state.updatedAt)).toEqual(state);
    expect(notAfter(state, "2099-01-01")).toEqual(state);
    const out = planned().send("write").state;
    const young = notAfter(out, out.startedAt);
    expect(young.dispatches["W-1"]?.endedAt).toBeNull();
    expect(young.lease).toEqual({ ...out.lease, takenAt: out.startedAt });
    expect(young.decisions).toEqual({});
    expect(notAfter(inReview().state, at).decisions["D-1"]?.settled).toBeNull();
  });
});

test("a ledger is copied once, and a name that every object has is a name", () => {
  const ledgers = createLedgers();
  const first: Readonly<Record<string, number>> = Object.freeze({ a: 1 });
  const second = ledgers.put(first, "b", 2);
  expect(second).toEqual({ a: 1, b: 2 });
  const third = ledgers.put(second, "c", 3);
  expect(third).toBe(second);
  const odd = ledgers.put(first, "__proto__", 7);
  expect(Object.keys(odd)).toEqual(["a", "__proto__"]);
  expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
  expect(ledgers.drop(first, "a")).toEqual({});
  expect(first).toEqual({ a: 1 });
});
