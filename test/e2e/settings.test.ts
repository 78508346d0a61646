/** Gates are not the agent's to change: settings count as they are committed, and as a workflow was begun under. */
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareDirectory, commitFile, copyOf, repository, scratchDirectory } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import {
  NAME,
  changeSetting,
  codesOf,
  doWork,
  finish,
  giveReport,
  pluginAt,
  questionOf,
  reportText,
  writeIdeas,
} from "./plugin.ts";

const CONFIG = "holdpoint.config.json";
const RED = JSON.stringify({ checks: { tests: { run: ["false"], minutes: 1 } } });
const GREEN = JSON.stringify({ checks: { tests: { run: ["true"], minutes: 1 } } });
const AGENT = { HOLDPOINT_ACTOR: "agent:bot" };

/** Stage 3 is handed out, and the repository's tests fail. */
function withRedTests(): Scratch {
  const scratch = pluginAt("p3");
  changeSetting(scratch, CONFIG, RED);
  return scratch;
}

function told(reply: Reply): string {
  return (reply.json.warnings ?? []).join("\n");
}

describe("a configuration that only lies in the worktree", () => {
  const tricks: Readonly<Record<string, (scratch: Scratch) => void>> = {
    "a test that always passes": (scratch) => scratch.write(CONFIG, GREEN),
    "the file moved away for one command": (scratch) =>
      renameSync(join(scratch.top, CONFIG), join(scratch.top, "away.json")),
    "a link to another one": (scratch) => {
      scratch.write("other.json", GREEN);
      scratch.remove(CONFIG);
      symlinkSync("other.json", join(scratch.top, CONFIG));
    },
    "one that git is told to take for unchanged": (scratch) => {
      scratch.git("update-index", "--assume-unchanged", CONFIG);
      scratch.write(CONFIG, GREEN);
    },
    "one that git is told to skip": (scratch) => {
      scratch.git("update-index", "--skip-worktree", CONFIG);
      scratch.write(CONFIG, GREEN);
    },
    "one in the index": (scratch) => {
      scratch.write(CONFIG, GREEN);
      scratch.git("add", CONFIG);
    },
    "a replacement of the commit": (scratch) => {
      const old = scratch.git("rev-parse", `HEAD:${CONFIG}`).trim();
      scratch.write("green.json", GREEN);
      const other = scratch.git("hash-object", "-w", "green.json").trim();
      scratch.git("replace", old, other);
      scratch.remove("green.json");
      scratch.write(CONFIG, GREEN);
    },
  };
  for (const [what, trick] of Object.entries(tricks))
    test(`${what}: it is named, and the committed one counts`, () => {
      const scratch = withRedTests();
      trick(scratch);
      const held = finish(scratch, "3");
      expect(questionOf(held), held.stdout).toBe("tests-failed");
      expect(told(held)).toContain(CONFIG);
      expect(told(held)).toContain("the committed one counts");
      expect(told(scratch.hold(`status ${NAME}`))).toContain(CONFIG);
      expect(scratch.say(`status ${NAME}`).stdout).toContain(CONFIG);
      expect(told(scratch.hold("verify --all"))).toContain(CONFIG);
      expect(scratch.say(`verify ${NAME}`).stdout).toContain(CONFIG);
    });

  test("packed objects are read as well", () => {
    const scratch = withRedTests();
    scratch.git("gc", "--quiet");
    scratch.write(CONFIG, GREEN);
    const held = finish(scratch, "3");
    expect(questionOf(held), held.stdout).toBe("tests-failed");
  });

  test("a refused command says it too", () => {
    const scratch = withRedTests();
    scratch.write(CONFIG, GREEN);
    const refused = scratch.hold(["answer", NAME, "1"], { env: AGENT });
    expect(refused.exit).toBe(10);
    expect(told(refused)).toContain(CONFIG);
  });
});

