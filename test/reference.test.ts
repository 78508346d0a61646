/** The reference pages say what the program does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawMachine } from "../src/core/table/draw.ts";
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
