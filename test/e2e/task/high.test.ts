/** The whole way of a HIGH risk task, with a crash in every state and in every kind of effect. */
import { describe, expect, test } from "vitest";
import {
  AGENTS,
  APPROVED,
  classified,
  commitAs,
  everyAgent,
  expectMerged,
  gathered,
  handOut,
  ID,
  planned,
  SCOPES,
  START,
  survive,
  taskIn,
  taskRepository,
  WORK_DONE,
  write,
} from "../task.ts";
import type { Take } from "../task.ts";

describe("a task from the list to main", () => {
  test("[TP-048] [TP-065] [TP-073] [TP-132] [TP-161] [TP-162] [TP-171] [TP-179] [TP-191] [TP-210] HIGH risk, a crash in every state", () => {
    const scratch = taskRepository({ [ID]: SCOPES.HIGH, other: "docs/other.md" });
    const task = taskIn(scratch, ID);
    const die: Take = (step, dieAt) => survive(task, step, dieAt);
    survive(task, ["start", ID, ...START], "effect.worktree");
    expect(scratch.read("todo.md")).toContain(`**IN_PROGRESS:** \`${ID}\``);
    classified(task, SCOPES.HIGH, die);
    expect(task.agents()).toEqual(AGENTS.HIGH);
    planned(gathered(task, die), [SCOPES.HIGH], die);
    die(["advance", ID, "implement", "--input", '{"acknowledged":true}'], "show.own");
    expect(task.at()).toBe("IMPLEMENTATION");
    expect(scratch.hold(["verify", "--all"]).json.workflows).toMatchObject([{ id: ID, exit: 0 }]);

    // Every agent is at work before the first one answers; the first one's merge dies half-way.
    const out = task.agents().map((agent) => handOut(task, "implementation", agent));
    commitAs(task, "architect", SCOPES.HIGH, "one\n");
    for (const [index, dispatch] of out.entries()) {
      const report = ["report", ID, "-", "--dispatch", dispatch];
      if (index === 0)
        task.run(report, { stdin: WORK_DONE, env: { HOLDPOINT_DIE_AT: "merge.ref:2" } });
      else task.step(report, { stdin: WORK_DONE });
    }
    expect(task.git("show", `${ID}:${SCOPES.HIGH}`)).toBe("one");
    die(["advance", ID, "close"], "merge.files");
    everyAgent(task, "round-review", APPROVED);

    // Source the coordinator wrote is found, in whatever commit it is.
    write(task.code, "src/Mine.java", "mine\n");
    task.git("add", ".");
    task.git("commit", "--quiet", "--amend", "--no-edit");
    const own = task.run(["advance", ID, "validate"]).json.refusals ?? [];
    expect(own.map((one) => one.code)).toContain("coordinator-implemented");
    task.git("reset", "--quiet", "--hard", "HEAD@{1}");

    die(["advance", ID, "validate"], "append:2");
    expect(task.at()).toBe("VALIDATION");
    die(["advance", ID, "review"], "appended");
    expect(task.at()).toBe("REVIEW");
    everyAgent(task, "review", APPROVED);
    const head = task.git("rev-parse", "HEAD");
    die(["advance", ID, "present"], "effect.worktree-remove");
    expect(task.answer("approve").exit).toBe(0);
    survive(task, ["advance", ID, "complete"], "merge.ref", scratch.top);
    expectMerged(task, head, "one\n", "HIGH");
  });
});
