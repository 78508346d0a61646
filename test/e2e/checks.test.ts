/** Checks that did not run are not green: four answers that are no pass, and a repository that says it has none. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import {
  NAME,
  answer,
  changeSetting,
  doWork,
  finish,
  giveReport,
  pluginAt,
  questionOf,
  reportText,
} from "./plugin.ts";

const CONFIG = "holdpoint.config.json";
const SOURCE = `plugins/${NAME}/Source/PluginProcessor.cpp`;

function withTests(tests: object): Scratch {
  const scratch = pluginAt("p3");
  changeSetting(scratch, CONFIG, { checks: { tests } });
  return scratch;
}

function says(reply: Reply): string {
  return String(reply.json.held?.[0]?.about["message"]);
}

describe("a check that did not pass", () => {
  test("that nobody configured is asked about, and named by status", () => {
    const scratch = pluginAt("p3");
    changeSetting(scratch, CONFIG, {});
    const held = finish(scratch, "3");
    expect(questionOf(held)).toBe("tests-failed");
    expect(says(held)).toMatch(/^tests did not run: the repository's configuration/);
    expect(scratch.say(`status ${NAME}`).stdout).toContain(
      "tests does not run, and the committed configuration does not say why",
    );
    expect(answer(scratch, "1").json.held?.[0]?.question).toBe("tests-failed");
    changeSetting(scratch, CONFIG, { checks: { tests: { run: ["true"] } } });
    expect(answer(scratch, "1").json.commits).toHaveLength(1);
  });

  test("because its program is not there did not run", () => {
    const held = finish(withTests({ run: ["no-such-program"] }), "3");
    expect(questionOf(held)).toBe("tests-failed");
    expect(says(held)).toMatch(/^tests did not run \(.*no-such-program/);
  });

  test("because it failed says so with the end of its output; all of it can be seen", () => {
    const script = "for i in $(seq 1 400); do echo line $i of the output; done; exit 3";
    const scratch = withTests({ run: ["sh", "-c", script] });
    const held = finish(scratch, "3");
    expect(says(held)).toMatch(/^tests failed on what is there now \(exit 3\)\n/);
    expect(says(held)).toContain("line 400 of the output");
    const shown = scratch.say(`show ${NAME} tests`).stdout;
    expect(shown).toContain("exit 3");
    expect(shown).toContain("line 1 of the output\n");
    expect(shown).toContain("line 400 of the output");
    answer(scratch, "manual");
    const again = scratch.hold(`advance ${NAME}`).json.order?.prompt ?? "";
    expect(again).toContain("line 400 of the output");
  });

  test("though whoever asks for the step gives its tools other options", () => {
    const scratch = withTests({ run: ["npm", "test", "--silent"] });
    commitFile(scratch, "package.json", JSON.stringify({ scripts: { test: "exit 3" } }));
    doWork(scratch, "3");
    const env = { npm_config_script_shell: "/bin/true", npm_config_if_present: "true" };
    expect(questionOf(giveReport(scratch, reportText("3"), { env }))).toBe("tests-failed");
  });

  test("because it wrote into what it judges counts for nothing", () => {
    const held = finish(withTests({ run: ["sh", "-c", `echo more >> ${SOURCE}`] }), "3");
    expect(questionOf(held)).toBe("tests-failed");
    expect(says(held)).toContain("written to while it ran");
    expect(says(held)).toContain(SOURCE);
  });

  test("because files were swapped while it ran counts for nothing, though all bytes are back", () => {
    const scratch = withTests({ run: [process.execPath, "swap.mjs"] });
    const file = join(scratch.top, SOURCE);
    // What an agent's second process would do, at the worst moment: other bytes, then the old file with its old times.
    commitFile(
      scratch,
      "swap.mjs",
      `import { renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
       const file = ${JSON.stringify(file)};
       const { atime, mtime } = statSync(file);
       renameSync(file, "aside"); writeFileSync(file, "good code"); renameSync("aside", file);
       utimesSync(file, atime, mtime);`,
    );
    doWork(scratch, "3");
    const bytes = readFileSync(file, "utf8");
    const held = giveReport(scratch, reportText("3"));
    expect(readFileSync(file, "utf8")).toBe(bytes);
    expect(questionOf(held)).toBe("tests-failed");
    expect(says(held)).toContain("written to while it ran");
  });

  test("new files beside what it judges void nothing", () => {
    const done = finish(withTests({ run: ["sh", "-c", "echo x > coverage.txt"] }), "3");
    expect(questionOf(done)).toBe("stage-3-complete");
  });
});

test("a run speaks only for the command that ran", () => {
  const scratch = pluginAt("s5");
  const trace = "echo ran >> ../runs";
  const runs = (): number => scratch.read("../runs").split("\n").length - 1;
  changeSetting(scratch, CONFIG, { checks: { tests: { run: ["sh", "-c", trace] } } });
  scratch.hold(`advance ${NAME}`);
  expect(runs()).toBe(1);
  scratch.hold(`advance ${NAME}`);
  expect(runs()).toBe(1);
  changeSetting(scratch, CONFIG, { checks: { tests: { run: ["sh", "-c", `${trace}; exit 1`] } } });
  scratch.hold(`advance ${NAME}`);
  expect(runs()).toBe(2);
});

test("a repository that says it has none, and why: so say the answer, the status and the audit", () => {
  const scratch = withTests({ none: "a prototype" });
  const done = finish(scratch, "3");
  expect(questionOf(done)).toBe("stage-3-complete");
  expect(done.json.warnings?.join()).toContain("tests did not run: none here (a prototype)");
  expect(scratch.say(`status ${NAME}`).stdout).toContain("a prototype");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("a prototype");
});

test("a fresh repository is told at once that its tests do not run", () => {
  const scratch = repository();
  scratch.git("rm", "--quiet", CONFIG);
  scratch.git("commit", "--quiet", "-m", "no settings");
  const started = scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  expect(started.json.warnings?.join()).toContain('no check "tests"');
});
