/** What stands between a report and its commit: tests, the repository's hooks, git itself. */
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareDirectory, commitFile, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { holdAsOther, ownedByOther } from "../other-user.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  changeSetting,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  subjects,
  writeBuild,
  writeIdeas,
  writeValidated,
} from "../plugin.ts";

/** Tests that pass when `ok` exists, and leave a trace of every run. */
function withTests(scratch: Scratch): void {
  const script = 'echo ran >> ../runs; test -e ok || { echo "2 of 3 failed"; exit 1; }';
  const checks = { tests: { run: ["sh", "-c", script], minutes: 1 } };
  changeSetting(scratch, "holdpoint.config.json", { checks });
}

function runs(scratch: Scratch): number {
  return scratch.has("../runs") ? scratch.read("../runs").split("\n").length - 1 : 0;
}

test("[PW-156][PW-210][PW-212][PW-221][PW-291] failing tests hold the report; passing ones let it through", () => {
  const scratch = pluginAt("p2");
  withTests(scratch);
  finish(scratch, "2");
  expect(runs(scratch)).toBe(0);
  answer(scratch, "1");
  const failed = finish(scratch, "3");
  expect(runs(scratch)).toBe(1);
  expect(failed.exit).toBe(11);
  expect(questionOf(failed)).toBe("tests-failed");
  expect(failed.json.commits).toEqual([]);
  expect(scratch.read("PLUGINS.md")).toContain("| 🚧 Stage 2 |");
  expect(scratch.read(handoffOf())).toMatch(/stage: 3\n[^]*status: in_progress\n/);
  expect(scratch.hold(`answer ${NAME} details`).json.shown?.join("\n")).toContain("2 of 3 failed");
  expect(questionOf(answer(scratch, "1"))).toBe("tests-failed");
  commitFile(scratch, "ok", "");
  const passed = answer(scratch, "1");
  expect(passed.json.state).toBe("🚧 Stage 3");
  expect(questionOf(passed)).toBe("stage-3-complete");
  expect(runs(scratch)).toBe(3);
  expect(subjects(scratch).at(-1)).toBe(`feat: ${NAME} Stage 3 - audio engine working`);
  answer(scratch, "headless");
  finish(scratch, "4");
  expect(runs(scratch)).toBe(4);
});

test("[PW-212][PW-220][PW-312] validation that fails asks, and is tried again", () => {
  const scratch = pluginAt("s5");
  writeValidated(scratch);
  withTests(scratch);
  const failed = scratch.hold(`advance ${NAME}`);
  expect(failed.exit).toBe(11);
  expect(questionOf(failed)).toBe("validation-failed");
  expect(scratch.read(handoffOf())).toContain("status: in_progress\n");
  answer(scratch, "retry");
  commitFile(scratch, "ok", "");
  // Whatever was granted, the last checkpoint asks.
  const done = scratch.hold(["advance", NAME, "--set", "express=true"]);
  expect(done.json.state).toBe("✅ Working");
  expect(questionOf(done)).toBe("stage-5-complete");
  expect(runs(scratch)).toBe(2);
});

test("[PW-309] installing runs the tests on what is installed, if they have not passed on it", () => {
  const scratch = pluginAt("working");
  writeBuild(scratch);
  withTests(scratch);
  const failed = scratch.hold(`answer ${NAME} 1`);
  expect(failed.exit).toBe(10);
  expect(codesOf(failed)).toEqual(["tests-failed"]);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("✅ Working");
  commitFile(scratch, "ok", "");
  expect(answer(scratch, "1").json.state).toBe("📦 Installed");
  expect(runs(scratch)).toBe(2);
});

