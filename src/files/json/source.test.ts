import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/values/json.ts";
import { applyEdits } from "../text.ts";
import { appendItems, removeMembers, setMembers } from "./edit.ts";
import { lineOf, nodeAt, readJsonText, toJson } from "./source.ts";

const read = (text: string) => readJsonText(text);
const set = (text: string, changes: Record<string, Json>): string =>
  applyEdits(text, setMembers(read(text), changes));

/** What JSON.parse makes of it, or undefined. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

describe("reading JSON with positions", () => {
  test("[TC-059] whatever JSON.parse takes is read to the same value, whatever it refuses is refused", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom("", " ", "\n", "x", ",", "}"), (text, tail) => {
        const source = `${text}${tail}`;
        const { root, problems } = read(source);
        const special = problems.some((one) => one.kind === "duplicate" || one.kind === "depth");
        const found = root === undefined ? undefined : toJson(root);
        expect(special ? parsed(source) : found).toEqual(parsed(source));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["{", "Expected a key in quotes, found the end of the text"],
    ['{"a" 1}', 'Expected a colon, found "1"'],
    ["[1 2]", 'Expected a comma or ], found "2"'],
    ["[01]", 'Expected a value, found "0"'],
    ['"a\nb"', "A string holds what JSON does not allow there"],
    ['"\\x"', "A string holds what JSON does not allow there"],
    ['"abc', "This string does not end"],
    ["{} {}", "There is text behind the JSON value"],
    ["nul", 'Expected a value, found "n"'],
  ])("[TC-059] %s is refused in words", (text, message) => {
    expect(read(text).problems.map((one) => one.message)).toEqual([message]);
  });

  test("[TC-059] depth and size are bounded, long strings are not a problem", () => {
    expect(read("[".repeat(100)).problems[0]?.kind).toBe("depth");
    expect(read(" ".repeat(5_000_000)).problems[0]?.kind).toBe("size");
    expect(read(JSON.stringify("x\\".repeat(500_000))).problems).toEqual([]);
  });

  test("[TC-060] a byte order mark and CRLF do not disturb lines", () => {
    const json = read('\uFEFF{\r\n  "a": [1,\r\n 2]}');
    expect(lineOf(json, ["a"])).toBe(2);
    expect(lineOf(json, ["a", 1])).toBe(3);
    expect(lineOf(json, ["a", 7, "x"])).toBe(2);
    expect(nodeAt(json.root, ["a", 1])).toMatchObject({ value: 2 });
  });
});

describe("editing JSON in its text", () => {
  const text = '\uFEFF{\r\n\t"b" : 1.50,\r\n\t"mine":   "old",\r\n\t"c": {"x":[ 1,2 ]}\r\n}\r\n';

  test("[TC-052] one member changes, every other byte stays", () => {
    expect(set(text, { mine: "new" })).toBe(text.replace('"old"', '"new"'));
    expect(set(text, { mine: "old" })).toBe(text);
  });

  test("[TC-052] new members go to the end, indented and ended as the file is", () => {
    expect(set(text, { z: [1], mine: "old" })).toBe(
      text.replace("[ 1,2 ]}", '[ 1,2 ]},\r\n\t"z": [\r\n\t\t1\r\n\t]'),
    );
    expect(set("{}", { a: 1 })).toBe('{\n  "a": 1\n}');
    expect(set('{"a":1}', { b: 2 })).toBe('{"a":1, "b": 2}');
  });

  test("[TC-052] members go with their comma, wherever they stand", () => {
    const all = '{"a": 1, "b": 2, "c": 3}';
    expect(removeMembers(all, ["a"])).toBe('{"b": 2, "c": 3}');
    expect(removeMembers(all, ["b", "c"])).toBe('{"a": 1}');
    expect(removeMembers(all, ["a", "b", "c"])).toBe("{}");
    expect(removeMembers(all, ["x"])).toBe(all);
  });

  test("[TC-052] entries are appended behind what is there", () => {
    const list = '{"a": [\n    "x"\n  ], "b": []}';
    expect(applyEdits(list, appendItems(read(list), "a", ["y"]) ?? [])).toBe(
      '{"a": [\n    "x",\n    "y"\n  ], "b": []}',
    );
    expect(JSON.parse(applyEdits(list, appendItems(read(list), "b", ["y"]) ?? []))).toMatchObject({
      b: ["y"],
    });
    expect(appendItems(read('{"a": 1}'), "a", ["y"])).toBeUndefined();
  });

  test("[TC-060] any text that is set reads back as it was, and nothing else changes", () => {
    const values = fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        values,
        (object, key, value) => {
          const before = JSON.stringify(object, null, 2);
          const plain = JSON.parse(JSON.stringify(value)) as Json;
          const after = JSON.parse(set(before, { [key]: plain })) as unknown;
          const expected = JSON.parse(JSON.stringify({ ...object, [key]: plain })) as unknown;
          expect(key === "__proto__" ? expected : after).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});
