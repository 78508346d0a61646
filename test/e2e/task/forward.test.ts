/** Plain `advance`, cancelled work and a second selection: nothing goes round, nothing is left behind. */
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import {
  AGENTS,
  APPROVED,
  archived,
  begin,
  classified,
  commitAs,
  gathered,
  handOut,
  ID,
  implementing,
  planned,
  SCOPES,
  started,
  taskRepository,
  WORK_DONE,
  writeRequirements,
} from "../task.ts";
import type { Task } from "../task.ts";
import { renderTaskMd } from "../../task-md.ts";

const FILE = SCOPES.MEDIUM;

function codes(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

/** Plain `advance` until nothing is handed out any more; gives who got work. */
function handedOut(task: Task, report: (agent: string) => string): readonly string[] {
  const roles: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { json } = task.run(["advance", ID]);
    if (json.order === undefined) return roles;
    roles.push(json.order.role);
    const { dispatch, role } = json.order;
    task.step(["report", ID, "-", "--dispatch", dispatch], { stdin: report(role) });
  }
  return roles;
}

describe("plain advance", () => {
  test("every agent is asked once for its requirements, then the task moves on", () => {
    const task = begin("MEDIUM");
    task.step(["advance", ID, "gather"]);
    const roles = handedOut(task, (agent) => {
      writeRequirements(task, agent);
      return '{"status": "COMPLETE"}';
    });
    expect(roles).toEqual(task.agents());
    expect(task.at()).toBe("SYNTHESIS");
  });

  test("an agent that has finished its part is not handed it again; one that failed is", () => {
    const task = implementing(planned(gathered(begin("MEDIUM")), [FILE]));
    const [first = "", second = ""] = task.agents();
    let failures = 0;
    const roles: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { order } = task.step(["advance", ID]).json;
      expect(order?.prompt).toContain("implementation");
      roles.push(order?.role ?? "");
      if (order?.role === first) commitAs(task, first, FILE, "one\n");
      const failed = order?.role === second && (failures += 1) === 1;
      const stdin = failed ? '{"status": "ERROR", "error_message": "no network"}' : WORK_DONE;
      task.step(["report", ID, "-", "--dispatch", order?.dispatch ?? ""], { stdin });
    }
    expect(roles).toEqual([first, second, second]);
    const { order } = task.run(["advance", ID]).json;
    expect(order?.prompt ?? "").not.toContain("Mode: implementation");
  });
});

describe("cancelled work", () => {
  test("its status is one that Holdpoint itself accepts", () => {
    const task = begin("MEDIUM");
    task.step(["advance", ID, "gather"]);
    handOut(task, "requirements", "quality");
    task.step(["advance", ID, "cancel", "--reason", "it hangs"]);
    const status: unknown = JSON.parse(task.scratch.read(`${task.dir}/agents/quality/status.json`));
    const verified = task.scratch.hold(["verify", "--all"]);
    expect({
      status,
      findings: verified.json.workflows?.flatMap((one) => one.findings),
    }).toMatchObject({
      findings: [],
    });
  });

  test("with several out, the one that is meant is named", () => {
    const task = begin("MEDIUM");
    task.step(["advance", ID, "gather"]);
    const [one, two] = task.agents().map((agent) => handOut(task, "requirements", agent));
    const unnamed = task.run(["advance", ID, "cancel", "--reason", "it hangs"]);
    expect([unnamed.exit, codes(unnamed)]).toEqual([10, ["dispatch-ambiguous"]]);
    for (const id of [one, two]) expect(unnamed.json.refusals?.[0]?.message).toContain(id);
    const [, quality = ""] = task.agents();
    task.step(["advance", ID, "cancel", "--unit", quality, "--reason", "it hangs"]);
    const { dispatches = [] } = task.scratch.hold(["status", ID]).json;
    expect(dispatches.map((open) => open.id)).toEqual([one]);
  });
});

describe("a report that names no dispatch", () => {
  const reviewing = (): Task => {
    const task = implementing(planned(gathered(begin("MEDIUM")), [FILE]));
    const [first = "", second = ""] = task.agents();
    const out = [first, second].map((agent) => handOut(task, "implementation", agent));
    commitAs(task, first, FILE, "one\n");
    for (const dispatch of out)
      task.step(["report", ID, "-", "--dispatch", dispatch], { stdin: WORK_DONE });
    return archived(task);
  };

  test("is refused with the list, while several are out and when one is left of several", () => {
    const task = reviewing();
    const [one = "", two = ""] = task.agents().map((agent) => handOut(task, "round-review", agent));
    const report = (stdin: string): Reply => task.run(["report", ID, "-"], { stdin });
    const both = report(APPROVED);
    expect([both.exit, codes(both)]).toEqual([10, ["dispatch-ambiguous"]]);
    for (const id of [one, two]) expect(both.json.refusals?.[0]?.message).toContain(id);
    task.step(["report", ID, "-", "--dispatch", one], { stdin: "FINAL DECISION: REJECTED - no" });
    // The first agent says it once more, without its name: it must not become the second one's word.
    const left = report(APPROVED);
    expect([left.exit, codes(left)]).toEqual([10, ["dispatch-ambiguous"]]);
    expect(left.json.refusals?.[0]?.message).toContain(two);
    task.step(["report", ID, "-", "--dispatch", two], { stdin: APPROVED });
  });
});

describe("a second selection", () => {
  test("takes the places of agents that are not selected any more away", () => {
    const scratch = taskRepository({ [ID]: FILE });
    const task = classified(started(scratch, ID), FILE);
    task.step(["advance", ID, "gather"]);
    task.step(["advance", ID, "reclassify", "--reason", "it is smaller"]);
    const document = { task: ID, objective: "Write it.", inScope: [SCOPES.LOW], outOfScope: [] };
    scratch.write(`${task.dir}/task.md`, renderTaskMd(document));
    task.step(["advance", ID, "select"]);
    expect(scratch.hold(["agents", ID]).json).toMatchObject({ agents: [] });
    expect(scratch.git("branch", "--list", `${ID}-*`)).toBe("");
    expect(scratch.git("worktree", "list")).not.toContain("/agents/");
    expect(
      scratch.hold(["verify", "--all"]).json.workflows?.flatMap((one) => one.findings),
    ).toEqual([]);
  });

  test("keeps those that stay, with their work, and makes the new ones", () => {
    const task = begin("MEDIUM");
    const { scratch } = task;
    task.step(["advance", ID, "gather"]);
    commitAs(task, "quality", "note.txt", "mine\n");
    const kept = scratch.git("rev-parse", `${ID}-quality`);
    task.step(["advance", ID, "reclassify", "--reason", "it is larger"]);
    const document = { task: ID, objective: "Write it.", inScope: [SCOPES.HIGH], outOfScope: [] };
    scratch.write(`${task.dir}/task.md`, renderTaskMd(document));
    task.step(["advance", ID, "select"]);
    const names = scratch.git("branch", "--list", "--format=%(refname:short)", `${ID}-*`);
    expect(names.split("\n")).toEqual(AGENTS.HIGH.map((agent) => `${ID}-${agent}`).toSorted());
    expect(scratch.git("rev-parse", `${ID}-quality`)).toBe(kept);
  });
});