describe("a configuration that is committed during the work", () => {
  test("does not weaken the gate of this work: a person accepts it, no agent", () => {
    const scratch = withRedTests();
    commitFile(scratch, CONFIG, GREEN);
    doWork(scratch, "3");
    const refused = giveReport(scratch, reportText("3"));
    expect(codesOf(refused)).toEqual(["settings-changed"]);
    expect(refused.json.refusals?.[0]?.message).toContain("checks.tests");
    expect(refused.json.refusals?.[0]?.fix).toContain(`reconcile ${NAME} --settings`);
    expect(scratch.hold(`status ${NAME}`).json.pending?.map((one) => one.code)).toEqual([
      "settings-changed",
    ]);
    const accept = ["reconcile", NAME, "--settings", "--reason", "it takes too long"];
    expect(codesOf(scratch.hold(accept, { env: AGENT }))).toEqual(["person-required"]);
    expect(codesOf(scratch.hold(["reconcile", NAME, "--settings"]))).toEqual(["reason-missing"]);
    expect(scratch.hold(accept).json.ok).toBe(true);
    expect(scratch.say(`audit ${NAME}`).stdout).toContain("it takes too long");
    expect(giveReport(scratch, reportText("3")).json.commits).toHaveLength(1);
  });

  test("taken back, the work goes on as if nothing had been", () => {
    const scratch = withRedTests();
    commitFile(scratch, CONFIG, GREEN);
    scratch.git("revert", "--no-edit", "HEAD");
    expect(questionOf(finish(scratch, "3"))).toBe("tests-failed");
  });

  test("other words for the same settings are no change", () => {
    const scratch = withRedTests();
    commitFile(scratch, CONFIG, JSON.stringify(JSON.parse(RED), null, 4));
    expect(questionOf(finish(scratch, "3"))).toBe("tests-failed");
  });
});

describe("the words of menus and preferences", () => {
  const menu = JSON.stringify({
    stage_2_complete: {
      options: [{ label: "Pause here", action: "continue", recommended: true }],
    },
  });

  test("an agent's menu in the worktree puts no other label on an option", () => {
    const scratch = pluginAt("p2");
    scratch.write("assets/decision-menus.json", menu);
    const held = finish(scratch, "2");
    expect(held.json.held?.[0]?.options[0]?.label).toBe("Build the audio engine");
    expect(told(held)).toContain("assets/decision-menus.json is not committed");
  });

  test("nor does one that is committed during the work", () => {
    const scratch = pluginAt("p2");
    commitFile(scratch, "assets/decision-menus.json", menu);
    expect(codesOf(finish(scratch, "2"))).toEqual(["settings-changed"]);
  });

  test("preferences that nobody committed give no express mode", () => {
    const scratch = repository();
    scratch.write(".claude/preferences.json", '{"workflow":{"mode":"express"}}');
    const started = scratch.hold(`start ${NAME} --protocol plugin-workflow`);
    expect(told(started)).toContain(".claude/preferences.json is not committed");
    writeIdeas(scratch);
    scratch.hold(`advance ${NAME}`);
    expect(finish(scratch, "0").exit).toBe(11);
  });

  test("express is a person's choice", () => {
    const scratch = repository();
    commitFile(scratch, ".claude/preferences.json", '{"workflow":{"mode":"express"}}');
    const start = ["start", NAME, "--protocol", "plugin-workflow"];
    const refused = scratch.hold([...start, "--mode", "express"], { env: AGENT });
    expect(codesOf(refused)).toEqual(["person-required"]);
    expect(scratch.hold(start, { env: AGENT }).exit).toBe(0);
    writeIdeas(scratch);
    scratch.hold(`advance ${NAME}`);
    expect(finish(scratch, "0").exit).toBe(11);
  });
});

