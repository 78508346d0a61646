/** What the threat model says is shown by a test, is: the file is there, and so is the test it quotes. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { POLICIES, WAYS } from "./e2e/ways.ts";
import { tableBelow } from "./threats.ts";

const ROOT = join(import.meta.dirname, "..");
const rows = tableBelow("OWASP AISVS 1.0");

/** What a cell names: files of tests, and tests in them by words of their titles. */
function expectShown(shown: string): number {
  const cited = [...shown.matchAll(/`((?!src\/)[\w/-]+)`(?: \(((?:"[^"]+"(?:, )?)+)\))?/g)];
  for (const [, name = "", quoted] of cited) {
    const file = join(ROOT, "test/e2e", `${name}.test.ts`);
    expect(existsSync(file), name).toBe(true);
    const titles = titlesIn(readFileSync(file, "utf8"));
    // A file alone proves nothing: which test of it does, is said.
    expect(quoted, name).toBeDefined();
    for (const [, said = ""] of (quoted ?? "").matchAll(/"([^"]+)"/g))
      expect(
        titles.some((title) => said.split(" ... ").every((part) => title.includes(part))),
        `${name}: ${said}`,
      ).toBe(true);
  }
  return cited.length;
}

/** What tests are called, and the rows of tables and the keys that fill their names in; comments are none of it. */
function titlesIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...code.matchAll(TITLE)].flatMap(({ groups = {} }) =>
    Object.values(groups).filter((one) => one !== undefined),
  );
}

const SAID = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/.source;
const TITLE = new RegExp(
  [
    String.raw`\b(?:test|describe)\(\s*(?<title>${SAID})`,
    String.raw`\)\(\s*(?<each>${SAID})`,
    String.raw`\[\s*(?<row>${SAID})`,
    String.raw`[{,]\s*(?<key>"(?:[^"\\]|\\.)*"):`,
  ].join("|"),
  "g",
);

const ways = tableBelow("What each policy stops");

test("every way to release a hold is tried, and none that the page does not name", () => {
  expect(ways.map(([way]) => way)).toEqual(Object.keys(WAYS));
});

test.each(ways)(
  "%s: each cell says what comes of it, and its test expects that",
  (way, ...cells) => {
    expect(cells).toHaveLength(POLICIES.length);
    for (const cell of cells) expect(cell).toMatch(/^(?:stopped|seen|not stopped|–)(?:$|[:;,( ])/);
    // Where no key counts, none can be used; everything else is tried.
    const [word = "", ...others] = cells;
    expect(others.filter((cell) => cell === "–")).toEqual([]);
    expect(word !== "–" || way?.startsWith("using your key")).toBe(true);
  },
);

test.each([...tableBelow("What the fence stops"), ...tableBelow("What the journal shows")])(
  "%s: is shown by a test",
  (_, said, shown = "") => {
    expect(said).not.toBe("");
    expect(expectShown(shown) > 0 || said?.startsWith("not stopped")).toBe(true);
  },
);

test("every row of the standard that was asked for is there, once", () => {
  const numbers = rows.map(([number = ""]) => number.split(" ")[0]);
  const approvals = Array.from({ length: 10 }, (_, at) => `9.2.${at + 1}`);
  expect(numbers).toEqual([...approvals, "9.4.4", "9.6.1", "9.6.2", "9.6.3"]);
});

test.each(rows.map((row) => [row[0] ?? "", row[2] ?? "", row[3] ?? ""]))(
  "%s is met and shown, or said not to be",
  (_, here, shown) => {
    expect(expectShown(shown) > 0 || here.startsWith("not met")).toBe(true);
  },
);
