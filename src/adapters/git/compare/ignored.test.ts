import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { adding, CODE, done, forest, planted } from "../../../../test/conformance/worktrees.ts";
import type { Forest } from "../../../../test/conformance/worktrees.ts";

async function dirtOf(one: Forest): Promise<readonly string[] | undefined> {
  return (await one.worktrees.status({ path: CODE }))?.dirty;
}

test("[TP-165] rules that nobody has committed hide nothing, themselves included", async () => {
  const one = await planted();
  one.commit(CODE, ".gitignore", "*.o\n");
  one.commit(CODE, "src/.gitignore", "!kept.o\n/gen/\n");
  for (const path of ["a.o", "src/b.o", "src/gen/c"]) one.write(`${CODE}/${path}`, "built");
  expect(await dirtOf(one)).toEqual([]);
  one.write(`${CODE}/src/kept.o`, "x");
  one.write(`${CODE}/.gitignore`, "*\n");
  expect(await dirtOf(one)).toEqual([".gitignore", "src/kept.o"]);
  one.at(CODE, "checkout", "--quiet", ".gitignore");
  one.write(`${CODE}/test/.gitignore`, "*\n");
  one.write(`${CODE}/test/green.test.js`, "x");
  one.write(".git/info/exclude", ".holdpoint/\ntest/\n");
  one.at(CODE, "config", "core.excludesFile", join(one.top, CODE, ".gitignore"));
  expect(await dirtOf(one)).toEqual(["src/kept.o", "test/.gitignore", "test/green.test.js"]);
});

const FOLDERS = ["", "a/", "a/b/", "[x] *y/"];
const PATHS = FOLDERS.flatMap((folder) =>
  ["f", "f.o", "#f", "g h", "b2/f"].map((one) => folder + one),
);
const RULES = [
  [
    "f",
    "f.o",
    "*.o",
    "/f",
    "a/f",
    "b/",
    "a",
    "**/b2",
    "b2/*",
    "!f",
    "!/b2/",
    "!*.o",
    "\\#f",
    "# f",
  ],
  ["g\\ h", "g h  ", "f\r", "", "/", "!", "a/**", "[x] *y/f", "\\[x\\] \\*y/*"],
].flat();
const rule = fc.constantFrom(...RULES);

test("the rules of all folders in one list leave out what git leaves out by each folder's own", async () => {
  const one = forest();
  done(await one.worktrees.add(adding()));
  const place = join(one.top, CODE);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  const texts = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));
  const layout = fc.tuple(texts, texts, texts, texts);
  await fc.assert(
    fc.asyncProperty(layout, async (rules) => {
      for (const [at, folder] of FOLDERS.entries()) put(`${folder}.gitignore`, rules[at] ?? "");
      one.at(CODE, "add", "--force", ...FOLDERS.map((folder) => `:(literal)${folder}.gitignore`));
      one.at(CODE, "commit", "--quiet", "--allow-empty", "-m", "rules");
      for (const path of PATHS) put(path, "x");
      const args = ["ls-files", "--others", "-z", "--exclude-per-directory=.gitignore"];
      const git = one
        .at(CODE, ...args)
        .split("\0")
        .slice(0, -1)
        .toSorted();
      expect(await dirtOf(one)).toEqual(git);
    }),
    { numRuns: 40 },
  );
});
