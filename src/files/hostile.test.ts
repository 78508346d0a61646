import fc from "fast-check";
import { expect, test } from "vitest";
import { createHandoff, editHandoff } from "../protocols/plugin-workflow/files/handoff/edit.ts";
import { parseHandoff } from "../protocols/plugin-workflow/files/handoff/handoff.ts";
import { parseMenus } from "../protocols/plugin-workflow/files/menus-json.ts";
import { parsePlan } from "../protocols/plugin-workflow/files/plan.ts";
import {
  addPlugin,
  editNotes,
  editRegistry,
  removePlugin,
} from "../protocols/plugin-workflow/files/plugins-md/edit.ts";
import {
  parseNotes,
  parseRegistry,
} from "../protocols/plugin-workflow/files/plugins-md/plugins-md.ts";
import { parseReport } from "../protocols/plugin-workflow/files/report.ts";
import { verifyPluginTree } from "../protocols/plugin-workflow/files/verify/plugin-tree.ts";

/** Every codec on one text; what matters is that all of them come back. */
function readAll(text: string): number {
  const changes = { status: "🚧 Stage 2", timeline: { date: "2026-01-01", tag: "Stage 2", text } };
  const plugin = { name: "X", type: "Synth", date: "2026-01-01", description: text };
  const texts = new Map([
    ["PLUGINS.md", text],
    ["plugins/X/.continue-here.md", text],
    ["plugins/X/NOTES.md", text],
  ]);
  return [
    parseHandoff(text, { plugin: "X" }),
    editHandoff(text, { title: text, completed: [{ tag: "Stage 2", text }], nextSteps: [text] }),
    createHandoff(text, { fields: { plugin: "X" }, currentState: { summary: text, body: text } }),
    parseRegistry(text),
    parseNotes(text, "X"),
    editRegistry(text, "X", changes),
    editNotes(text, changes),
    addPlugin(text, plugin),
    removePlugin(text, "X"),
    parseReport(text),
    parsePlan(text),
    parseMenus(text),
    verifyPluginTree({ texts, contracts: new Map(), directories: new Set() }),
  ].length;
}

const SIZE = 40_000;

test.each([
  "[",
  "*",
  ">",
  "`",
  "|",
  "1. ",
  "- ",
  "a\n---\n",
  "# a\n",
  "|a|b|\n|-|-|\n",
  "(",
  "\\",
  "\0",
  "{",
  '"',
  "<!--",
  "**",
  "- **2026-01-01:** a\n",
  "### X\n",
  "### X\n**Status:** a\n",
  "\r",
  "\uFEFF",
  "~~~\n",
])("[PW-265] a long run of %j is read by every codec", (piece) => {
  expect(readAll(piece.repeat(SIZE / piece.length))).toBe(13);
});

test.each([
  "[",
  "{a: ",
  "- ",
  "? ",
  "&a ",
  "!",
  "'",
  "*",
  "a:\n ",
  " ",
  "a: b\n",
  "\t",
  "[]: ",
  "{",
  '"',
])("[PW-002] front matter made of %j is refused or read, and never ends the process", (piece) => {
  const text = `---\n${piece.repeat(20_000 / piece.length)}\n---\n# t\n`;
  const { value, problems } = parseHandoff(text, { plugin: "X" });
  expect(value === undefined ? problems.length : 1).toBeGreaterThan(0);
  expect(readAll(text)).toBe(13);
});

test("[PW-002] nesting by indentation is bounded", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `${" ".repeat(index)}a:`);
  const { kind, problems } = parseHandoff(`---\n${lines.join("\n")}\n---\n`, { plugin: "X" });
  expect([kind, problems[0]?.message]).toEqual(["broken", "The front matter is nested too deeply"]);
});

test("[PW-002] aliases are not expanded", () => {
  const bomb = "a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nplugin: *c\n";
  const { problems } = parseHandoff(`---\n${bomb}---\n`, { plugin: "X" });
  expect(problems[0]?.message).toBe(
    "The field `plugin` is a list or reference; it must be the directory name `X`",
  );
});

test("any text at all is read by every codec", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "---\n",
      "plugin: X\n",
      "stage: 2\n",
      "# t\n",
      "## Next Steps\n",
      "### X\n",
      "**Status:** ",
    ),
    fc.constantFrom(
      "| Plugin Name | Status |\n|---|---|\n| X | y |\n",
      "- **Stage 2:** z\n",
      "```\n",
      "\r\n",
      "{",
      "}",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(readAll(pieces.join(""))).toBe(13);
    }),
  );
});
