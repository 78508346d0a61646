/** Every gate is bound to the tree that passes it: what was found on another tree is shown and counted nowhere. */
import { describe, expect, test } from "vitest";
import { commitFile, NO_CHECKS } from "../cli.ts";
import type { Reply, Scratch } from "../cli.ts";
import {
  archived,
  classified,
  finished,
  gathered,
  ID,
  implemented,
  implementing,
  planned,
  released,
  reviewed,
  SCOPES,
  START,
  started,
  taskIn,
  taskRepository,
  validated,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";

function codes(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

/** What a person was shown with the answer. */
function shown(reply: Reply): string {
  const lines: unknown = Reflect.get(reply.json, "shown");
  return Array.isArray(lines) ? lines.join("\n") : "";
}

const CHECKS = {
  build: { run: ["git", "rev-parse", "HEAD"] },
  tests: { run: [process.execPath, "-e", "process.exit(+require('fs').existsSync('red.txt'))"] },
};

/** MEDIUM, in front of the person. */
function judged(config: object = { checks: CHECKS }, before = "", after = "one\n"): Task {
  const scratch = taskRepository({ [ID]: SCOPES.MEDIUM }, config);
  if (before !== "") {
    scratch.write(SCOPES.MEDIUM, before);
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "as it was");
  }
  const task = classified(started(scratch, ID), SCOPES.MEDIUM);
  implemented(implementing(planned(gathered(task), [SCOPES.MEDIUM])), SCOPES.MEDIUM, after);
  return reviewed(validated(task));
}

function pushMain(task: Task, file: string, text: string): void {
  task.scratch.write(file, text);
  task.scratch.git("add", file);
  task.scratch.git("commit", "--quiet", "-m", `somebody else: ${file}`);
}

describe("after a rebase", () => {
  test("[TP-163] [TP-178] [TP-191] the tests run again on the new tree; red ones stop the merge, and the card shows no other tree's", () => {
    const task = judged();
    const complete = (): Reply => task.run(["advance", ID, "complete"], { cwd: task.scratch.top });
    const first = task.run(["advance", ID, "present"]);
    const tree = task.git("rev-parse", "HEAD^{tree}").slice(0, 12);
    expect(shown(first)).toContain(`tests: passed on tree ${tree}`);
    expect(shown(first)).toContain("quality: none, the repository says: a test");
    expect(shown(first)).toContain("architect: APPROVED, for these very files");
    expect(task.answer("approve").exit).toBe(0);

    pushMain(task, "red.txt", "x\n");
    expect(codes(complete())).toContain("main-diverged");
    const again = shown(task.run(["advance", ID, "close"]));
    expect(again).toContain("tests: has not run on tree");
    expect(again).not.toContain("passed");
    // No file of the change reads otherwise, so the verdicts stand; the tests do not.
    expect(again).toContain("architect: APPROVED, for these very files");
    expect(task.answer("approve").exit).toBe(0);
    expect(codes(complete())).toEqual(["tests-missing"]);

    pushMain(task, "red.txt", "");
    task.scratch.git("rm", "--quiet", "red.txt");
    task.scratch.git("commit", "--quiet", "-m", "green again");
    task.run(["advance", ID, "close"]);
    expect(task.answer("approve").exit).toBe(0);
    expect(complete().exit).toBe(0);
    expect(task.scratch.read(SCOPES.MEDIUM)).toBe("one\n");
  });

  test("[TP-169] a main that changed a file of the change: the verdicts were for something else", () => {
    const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n5\n6\n${last}\n`;
    const task = judged({ checks: CHECKS }, lines("1", "7"), lines("1", "seven"));
    released(task);
    pushMain(task, SCOPES.MEDIUM, lines("one", "7"));
    expect(shown(task.run(["advance", ID, "close"]))).toContain("no verdict on this very change");
    expect(task.git("show", `HEAD:${SCOPES.MEDIUM}`)).toBe(lines("one", "seven").trimEnd());
    expect(task.answer("approve").exit).toBe(0);
    const refused = task.run(["advance", ID, "complete"], { cwd: task.scratch.top });
    expect(codes(refused)).toEqual(["verdict-stale"]);
    expect(refused.json.refusals?.[0]?.message).toContain("architect, quality");
  });

  test("[TP-161] [TP-169] an amended commit after the verdicts is judged again, in REVIEW and in front of the person", () => {
    const task = judged();
    task.scratch.write(`${task.dir}/code/${SCOPES.MEDIUM}`, "two\n");
    task.git("commit", "--quiet", "--all", "--amend", "--no-edit");
    expect(codes(task.run(["advance", ID, "present"]))).toContain("review-not-unanimous");
    task.git("reset", "--quiet", "--hard", "HEAD@{1}");
    released(task);
    task.scratch.write(`${task.dir}/code/${SCOPES.MEDIUM}`, "two\n");
    task.git("commit", "--quiet", "--all", "--amend", "--no-edit");
    const refused = task.run(["advance", ID, "complete"], { cwd: task.scratch.top });
    expect(codes(refused)).toContain("verdict-stale");
  });
});

describe("commits on main that Holdpoint did not make", () => {
  test("[TP-046] [TP-178] are named to the person and in the audit, wherever they came from", () => {
    const task = judged();
    pushMain(task, "src/Odd.java", "class Odd {}\n");
    const oid = task.scratch.git("rev-parse", "main").slice(0, 12);
    const named = `${oid} somebody else: src/Odd.java`;
    const first = task.run(["advance", ID, "present"]);
    expect(shown(first)).toContain("Not made by Holdpoint");
    expect(shown(first)).toContain(named);
    expect(task.scratch.say(["audit", ID]).stdout).toContain(named);
    expect(task.answer("approve").exit).toBe(0);
    const complete = (): Reply => task.run(["advance", ID, "complete"], { cwd: task.scratch.top });
    expect(codes(complete())).toContain("main-diverged");
    expect(shown(task.run(["advance", ID, "close"]))).toContain(named);
    expect(task.answer("approve").exit).toBe(0);
    expect(complete().exit).toBe(0);
    expect(task.scratch.say(["audit", ID]).stdout).toContain(named);
  });

  test("a branch of another task that was pushed to main by hand is one of them; what was merged is not", () => {
    const scratch = taskRepository(
      { [ID]: SCOPES.MEDIUM, "other-one": "docs/one.md", "other-two": "docs/two.md" },
      { checks: CHECKS },
    );
    const task = classified(started(scratch, ID), SCOPES.MEDIUM);
    short(scratch, "other-one", "docs/one.md");
    released(taskIn(scratch, "other-one"), "skip");
    finished(taskIn(scratch, "other-one"));
    short(scratch, "other-two", "docs/two.md");
    const two = scratch.git("rev-parse", "other-two");
    scratch.git("update-ref", "refs/heads/main", two);
    scratch.git("reset", "--quiet");
    scratch.git("checkout", "--", "docs/two.md", "changelog.md");
    implemented(implementing(planned(gathered(task), [SCOPES.MEDIUM])), SCOPES.MEDIUM);
    const first = reviewed(validated(task)).run(["advance", ID, "present"]);
    expect(shown(first).split("## Not made by Holdpoint")[1]?.split("## ")[0]?.trim()).toBe(
      `- ${two.slice(0, 12)} Do other-two`,
    );
  });

  test("[TP-163] source that came to main meanwhile is tested with the change, though the change is prose", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW }, { checks: CHECKS });
    const task = short(scratch, ID, SCOPES.LOW);
    pushMain(task, "red.txt", "x\n");
    pushMain(task, "src/Odd.java", "class Odd {}\n");
    task.step(["advance", ID, "close"]);
    expect(codes(task.run(["advance", ID, "skip"]))).toEqual(["tests-missing"]);
    scratch.git("rm", "--quiet", "red.txt");
    scratch.git("commit", "--quiet", "-m", "green again");
    task.step(["advance", ID, "close"]);
    const reply = task.run(["advance", ID, "skip"]);
    expect(shown(reply)).toContain("tests: passed on tree");
    expect(task.answer("approve").exit).toBe(0);
    finished(task);
  });

  test("a main that was set back is named too", () => {
    const task = judged();
    pushMain(task, "src/Odd.java", "class Odd {}\n");
    const begun = task.scratch.git("rev-parse", "main~1");
    task.scratch.git("reset", "--quiet", "--soft", "main~2");
    task.scratch.git("commit", "--quiet", "--all", "-m", "as one");
    expect(shown(task.run(["advance", ID, "close"]))).toBe("");
    expect(shown(task.run(["advance", ID, "present"]))).toContain(
      `${begun.slice(0, 12)} is no longer in main`,
    );
  });
});

describe("another branch in the main worktree", () => {
  test("[TP-045] list and base stay those of main, and the change gets there", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW });
    scratch.git("switch", "--quiet", "--create", "side");
    scratch.write("todo.md", "# Tasks\n");
    scratch.write("side.txt", "x\n");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "side");
    const { json } = scratch.hold(["next"]);
    expect(JSON.stringify(json)).toContain(ID);
    const task = short(scratch, ID, SCOPES.LOW);
    expect(task.git("log", "--format=%s")).not.toContain("side");
    released(task, "skip");
    finished(task);
    expect(scratch.git("show", `main:${SCOPES.LOW}`)).toBe(ID);
    expect(scratch.git("show", "main:todo.md")).not.toContain(ID);
    expect(scratch.git("rev-parse", "--abbrev-ref", "HEAD")).toBe("side");
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(scratch.hold(["verify", "--all"]).exit).toBe(0);
  });

  test("[TP-045] [TP-163] its settings are not those of main: no task begins under them, and no gate opens", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW }, { checks: CHECKS });
    scratch.git("switch", "--quiet", "--create", "side");
    commitFile(scratch, "holdpoint.config.json", JSON.stringify({ checks: NO_CHECKS }));
    const refused = taskIn(scratch, ID).run(["start", ID, ...START]);
    expect(codes(refused)).toEqual(["main-elsewhere"]);
    expect(refused.json.refusals?.[0]?.message).toContain("holdpoint.config.json as side has it");
    scratch.git("switch", "--quiet", "main");
    const task = short(scratch, ID, SCOPES.LOW);
    // Main gets other settings, while the main worktree has a branch with those that the task began under.
    scratch.git("branch", "kept");
    scratch.edit("holdpoint.config.json", (text) => `${text}\n`);
    scratch.git("commit", "--quiet", "-m", "other settings", "--", "holdpoint.config.json");
    scratch.git("switch", "--quiet", "kept");
    expect(codes(task.run(["advance", ID, "skip"]))).toContain("main-elsewhere");
  });
});

/** SYNTHESIS of a small task, its plan released and its one file committed and closed. */
function short(scratch: Scratch, id: string, file: string): Task {
  const task = classified(started(scratch, id), file);
  planned(gathered(task), [file]);
  write(task.code, file, `${id}\n`);
  return archived(task);
}
