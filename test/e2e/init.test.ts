/** The first minute: what is here, a configuration that fits it, and nothing written unasked. */
import { describe, expect, test } from "vitest";
import { NO_CHECKS, commitFile, repository } from "./cli.ts";
import { finish, pluginAt } from "./plugin.ts";

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

  test("lists the agents' clients that are here, and how each is installed", () => {
    const scratch = unset();
    scratch.write("../.codex/config.toml", "");
    scratch.write("../.claude/settings.json", "{}");
    const path = { env: { PATH: "/usr/bin:/bin" } };
    const told = scratch.hold("init", path).json as { readonly clients?: readonly unknown[] };
    expect(told.clients).toEqual([
      { name: "claude", installed: false },
      { name: "codex", installed: false },
    ]);
    expect(scratch.say("init", path).stdout).toMatch(/^ {4}holdpoint install codex$/m);
    expect(scratch.say("install codex --yes --user", path).exit).toBe(0);
    expect(scratch.say("init", path).stdout).toMatch(/codex \(Holdpoint is installed\)/);
  });

  test("the bytes that it shows are the bytes that it writes", () => {
    const scratch = unset();
    expect(scratch.hold("init --yes --checks nonsense").exit).toBe(2);
    const given = ["--checks", '{"tests":"make check","build":""}', "--no-co-author"];
    const done = scratch.hold(["init", "--yes", ...given]).json;
    const { after, diff } = done as { readonly after?: string; readonly diff?: string };
    expect(scratch.read("holdpoint.config.json")).toBe(after);
    expect(diff?.replaceAll(/^\+/gm, "")).toBe(after?.trimEnd());
    expect(configOf(scratch)).toEqual({
      checks: {
        build: { none: "there is none yet" },
        tests: { run: ["make", "check"], minutes: 10 },
      },
      coAuthor: false,
    });
  });

  test("commits name no agent as co-author where the repository says so", () => {
    const scratch = pluginAt("p0");
    const config = JSON.stringify({ checks: NO_CHECKS, coAuthor: false });
    commitFile(scratch, "holdpoint.config.json", config);
    expect(finish(scratch, "0").exit).toBe(11);
    const message = scratch.git("log", "--max-count=1", "--format=%B");
    expect(message).not.toMatch(/co-authored-by/i);
    expect(message).toMatch(/\[ATOMIC\][^]*\nHoldpoint-Record: /);
    expect(scratch.hold("verify TapeDelay").exit).toBe(0);
  });

  test("patterns of risk fit the language of a repository with tasks", () => {
    const scratch = unset();
    scratch.write("Cargo.toml", '[package]\nname = "x"\n');
    scratch.write("todo.md", "- [ ] **READY:** `one` - a task\n");
    const { stdout } = scratch.say("init");
    expect(stdout).toMatch(/^\+ .*\.rs/m);
    expect(stdout).not.toContain(".java");
  });

  test.each([
    [{ test: "node --test && npm publish" }],
    [{ test: "node --test", posttest: "git push" }],
    [{ test: "npm run all", all: "run-s unit ship", unit: "node --test", ship: "npx deploy" }],
    [{ test: "npm run release:check", "release:check": "semantic-release --dry-run" }],
  ])("a test that sends something out is not offered: %j", (scripts) => {
    const scratch = unset();
    scratch.write("package.json", JSON.stringify({ scripts }));
    scratch.write("Makefile", "deploy:\n\tscp x y\ntest: deploy\n\tctest\n");
    const { json, stdout } = scratch.hold("init --yes");
    expect(json, stdout).toMatchObject({ checks: [] });
    expect(configOf(scratch)).toEqual({ checks: {} });
  });

  test("what else a repository can run, and flags and paths of that name, are no matter", () => {
    const scratch = unset();
    const test = "cargo test --release && node test/deploy/all.js";
    const scripts = { release: "npm publish", predeploy: "rm -rf dist", test };
    scratch.write("package.json", JSON.stringify({ scripts }));
    const { json } = scratch.hold("init");
    expect(json).toMatchObject({ checks: [{ name: "tests", run: "npm test" }] });
  });

  test("a script that tests nothing is no test", () => {
    const scratch = unset();
    const test = 'echo "Error: no test specified" && exit 1';
    scratch.write("package.json", JSON.stringify({ scripts: { test } }));
    const { stdout } = scratch.say("init --dry-run --yes");
    expect(stdout).toContain("Of these checks nothing was seen: tests");
    expect(scratch.has("holdpoint.config.json")).toBe(false);
  });
});