test("[PW-136][PW-203][PW-204][PW-288][PW-296] a hook that says no leaves everything as it was", () => {
  const scratch = pluginAt("p3");
  scratch.hook("pre-commit", 'test -e ok || { echo "line too long" >&2; exit 1; }');
  const head = scratch.git("rev-parse", "HEAD");
  const before = [scratch.read(handoffOf()), scratch.read("PLUGINS.md")];
  doWork(scratch, "3");
  const code = scratch.read(`plugins/${NAME}/Source/PluginProcessor.cpp`);
  const held = giveReport(scratch, reportText("3"));
  expect(held.exit).toBe(11);
  expect(questionOf(held)).toBe("commit-failed");
  expect(held.json.held?.[0]?.about["message"]).toContain("line too long");
  expect(scratch.git("rev-parse", "HEAD")).toBe(head);
  expect(scratch.read("PLUGINS.md")).toBe(before[1]);
  expect(scratch.read(handoffOf())).toContain("next_action: invoke_dsp_agent\n");
  expect(scratch.read(handoffOf())).not.toContain("**Stage 3:**");
  expect(scratch.read(`plugins/${NAME}/Source/PluginProcessor.cpp`)).toBe(code);
  expect(scratch.hold(`advance ${NAME}`).exit).toBe(11);
  expect(codesOf(scratch.hold(`answer ${NAME} retry`))).toEqual(["commit-rejected"]);
  expect(questionOf(scratch.hold(`status ${NAME}`))).toBe("commit-failed");
  scratch.write("ok", "");
  const done = answer(scratch, "retry");
  expect(done.json.commits).toHaveLength(1);
  expect(done.json.state).toBe("🚧 Stage 3");
  expect(scratch.git("show", "--name-only", "--format=", "HEAD")).toContain("PLUGINS.md");
});

test("[PW-165][PW-199] what the user had staged or edited elsewhere stays out of the commit", () => {
  const scratch = pluginAt("p3");
  scratch.write("unrelated.txt", "staged\n");
  scratch.git("add", "unrelated.txt");
  scratch.write("loose.txt", "not staged\n");
  scratch.edit("PLUGINS.md", (text) => `${text}\n## Notes\n\nAsk Ana about the filter.\n`);
  finish(scratch, "3");
  const files = scratch.git("show", "--name-only", "--format=", "HEAD").split("\n");
  expect(files).not.toContain("unrelated.txt");
  expect(files).not.toContain("loose.txt");
  expect(scratch.git("diff", "--cached", "--name-only")).toBe("unrelated.txt");
  expect(scratch.read("PLUGINS.md")).toContain("Ask Ana about the filter.");
});

test("[PW-201] a description with quotes, dollars and newlines is stored as it is", () => {
  const scratch = pluginAt("p3");
  const odd = 'it\'s "good" $(touch pwned) `id` | a & b\nsecond line \\n';
  finish(scratch, "3", { with: { description: odd } });
  expect(scratch.has("pwned")).toBe(false);
  const folded = 'it\'s "good" $(touch pwned) `id` | a & b ⏎ second line \\n';
  expect(scratch.read("PLUGINS.md")).toContain(folded.replace("|", "|"));
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
  expect(scratch.hold("verify --all").json.ok).toBe(true);
});

test("[PW-193][PW-194][PW-213] without a repository the workflow goes on, and says that nothing is committed", () => {
  const scratch = bareDirectory();
  scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  writeIdeas(scratch);
  const planned = scratch.hold(`advance ${NAME}`);
  expect(planned.exit).toBe(0);
  expect(planned.json.warnings?.join()).toMatch(
    /^Nothing will be committed: .* is not inside a git repository\. Run git init\.$/,
  );
  const done = finish(scratch, "0");
  expect(done).toMatchObject({ exit: 11, json: { state: "🚧 Stage 0", commits: [] } });
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("No commit: git is not available here");
  answer(scratch, "1");
  expect(finish(scratch, "2").json.state).toBe("🚧 Stage 2");
  expect(scratch.has(".holdpoint")).toBe(true);
  // Sealed contracts come back without git too: a copy is kept when they are sealed.
  const sealed = scratch.read(ideas("plan.md"));
  scratch.write(ideas("plan.md"), "gone\n");
  expect(questionOf(answer(scratch, "1"))).toBe("contract-changed");
  answer(scratch, "restore");
  expect(scratch.read(ideas("plan.md"))).toBe(sealed);
});

test("[PW-193][PW-194] without the git program it goes on too", () => {
  const scratch = bareDirectory();
  const path = scratchDirectory();
  symlinkSync(process.execPath, join(path, "node"));
  const env = { PATH: path };
  expect(scratch.hold(`start ${NAME} --protocol plugin-workflow`, { env }).exit).toBe(0);
  writeIdeas(scratch);
  const planned = scratch.hold(`advance ${NAME}`, { env });
  expect(planned.exit).toBe(0);
  expect(planned.json.warnings).toEqual([
    "Nothing will be committed: git is not installed, or not in PATH. Install git.",
  ]);
  doWork(scratch, "0");
  const done = giveReport(scratch, reportText("0"), { env });
  expect(done.json).toMatchObject({ state: "🚧 Stage 0", commits: [] });
});

