import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { release } from "../../test/release.ts";
import { canonicalJson, toJson } from "../core/values/json.ts";
import { readProtocolYaml } from "./yaml.ts";

const TEXT = readFileSync(join(import.meta.dirname, "../../test/fixtures/release.yaml"), "utf8");

test("the release checklist reads into the same table as its TypeScript form, in sixty lines", () => {
  const read = readProtocolYaml(TEXT, "release.yaml");
  if (read.kind === "broken") throw new Error(JSON.stringify(read.problems, undefined, 2));
  expect(canonicalJson(toJson(read.protocol))).toBe(canonicalJson(toJson(release)));
  expect(TEXT.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

test("every key of the TypeScript form can be written, but for code", () => {
  const form = readFileSync(join(import.meta.dirname, "../core/table/authoring.ts"), "utf8");
  const shapes = readFileSync(join(import.meta.dirname, "../core/table/shapes.ts"), "utf8");
  const keys = [...form.matchAll(/^  readonly (\w+)\??:/gm)].map((match) => match[1] ?? "");
  const unknown = keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(shapes));
  // What is code cannot be written; `any` is read where guards are.
  const code = ["any", "guards", "migrate"];
  expect([...new Set(unknown)].filter((key) => !code.includes(key))).toEqual([]);
});

test("gates and beginnings are read", () => {
  const text = TEXT.replace(
    "moves:\n",
    "starts:\n  - needs: [{ quiet: {}, code: busy, fix: Wait. }]\ngates: { tested: stuck }\n\nmoves:\n",
  );
  const read = readProtocolYaml(text, "release.yaml");
  expect(read).toMatchObject({
    kind: "read",
    protocol: { kinds: { "release-checklist": { gates: { tested: "stuck" } } } },
  });
});

describe("what is wrong is named with its line, its column and a fix", () => {
  test.each<[string, string, string, readonly [string, string, string]]>([
    [
      "a state that is none",
      "to: frozen\n",
      "to: frosen\n",
      ["frosen", 'no state "frosen"', "Define it"],
    ],
    ["a misspelt key", "start: draft", "strat: draft", ["strat", 'has no "strat"', 'mean "start"']],
    [
      "a move nobody wrote",
      "does: approve }",
      "does: aprove }",
      ["aprove", 'no move "aprove"', "Define"],
    ],
    [
      "a question nobody has",
      "ask: approve",
      "ask: aprove",
      ["aprove", 'no question "aprove"', "Define"],
    ],
    [
      "a guard nobody has",
      "exists: [CH",
      "exist: [CH",
      ["exist:", 'has no "exist"', 'mean "exists"'],
    ],
    [
      "a guard without a fix",
      ", fix: Write CHANGELOG.md.",
      "",
      ["{ exists", 'lacks "fix"', "what to do"],
    ],
    [
      "a number for a text",
      "title: Release checklist",
      "title: 12",
      ["12", "12 is no text", "quotes"],
    ],
    [
      "a text for a number",
      "people: 2",
      "people: two",
      ["two\n", "a whole number", "whole number"],
    ],
    [
      "a text for a flag",
      "recommended: true",
      "recommended: maybe",
      ["maybe", "true or false", "true"],
    ],
    [
      "a text for a list",
      "ends: [published]",
      "ends: published",
      ["published\n\nwork", "expected a list", "[a, b]"],
    ],
    [
      "a missing field",
      "role: engineer\n    order: D",
      "order: D",
      ["order: D", 'lacks "role"', "Add role"],
    ],
    ["a key twice", "version: 1", "version: 1\nversion: 2", ["version: 2", "unique", "Leave one"]],
    [
      "an argument nobody takes",
      "exists: [CHANGELOG.md]",
      "exists: { path: a }",
      ["path: a", 'takes no "path"', "Mend"],
    ],
    [
      "a blank nobody fills",
      "Publish {id}?",
      "Publish {idd}?",
      ["Publish {idd}", 'fills "idd"', "{id}"],
    ],
    [
      "guards of one's own",
      "start: draft",
      "start: draft\nguards: {}",
      ["guards", "cannot be written in YAML", "TypeScript"],
    ],
    ["a tab", "version: 1", "\tversion: 1", ["\tversion", "ab", "YAML"]],
    ["a bracket that never closes", "ends: [published]", "ends: [published", ["work:", "", "YAML"]],
    ["an anchor", "start: draft", "start: &a draft", ["draft\n", "anchors", "Write out"]],
    ["a tag", "start: draft", "start: !!js/function draft", ["!!js", "tag", "tag"]],
    ["nothing at all", TEXT, "", ["", "empty", "Write name"]],
    ["a list instead", TEXT, "- a", ["- a", "expected a protocol", "name"]],
  ])("%s", (_, from, to, [at, message, fix]) => {
    expect(TEXT).toContain(from);
    const text = TEXT.replace(from, () => to);
    const read = readProtocolYaml(text, "release.yaml");
    const problems = read.kind === "broken" ? read.problems : [];
    const found = problems.find((one) => one.message.includes(message));
    expect(found, JSON.stringify(problems)).toBeDefined();
    const before = text.slice(0, text.indexOf(at)).split("\n");
    const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
    expect({ line: found?.line, column: found?.column }).toEqual(place);
    expect(found?.fix).toContain(fix);
    expect(found?.file).toBe("release.yaml");
  });
});

describe("hostile files are answered, quickly", () => {
  test("a bomb of aliases", () => {
    const bomb = Array.from({ length: 30 }, (_, n) =>
      n === 0 ? "a0: &a0 [x, x]" : `a${n}: &a${n} [*a${n - 1}, *a${n - 1}, *a${n - 1}]`,
    );
    expectBroken(bomb.join("\n"), "anchors");
  });

  test("ten thousand states", () => {
    const states = Array.from({ length: 10_000 }, (_, n) => `s${n}`).join(", ");
    expectBroken(TEXT.replace(/states: .*/, `states: [${states}]`), "10000 states");
  });

  test.each([
    ["brackets", "[".repeat(60_000), "deep"],
    ["size", `name: ${"x".repeat(300_000)}`, "kB"],
    ["two documents", `${TEXT}\n---\n${TEXT}`, "document"],
    ["a key that every object inherits", TEXT.replace("title:", "__proto__:"), '"__proto__"'],
    ["null", "null", "expected a protocol"],
  ])("%s", (_, text, says) => expectBroken(text, says));

  test("no text throws", () => {
    const lines = TEXT.split("\n");
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        fc.string({ unit: "grapheme", maxLength: 40 }),
        (at, line) => {
          const text = lines.with(at, line).join("\n");
          const read = readProtocolYaml(text, "x.yaml");
          expect(read.kind === "read" || read.problems.length > 0).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function expectBroken(text: string, says: string): void {
  const read = readProtocolYaml(text, "x.yaml");
  expect(read.kind).toBe("broken");
  expect(JSON.stringify(read)).toContain(says.replaceAll('"', '\\"'));
}