describe("where there is no commit to read", () => {
  test("without git the file counts, and a change since the start needs a person", () => {
    const scratch = bareDirectory();
    scratch.write(CONFIG, RED);
    expect(scratch.hold(`start ${NAME} --protocol plugin-workflow`).exit).toBe(0);
    writeIdeas(scratch);
    expect(scratch.hold(`advance ${NAME}`).exit).toBe(0);
    scratch.write(CONFIG, GREEN);
    expect(codesOf(finish(scratch, "0"))).toEqual(["settings-changed"]);
    scratch.remove(CONFIG);
    expect(codesOf(finish(scratch, "0"))).toEqual(["settings-changed"]);
    scratch.write(CONFIG, RED);
    expect(questionOf(finish(scratch, "0"))).toBe("stage-0-complete");
  });

  test("a git that is hidden changes nothing: what lies loose is read, what is packed stops the work", () => {
    const bin = scratchDirectory();
    symlinkSync(process.execPath, join(bin, "node"));
    const env = { PATH: bin };
    const scratch = withRedTests();
    const packed = copyOf(scratch);
    packed.git("gc", "--quiet");
    for (const one of [scratch, packed]) one.write(CONFIG, GREEN);
    doWork(scratch, "3");
    doWork(packed, "3");
    // `false` is not there either, so the tests did not run: that is no pass.
    expect(questionOf(giveReport(scratch, reportText("3"), { env }))).toBe("tests-failed");
    expect(codesOf(giveReport(packed, reportText("3"), { env }))).toEqual(["settings-changed"]);
  });

  test("a branch without a commit does not bring the worktree's file back", () => {
    const scratch = withRedTests();
    scratch.git("symbolic-ref", "HEAD", "refs/heads/fresh");
    scratch.write(CONFIG, GREEN);
    expect(codesOf(finish(scratch, "3"))).toEqual(["settings-changed"]);
  });
});

test("a definition that only lies in the worktree is not used", () => {
  const scratch = repository();
  const table = (label: string): string =>
    [
      "name: release",
      "version: 1",
      "title: Release",
      "states: [open, shut, done]",
      "start: open",
      "ends: [done]",
      `moves: { shut: { from: open, to: shut, label: ${label} }, finish: { from: shut, to: done } }`,
    ].join("\n");
  commitFile(scratch, CONFIG, JSON.stringify({ protocols: ["./release.yaml"] }));
  commitFile(scratch, "release.yaml", table("Shut it"));
  expect(scratch.hold("start v1 --protocol release").exit).toBe(0);
  scratch.write(
    "release.yaml",
    table("Shut").replace("from: shut, to: done", "from: open, to: done"),
  );
  const refused = scratch.hold("advance v1 finish");
  expect(refused.exit).toBe(10);
  expect(told(refused)).toContain("release.yaml differs");
  expect(scratch.hold("advance v1 shut").exit).toBe(0);
});

describe("a byte order mark, as some editors put it there", () => {
  const MARK = "\uFEFF";

  test("changes nothing about the configuration, committed or not", () => {
    const scratch = bareDirectory();
    scratch.write(CONFIG, `${MARK}${JSON.stringify({ checks: { tests: { none: "a test" } } })}`);
    expect(scratch.hold("init").json).toMatchObject({ unknown: [] });
    scratch.git("init", "--quiet", "--template=");
    scratch.git("config", "user.name", "Ada");
    scratch.git("config", "user.email", "ada@example.org");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "Settings");
    expect(told(scratch.hold("list"))).toBe("");
    const started = scratch.hold(["start", NAME, "--protocol", "plugin-workflow"]);
    expect(started.exit, started.stdout).toBe(0);
    // Saved by another editor, it is the same.
    scratch.write(CONFIG, JSON.stringify({ checks: { tests: { none: "a test" } } }));
    expect(told(scratch.hold(["status", NAME]))).toBe("");
    commitFile(scratch, CONFIG, JSON.stringify({ checks: { tests: { none: "a test" } } }));
    expect(told(scratch.hold(["status", NAME]))).toBe("");
  });

  test("a report that begins with one is read", () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const told = scratch.hold(["report", NAME, "-"], { stdin: `${MARK}${reportText("0")}` });
    expect(told.exit, told.stdout).toBe(11);
  });

  test("what is no text at all says how to save it", () => {
    const scratch = repository();
    writeFileSync(join(scratch.top, CONFIG), Buffer.from(`${MARK}{}`, "utf16le"));
    scratch.git("add", CONFIG);
    scratch.git("commit", "--quiet", "-m", "Settings");
    const told = scratch.hold(["start", NAME, "--protocol", "plugin-workflow"]);
    expect(JSON.stringify(told.json)).toContain("Commit it as UTF-8");
  });
});
