import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import { ENGINE } from "../../../../test/story.ts";
import { appendHistory } from "../files/history-jsonl.ts";
import { createStatus, editStatus } from "../files/status-edit.ts";
import { parseStatus } from "../files/status-json.ts";
import { claimsOfTasks } from "./claims.ts";
import { historyLines, ownedStatus, statusLists, taskStatuses } from "./render.ts";

const { begin, ORCHESTRATOR } = team;
type Told = ReturnType<typeof begin>;
const status = (told: Told): string =>
  createStatus(ownedStatus(told.state), statusLists(told.state));
const errors = (text: string) => parseStatus(text, { session: team.ID }).problems;

describe("status.json out of the workflow", () => {
  test("[TC-050] [TC-049] the first version holds state, name and empty lists", () => {
    for (const [vars, state] of [
      [{}, "INTAKE"],
      [{ mode: "lean", lean: team.LEAN }, "INTAKE_LEAN"],
    ] as const) {
      expect(JSON.parse(status(begin(vars)))).toMatchObject({
        current_state: state,
        session: team.ID,
        assumptions: [],
        known_issues: [],
        user_decisions: [],
        last_ci_result: "unknown",
        last_update: "2026-03-01T10:00:00.000Z",
      });
    }
  });

  test("[TC-051] [TC-058] [TC-136] it is valid and not older after every step of a whole session", () => {
    const steps: readonly ((told: Told) => Told)[] = [
      (told) => told,
      team.toDesign,
      (told) => team.work(told, "architect"),
      (told) => told.reply("approve-design", "changes-requested: x"),
      (told) => told.send("correct-spec", ".", ORCHESTRATOR),
      (told) => team.report(told.given({ [`digest:${team.path("spec.md")}`]: "sha256:2" })),
      (told) => told.reply("approve-design", "approved"),
      (told) => team.work(told, "plan"),
      (told) => told.reply("review-strategy", "1"),
      (told) => team.task(told),
      (told) => team.work(team.work(told, "review-all"), "secure-all"),
      (told) => team.ran(team.work(told, "integrate")).move("to-release", ORCHESTRATOR),
      (told) => team.work(team.work(told, "document"), "release").move("finish", ORCHESTRATOR),
    ];
    const told = begin();
    let last = "";
    for (const step of steps) {
      const text = status(step(told));
      expect(errors(text)).toEqual([]);
      const { lastUpdate = "" } = parseStatus(text).value ?? {};
      expect(lastUpdate >= last).toBe(true);
      last = lastUpdate;
    }
    expect(team.at(told)).toBe("DONE");
  });

  test("[TC-039] [TC-054] runtime flags and gate tracking appear with their first use", () => {
    const told = begin();
    expect(JSON.parse(status(told))).not.toHaveProperty("runtime_flags");
    expect(JSON.parse(status(told))).not.toHaveProperty("gate_tracking");
    told.when(
      { type: "finding.record", unit: ".", kind: "copilot", by: "engine", value: true, bound: {} },
      ENGINE,
    );
    expect(JSON.parse(status(told))).toMatchObject({
      runtime_flags: { copilot_instructions_exists: true, copilot_checked_at: expect.any(String) },
    });
  });

  test("[TC-052] what agents wrote in the free lists survives every write of the engine", () => {
    const told = begin();
    const first = status(told).replace('"assumptions": []', '"assumptions": ["night only"]');
    const later = team.toDesign(told);
    const { text, problems } = editStatus(
      first,
      ownedStatus(later.state),
      statusLists(later.state),
    );
    expect(problems).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      assumptions: ["night only"],
      current_state: "DESIGN",
    });
  });

  test("[TC-120] [TC-053] task status is in the tasks' statuses and nowhere else", () => {
    const told = team.task(team.toLoop(begin()));
    expect(taskStatuses(told.state)).toEqual({ "T-001": "completed" });
    expect(status(told)).not.toContain("completed_tasks");
    expect(status(told)).not.toMatch(/"T-001"/);
  });

  test("[TC-092] [TC-093] the history only grows, and a line is written once", () => {
    const told = team.toGate(begin()).reply("approve-design", "changes-requested: a\nb");
    const one = appendHistory("", historyLines(told.state));
    expect(one.split("\n")).toHaveLength(2);
    expect(appendHistory(one, historyLines(told.state))).toBe(one);
    expect(JSON.parse(one)).toMatchObject({
      decision_id: "UD-APPROVE-DESIGN",
      answer: "changes-requested: a\nb",
      state_context: "APPROVE_DESIGN",
    });
  });
});

describe("edits by hand", () => {
  const yaml = (value: string): string =>
    `tasks:\n  - id: T-001\n    status: ${value}\n    goal: g\n    acceptance_checks: ["cmd: x"]\n`;

  test.each([
    ["not-started", "in-progress", "start"],
    ["in-progress", "implemented", "implement"],
    ["implemented", "completed", "promote"],
    ["in-progress", "blocked", "block"],
    ["blocked", "in-progress", "unblock"],
  ])("[TC-123] [TC-124] [TC-126] %s to %s is the command %s", (from, to, move) => {
    const commands = claimsOfTasks(yaml(from), yaml(to));
    expect(commands).toMatchObject([{ type: "unit.move", unit: "T-001", move }]);
  });

  test("[TC-124] a Coder's completed is refused when it is decided", () => {
    const told = team.work(team.toLoop(begin()), "code", "T-001");
    const [claim] = claimsOfTasks(yaml("implemented"), yaml("completed"));
    if (claim === undefined) throw new Error("no command was claimed");
    told.when(claim, team.CODER);
    expect(told.refusals.map((one) => one.code)).toContain("actor-not-allowed");
  });

  test("[TC-123] leaps have no command", () => {
    expect(claimsOfTasks(yaml("not-started"), yaml("implemented"))).toEqual([]);
  });
});
