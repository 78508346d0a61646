import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/values/json.ts";
import { readLooseJson } from "./loose.ts";
import { putItems, putMember, takeItems, takeMember } from "./put.ts";
import { readJsonText } from "./source.ts";

const loose = { read: readLooseJson };
const strict = { read: readJsonText };
const ours: Json = { hooks: [{ type: "command", command: "ours" }] };
const isOurs = (item: Json): boolean => JSON.stringify(item).includes("ours");

function put(text: string, how = loose): string {
  const listed = putItems(how, text, ["hooks", "Pre"], { items: [ours], isOurs });
  return putMember(how, listed ?? "", ["mcp", "ours"], { command: "ours" }) ?? "";
}

function take(text: string, how = loose): string {
  return takeItems(how, takeMember(how, text, ["mcp", "ours"]), ["hooks", "Pre"], isOurs);
}

describe("entries in somebody else's JSON", () => {
  test.each([
    "{}",
    "{ }\n",
    '{"a":1}',
    '{ "a": 1 }',
    '{\n  "a": 1\n}\n',
    '{\r\n\t"a": 1\r\n}\r\n',
    '\uFEFF{\n    "a": [1, 2]\n}',
    '{\n  "hooks": {}\n}\n',
    '{"hooks":{"Pre":[]}}',
    '{\n  "hooks": {\n    "Pre": [{ "theirs": 1 }],\n    "Post": []\n  },\n  "mcp": { "x": {} }\n}\n',
    '{\n  // about a\n  "a": 1, // and b\n  "b": 2 // the last\n  /* end */\n}\n',
    '{\n  "a": 1, /* c */\n}\n',
    '{\n  "mcp": {\n    "x": 1, // trailing\n  },\n}\n',
    "{ // nothing yet\n}\n",
    '{"a":"}, // no comment","mcp":{"x":1}}',
  ])("are put in once and taken out without a trace: %j", (text) => {
    const now = put(text);
    const { root, problems } = readLooseJson(now);
    expect(problems).toEqual([]);
    expect(root?.kind).toBe("object");
    expect(put(now)).toBe(now);
    expect(take(now)).toBe(text);
    expect(take(text)).toBe(text);
  });

  test("leave a comment with what it is about", () => {
    const text = '{\n  "a": 1 // about a\n}\n';
    expect(putMember(loose, text, ["b"], 2)).toBe('{\n  "a": 1, // about a\n  "b": 2\n}\n');
  });

  test("replace their older form, and nobody else's", () => {
    const old = '{"hooks": {"Pre": [{"is": "ours", "v": 1}, {"theirs": true}]}}';
    const now = put(old);
    expect(JSON.parse(now).hooks.Pre).toEqual([{ theirs: true }, ours]);
    expect(JSON.parse(take(now))).toEqual({ hooks: { Pre: [{ theirs: true }] } });
  });

  test("are not put where something else stands", () => {
    for (const text of ['{"hooks":[]}', '{"hooks":null}', '{"hooks":{"Pre":{}}}', "[]", "3", ""])
      expect(putItems(strict, text, ["hooks", "Pre"], { items: [ours], isOurs })).toBeUndefined();
    expect(putMember(strict, '{"mcp":"x"}', ["mcp", "ours"], {})).toBeUndefined();
  });

  test("whatever was there, and however it was written", () => {
    const name = fc.constantFrom("a", "hooks", "mcp", "Pre", 'ü"\\');
    const value = fc.letrec<{ any: Json }>((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<Json>(null, 1.5, "x // y", "", true),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(name, tie("any"), { maxKeys: 3 }),
      ),
    })).any;
    const object = fc.dictionary(name, value, { maxKeys: 4 });
    const lists = fc.record({ Pre: fc.array(value, { maxLength: 2 }) }, { requiredKeys: [] });
    const texts = fc
      .tuple(
        object,
        fc.option(lists),
        fc.option(object),
        fc.constantFrom("", "  ", "\t"),
        fc.boolean(),
      )
      .map(([rest, hooks, mcp, unit, crlf]) => {
        const { hooks: _, mcp: __, ...other } = rest;
        const whole = { ...other, ...(hooks ? { hooks } : {}), ...(mcp ? { mcp } : {}) };
        const text = JSON.stringify(whole, null, unit);
        return crlf ? text.replaceAll("\n", "\r\n") : text;
      });
    fc.assert(
      fc.property(texts, (text) => {
        const now = put(text, strict);
        expect(readJsonText(now).problems).toEqual([]);
        expect(put(now, strict)).toBe(now);
        expect(take(now, strict)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