test("[PW-097][PW-135][PW-141][PW-144][PW-163] a registry that cannot be written opens the recovery menu", () => {
  const scratch = pluginAt("p3");
  const registry = scratch.read("PLUGINS.md");
  scratch.remove("PLUGINS.md");
  mkdirSync(join(scratch.top, "PLUGINS.md"));
  const held = finish(scratch, "3");
  // The machine has to be mended first, which is exit 1; the question is there all the same.
  expect(held.exit).toBe(1);
  expect(held.json.pending?.[0]).toMatchObject({ code: "not-a-file" });
  expect(questionOf(held)).toBe("recovery");
  expect(held.json.held?.[0]?.options.map((one) => one.label)).toEqual([
    "Show error details",
    "Retry fallback",
    "Manual fix: mend the files, then retry",
    "Abort workflow: hand the work back",
    "Other",
  ]);
  expect(JSON.stringify(held.json.held?.[0]?.about)).toContain("PLUGINS.md");
  scratch.remove("PLUGINS.md");
  scratch.write("PLUGINS.md", registry);
  const done = answer(scratch, "retry");
  expect(done.json.state).toBe("🚧 Stage 3");
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-142] aborting leaves the stage unfinished, on record", () => {
  const scratch = pluginAt("p3");
  const registry = scratch.read("PLUGINS.md");
  scratch.remove("PLUGINS.md");
  mkdirSync(join(scratch.top, "PLUGINS.md"));
  finish(scratch, "3");
  scratch.remove("PLUGINS.md");
  scratch.write("PLUGINS.md", registry);
  answer(scratch, "abort");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("W-3 ended: view-not-a-file");
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 2");
  expect(codesOf(giveReport(scratch, reportText("3")))).toEqual(["dispatch-unknown"]);
});

test("[PW-144] a directory that may not be written is named", () => {
  const prepared = pluginAt("p3");
  doWork(prepared, "3");
  const scratch = ownedByOther(prepared);
  chmodSync(join(scratch.top, "plugins", NAME), 0o555);
  const reply = holdAsOther(scratch, ["report", NAME, "-"], reportText("3"));
  chmodSync(join(scratch.top, "plugins", NAME), 0o755);
  expect(JSON.stringify(reply.json)).toContain(`plugins/${NAME}`);
});

test("[PW-099][PW-207] an agent that commits by itself is not the one who completes the stage", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "feat: TapeDelay Stage 3 - done by the agent");
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 2");
  const reply = giveReport(scratch, reportText("3"));
  expect(reply.json.commits).toHaveLength(1);
  expect(scratch.git("log", "-1", "--format=%b")).toContain("Holdpoint-Record: ");
  expect(scratch.git("log", "-1", "--format=%b", "HEAD~1")).not.toContain("Holdpoint-Record: ");
});

test("[PW-099] an agent that rewrites the last checkpoint, or leaves its branch, is asked about", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const head = scratch.git("rev-parse", "HEAD");
  scratch.git("commit", "--quiet", "--amend", "--all", "-m", "mine");
  const held = giveReport(scratch, reportText("3"));
  expect(questionOf(held)).toBe("history-changed");
  expect(held.json.held?.[0]?.prompt).toContain(head.slice(0, 12));
  scratch.git("reset", "--quiet", "--soft", head);
  scratch.git("switch", "--quiet", "-c", "mine");
  const other = answer(scratch, "again");
  expect(questionOf(other)).toBe("history-changed");
  expect(other.json.held?.[0]?.prompt).toContain("mine is checked out");
  scratch.git("switch", "--quiet", "main");
  expect(questionOf(answer(scratch, "again"))).toBe("stage-3-complete");
  expect(scratch.git("rev-parse", "HEAD~1")).toBe(head);
});

test("[PW-205] a checkpoint whose state is in HEAD already is done, not failed", () => {
  const scratch = pluginAt("s2");
  const head = scratch.git("rev-parse", "HEAD");
  const gaps = scratch.hold(`reconcile ${NAME}`);
  expect(gaps).toMatchObject({ exit: 0, json: { ok: true } });
  expect(scratch.git("rev-parse", "HEAD")).toBe(head);
});
