/** The reference pages say what the program does. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawMachine } from "../src/core/table/draw.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { referencePages } from "../scripts/reference.ts";
import { toy } from "./toy.ts";

const ROOT = join(import.meta.dirname, "..");

describe("reference pages", () => {
  for (const [path, text] of Object.entries(referencePages()))
    test(`${path} is what the source says; npm run docs writes it`, () => {
      expect(readFileSync(join(ROOT, path), "utf8")).toBe(text);
    });
});

test("a drawing shows every state, where it begins and ends, and where it stands", () => {
  const drawn = drawMachine(toy, toy.root, "doing");
  const states = toy.kinds[toy.root]?.states ?? [];
  for (const [index, state] of states.entries())
    expect(drawn).toContain(`state "${state}" as s${index}`);
  expect(drawn).toContain(`[*] --> s${states.indexOf(toy.kinds[toy.root]?.start ?? "")}`);
  expect(drawn).toContain(`class s${states.indexOf("doing")} here`);
});

/** Found in another way than the page is written: by what tests say is answered. */
test("every code that a test expects, and the program has, is in the reference", () => {
  const page = readFileSync(join(ROOT, "docs/reference/refusals.md"), "utf8");
  const textsOf = (folder: string, isWanted: (name: string) => boolean): string =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && isWanted(name))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
      .join("\n");
  const isTest = (name: string): boolean => name.endsWith(".test.ts");
  const program = textsOf("src", (name) => !isTest(name) && !name.startsWith("testing"));
  const expected = [...textsOf("test/e2e", isTest).matchAll(/\bcode: "([a-z]+(?:-[a-z]+)+)"/g)];
  const codes = new Set(expected.map(([, code = ""]) => code));
  const known = [...codes].filter((code) => program.includes(`"${code}"`));
  expect(known.length).toBeGreaterThan(40);
  expect(known.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

test("every question that a protocol asks is on its page, with every answer", () => {
  for (const { name, questions } of [pluginWorkflow, teamContract, taskProtocol]) {
    const page = readFileSync(join(ROOT, `docs/reference/${name}.md`), "utf8");
    for (const [question, { options }] of Object.entries(questions)) {
      const row = page.split("\n").find((line) => line.startsWith(`| ${question} |`)) ?? "";
      for (const { id } of options) expect(row, `${name} ${question}`).toContain(id);
    }
  }
});
