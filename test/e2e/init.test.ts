/** The first minute: what is here, a configuration that fits it, and nothing written unasked. */
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";

function configOf(scratch: ReturnType<typeof repository>): unknown {
  return JSON.parse(scratch.read("holdpoint.config.json"));
}

/** A repository that nobody has set up yet. */
function unset(): ReturnType<typeof repository> {
  const scratch = repository();
  scratch.git("rm", "--quiet", "holdpoint.config.json");
  scratch.git("commit", "--quiet", "-m", "without");
  return scratch;
}

describe("init", () => {
  test("shows what it would write, and writes it when told to", () => {
    const scratch = unset();
    scratch.write("package.json", JSON.stringify({ scripts: { test: "node --test" } }));
    const shown = scratch.say("init");
    expect(shown.stdout).toContain("+ {");
    expect(scratch.has("holdpoint.config.json")).toBe(false);
    const done = scratch.hold("init --yes");
    expect(done).toMatchObject({ exit: 0, json: { ok: true, written: true, before: null } });
    expect(configOf(scratch)).toEqual({ checks: { tests: { run: ["npm", "test"], minutes: 10 } } });
  });

  test("what it writes is a configuration that counts once it is committed", () => {
    const scratch = unset();
    scratch.write("Cargo.toml", '[package]\nname = "x"\n');
    scratch.write("todo.md", "- [ ] **READY:** `one` - a task\n");
    scratch.hold("init --yes");
    expect(configOf(scratch)).toMatchObject({ checks: { tests: { run: ["cargo", "test"] } } });
    scratch.git("add", "-A");
    scratch.git("commit", "--quiet", "-m", "set up");
    expect(scratch.hold("list").json).not.toHaveProperty("warnings");
  });

  test("a configuration that is there stays as it is, byte for byte", () => {
    const scratch = unset();
    const text = '{"checks":{"tests":{"none":"a prototype"}}}';
    scratch.write("holdpoint.config.json", text);
    expect(scratch.hold("init --yes").json).toMatchObject({ before: text, written: false });
    expect(scratch.read("holdpoint.config.json")).toBe(text);
  });

  test("a script that tests nothing is no test", () => {
    const scratch = unset();
    const test = 'echo "Error: no test specified" && exit 1';
    scratch.write("package.json", JSON.stringify({ scripts: { test } }));
    const { stdout } = scratch.say("init --dry-run --yes");
    expect(stdout).toContain("No tests were seen");
    expect(scratch.has("holdpoint.config.json")).toBe(false);
  });
});
