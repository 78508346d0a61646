/** Hooks of the user's that do not end: every call of git's is bounded, and what follows goes on. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

function withSavepoint(): Scratch {
  const scratch = repository();
  const config = { protocols: ["./release.mjs"], hookSeconds: 1 };
  scratch.write("holdpoint.config.json", JSON.stringify(config));
  scratch.write(
    "release.mjs",
    `import { defineProtocol } from "holdpoint";
export default defineProtocol({
  name: "release", version: 1, title: "Release",
  states: ["draft", "done"], start: "draft", ends: ["done"],
  moves: { finish: { from: "draft", to: "done",
    effects: [{ kind: "commit", args: { subject: "done {id}", paths: ["notes.md"] } }] } },
});
`,
  );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "the protocol");
  expect(scratch.hold("start v1", ADA).exit).toBe(0);
  scratch.write("notes.md", "notes\n");
  return scratch;
}

describe("a hook that never ends", () => {
  test.each([
    ["pre-commit", "sleep 300", "commit-rejected"],
    ["commit-msg", "trap '' TERM; sleep 300 & wait; sleep 300", "commit-rejected"],
    ["reference-transaction", "[ $1 = prepared ] && sleep 300; true", "hook-slow"],
    ["post-index-change", "setsid sleep 20 & sleep 300", "hook-slow"],
  ])("%s is named and stopped, and without it the step is made", (hook, script, code) => {
    const scratch = withSavepoint();
    scratch.hook(hook, script);
    const started = performance.now();
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(performance.now() - started, reply.stdout).toBeLessThan(30_000);
    const { refusals = [], pending = [] } = reply.json;
    const [refusal] = [...refusals, ...pending];
    expect(refusal?.code, reply.stdout).toBe(code);
    expect(refusal?.message).toMatch(new RegExp(`${hook}.*`));
    expect(existsSync(join(scratch.top, ".git/index.lock"))).toBe(false);
    expect(existsSync(join(scratch.top, ".git/refs/heads/main.lock"))).toBe(false);
    scratch.hook(hook, "exit 0");
    const again = scratch.hold("advance v1 finish", ADA);
    expect(scratch.git("log", "-1", "--format=%s"), again.stdout).toBe("done v1");
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(scratch.hold("status v1", ADA).json).toMatchObject({ state: "done" });
  });

  test("after the branch has moved it changes nothing: the commit is found and recorded", () => {
    const scratch = withSavepoint();
    scratch.hook("reference-transaction", "[ $1 = committed ] && sleep 300; true");
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(reply.exit, reply.stdout + reply.stderr).toBe(0);
    expect(scratch.git("log", "-2", "--format=%s").split("\n")).toEqual([
      "done v1",
      "the protocol",
    ]);
  });

  test("what it leaves running is not waited for, and what has no say is not run", () => {
    const scratch = withSavepoint();
    scratch.hook("reference-transaction", "sleep 300 & true");
    scratch.hook("post-index-change", 'case "$GIT_INDEX_FILE" in *holdpoint*) sleep 300;; esac');
    expect(scratch.hold("advance v1 finish", ADA).exit).toBe(0);
  });
});
