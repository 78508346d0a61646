/** Ways through that were noticed once, each tried on the command line as it was noticed. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Scratch } from "./cli.ts";
import {
  NAME,
  answer,
  changeSetting,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  ideas,
  planText,
  pluginAt,
  questionOf,
  reportText,
} from "./plugin.ts";
import * as team from "./team.ts";

const QUICK_MS = 30_000;

/** Nothing may wait for a limit of its own. */
function quick<T>(call: () => T): T {
  const started = performance.now();
  const reply = call();
  expect(performance.now() - started).toBeLessThan(QUICK_MS);
  return reply;
}

describe("a plugin's plan", () => {
  test.each([
    ["the same phase twice", "### Phase 3.1: a\n\nx\n\n### Phase 3.1: b\n\nx\n"],
    ["a phase of a stage that has none", "### Phase 3.1: a\n\nx\n\n### Phase 5.1: b\n\nx\n"],
  ])("[PW-082] with %s is refused, not read as if it were not there", (_, phases) => {
    const scratch = pluginAt("p0");
    const plan = `${planText("4.0")}\n${phases}`;
    const reply = finish(scratch, "0", { plan });
    expect(reply.exit).toBe(10);
    expect(reply.stdout).toMatch(/Phase|phase/);
    expect(reply.json.commits ?? []).toEqual([]);
  });

  test("[PW-082] that is flipped while a report is decided is one of the two, in files and commit alike", async () => {
    for (let round = 0; round < 4; round += 1) {
      const scratch = pluginAt("p0");
      const two = planText("4.0", ["3.1", "4.1"]);
      const three = planText("4.0", ["3.1", "3.2", "4.1"]);
      doWork(scratch, "0", { plan: two });
      const at = join(scratch.top, ideas("plan.md"));
      writeFileSync(`${at}.two`, two);
      writeFileSync(`${at}.three`, three);
      const loop = `while :; do cp "$0.three" "$0.x"; mv "$0.x" "$0"; cp "$0.two" "$0.x"; mv "$0.x" "$0"; done`;
      const flipping = spawn("sh", ["-c", loop, at]);
      const reply = await scratch.holdLater(["report", NAME, "-"], { stdin: reportText("0") });
      flipping.kill("SIGKILL");
      if (reply.exit !== 11 || (reply.json.commits ?? []).length === 0) continue;
      const committed = scratch.git("show", `HEAD:${ideas("plan.md")}`);
      const sealed = /^ {2}plan: sha256:([0-9a-f]{64})$/m.exec(
        scratch.git("show", `HEAD:${handoffOf()}`),
      )?.[1];
      const digest = createHash("sha256").update(`${committed}\n`).digest("hex");
      expect(digest).toBe(sealed);
    }
  });

  test("[PW-230] a reviewed menu of Pause and Other keeps its primary option, and continue leads on", () => {
    const scratch = pluginAt("p2");
    changeSetting(scratch, "assets/decision-menus.json", {
      stage_2_complete: { options: [{ label: "Pause here", action: "pause" }] },
    });
    const reply = finish(scratch, "2");
    expect(reply.json.held?.[0]?.options[0]?.label).not.toContain("Pause");
    expect(answer(scratch, "continue").json.order).toMatchObject({ role: "dsp-agent" });
  });
});

describe("a session", () => {
  test("[TC-125] QA's word alone completes nothing while the task's own command is red", () => {
    const session = team.sessionAt("coded");
    session.work("review", "T-001");
    session.send("test", "T-001");
    const said = session.play("QA");
    // The Coder's file goes, and with it what `cmd: test -f app.js` asks for; QA says that all is well.
    session.repo.remove("app.js");
    const reply = session.report(said);
    expect(session.read("tasks.yaml")).not.toContain("status: completed");
    expect([10, 11]).toContain(reply.exit);
  }, 120_000);

  test("[TC-135] a second document in tasks.yaml is named, and no plan is taken from it", () => {
    const session = team.sessionAt("plan");
    session.send("plan");
    const two = `${team.tasksYaml("T-001")}---\ntasks:\n${team.taskYaml("T-002")}`;
    session.file("tasks.yaml", two);
    const reply = session.report(team.agentReply());
    expect(reply.exit).toBe(10);
    expect(reply.stdout).toContain("second YAML document");
    expect(session.repo.hold(["verify", "--all"]).stdout).toContain("second YAML document");
  }, 120_000);

  test("[TC-179] Docs' README voids no person's word about a manual check", () => {
    const session = team.sessionAt("lean");
    session.send("specify-lean");
    const said = session.play("SpecAgent");
    const manual = "manual: it looks right";
    session.file("acceptance.json", team.ACCEPTANCE.replace("test -f app.js", manual));
    session.report(said);
    session.task();
    expect(session.repo.hold(["approve", session.id, manual]).exit).toBe(0);
    session.file("report.md", team.REPORT);
    session.repo.write("README.md", "# Words\n");
    const codes = session.run("advance", ["finish"]).json.refusals?.map((one) => one.code) ?? [];
    expect(codes).not.toContain("criteria-open");
  }, 120_000);
});

