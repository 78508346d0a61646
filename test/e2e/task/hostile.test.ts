/** A task under attack: what is green must be green for the bytes that are merged. */
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import {
  archived,
  classified,
  gathered,
  gitIn,
  handOut,
  ID,
  implemented,
  implementing,
  planned,
  released,
  reportFor,
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

/** Red while the file says so. */
const READS = `process.exit(+require('fs').readFileSync('${SCOPES.MEDIUM}', 'utf8').includes('bad'))`;
const CHECKS = {
  build: { run: ["git", "rev-parse", "HEAD"] },
  tests: { run: [process.execPath, "-e", READS] },
};

function working(config: object = { checks: CHECKS }): Task {
  const scratch = taskRepository({ [ID]: SCOPES.MEDIUM }, config);
  const task = classified(started(scratch, ID), SCOPES.MEDIUM);
  return implementing(planned(gathered(task), [SCOPES.MEDIUM]));
}

const complete = (task: Task): Reply =>
  task.run(["advance", ID, "complete"], { cwd: task.scratch.top });

/** What main has got; nothing, where the file is not there. */
function onMain(task: Task): string {
  return existsSync(join(task.scratch.top, SCOPES.MEDIUM)) ? task.scratch.read(SCOPES.MEDIUM) : "";
}

describe("the checks run on the commit's own bytes", () => {
  test.each(["--skip-worktree", "--assume-unchanged"])(
    "[TP-163] [TP-165] %s in the task's worktree: green bytes over a red commit are dirt",
    (flag) => {
      const task = validated(implemented(working(), SCOPES.MEDIUM, "bad\n"));
      task.git("update-index", flag, SCOPES.MEDIUM);
      writeFileSync(join(task.code, SCOPES.MEDIUM), "good\n");
      expect(task.git("status", "--porcelain")).toBe("");
      const hidden = task.run(["advance", ID, "review"]);
      expect(codes(hidden)).toContain("tree-dirty");
      expect(hidden.json.refusals?.map((one) => one.message).join()).toContain(SCOPES.MEDIUM);
      task.git("update-index", flag.replace("--", "--no-"), SCOPES.MEDIUM);
      task.git("checkout", "--quiet", "--", SCOPES.MEDIUM);
      expect(codes(task.run(["advance", ID, "review"]))).toEqual(["tests-missing"]);
    },
  );

  test("[TP-163] ignored by info/exclude, and read by the tests: no rule of one clone hides it", () => {
    const task = validated(implemented(working(), SCOPES.MEDIUM, "good\n"));
    const exclude = join(task.scratch.top, ".git/info/exclude");
    writeFileSync(exclude, "helper.txt\n.holdpoint/\n");
    write(task.code, "helper.txt", "it makes the tests green here only\n");
    expect(codes(task.run(["advance", ID, "review"]))).toContain("tree-dirty");
  });

  test("[TP-163] a pointer of LFS in a repository without it: green bytes beside it are dirt", () => {
    const sha = createHash("sha256").update("good\n").digest("hex");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha}\nsize 5\n`;
    const task = validated(implemented(working(), SCOPES.MEDIUM, pointer));
    writeFileSync(join(task.code, SCOPES.MEDIUM), "good\n");
    expect(codes(task.run(["advance", ID, "review"]))).toContain("tree-dirty");
  });

  test("[TP-180] [TP-181] git replace: what a person was shown and what was judged is what is merged", () => {
    const task = reviewed(validated(implemented(working(), SCOPES.MEDIUM, "good\n")));
    released(task);
    const head = task.git("rev-parse", "HEAD");
    write(task.code, SCOPES.MEDIUM, "bad\n");
    task.git("add", ".");
    const tree = task.git("write-tree");
    const evil = task.git("commit-tree", tree, "-p", "main", "-m", "nobody saw this");
    task.git("reset", "--quiet", "--hard");
    task.git("replace", head, evil);
    complete(task);
    task.scratch.git("replace", "-d", head);
    expect(task.scratch.git("rev-parse", "main")).not.toBe(evil);
    expect(task.scratch.git("show", "main:todo.md")).not.toContain("nobody");
    expect(onMain(task)).not.toContain("bad");
  });
});

describe("between the release and the merge", () => {
  test("[TP-181] amended at the same moment, with the same message, or moved to a commit nobody saw: not merged", () => {
    const task = reviewed(validated(implemented(working(), SCOPES.MEDIUM, "good\n")));
    released(task);
    const head = task.git("rev-parse", "HEAD");
    const main = task.scratch.git("rev-parse", "main");
    write(task.code, SCOPES.MEDIUM, "other\n");
    task.git("commit", "--quiet", "--all", "--amend", "--no-edit");
    expect(complete(task).exit).not.toBe(0);
    // The ref alone, with the old files left in the worktree.
    task.git("reset", "--quiet", "--hard", head);
    const tree = task.git("rev-parse", "main^{tree}");
    const empty = task.git("commit-tree", tree, "-p", "main", "-m", "closed");
    task.git("update-ref", `refs/heads/${ID}`, empty);
    expect(complete(task).exit).not.toBe(0);
    expect(task.scratch.git("rev-parse", "main")).toBe(main);
    task.git("reset", "--quiet", "--hard", head);
    expect(complete(task).exit).toBe(0);
    expect(onMain(task)).toBe("good\n");
  });

  test("[TP-163] [TP-191] a hook that rewrites commits: what it makes of one is judged as what it is", () => {
    const task = working();
    task.scratch.hook("pre-commit", `printf bad > ${SCOPES.MEDIUM}; git add ${SCOPES.MEDIUM}`);
    implemented(task, SCOPES.MEDIUM, "good\n");
    task.scratch.remove(".git/hooks/pre-commit");
    const written = task.git("show", `${ID}:${SCOPES.MEDIUM}`);
    validated(task);
    const review = task.run(["advance", ID, "review"]);
    // The tests read what the hook made of the commit, not what the agent wrote.
    expect([written, codes(review)]).toEqual(["bad", ["tests-missing"]]);
    expect(onMain(task)).toBe("");
  });
});

describe("a configuration that nobody can misread", () => {
  const configured = (config: object): Task => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW });
    scratch.write("holdpoint.config.json", JSON.stringify(config));
    scratch.git("commit", "--quiet", "--all", "-m", "checks, or so it seems");
    return taskIn(scratch, ID);
  };

  test("[TP-163] a misspelt key: nothing begins with it", () => {
    const begun = configured({ chekcs: CHECKS }).run(["start", ID, ...START]);
    expect([begun.exit === 0, JSON.stringify(begun.json)]).toEqual([
      false,
      expect.stringContaining("chekcs") as unknown,
    ]);
  });

  test("[TP-163] a check of another name: what did not run is not green", () => {
    const task = configured({ checks: { built: CHECKS.build } });
    task.step(["start", ID, ...START]);
    planned(gathered(classified(task, SCOPES.LOW)), [SCOPES.LOW]);
    write(task.code, SCOPES.LOW, "one\n");
    archived(task);
    const refused = task.run(["advance", ID, "skip"]);
    expect([refused.exit, codes(refused)]).toEqual([10, ["build-missing"]]);
    expect(refused.json.refusals?.[0]?.message).toContain("did not run");
  });
});

describe("who judges", () => {
  test("[TP-169] commits to the task branch and approves what it has just written: not taken", () => {
    const task = validated(implemented(working(), SCOPES.MEDIUM, "good\n"));
    task.step(["advance", ID, "review"]);
    const order = handOut(task, "review", "quality");
    gitIn(task.scratch, task.code, ["commit", "--quiet", "--allow-empty", "-m", "nothing"]);
    write(task.code, SCOPES.MEDIUM, "mine\n");
    gitIn(task.scratch, task.code, ["commit", "--quiet", "--all", "-m", "mine"]);
    expect(codes(reportFor(task, order, "FINAL DECISION: APPROVED - mine"))).toEqual([
      "judged-other",
    ]);
  });
});
