/** What the threat model says is shown by a test, is: the file is there, and so is the test it quotes. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/explanation/threat-model.md"), "utf8");

const rows = PAGE.split("\n")
  .filter((line) => /^\| 9\.\d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("every row of the standard that was asked for is there, once", () => {
  const numbers = rows.map(([, number = ""]) => number.split(" ")[0]);
  const approvals = Array.from({ length: 10 }, (_, at) => `9.2.${at + 1}`);
  expect(numbers).toEqual([...approvals, "9.4.4", "9.6.1", "9.6.2", "9.6.3"]);
});

test.each(rows.map((row) => [row[1] ?? "", row[3] ?? "", row[4] ?? ""]))(
  "%s is met and shown, or said not to be",
  (_, here, shown) => {
    const files = [...shown.matchAll(/`([\w-]+)`(?: \("([^"]+)"\))?/g)];
    expect(files.length > 0 || here.startsWith("not met")).toBe(true);
    for (const [, name = "", quoted = ""] of files) {
      const file = join(ROOT, "test/e2e", `${name}.test.ts`);
      expect(existsSync(file), name).toBe(true);
      const text = readFileSync(file, "utf8");
      for (const part of quoted.split(" ... "))
        expect(text.includes(part), `${name}: ${part}`).toBe(true);
    }
  },
);
