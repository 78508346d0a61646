/** Steps that are taken by themselves, taken back, or taken again: nothing is handed out twice, nothing is left behind. */
import { expect, test } from "vitest";
import { renderTaskMd } from "../../task-md.ts";
import {
  APPROVED,
  archived,
  begin,
  classified,
  commitAs,
  expectTidy,
  gathered,
  handOut,
  ID,
  implementing,
  planned,
  reportFor,
  SCOPES,
  started,
  taskRepository,
  WORK_DONE,
  writeRequirements,
} from "../task.ts";
import type { Task } from "../task.ts";

/** What plain `advance` does: the order it gives, or where it leads. */
function plainly(task: Task): string {
  const { json } = task.step(["advance", ID]);
  const role: unknown = Reflect.get(json.order ?? {}, "role");
  return typeof role === "string" ? role : (json.state ?? "");
}

test("[TP-090] [TP-158] plain advance hands each agent its part once, and then leads on", () => {
  const task = begin("MEDIUM");
  expect(plainly(task)).toBe("REQUIREMENTS");
  const ended = (spec: string, answer: string): void => {
    for (const agent of task.agents()) {
      if (spec === "requirements") writeRequirements(task, agent);
      expect({ spec, role: plainly(task) }).toEqual({ spec, role: agent });
      if (spec === "implementation" && agent === "architect")
        commitAs(task, agent, SCOPES.MEDIUM, "one\n");
      task.step(["report", ID, "-"], { stdin: answer });
    }
  };
  ended("requirements", '{"status": "COMPLETE"}');
  expect(plainly(task)).toBe("SYNTHESIS");
  implementing(planned(task, [SCOPES.MEDIUM]));
  ended("implementation", WORK_DONE);
  ended("round-review", APPROVED);
  archived(task);
  expect(plainly(task)).toBe("VALIDATION");
  expect(plainly(task)).toBe("REVIEW");
  ended("review", APPROVED);
  expect(task.run(["advance", ID]).exit).toBe(11);
});

test("[TP-093] [TP-205] work that is taken back: whose is said, and its status is one that verify takes", () => {
  const task = begin("MEDIUM");
  task.step(["advance", ID, "gather"]);
  const [first = ""] = task.agents().map((agent) => handOut(task, "requirements", agent));
  const several = task.run(["advance", ID, "cancel", "--reason", "it hangs"]);
  expect(several.json.refusals?.map((one) => one.code)).toEqual(["dispatch-ambiguous"]);
  task.step(["advance", ID, "cancel", "--unit", "quality", "--reason", "it hangs"]);
  expect(JSON.parse(task.scratch.read(`${task.dir}/agents/quality/status.json`))).toMatchObject({
    status: "ERROR",
    error_message: expect.stringContaining("cancelled") as unknown,
  });
  expect(task.scratch.hold(["verify", "--all"]).json.workflows).toMatchObject([{ exit: 0 }]);
  // The other one is still at work, and its report counts.
  writeRequirements(task, "architect");
  expect(reportFor(task, first, '{"status": "COMPLETE"}').exit).toBe(0);
});

test("[TP-073] [TP-197] selected again, those who are not among them any more leave no worktree and no branch", () => {
  const scratch = taskRepository({ [ID]: SCOPES.HIGH });
  const task = classified(started(scratch, ID), SCOPES.HIGH);
  expect(scratch.git("branch", "--list", `${ID}-*`)).toContain(`${ID}-style`);
  const inScope = [SCOPES.MEDIUM];
  const document = renderTaskMd({ task: ID, objective: "It.", inScope, outOfScope: [] });
  scratch.write(`${task.dir}/task.md`, document);
  task.step(["advance", ID, "select"]);
  expect(task.agents()).toEqual(["architect", "quality"]);
  const branches = scratch.git("branch", "--list", `${ID}-*`, "--format=%(refname:short)");
  expect(branches.split("\n")).toEqual([`${ID}-architect`, `${ID}-quality`]);
  expect(scratch.git("worktree", "list")).not.toContain("agents/style");
  gathered(task);
  expect(scratch.hold(["lock", ID, "--break", "--reason", "enough"]).exit).toBe(0);
  const left = scratch.hold(["advance", ID, "abandon", "--reason", "enough"]);
  expect(left.exit).toBe(0);
  expectTidy(task);
});
