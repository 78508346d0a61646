/** A class is bound to what it was computed from: what the change turns out to be decides which way it goes. */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderTaskMd } from "../../task-md.ts";
import { commitFile } from "../cli.ts";
import type { Reply } from "../cli.ts";
import {
  archived,
  classified,
  expectTidy,
  gathered,
  ID,
  implementing,
  planned,
  SCOPES,
  started,
  taskRepository,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";

function codes(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

const AUTHOR = ["-c", "user.name=somebody", "-c", "user.email=somebody@localhost"];
const NODE = process.execPath;
const CHECKS = {
  build: { run: ["git", "rev-parse", "HEAD"] },
  tests: { run: [NODE, "-e", "process.exit(+require('node:fs').existsSync('src/broken.js'))"] },
};

function lowTask(settings: object = {}, plan: readonly string[] = [SCOPES.LOW]): Task {
  const scratch = taskRepository({ [ID]: SCOPES.LOW }, { checks: CHECKS, ...settings });
  return planned(gathered(classified(started(scratch, ID), SCOPES.LOW)), plan);
}

describe("LOW is not a way round", () => {
  test.each([
    ["source", "src/Parser.java", "class Parser {}\n"],
    ["a broken test", "src/test/ParserTest.java", "broken\n"],
    ["a CI file", ".github/workflows/ci.yml", "on: push\n"],
    ["the checks themselves", "holdpoint.config.json", '{ "checks": {} }\n'],
  ])(
    "[TP-074] [TP-081] [TP-141] a plan for the guide, and %s in the commit: not shown, not merged",
    (_, file, text) => {
      const task = lowTask();
      write(task.code, SCOPES.LOW, "one\n");
      write(task.code, file, text);
      archived(task);
      const refused = task.run(["advance", ID, "skip"]);
      expect(refused.exit).toBe(10);
      expect(codes(refused)).toEqual(expect.arrayContaining(["risk-higher", "plan-deviation"]));
      expect(refused.json.refusals?.map((one) => one.message).join("\n")).toContain(file);
      expect(task.at()).toBe("SYNTHESIS");

      // Without it, the short way is open.
      task.git("reset", "--quiet", "--hard", "main");
      write(task.code, SCOPES.LOW, "one\n");
      archived(task);
      expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
    },
  );

  test("[TP-074] [TP-082] a text that becomes a link, a program or a submodule is shown to nobody as LOW", () => {
    const task = lowTask();
    const place = join(task.code, SCOPES.LOW);
    const refused = (): readonly string[] => {
      archived(task);
      const reply = task.run(["advance", ID, "skip"]);
      task.git("reset", "--quiet", "--hard", "main");
      return codes(reply);
    };
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync("../src/Parser.java", place);
    expect(refused()).toContain("risk-higher");
    write(task.code, SCOPES.LOW, "one\n");
    chmodSync(place, 0o755);
    expect(refused()).toContain("risk-higher");
    task.git("init", "--quiet", SCOPES.LOW);
    task.git("-C", SCOPES.LOW, ...AUTHOR, "commit", "--quiet", "--allow-empty", "-m", "one");
    expect(refused()).toContain("risk-higher");
    rmSync(place, { recursive: true, force: true });
    write(task.code, SCOPES.LOW, "one\n");
    expect(refused()).toEqual([]);
  });

  test("[TP-074] what a repository calls LOW is not LOW where it decides what is checked; a setting does not make it so", () => {
    const settings = { task: { patterns: { HIGH: [], MEDIUM: [], LOW: ["**", "*"] } } };
    const scratch = taskRepository({ [ID]: SCOPES.LOW }, settings);
    const task = gathered(classified(started(scratch, ID), SCOPES.LOW));
    const files = [SCOPES.LOW, ".github/workflows/ci.yml"];
    planned(task, files, (step) => {
      const refused = task.run(step);
      expect(codes(refused)).toEqual(["risk-higher"]);
      task.scratch.edit(`${task.dir}/task.md`, (text) =>
        text.replace("- `.github/workflows/ci.yml` - create", ""),
      );
      expect(task.run(step).exit).toBe(11);
    });
  });

  test("[TP-163] LOW by a pattern, and yet source: its tests run, and red ones stop it", () => {
    const settings = { task: { patterns: { HIGH: [], MEDIUM: [], LOW: ["**", "*"] } } };
    const task = lowTask(settings, [SCOPES.LOW, "src/broken.js"]);
    write(task.code, SCOPES.LOW, "one\n");
    write(task.code, "src/broken.js", "nonsense\n");
    archived(task);
    expect(codes(task.run(["advance", ID, "skip"]))).toEqual(["tests-missing"]);
  });

  test("[TP-141] other tasks' entries in the lists are no part of the change", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW, other: SCOPES.HIGH }, { checks: CHECKS });
    commitFile(
      scratch,
      "changelog.md",
      "# Changelog\n\n## 2026-01-02\n\n### Did it\n\n**Task**: `done-before`\n",
    );
    const task = planned(gathered(classified(started(scratch, ID), SCOPES.LOW)), [SCOPES.LOW]);
    write(task.code, SCOPES.LOW, "one\n");
    const list = readFileSync(join(task.code, "todo.md"), "utf8");
    write(task.code, "todo.md", list.replace(/- \[ \] [^\n]*`other`[^]*$/, ""));
    write(task.code, "changelog.md", "# Changes\n");
    archived(task);
    const refused = task.run(["advance", ID, "skip"]);
    expect(codes(refused)).toEqual(["plan-deviation"]);
    expect(refused.json.refusals?.[0]?.message).toMatch(
      /what todo\.md says of other.*what changelog\.md says of done-before.*in "# Changelog"/,
    );
    task.git("reset", "--quiet", "--hard", "main");
    write(task.code, SCOPES.LOW, "one\n");
    write(task.code, "todo.md", `${list}\n- [ ] **READY:** \`later\` - what is left\n`);
    archived(task);
    expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
  });

  test("[TP-074] [TP-082] a change after the release, on the short way: shown nowhere, merged nowhere", () => {
    const task = lowTask();
    write(task.code, SCOPES.LOW, "one\n");
    archived(task);
    expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    write(task.code, "src/Parser.java", "class Parser {}\n");
    task.git("add", ".");
    task.git("commit", "--quiet", "--amend", "--no-edit");
    const complete = (): Reply => task.run(["advance", ID, "complete"], { cwd: task.scratch.top });
    expect(codes(complete())).toEqual(expect.arrayContaining(["risk-higher", "plan-deviation"]));
    expect(task.scratch.git("rev-list", "--count", "main")).toBe("2");
    task.git("rm", "--quiet", "src/Parser.java");
    task.git("commit", "--quiet", "--amend", "--no-edit");
    expect(complete().exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    expect(complete().exit).toBe(0);
    expectTidy(task);
  });

  test("[TP-072] [TP-074] task.md rewritten after select: the class is stale, and select makes it anew", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW });
    const task = classified(started(scratch, ID), SCOPES.LOW);
    const inScope = [SCOPES.LOW, SCOPES.HIGH];
    const document = renderTaskMd({ task: ID, objective: "It.", inScope, outOfScope: [] });
    scratch.write(`${task.dir}/task.md`, document);
    const refused = task.run(["advance", ID, "gather"]);
    expect(codes(refused)).toEqual(["risk-higher"]);
    expect(refused.json.refusals?.[0]?.message).toContain("classified LOW");
    task.step(["advance", ID, "select"]);
    expect(scratch.hold(["agents", ID]).json).toMatchObject({ ok: true });
    expect(task.agents()).toEqual(["architect", "style", "quality", "build"]);
    task.step(["advance", ID, "gather"]);
  });

  test("[TP-139] [TP-141] a plan that is rewritten after its release covers nothing", () => {
    const scratch = taskRepository({ [ID]: SCOPES.MEDIUM });
    const task = classified(started(scratch, ID), SCOPES.MEDIUM);
    implementing(planned(gathered(task), [SCOPES.MEDIUM]));
    scratch.edit(`${task.dir}/task.md`, (text) =>
      text.replace("### API", `- \`src/resources/more.properties\` - create\n\n### API`),
    );
    expect(codes(task.run(["advance", ID, "validate"]))).toContain("plan-changed");
  });
});
