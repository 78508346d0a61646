/** The work itself: what an agent did is measured, whatever its report says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { copyOf, scratchAt, scratchDirectory } from "../cli.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  noteCodes,
  pluginAt,
  planText,
  questionOf,
  reportText,
} from "../plugin.ts";

const HOME = `plugins/${NAME}`;

test("work reported from another worktree is refused with the place it belongs to", () => {
  const scratch = pluginAt("p3");
  const side = scratchAt(join(scratchDirectory(), "side"));
  scratch.git("worktree", "add", "--quiet", "-b", "side", side.top);
  doWork(side, "3");
  const before = [scratch.git("rev-parse", "HEAD", "side"), scratch.read(handoffOf())];
  const strayed = giveReport(side, reportText("3"));
  expect(codesOf(strayed)).toContain("work-elsewhere");
  expect(strayed.json.refusals?.[0]?.message).toContain(scratch.top);
  expect([scratch.git("rev-parse", "HEAD", "side"), scratch.read(handoffOf())]).toEqual(before);
  expect(scratch.hold(`status ${NAME}`).json.dispatches).toHaveLength(1);
  // Without its files it does not count there either.
  expect(giveReport(scratch, reportText("3")).json.commits ?? []).toEqual([]);
  const there = pluginAt("p3");
  doWork(there, "3");
  expect(giveReport(there, reportText("3")).json.state).toBe("🚧 Stage 3");
});

test("work handed out in a worktree is reported there, and not in the main one", () => {
  const scratch = pluginAt("s2");
  const side = scratchAt(join(scratchDirectory(), "side"));
  scratch.git("worktree", "add", "--quiet", "-b", "side", side.top);
  answer(side, "1");
  doWork(scratch, "3");
  const strayed = giveReport(scratch, reportText("3"));
  expect(codesOf(strayed)).toContain("work-elsewhere");
  expect(strayed.json.refusals?.[0]?.message).toContain(side.top);
  doWork(side, "3");
  expect(giveReport(side, reportText("3")).json.state).toBe("🚧 Stage 3");
});

test("a stage that was done in another worktree is neither restored nor built upon where its files are not", () => {
  const scratch = pluginAt("s2");
  const side = scratchAt(join(scratchDirectory(), "side"));
  scratch.git("worktree", "add", "--quiet", "-b", "side", side.top);
  answer(side, "1");
  doWork(side, "3");
  expect(giveReport(side, reportText("3")).json.state).toBe("🚧 Stage 3");
  const before = [scratch.read(handoffOf()), scratch.read("PLUGINS.md")];
  const agent = { env: { CLAUDECODE: "1" } };
  for (const args of [
    ["reconcile", NAME, "--restore"],
    ["reconcile", NAME, "--restore", "--reason", "mine"],
  ]) {
    const restored = scratch.hold(args, agent);
    expect(codesOf(restored)).toEqual(["work-not-here"]);
    expect(restored.json.refusals?.[0]?.message).toContain(`${HOME}/Source/`);
  }
  expect(codesOf(scratch.hold(["reconcile", NAME, "--restore"]))).toEqual(["work-not-here"]);
  expect(codesOf(scratch.hold(["answer", NAME, "2"]))).toEqual(["state-mismatch"]);
  expect([scratch.read(handoffOf()), scratch.read("PLUGINS.md")]).toEqual(before);
  expect(scratch.git("status", "--porcelain")).toBe("");
  // Brought there, in whatever form, it goes on; and a person may know better.
  scratch.git("merge", "--quiet", "--squash", "side");
  scratch.git("commit", "--quiet", "-m", "all of it at once");
  expect(scratch.hold(["reconcile", NAME, "--restore"]).exit).toBe(11);
  expect(answer(scratch, "2").json.order?.stage).toBe(4);
});

test("a person who knows better has it restored without the files of a stage", () => {
  const scratch = pluginAt("s2");
  const side = scratchAt(join(scratchDirectory(), "side"));
  scratch.git("worktree", "add", "--quiet", "-b", "side", side.top);
  answer(side, "1");
  doWork(side, "3");
  giveReport(side, reportText("3"));
  const meant = ["reconcile", NAME, "--restore", "--reason", "the code lies elsewhere"];
  expect(scratch.hold(meant).exit).toBe(11);
  expect(scratch.read(handoffOf())).toContain("stage: 3");
});

test("[PW-149][PW-069] success without work completes nothing: it is asked, and can be done again", () => {
  const scratch = pluginAt("p3");
  const before = scratch.git("rev-parse", "HEAD");
  const reply = giveReport(scratch, reportText("3", { files: [] }));
  expect(questionOf(reply)).toBe("no-work");
  expect(reply.json.state).toBe("🚧 Stage 2");
  expect(reply.json.held?.[0]?.options.map((one) => one.id)).toContain("retry");
  expect(scratch.git("rev-parse", "HEAD")).toBe(before);
  const agent = { env: { CLAUDECODE: "1" } };
  const own = scratch.hold(["answer", NAME, "accept", "--reason", "trust me"], agent);
  expect(codesOf(own)).toEqual(["person-required"]);
  const again = answer(scratch, "retry");
  expect(again.json.order?.stage).toBe(3);
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
});

test("[PW-067][PW-148][PW-149] a failed state write completes a stage only where the work is measured", () => {
  const failure = reportText("3", {
    files: [],
    outputs: {
      error_type: "state_update_failure",
      error_message: "Permission denied",
      failed_operation: "write_continue_here",
      implementation_status: "complete",
      state_status: "not_updated",
    },
    with: { status: "failure", issues: ["Implementation succeeded"], ready_for_next_stage: false },
  });
  const idle = pluginAt("p3");
  expect(questionOf(giveReport(idle, failure))).toBe("no-work");
  const agreed = idle.hold(["answer", NAME, "accept", "--reason", "it was there before"]);
  expect(agreed.json.state).toBe("🚧 Stage 3");
  const worked = pluginAt("p3");
  doWork(worked, "3");
  expect(giveReport(worked, failure).json.state).toBe("🚧 Stage 3");
});

test("[PW-072] named but unchanged files complete nothing by themselves", () => {
  const scratch = pluginAt("p3");
  const reply = giveReport(scratch, reportText("3"));
  expect(questionOf(reply)).toBe("no-work");
  expect(reply.json.held?.[0]?.about["message"]).toContain("nothing of this work changed");
  const half = pluginAt("p3");
  half.write(`${HOME}/Source/Extra.cpp`, "more\n");
  const named = [`${HOME}/Source/Extra.cpp`, `${HOME}/CMakeLists.txt`];
  const told = giveReport(half, reportText("3", { files: named }));
  expect(questionOf(told)).toBe("no-work");
  expect(told.json.held?.[0]?.about["message"]).toContain(`did not change: ${HOME}/CMakeLists.txt`);
});

test("[PW-099][PW-222] an agent that commits, works elsewhere, or hides its work from git, is named", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  scratch.write(`${HOME}/Source/.gitignore`, "hidden.h\n");
  scratch.write(`${HOME}/Source/hidden.h`, "int x;\n");
  scratch.write("shared/helper.cpp", "int x;\n");
  scratch.git("add", "plugins");
  scratch.git("commit", "--quiet", "-m", "mine");
  const reply = giveReport(scratch, reportText("3"));
  const codes = ["agent-committed", "files-hidden", "work-outside"];
  expect(noteCodes(reply)).toEqual(expect.arrayContaining(codes));
  const notes = reply.json.notes?.map((one) => one.message).join("\n");
  expect(notes).toContain("mine");
  expect(notes).toContain("Source/hidden.h");
  expect(notes).toContain("shared/helper.cpp");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("shared/helper.cpp");
});

test("[PW-066] files may be named as the sources name them: from the plugin's folder, or by name", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const reply = giveReport(scratch, reportText("3", { files: ["PluginProcessor.cpp"] }));
  expect(reply.json.state).toBe("🚧 Stage 3");
  expect(noteCodes(reply)).not.toContain("files-unchanged");
});

test("[PW-212] the tests speak for everything beside the plugin too", () => {
  const scratch = pluginAt("p3");
  const check = { checks: { tests: { run: ["node", "check.js"] } } };
  scratch.write("holdpoint.config.json", JSON.stringify(check));
  scratch.write("check.js", "require('./shared/limit.js')\n");
  scratch.write("shared/limit.js", "");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "checks");
  scratch.hold(["reconcile", NAME, "--settings", "--reason", "tests at last"]);
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
  answer(scratch, "headless");
  scratch.write("shared/limit.js", "process.exit(1)\n");
  expect(questionOf(finish(scratch, "4"))).toBe("tests-failed");
});

test("[PW-212] tests that ran beside what is not committed speak for nothing: the commit would not have it", () => {
  const scratch = pluginAt("p3");
  const check = { checks: { tests: { run: ["node", "check.js"] } } };
  scratch.write("holdpoint.config.json", JSON.stringify(check));
  scratch.write("check.js", "process.exit(1)\n");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "checks");
  scratch.hold(["reconcile", NAME, "--settings", "--reason", "tests at last"]);
  for (const [path, text] of [
    ["check.js", "process.exit(0)\n"],
    ["node_modules.js", "// new\n"],
  ] as const) {
    const again = copyOf(scratch);
    again.write(path, text);
    const reply = finish(again, "3");
    expect(questionOf(reply), path).toBe("tests-failed");
    expect(reply.json.held?.[0]?.about["message"], path).toContain(path);
    expect(reply.json.state).toBe("🚧 Stage 2");
  }
});

test(
  "[PW-212][PW-307] twenty thousand files under a plugin switch no evidence off",
  { timeout: 240_000 },
  () => {
    const scratch = pluginAt("working");
    const check = { checks: { tests: { run: ["node", "-e", "process.exit(1)"] } } };
    scratch.write("holdpoint.config.json", JSON.stringify(check));
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "checks");
    scratch.hold(["reconcile", NAME, "--settings", "--reason", "tests at last"]);
    const many = join(scratch.top, HOME, "Source/many");
    mkdirSync(many, { recursive: true });
    for (let index = 0; index < 20_100; index += 1) writeFileSync(join(many, `${index}.h`), "\n");
    mkdirSync(join(scratch.top, `backups/${NAME}`), { recursive: true });
    execFileSync("cp", ["-r", HOME, `backups/${NAME}/v1.0.0`], { cwd: scratch.top });
    scratch.hold(`advance ${NAME} improve`);
    answer(scratch, "keep");
    scratch.edit(`${HOME}/CHANGELOG.md`, (text) => `${text}\n## 1.0.1\n\n- Less noise\n`);
    scratch.edit(`${HOME}/CMakeLists.txt`, (text) => `${text}# more\n`);
    const input = JSON.stringify({ version: "1.0.1", description: "less noise" });
    const reply = scratch.hold(["advance", NAME, "improved", "--input", input]);
    expect(reply.exit).toBe(10);
    expect(codesOf(reply)).toEqual(["tests-failed"]);
  },
);

test("[PW-093][PW-299] a phase that stands twice in plan.md, or that no stage has, is named and refused", () => {
  const plans: readonly (readonly [string, string])[] = [
    [
      `${planText("4.2", ["3.1", "3.2"])}\n### Phase 3.1: Once more\n`,
      "Phase 3.1 has two headings",
    ],
    [`${planText("4.2", ["3.1"])}\n### Phase 5.1: Polish\n`, "5.1"],
    [planText("4.2", ["3.1", "3.3"]), "3.3"],
    // Without a single phase that counts it would be a plan without phases.
    [`${planText("4.2")}\n**Phase 3.1: Core**\n\n**Phase 3.2: Filter**\n`, "Phase 3.1: Core"],
    [`${planText("4.2", ["3.1"])}\n### Phase 3 .2: Filter\n`, "Phase 3 .2: Filter"],
  ];
  for (const [plan, said] of plans) {
    const scratch = pluginAt("p0");
    const reply = finish(scratch, "0", { plan });
    expect(codesOf(reply)).toEqual(["plan-invalid"]);
    expect(reply.json.refusals?.[0]?.message).toContain(said);
  }
});
