/** What a new user reads when something goes otherwise than meant. */
import { statSync, utimesSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import { NAME, pluginAt, writeIdeas } from "./plugin.ts";

describe("what was meant is said back", () => {
  test("free words to a question are recorded, and that is said", () => {
    const scratch = pluginAt("s0");
    const { stdout } = scratch.say(["answer", NAME, "other: look at the filter first"]);
    expect(stdout).toMatch(/stays open; recorded for whoever works next: look at the filter first/);
  });

  test("a folder is not a missing file", () => {
    const scratch = pluginAt("p0");
    expect(scratch.say(["report", NAME, "plugins"]).stdout).toMatch(/plugins is a folder/);
    expect(scratch.say(["report", NAME, "nowhere"]).stdout).toMatch(/There is no file nowhere/);
  });

  test("work of something that has none out is not taken back", () => {
    const scratch = pluginAt("p0");
    const reply = scratch.hold(["advance", NAME, "cancel", "--unit", "nonsense"]);
    expect(reply.exit).toBe(10);
    expect(reply.json.refusals?.[0]?.message).toMatch(/nothing of nonsense/);
    expect(scratch.hold(["advance", NAME, "cancel"]).exit).toBe(0);
  });
});

test("the list does not believe its cache about a journal that was rewritten, size and time kept", () => {
  const scratch = repository();
  for (let one = 1; one <= 10; one += 1) {
    writeIdeas(scratch, `P${one}x`);
    const reply = scratch.hold(["start", `P${one}x`, "--protocol", "plugin-workflow"]);
    expect(reply.exit, reply.stdout).toBe(0);
  }
  expect(scratch.hold("list").json.workflows?.length).toBe(10);
  const home = join(scratch.top, ".git/holdpoint/journals");
  const file = join(home, readdirSync(home).find((name) => name.includes("%501x")) ?? "");
  const { atime, mtime } = statSync(file);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, `${"x".repeat(text.length - 1)}\n`);
  utimesSync(file, atime, mtime);
  const listed = scratch.hold("list").json.workflows?.map(({ id }) => id);
  expect(listed).not.toContain("P1x");
  // What the records say is not what the chain says.
  writeFileSync(file, text);
});

test("what a protocol's module imports counts as it is committed, too", () => {
  const scratch = repository();
  scratch.write("holdpoint.config.json", JSON.stringify({ protocols: ["./lib/release.mjs"] }));
  scratch.write("lib/states.mjs", `export { STATES } from "../more/names.mjs";\n`);
  scratch.write("more/names.mjs", `export const STATES = ["draft", "done"];\n`);
  scratch.write(
    "lib/release.mjs",
    `import { defineProtocol } from "holdpoint";
import { STATES } from "./states.mjs";
export default defineProtocol({
  name: "release", version: 1, title: "Release", states: STATES, start: "draft", ends: ["done"],
  moves: { finish: { from: "draft", to: "done" } },
});
`,
  );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "the protocol");
  expect(scratch.hold("start v1 --protocol release").exit).toBe(0);
  scratch.write("more/names.mjs", `export const STATES = ["draft", "done"]; // weaker\n`);
  const reply = scratch.hold("advance v1 finish");
  expect(reply.exit).not.toBe(0);
  expect(reply.stdout).toMatch(/more\/names\.mjs/);
});
