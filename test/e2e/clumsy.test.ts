/** What somebody types who is in the wrong folder, misspells an option or gives back what nobody has. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchAt, bareDirectory, repository } from "./cli.ts";
import { codesOf } from "./plugin.ts";
import { ID, SCOPES, START, taskRepository } from "./task.ts";

describe("init", () => {
  test("from a folder of the repository says what can be pasted there", () => {
    const scratch = repository();
    scratch.remove("holdpoint.config.json");
    scratch.git("commit", "--quiet", "--all", "--allow-empty", "-m", "without settings");
    const folder = join(scratch.top, "packages/one");
    mkdirSync(folder, { recursive: true });
    const below = { ...scratchAt(folder), env: scratch.env };
    const { stdout } = below.say("init --yes");
    const [, undo = ""] = /^To undo it: (rm .*)$/m.exec(stdout) ?? [];
    const [, commit = ""] = /^ {4}(git add .*)$/m.exec(stdout) ?? [];
    const run = (line: string): string =>
      execFileSync("sh", ["-c", line], { cwd: folder, env: scratch.env, encoding: "utf8" });
    run(commit);
    expect(scratch.git("show", "--name-only", "--format=", "HEAD")).toContain(
      "holdpoint.config.json",
    );
    run(undo);
    expect(scratch.git("status", "--porcelain")).toContain("D holdpoint.config.json");
    // What the next answer says about it can be pasted here too.
    const warned = below.hold("list").json.warnings?.join("\n") ?? "";
    const [, back = ""] = /take it back: (git checkout .*?)\.$/m.exec(warned) ?? [];
    run(back);
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("writes nothing into a bare repository", () => {
    const scratch = bareDirectory();
    scratch.git("init", "--quiet", "--bare");
    const told = scratch.hold("init --yes");
    expect([told.exit, codesOf(told)]).toEqual([10, ["repository-bare"]]);
    expect(() => scratch.read("holdpoint.config.json")).toThrow("ENOENT");
  });
});

describe("a lock", () => {
  test("says what came of it, also where nothing did", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW });
    expect(scratch.hold(["start", ID, ...START]).exit).toBe(0);
    const said = (words: string): string => scratch.say(words).stdout.split("\n")[0] ?? "";
    expect(said(`lock ${ID}`)).toContain(`${ID} is yours already`);
    expect(said(`lock ${ID} --release`)).toContain(`${ID} is given back`);
    expect(said(`lock main --release`)).not.toContain("given back");
    const broken = scratch.say(`lock ${ID} --break`);
    expect(broken.stdout).toContain(`holdpoint lock ${ID} --break --reason "..."`);
  });
});

test.each(["demo --nope", "store check --rol x", "mcp --htpt"])("%s is not understood", (words) => {
  const { exit, stderr } = repository().say(words);
  expect(exit).toBe(2);
  expect(stderr).toMatch(/has no option --/);
});
