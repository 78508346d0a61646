/** The work itself is evidence: what agents say they did must be on the branch, and stay there. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import {
  APPROVED,
  archived,
  begin,
  classified,
  commitAs,
  done,
  gathered,
  gitIn,
  handOut,
  ID,
  implemented,
  implementing,
  PLAN,
  planned,
  reportFor,
  reviewed,
  SCOPES,
  started,
  taskRepository,
  validated,
  WORK_DONE,
  write,
  writeRequirements,
} from "../task.ts";
import type { Task } from "../task.ts";

function codes(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

const SECOND = "src/resources/more.properties";

function working(files: readonly string[] = [SCOPES.MEDIUM]): Task {
  return implementing(planned(gathered(begin("MEDIUM")), files));
}

function placeOf(task: Task, agent: string): string {
  return join(task.scratch.top, task.dir, "agents", agent, "code");
}

/** Hand it out, and give what the agent is told. */
function promptOf(task: Task, spec: string, agent: string): string {
  const { json } = task.step(["advance", task.id, spec, "--unit", agent]);
  const order: unknown = Reflect.get(json, "order");
  return String(Reflect.get(order ?? {}, "prompt"));
}

describe("an agent's report of finished work", () => {
  test("[TP-155] [TP-161] uncommitted, off its branch, or not there at all: refused, or a person agrees that there is nothing to do", () => {
    const task = working();
    const place = placeOf(task, "architect");
    const order = handOut(task, "implementation", "architect");
    const report = (): Reply => reportFor(task, order, WORK_DONE);

    write(place, SCOPES.MEDIUM, "one\n");
    const dirty = report();
    expect([dirty.exit, codes(dirty)]).toEqual([10, ["work-uncommitted"]]);
    expect(dirty.json.refusals?.[0]?.message).toContain(SCOPES.MEDIUM);

    gitIn(task.scratch, place, ["checkout", "--quiet", "--detach"]);
    gitIn(task.scratch, place, ["add", "."]);
    gitIn(task.scratch, place, ["commit", "--quiet", "-m", "[architect] elsewhere"]);
    expect(codes(report())).toEqual(["worktree-off-branch"]);
    gitIn(task.scratch, place, ["switch", "--quiet", `${ID}-architect`]);

    // An empty commit is no work either.
    gitIn(task.scratch, place, ["commit", "--quiet", "--allow-empty", "-m", "[architect] done"]);
    const asked = report();
    expect([asked.exit, asked.json.held?.[0]?.prompt]).toEqual([
      11,
      expect.stringContaining("its branch brings nothing") as unknown,
    ]);
    expect(task.run(["answer", ID, "agree"]).exit).toBe(10);
    expect(task.answer("again").exit).toBe(0);
    const again = handOut(task, "implementation", "architect");
    const why = '{"status":"COMPLETE","work_remaining":"none","details":"main has it already"}';
    const held = reportFor(task, again, why);
    expect(held.json.held?.[0]?.prompt).toContain("main has it already");
    expect(task.answer("agree").exit).toBe(0);
    // The plan gives quality no part, and a person released that plan.
    done(task, "implementation", "quality", WORK_DONE);
    expect(codes(task.run(["advance", ID, "validate"]))).not.toContain("agents-incomplete");
  });

  test("[TP-155] [TP-156] its branch made another name for main: refused, and undone by what the refusal says", () => {
    const task = working();
    const { scratch } = task;
    const ref = `refs/heads/${ID}-architect`;
    const order = handOut(task, "implementation", "architect");
    commitAs(task, "architect", SCOPES.MEDIUM, "one\n");
    const own = scratch.git("rev-parse", ref);
    const main = scratch.git("rev-parse", "main");
    scratch.git("symbolic-ref", ref, "refs/heads/main");
    const refused = reportFor(task, order, WORK_DONE);
    const off = refused.json.refusals?.find((one) => one.code === "worktree-off-branch");
    expect(off?.fix).toContain(`git update-ref --no-deref ${ref}`);
    scratch.git("update-ref", "--no-deref", ref, own);
    expect(reportFor(task, order, WORK_DONE).exit).toBe(0);
    expect(scratch.git("rev-parse", "main")).toBe(main);
  });

  test("[TP-161] two wait for a person at once: each answer is for its own agent", () => {
    const scratch = taskRepository({ [ID]: SCOPES.MEDIUM });
    const task = gathered(classified(started(scratch, ID), SCOPES.MEDIUM));
    const both = PLAN([SCOPES.MEDIUM]).replace("architect writes it", "architect and quality do");
    scratch.edit(`${task.dir}/task.md`, (text) => text + both);
    expect(task.run(["advance", ID, "present-plan"]).exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    implementing(task);
    const [one = "", two = ""] = task
      .agents()
      .map((agent) => handOut(task, "implementation", agent));
    const first = reportFor(task, one, WORK_DONE).json.held ?? [];
    expect(reportFor(task, two, WORK_DONE).exit).toBe(11);
    const open = scratch.hold(["status", ID]).json.held ?? [];
    const second = open.find(({ id }) => id !== first[0]?.id)?.id ?? "";
    expect(task.answer("again", "--decision", second).exit).toBe(11);
    expect(task.answer("agree", "--decision", first[0]?.id ?? "").exit).toBe(0);
    const { details } = scratch.hold(["status", ID]).json as { readonly details?: object };
    expect(JSON.stringify(details)).toContain("architect (COMPLETE)");
    expect(JSON.stringify(details)).not.toContain("quality (COMPLETE)");
  });
});

describe("what agents brought", () => {
  test("[TP-161] dropped by an amended commit, or never done although planned: named, and not validated", () => {
    const task = working([SCOPES.MEDIUM, SECOND]);
    const [one, two] = ["architect", "quality"].map((agent) =>
      handOut(task, "implementation", agent),
    );
    commitAs(task, "architect", SCOPES.MEDIUM, "one\n");
    expect(reportFor(task, one ?? "", WORK_DONE).exit).toBe(0);
    commitAs(task, "quality", "docs/other.md", "prose\n");
    expect(reportFor(task, two ?? "", WORK_DONE).exit).toBe(0);
    archived(task);
    const whole = task.git("rev-parse", "HEAD");
    expect(codes(task.run(["advance", ID, "validate"]))).toEqual(
      expect.arrayContaining(["plan-undelivered", "plan-deviation"]),
    );
    task.git("rm", "--quiet", SCOPES.MEDIUM, "docs/other.md");
    task.git("commit", "--quiet", "--amend", "--no-edit");
    const refused = task.run(["advance", ID, "validate"]).json.refusals ?? [];
    const lost = refused.find((reason) => reason.code === "agent-work-lost")?.message ?? "";
    expect(lost).toContain(SCOPES.MEDIUM);
    expect(lost).toContain("docs/other.md");
    task.git("reset", "--quiet", "--hard", whole);
    expect(codes(task.run(["advance", ID, "validate"]))).not.toContain("agent-work-lost");
  });

  test("[TP-161] dropped after the reviews, or in front of the person: not shown, not merged", () => {
    const task = reviewed(validated(implemented(working(), SCOPES.MEDIUM)));
    task.git("rm", "--quiet", SCOPES.MEDIUM);
    task.git("commit", "--quiet", "--amend", "--no-edit", "--allow-empty");
    expect(codes(task.run(["advance", ID, "present"]))).toContain("agent-work-lost");
  });
});

describe("on one branch", () => {
  const LINES = (last: string): string => `1\n2\n3\n4\n5\n6\n${last}\n`;

  test("[TP-176] after close agents stand on the one commit: what they write next does not conflict with what they wrote", () => {
    const task = working();
    const place = placeOf(task, "architect");
    const order = handOut(task, "implementation", "architect");
    commitAs(task, "architect", SCOPES.MEDIUM, LINES("7"));
    expect(reportFor(task, order, WORK_DONE).exit).toBe(0);
    archived(task);
    const tip = task.git("rev-parse", ID);
    for (const agent of task.agents())
      expect(gitIn(task.scratch, placeOf(task, agent), ["rev-parse", "HEAD"])).toBe(tip);

    // One that was in the middle of something is not moved, and its next work goes over by itself.
    write(place, SCOPES.MEDIUM, LINES("seven"));
    write(task.code, "docs/note.md", "prose\n");
    task.git("add", ".");
    task.git("commit", "--quiet", "-m", "a note");
    archived(task);
    expect(gitIn(task.scratch, place, ["rev-parse", "HEAD"])).toBe(tip);
    const next = handOut(task, "implementation", "architect");
    gitIn(task.scratch, place, ["commit", "--quiet", "--all", "-m", "[architect] seven"]);
    expect(reportFor(task, next, WORK_DONE).exit).toBe(0);
    expect(task.git("show", `${ID}:${SCOPES.MEDIUM}`)).toBe(LINES("seven").trimEnd());
    expect(task.git("rev-list", "--count", `main..${ID}`)).toBe("2");
  });

  test.each(["append:2", "merge.ref:2", "show.own:2"])(
    "[TP-065] [TP-162] killed at %s while an agent's work is merged: it is the agent's all the same",
    (dieAt) => {
      const task = working();
      const order = handOut(task, "implementation", "architect");
      commitAs(task, "architect", SCOPES.MEDIUM, "one\n");
      const report = ["report", ID, "-", "--dispatch", order];
      task.run(report, { stdin: WORK_DONE, env: { HOLDPOINT_DIE_AT: dieAt } });
      task.run(["reconcile", ID]);
      task.run(report, { stdin: WORK_DONE });
      expect(task.git("show", `${ID}:${SCOPES.MEDIUM}`)).toBe("one");
      done(task, "implementation", "quality", WORK_DONE);
      archived(task);
      const refused = codes(task.run(["advance", ID, "validate"]));
      expect(refused).toEqual(["round-unapproved"]);
      const trail = task.scratch.read(`${task.dir}/audit-trail.json`);
      expect(JSON.parse(trail)).toMatchObject({
        commits: [{ agent: "architect", files_created: [SCOPES.MEDIUM] }],
      });
    },
  );
});

describe("what was said", () => {
  test("[TP-171] [TP-182] a rejection, a conflict and a change request are in the next orders, with paths that lead there from anywhere", () => {
    const task = working();
    const [one, two] = ["architect", "quality"].map((agent) =>
      handOut(task, "implementation", agent),
    );
    commitAs(task, "architect", SCOPES.MEDIUM, "one\n");
    commitAs(task, "quality", SCOPES.MEDIUM, "two\n");
    expect(reportFor(task, one ?? "", WORK_DONE).exit).toBe(0);
    expect(codes(reportFor(task, two ?? "", WORK_DONE))).toEqual(["merge-conflict"]);
    const conflict = promptOf(task, "implementation", "quality");
    expect(conflict).toContain(`could not be merged`);
    expect(conflict).toContain(SCOPES.MEDIUM);
    expect(conflict).toContain(`Work in ${placeOf(task, "quality")}`);
    expect(conflict).toContain(`- ${join(task.scratch.top, task.dir, "task.md")}`);
    commitAs(task, "quality", SCOPES.MEDIUM, "one\ntwo\n");
    expect(task.run(["report", ID, "-"], { stdin: WORK_DONE }).exit).toBe(0);
    validated(task);
    task.step(["advance", ID, "review"]);
    const [bad, good] = ["quality", "architect"].map((agent) => handOut(task, "review", agent));
    reportFor(task, bad ?? "", "FINAL DECISION: REJECTED - three is missing");
    reportFor(task, good ?? "", APPROVED);
    task.step(["advance", ID, "rework", "--reason", "see what quality wrote"]);
    const rejected = promptOf(task, "implementation", "architect");
    expect(rejected).toContain("three is missing");
    expect(rejected).toContain("see what quality wrote");
    task.step(["advance", ID, "cancel", "--reason", "as one"]);
    implemented(task, SCOPES.MEDIUM, "one\ntwo\nthree\n");
    reviewed(validated(task));
    expect(task.run(["advance", ID, "present"]).exit).toBe(11);
    expect(task.answer("changes", "--reason", "four, please").exit).toBe(0);
    expect(promptOf(task, "implementation", "architect")).toContain("four, please");
    commitAs(task, "architect", SCOPES.MEDIUM, "four\n");
    expect(task.run(["report", ID, "-"], { stdin: WORK_DONE }).exit).toBe(0);
    done(task, "implementation", "quality", WORK_DONE);
    // Who judges must know what was asked for.
    expect(promptOf(task, "round-review", "quality")).toContain("four, please");
  });

  test("[TP-163] [TP-168] a red build can be read: in the refusal, and in the order of who mends it", () => {
    const script =
      "console.log('the parser is broken here'); process.exit(require('fs').existsSync('red.txt') ? 1 : 0)";
    const checks = {
      build: { run: ["git", "rev-parse", "HEAD"] },
      tests: { run: [process.execPath, "-e", script.replace("red.txt", SCOPES.MEDIUM)] },
    };
    const scratch = taskRepository({ [ID]: SCOPES.MEDIUM }, { checks });
    const task = classified(started(scratch, ID), SCOPES.MEDIUM);
    implemented(implementing(planned(gathered(task), [SCOPES.MEDIUM])), SCOPES.MEDIUM);
    validated(task);
    const refused = task.run(["advance", ID, "review"]);
    expect(codes(refused)).toEqual(["tests-missing"]);
    expect(refused.json.refusals?.[0]?.message).toContain("the parser is broken here");
    // A red test leads back as a red build does.
    task.step(["advance", ID, "rework", "--reason", "tests are red"]);
    expect(promptOf(task, "implementation", "architect")).toContain("the parser is broken here");
  });
});

describe("who joins", () => {
  test("[TP-222] in SYNTHESIS: heard before a person is asked about the plan", () => {
    const task = gathered(begin("MEDIUM"));
    task.scratch.edit(`${task.dir}/task.md`, (text) => text + PLAN([SCOPES.MEDIUM]));
    const justification = {
      missing_expertise: "keys",
      unmet_requirement: "R7",
      why_not_first: "nobody saw it",
      evidence: "a report",
    };
    const input = JSON.stringify({ justification });
    task.step(["agents", ID, "add", "security", "--reason", "keys", "--input", input]);
    const early = task.run(["advance", ID, "present-plan"]);
    expect([early.exit, codes(early)]).toEqual([10, ["agents-unheard"]]);
    expect(early.json.refusals?.[0]?.message).toContain("security");
    writeRequirements(task, "security");
    done(task, "requirements", "security", '{"status": "COMPLETE"}');
    expect(task.run(["advance", ID, "present-plan"]).exit).toBe(11);
  });
});