describe("what could make a command wait", () => {
  test("a check that leaves a child on the pipes is over when it ends", () => {
    const scratch = pluginAt("p3");
    const run = ["sh", "-c", "sleep 600 & echo left one behind"];
    changeSetting(scratch, "holdpoint.config.json", { checks: { tests: { run, minutes: 10 } } });
    const done = quick(() => finish(scratch, "3"));
    expect(questionOf(done)).toBe("stage-3-complete");
  });

  test("gigabytes in the aside folder, and a sparse file of 10 GB in the tree, are named or left alone", () => {
    const scratch = pluginAt("p3");
    const aside = join(scratch.top, ".holdpoint/aside");
    mkdirSync(aside, { recursive: true });
    for (const name of ["x", "y.json"]) {
      writeFileSync(join(aside, name), "");
      truncateSync(join(aside, name), 2 * 1024 ** 3);
    }
    expect(quick(() => scratch.hold(`status ${NAME}`)).exit).toBe(0);
    doWork(scratch, "3");
    writeFileSync(join(scratch.top, "plugins/big.bin"), "");
    truncateSync(join(scratch.top, "plugins/big.bin"), 10 * 1024 ** 3);
    const reply = quick(() => giveReport(scratch, reportText("3")));
    expect([0, 10, 11]).toContain(reply.exit);
    expect(reply.stdout).not.toContain('"internal"');
    expect(reply.exit === 11 || reply.stdout.includes("big.bin")).toBe(true);
  });

  test("a path longer than the system takes is measured, or named", () => {
    const scratch = pluginAt("p3");
    deepen(scratch, 30);
    doWork(scratch, "3");
    const reply = quick(() => giveReport(scratch, reportText("3")));
    expect(reply.stdout).not.toContain('"internal"');
    expect(questionOf(reply) === "stage-3-complete" || reply.stdout.includes("ddd")).toBe(true);
    quick(() => scratch.hold("verify --all"));
    // Whoever tidies up after the tests takes whole paths, too.
    spawnSync("rm", ["-rf", join(scratch.top, "plugins", NAME)]);
  });

  test("a report that names 10,000 files starts git a few times, not thousands", () => {
    const scratch = pluginAt("p3");
    doWork(scratch, "3");
    const log = join(scratch.top, "../git.log");
    const bin = join(scratch.top, "../bin");
    mkdirSync(bin);
    const real = scratch.env["PATH"] ?? "";
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\necho x >> '${log}'\nPATH='${real}' exec git "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(log, "");
    const files = Array.from({ length: 10_000 }, (_, n) => `plugins/${NAME}/Source/${n}.cpp`);
    const reply = quick(() =>
      giveReport(scratch, reportText("3", { files }), { env: { PATH: `${bin}:${real}` } }),
    );
    expect(codesOf(reply)).toContain("files-missing");
    expect(scratch.read("../git.log").split("\n").length).toBeLessThan(50);
  });
});

/** One directory in the other, made from inside: the whole path is longer than a call takes. */
function deepen({ top }: Scratch, count: number): void {
  const script = `const { mkdirSync, writeFileSync } = require("node:fs");
    process.chdir(process.argv[1]);
    for (let n = 0; n < ${count}; n += 1) { mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }
    writeFileSync("f", "x");`;
  const at = join(top, "plugins", NAME);
  expect(spawnSync(process.execPath, ["-e", script, at]).status).toBe(0);
}
