import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { expect, test } from "vitest";
import { itemsBetween, plain, readMarkdown } from "./markdown.ts";
import { escapeCell, findTables } from "./table.ts";

function headings(text: string): string[] {
  return readMarkdown(text).headings.map(({ level, text: words }) => `${level} ${words}`);
}

test("a section ends at the next heading of its level or above", () => {
  const { headings: found } = readMarkdown("# A\n## B\n### C\n## D\n");
  expect(found.map(({ at, until }) => [at, until])).toEqual([
    [0, 4],
    [1, 3],
    [2, 3],
    [3, 4],
  ]);
});

test.each([
  ["fence", "```md\n## x\n```\n"],
  ["longer fence", "````\n```\n## x\n````\n"],
  ["tilde fence", "~~~\n## x\n~~~\n"],
  ["fence never closed", "```\n## x\n"],
  ["comment", "<!--\n## x\n-->\n"],
  ["raw HTML", "<pre>\n## x\n</pre>\n"],
  ["indented code", "a\n\n    ## x\n"],
  ["quote", "> ## x\n"],
  ["list item", "- a\n\n  ## x\n"],
  ["fence in a list item", "- a\n  ```\n  ## x\n  ```\n"],
  ["no blank behind the marks", "##x\n"],
  ["seven marks", "####### x\n"],
])("[PW-043] no heading in: %s", (_, text) => {
  expect(headings(text)).toEqual([]);
});

test("a fence in a list item ends with the item", () => {
  expect(headings("- a\n  ```\n## x\n")).toEqual(["2 x"]);
});

test("closing marks are no part of a heading, a sharp sign is", () => {
  expect(headings("## a ##\n## C#\n##\n")).toEqual(["2 a", "2 C#", "2 "]);
});

test("a rule below a line does not make the line a heading", () => {
  expect(headings("**Status:** x\n---\n## y\n")).toEqual(["2 y"]);
});

test("items of the top list are found with their further lines, nested ones are not", () => {
  const text = "- a\n  more\n  - nested\n* b\n\n1. c\ntext\n";
  const markdown = readMarkdown(text);
  const items = itemsBetween(markdown, 0, markdown.lines.length);
  expect(items.map(({ at, until, text: words }) => [at, until, words])).toEqual([
    [0, 3, "a"],
    [3, 4, "b"],
    [5, 7, "c"],
  ]);
});

test("headings are those that a Markdown library finds", () => {
  const line = fc.constantFrom(
    "# a",
    "## b ##",
    "text",
    "- item",
    "  nested",
    "1. one",
    "```",
    "~~~",
    "",
    "    code",
    "> quote",
    "<!-- c",
    "-->",
    "***",
    " ### c",
    "    #### d",
    "#no",
    "\ttab",
    "```js",
    "````",
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = lines.join("\n");
      expect(readMarkdown(text).headings.map(({ at, level }) => [at + 1, level])).toEqual(
        libraryHeadings(text),
      );
    }),
    { numRuns: 500 },
  );
});

function libraryHeadings(text: string): [number, number][] {
  const extensions = [{ disable: { null: ["setextUnderline"] } }];
  return fromMarkdown(text, { extensions }).children.flatMap((node): [number, number][] =>
    node.type === "heading" ? [[node.position?.start.line ?? 0, node.depth]] : [],
  );
}

test("[PW-169] any text comes back out of a cell as it went in", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (words) => {
      const cell = words.replace(/[\r\n\u2028\u2029]/g, " ").trim();
      fc.pre(cell !== "" && !/^[\s\uFEFF]|[\s\uFEFF]$/.test(cell));
      const text = `| a | b |\n|---|---|\n| x | ${escapeCell(cell)} |\n`;
      expect(findTables(text, readMarkdown(text))[0]?.rows[0]?.cells[1]?.text).toBe(cell);
    }),
  );
});

test("[PW-042] padding, missing outer pipes and escaped pipes", () => {
  const text = "a|b\n-|-\n|  x  |  y\\|z |\n1|2\nno table\n";
  const [table] = findTables(text, readMarkdown(text));
  expect(table?.rows.map(({ cells }) => cells.map((cell) => cell.text))).toEqual([
    ["x", "y|z"],
    ["1", "2"],
  ]);
});

test("[PW-039] emphasis and code marks go, the words stay", () => {
  expect(plain(" **a_b** `c` *d* ")).toBe("a_b c d");
});
