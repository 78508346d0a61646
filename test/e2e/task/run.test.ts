/** Whole tasks, from the list to the merged commit, one for each risk, with what goes wrong on the way. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  AGENTS,
  APPROVED,
  archived,
  begin,
  classified,
  commitAs,
  expectMerged,
  ID,
  gathered,
  handOut,
  implemented,
  implementing,
  planned,
  released,
  reportFor,
  reviewed,
  SCOPES,
  started,
  survive,
  taskRepository,
  validated,
  WORK_DONE,
  write,
} from "../task.ts";
import type { Take } from "../task.ts";

describe("a task from the list to main", () => {
  test("[TP-155] [TP-157] [TP-167] [TP-171] [TP-182] [TP-183] [TP-204] MEDIUM risk: a conflict, a rejected review, a change request", () => {
    const task = begin("MEDIUM");
    const { scratch } = task;
    expect(task.agents()).toEqual(AGENTS.MEDIUM);
    const die: Take = (step, dieAt) => survive(task, step, dieAt);
    planned(gathered(task, die), [SCOPES.MEDIUM], die);
    implementing(task);

    // Both write the same file: the second one's work is not merged, and nothing moves on.
    const [one, two] = ["architect", "quality"].map((agent) =>
      handOut(task, "implementation", agent),
    );
    commitAs(task, "architect", SCOPES.MEDIUM, "one\n");
    commitAs(task, "quality", SCOPES.MEDIUM, "two\n");
    expect(reportFor(task, one ?? "", WORK_DONE).exit).toBe(0);
    const conflict = reportFor(task, two ?? "", WORK_DONE);
    expect([conflict.exit, conflict.json.refusals?.[0]?.code]).toEqual([10, "merge-conflict"]);
    expect(conflict.json.refusals?.[0]?.message).toContain(SCOPES.MEDIUM);
    const early = task.run(["advance", ID, "validate"]);
    expect(early.json.refusals?.map((reason) => reason.code)).toContain("agent-work-unmerged");
    const again = handOut(task, "implementation", "quality");
    commitAs(task, "quality", SCOPES.MEDIUM, "one\ntwo\n");
    expect(reportFor(task, again, WORK_DONE).exit).toBe(0);
    expect(task.git("show", `${ID}:${SCOPES.MEDIUM}`)).toBe("one\ntwo");
    validated(task);

    // Small fixes are the coordinator's, up to a number; making one commit of them does not hide them.
    const valid = task.git("rev-parse", "HEAD");
    const fix = (...names: readonly string[]): void => {
      for (const name of names) {
        task.git("commit", "--quiet", "--allow-empty", "-m", `Fix ${name}`);
      }
    };
    const tooMany = (): boolean =>
      (task.run(["advance", ID, "review"]).json.refusals ?? []).some(
        (reason) => reason.code === "fixes-exceeded" && reason.message.endsWith(": Fix six"),
      );
    fix("one", "two", "three", "three", "three");
    task.step(["advance", ID, "close"]);
    fix("four", "five", "six");
    expect(tooMany()).toBe(true);
    task.step(["advance", ID, "close"]);
    expect(tooMany()).toBe(true);
    task.git("reset", "--quiet", "--hard", valid);

    // One rejects: it goes back, and only what everybody approves goes on.
    task.step(["advance", ID, "review"]);
    const [good, bad] = ["architect", "quality"].map((agent) => handOut(task, "review", agent));
    expect(reportFor(task, good ?? "", APPROVED).exit).toBe(0);
    expect(reportFor(task, bad ?? "", "FINAL DECISION: REJECTED - three is missing").exit).toBe(0);
    const refused = task.run(["advance", ID, "present"]).json.refusals ?? [];
    expect(refused.map((reason) => reason.code)).toContain("review-not-unanimous");
    die(["advance", ID, "rework", "--reason", "three is missing"], "appended");
    implemented(task, SCOPES.MEDIUM, "one\ntwo\nthree\n");
    reviewed(validated(task));

    // The person wants something else: straight back, and the released commit is another one.
    die(["advance", ID, "present"], "show.shared");
    expect(task.answer("changes").exit).toBe(10);
    expect(task.answer("changes", "--reason", "four, please").exit).toBe(0);
    expect(task.at()).toBe("IMPLEMENTATION");
    expect(scratch.has(`${task.dir}/agents/quality/code/todo.md`)).toBe(true);
    implemented(task, SCOPES.MEDIUM, "four\n");
    reviewed(validated(task));
    const head = task.git("rev-parse", "HEAD");
    released(task);
    survive(task, ["advance", ID, "complete"], "effect.archive", scratch.top);
    expectMerged(task, head, "four\n", "MEDIUM");
    expect(scratch.hold(["audit", ID]).stdout).toContain("four, please");
    const [kept = ""] = readdirSync(join(scratch.top, ".holdpoint/tasks/.archive"));
    const trail: unknown = JSON.parse(
      scratch.read(`.holdpoint/tasks/.archive/${kept}/audit-trail.json`),
    );
    expect(trail).toMatchObject({
      state_transitions: expect.arrayContaining([
        expect.objectContaining({
          from_state: "IMPLEMENTATION",
          to_state: "VALIDATION",
          verification_passed: false,
        }),
      ]) as unknown,
      commits: expect.arrayContaining([
        expect.objectContaining({
          agent: "architect",
          files_created: [SCOPES.MEDIUM],
          message: `[architect] ${SCOPES.MEDIUM}`,
        }),
      ]) as unknown,
    });
  });

  test("[TP-065] [TP-081] [TP-187] [TP-196] LOW risk: the short way, with a crash in every state", () => {
    const scratch = taskRepository({ [ID]: SCOPES.LOW, other: "docs/other.md" });
    const task = started(scratch, ID);
    classified(task, SCOPES.LOW, (step, dieAt) => survive(task, step, dieAt));
    expect(task.agents()).toEqual([]);
    const die: Take = (step, dieAt) => survive(task, step, dieAt);
    planned(gathered(task, die), [SCOPES.LOW], die);
    write(task.code, SCOPES.LOW, "one\n");
    archived(task);
    const head = task.git("rev-parse", "HEAD");
    survive(task, ["advance", ID, "skip"], "show.shared");
    expect(task.at()).toBe("AWAITING_USER_APPROVAL");
    expect(task.answer("approve").exit).toBe(0);
    survive(task, ["advance", ID, "complete"], "effect.merge-ff", scratch.top);
    expectMerged(task, head, "one\n", "LOW");
    const text = scratch.say(["audit", ID]).stdout;
    expect(text).toContain(`# Compliance of \`${ID}\`: PASSED`);
    expect(scratch.git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe(
      "refs/heads/main",
    );
    const [kept = ""] = readdirSync(join(scratch.top, ".holdpoint/tasks/.archive"));
    expect(readdirSync(join(scratch.top, ".holdpoint/tasks/.archive", kept)).toSorted()).toEqual([
      "audit-snapshot.json",
      "audit-trail.json",
      "state.json",
      "task.json",
      "task.md",
      "user-approval-obtained.flag",
      "user-plan-approval-obtained.flag",
    ]);
  });
});
