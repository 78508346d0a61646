// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
import { describe, expect, test } from "vitest";
import { repository } from "../cli.ts";
import * as team from "../team.ts";

const FAILED = team.agentReply({
  status: "BLOCKED",
  summary: "one test fails",
  artifacts: { test_results: { passed: 1, failed: 1, skipped: 0, output: "not ok" } },
});

describe("a lean session", () => {
  test("[TC-110] [TC-139] [TC-143] [TC-144] [TC-154] [TC-156] [TC-178] from the goal to DONE, with a repair that runs out", () => {
    const session = team.sessionAt("leanCoded");
    expect(session.status()).toMatchObject({ mode: "lean", current_state: "IMPLEMENT_LOOP" });
    expect(session.send("test", "T-001").json.refusals?.[0]).toMatchObject({
      code: "not-its-turn",
      message: "review goes first",
    });
    session.work("review", "T-001");
    for (const count of [1, 2, 3]) {
      session.work("test", "T-001", FAILED);
      expect(session.at()).toBe("FIX_TESTS");
      expect(session.status().retry_counts).toEqual({ "T-001": { FIX_TESTS: count } });
      session.work("fix-tests", "T-001");
    }
    session.work("test", "T-001", FAILED);
    expect(session.at()).toBe("ASK_USER");
    expect(session.answer("different-approach").exit).toBe(0);
    // The counter starts again, and the repair goes on where it stopped.
    expect(session.at()).toBe("FIX_TESTS");
    session.work("fix-tests", "T-001");
    session.work("test", "T-001");
    session.work("review", "T-001");
    expect(session.at()).toBe("INTEGRATE");
    const early = session.run("advance", ["finish"]);
    expect(early.json.refusals).toMatchObject([
      { code: "artifact-invalid", message: `${session.path("report.md")} does not exist` },
    ]);
    session.file("report.md", "# What was done\nx\n");
    expect(session.run("advance", ["finish"]).json.refusals?.[0]?.message).toContain("How to run");
    session.file("report.md", team.REPORT);
    expect(session.run("advance", ["finish"]).json.state).toBe("DONE");
    expect(session.states()).toEqual([
      "INTAKE_LEAN",
      "IMPLEMENT_LOOP",
      "FIX_TESTS",
      "IMPLEMENT_LOOP",
      "FIX_TESTS",
      "IMPLEMENT_LOOP",
      "FIX_TESTS",
      "IMPLEMENT_LOOP",
      "ASK_USER",
      "IMPLEMENT_LOOP",
      "FIX_TESTS",
      "IMPLEMENT_LOOP",
      "INTEGRATE",
      "DONE",
    ]);
    expect(session.status().user_decisions.map((one) => one["decision_id"])).toEqual(["UD-1"]);
    expect(session.count(/handed to (?:Integrator|Docs|Architect|Planner)/)).toBe(0);
    expect(session.repo.has(session.path("architecture.md"))).toBe(false);
  }, 120_000);

  test("[TC-141] lean mode must be small in every respect, and says so when it is not", () => {
    const repo = repository();
    const start = [
      "start",
      "--protocol",
      "team-contract",
      "--goal",
      "Fix the typo",
      "--mode",
      "lean",
    ];
    const large = repo.hold([...start, "--criteria", '{"files":4}']);
    expect(large.json).toMatchObject({
      state: "INTAKE",
      warnings: ["It is a full session: lean mode needs at most 3 files"],
    });
    expect(repo.hold([...start, "--criteria", "four"]).json.refusals?.[0]?.code).toBe(
      "criteria-unreadable",
    );
    expect(repo.hold(start).json.state).toBe("INTAKE_LEAN");
  });

  test("[TC-022] [TC-023] [TC-024] [TC-013] the session is named after its goal, in the root, once", () => {
    const repo = repository();
    repo.write("deep/er/x.txt", "x");
    const start = ["start", "--protocol", "team-contract"];
    const options = { cwd: `${repo.top}/deep/er` };
    const first = repo.hold([...start, "--goal", "Add dark mode!"], options).json.workflow ?? "";
    expect(first).toMatch(/^\d{4}-\d\d-\d\d_add-dark-mode$/);
    expect(repo.has(`.agents-work/${first}/status.json`)).toBe(true);
    const second = repo.hold([...start, "--goal", "Add dark mode!"], options).json.workflow;
    expect(second).toBe(`${first}-2`);
    expect(repo.hold(start).json.refusals?.[0]?.code).toBe("goal-missing");
    for (const name of ["2026-03-01_Add-Dark", "2026-03-01T10:00_add-dark", "add dark mode"])
      expect(repo.hold([...start, name]).json.refusals?.[0]?.code, name).toBe("name-illegal");
    const desktop = repo.hold([...start, "--goal", "x y", "--project-type", "desktop"]);
    expect(desktop.json.refusals?.[0]?.code).toBe("project-type-unknown");
  });

  test("[TC-149] [TC-179] a manual check needs a named person, and a change makes the word stale", () => {
    const session = team.sessionAt("lean");
    session.send("specify-lean");
    const said = session.play("SpecAgent");
    session.file(
      "acceptance.json",
      team.ACCEPTANCE.replace("test -f app.js", "manual: it looks right"),
    );
    session.report(said);
    session.task();
    session.file("report.md", team.REPORT);
    const open = session.run("advance", ["finish"]);
    expect(open.json.refusals?.[0]).toMatchObject({
      code: "criteria-open",
      message: 'not met: AC-001 (no named person has vouched for "manual: it looks right")',
    });
    const approve = ["manual: it looks right"];
    expect(session.run("approve", approve).json.refusals?.[0]?.code).toBe("actor-not-allowed");
    expect(session.repo.hold(["approve", session.id, "nothing"]).json.refusals?.[0]).toMatchObject({
      code: "check-unknown",
      fix: "These are: manual: it looks right.",
    });
    expect(session.repo.hold(["approve", session.id, ...approve]).exit).toBe(0);
    session.repo.write("app.js", "changed since\n");
    expect(session.run("advance", ["finish"]).json.refusals?.map((one) => one.code)).toContain(
      "criteria-open",
    );
    expect(session.repo.hold(["approve", session.id, "AC-001", "--waive"]).exit).toBe(10);
    const typo = ["approve", session.id, "AC-01", "--waive", "--reason", "later"];
    expect(session.repo.hold(typo).json.refusals?.[0]).toMatchObject({
      code: "waiver-unknown",
      fix: "These are: AC-001, Designer, Researcher.",
    });
    session.repo.hold(["approve", session.id, "AC-001", "--waive", "--reason", "later"]);
    // Nobody has reviewed what was written by hand.
    expect(session.run("advance", ["finish"]).json.refusals?.map((one) => one.code)).toEqual([
      "checked-something-else",
    ]);
    expect(JSON.stringify(session.send("review-late").json.order?.task)).toContain(
      "Look closely: changed while no agent was at work: modified app.js",
    );
    session.report(session.play("Reviewer"));
    session.work("test-late");
    expect(session.run("advance", ["finish"]).json.state).toBe("DONE");
    expect(session.count(/attest:manual: it looks right passed by person:/)).toBe(1);
  }, 60_000);
});
