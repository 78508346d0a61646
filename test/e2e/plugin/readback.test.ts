/** What is written is read back: a commit holds this plugin's part, and everybody else's as it was. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOf, preparedOnce } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { NAME, finish, pluginAt, questionOf, writeIdeas } from "../plugin.ts";

const BOM = "\uFEFF";
const crlf = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");
const entriesOf = (text: string): readonly string[] =>
  text.split(/^(?=### )/m).filter((part) => part.startsWith("### "));

/** Two plugins, both committed with their ideas; stage 0 of the first is handed out. */
function two(): Scratch {
  return copyOf(
    preparedOnce("two-plugins", () => {
      const scratch = pluginAt("new");
      scratch.hold("start Other --brief Another");
      writeIdeas(scratch, "Other");
      scratch.git("add", ".");
      scratch.git("commit", "--quiet", "-m", "both");
      scratch.hold(`advance ${NAME}`);
      return scratch;
    }),
  );
}

const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ["plain", (text) => text],
  ["with a byte order mark", (text) => BOM + text],
  ["with CRLF", crlf],
  ["with both", (text) => BOM + crlf(text)],
  [
    "a table on the first line, behind a byte order mark",
    (text) => BOM + text.slice(text.indexOf("| Plugin Name")),
  ],
];

for (const [head, inHead] of FORMS) {
  for (const [now, inTree] of FORMS) {
    test(`[PW-046][PW-097] a registry ${head} in HEAD and ${now} in the tree is committed as HEAD has it`, () => {
      const scratch = two();
      const plain = scratch.read("PLUGINS.md");
      scratch.write("PLUGINS.md", inHead(plain));
      scratch.git("add", "PLUGINS.md");
      scratch.git("commit", "--quiet", "--allow-empty", "-m", "as it is");
      scratch.write("PLUGINS.md", inTree(plain));
      const reply = finish(scratch, "0");
      expect(reply.exit).toBe(11);
      const text = scratch.git("show", "HEAD:PLUGINS.md");
      expect(text.startsWith(BOM)).toBe(inHead(plain).startsWith(BOM));
      const breaks = new Set(text.match(/\r?\n/g));
      expect([...breaks]).toEqual([inHead(plain).includes("\r\n") ? "\r\n" : "\n"]);
      expect(text.match(/^\| TapeDelay \| 🚧 Stage 0 \|/gm)).toHaveLength(1);
      expect(text.match(/^\| Other \| 💡 Ideated \|/gm)).toHaveLength(1);
      expect(entriesOf(text)).toHaveLength(2);
      const tree = scratch.read("PLUGINS.md");
      expect(tree.startsWith(BOM)).toBe(inTree(plain).startsWith(BOM));
      expect([...new Set(tree.match(/\r?\n/g))]).toEqual([
        inTree(plain).includes("\r\n") ? "\r\n" : "\n",
      ]);
    });
  }
}

test("[PW-026][PW-097] a registry in which the plugin cannot be written is not committed", () => {
  const scratch = two();
  const before = scratch.git("rev-parse", "HEAD");
  scratch.edit("PLUGINS.md", (text) => text.replace(/^(\| TapeDelay .*\n)/m, "$1$1"));
  scratch.git("commit", "--quiet", "-am", "twice");
  const reply = finish(scratch, "0");
  expect(questionOf(reply)).toBe("commit-failed");
  expect(reply.json.held?.[0]?.about["message"]).toContain("PLUGINS.md");
  expect(scratch.git("rev-parse", "HEAD~1")).toBe(before);
});

test("[PW-097] a registry that was committed as something else than UTF-8 is refused, not mended by guessing", () => {
  const scratch = two();
  const tree = scratch.read("PLUGINS.md");
  writeFileSync(join(scratch.top, "PLUGINS.md"), Buffer.from(`${tree}caf\u00e9\n`, "latin1"));
  scratch.git("commit", "--quiet", "-am", "latin1");
  scratch.write("PLUGINS.md", tree);
  const reply = finish(scratch, "0");
  expect(questionOf(reply)).toBe("commit-failed");
  expect(reply.json.held?.[0]?.about["message"]).toContain("UTF-8");
});
