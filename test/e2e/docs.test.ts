/** What the docs tell people to type is understood by the program, and no link in them leads nowhere. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";
import { NAME, writeIdeas } from "./plugin.ts";
import { entryOf } from "./task.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Commands that are not run here, and why. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/--watch/, "it follows until Ctrl-C; test/terminal types it"],
  [/^holdpoint mcp/, "it serves until it is stopped; test/e2e/mcp/*.test.ts"],
  [
    /^holdpoint (?:install|doctor)/,
    "they are about clients; test/e2e/install.test.ts, doctor.test.ts",
  ],
  [
    /--sign|^holdpoint keys|^holdpoint policy|\.sig\b|statement/,
    "it takes a key; test/e2e/release/*.test.ts",
  ],
  [/^holdpoint store/, "it needs a server; test/postgres"],
  [/^holdpoint fence/, "it needs a branch to protect; test/e2e/release/fence*.test.ts"],
  [/^holdpoint check /, "it needs the page's own protocol; write-a-protocol.test.ts"],
];

/** The commands of ours in shell blocks: what is typed before a pipe, and remarks, are left out. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...read(page).matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, text = ""]) =>
    text.split("\n").flatMap((line) => {
      const [, command] = /(?:^|\| |&& )(holdpoint [^#|&]*)/.exec(line.trim()) ?? [];
      return command === undefined ? [] : [command.trim()];
    }),
  );
}

/** A place in which the names that the docs use mean something. */
function place(): Scratch {
  const scratch = repository();
  scratch.write("todo.md", `# Tasks\n\n${entryOf("add-parser", "docs/parser.md")}`);
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "a task");
  writeIdeas(scratch);
  scratch.hold(["start", NAME, "--protocol", "plugin-workflow"]);
  scratch.hold(["start", "--protocol", "team-contract", "--goal", "Add dark mode"]);
  return scratch;
}

const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );

describe("commands in shell blocks", () => {
  const all = PAGES.flatMap((page) => commandsOf(page).map((command) => ({ page, command })));
  const run = all.filter(({ command }) => !NOT_RUN.some(([pattern]) => pattern.test(command)));

  test("are run, or it is said why not", () => {
    expect(run.length).toBeGreaterThan(25);
    const unused = NOT_RUN.filter(([pattern]) => !all.some(({ command }) => pattern.test(command)));
    expect(unused).toEqual([]);
  });

  test("are understood where they are typed", () => {
    const scratch = place();
    const [session = ""] = readdirSync(join(scratch.top, ".agents-work"));
    for (const { page, command } of run) {
      const words = wordsOf(command).slice(1);
      const typed = words.map((one) =>
        one.replace(/^\$S$|^2026-02-17_[\w-]+$|^add-dark-mode$/, session),
      );
      const { exit, stdout, stderr } = scratch.say(typed, { stdin: "{}" });
      // Refused or held is an answer; not understood or failed is a mistake of the page.
      const answers = command.startsWith("holdpoint verify") ? [0, 2, 3, 4] : [0, 10, 11, 12];
      expect(answers, `${page}: ${command}\n${stdout}${stderr}`).toContain(exit);
    }
  });
});

describe("links", () => {
  const packed: readonly string[] = JSON.parse(read("package.json")).files;
  const anchors = (text: string): readonly string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );

  test.each(PAGES)("of %s lead to something that is in the package", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
    for (const [, link = ""] of links) {
      const [path = "", anchor] = link.split("#");
      const to = path === "" ? page : normalize(join(dirname(page), path));
      expect(existsSync(join(ROOT, to)), `${page}: ${link}`).toBe(true);
      const isPacked = packed.some((one) => to === one || !relative(one, to).startsWith(".."));
      expect(isPacked, `${page}: ${link} is not in the package`).toBe(true);
      const known = anchor === undefined ? [undefined] : anchors(read(to));
      expect(known, `${page}: ${link}`).toContain(anchor);
    }
  });
});
