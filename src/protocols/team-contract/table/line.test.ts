import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import { ENGINE, PERSON, story } from "../../../../test/story.ts";
import { STATES } from "../files/names.ts";
import { LEAN_FILES_MAX, missingLean, modeFor } from "./lean.ts";
import { teamContract } from "./protocol.ts";

const { at, begin, states, work, path } = team;

describe("the lines", () => {
  test("[TC-139] a full session goes through nine states in order", () => {
    expect(states(team.toDone(begin()))).toEqual([
      "INTAKE",
      "DESIGN",
      "APPROVE_DESIGN",
      "PLAN",
      "REVIEW_STRATEGY",
      "IMPLEMENT_LOOP",
      "INTEGRATE",
      "RELEASE",
      "DONE",
    ]);
  });

  test("[TC-139] [TC-110] [TC-144] a lean session has four states, no gate, no Integrator and no Docs", () => {
    const told = team.ran(team.task(team.leanLoop())).move("finish", team.ORCHESTRATOR);
    expect(states(told)).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
    expect(Object.keys(told.state.decisions)).toEqual([]);
    const roles = new Set(Object.values(told.state.dispatches).map((one) => one.role));
    expect([...roles].sort()).toEqual(["Coder", "QA", "Reviewer", "SpecAgent"]);
  });

  test("[TC-140] exactly the transitions of the contract exist", () => {
    // A step inside a state goes nowhere.
    const moves = (teamContract.kinds["session"]?.moves ?? []).filter((one) => one.inside !== true);
    const sources = (id: string): readonly string[] =>
      moves.filter((one) => one.to === id && one.detour === true).flatMap((one) => one.from);
    const pairs = moves.flatMap((one) =>
      one.from.flatMap((from) =>
        (one.to === "@back" ? sources(from) : [one.to]).map((to) => `${from} ${to}`),
      ),
    );
    const working = STATES.filter(
      (one) => !["ASK_USER", "BLOCKED", "DONE", "APPROVE_DESIGN", "REVIEW_STRATEGY"].includes(one),
    );
    const blockable = STATES.filter((one) => !["BLOCKED", "DONE"].includes(one));
    const legal = [
      "INTAKE DESIGN",
      "DESIGN APPROVE_DESIGN",
      "APPROVE_DESIGN APPROVE_DESIGN",
      "APPROVE_DESIGN PLAN",
      "PLAN APPROVE_DESIGN",
      "PLAN REVIEW_STRATEGY",
      "REVIEW_STRATEGY IMPLEMENT_LOOP",
      "IMPLEMENT_LOOP REVIEW_STRATEGY",
      "INTAKE_LEAN IMPLEMENT_LOOP",
      "IMPLEMENT_LOOP FIX_REVIEW",
      "IMPLEMENT_LOOP FIX_TESTS",
      "IMPLEMENT_LOOP FIX_SECURITY",
      "FIX_REVIEW IMPLEMENT_LOOP",
      "FIX_TESTS IMPLEMENT_LOOP",
      "FIX_SECURITY IMPLEMENT_LOOP",
      "IMPLEMENT_LOOP INTEGRATE",
      "IMPLEMENT_LOOP INTAKE",
      "INTEGRATE FIX_BUILD",
      "FIX_BUILD INTEGRATE",
      "INTEGRATE RELEASE",
      "INTEGRATE DONE",
      "RELEASE FIX_BUILD",
      "RELEASE DONE",
      "DONE INTAKE",
      "DONE INTAKE_LEAN",
      ...working.flatMap((one) => [`${one} ASK_USER`, `ASK_USER ${one}`]),
      ...blockable.flatMap((one) => [`${one} BLOCKED`, `BLOCKED ${one}`]),
    ];
    expect([...new Set(pairs)].sort()).toEqual([...new Set(legal)].sort());
  });

  test("[TC-007] [TC-087] [TC-104] a state is not skipped, and a refusal changes nothing", () => {
    const design = team.toDesign(begin());
    const before = design.state;
    design.move("to-strategy", team.ORCHESTRATOR).expectRefused("transition-illegal");
    expect(design.state).toBe(before);
    const plan = team.toPlan(begin());
    plan.move("to-integrate", team.ORCHESTRATOR).expectRefused("transition-illegal");
    expect(at(plan)).toBe("PLAN");
  });
});

describe("starting", () => {
  test("[TC-013] the project type is one of five and stays", () => {
    begin({ project_type: "desktop" }).expectRefused("project-type-unknown");
    expect(begin({ project_type: "lib" }).state.vars["project_type"]).toBe("lib");
  });

  test("[TC-023] a session's name is a date and two to four words", () => {
    for (const workflow of ["Dark Mode", "2026-03-01_dark", "2026-03-01T10_dark-mode"]) {
      const told = story(teamContract, { workflow, facts: team.facts() });
      told.when({ type: "workflow.start", workflow, vars: {} }).expectRefused("name-illegal");
    }
    begin().expectAccepted();
  });

  test("[TC-141] lean mode needs all six criteria", () => {
    expect(missingLean(team.LEAN)).toEqual([]);
    expect(modeFor({ ...team.LEAN, files: LEAN_FILES_MAX + 1 })).toBe("full");
    for (const [key, value] of Object.entries({
      unambiguous: false,
      files: 4,
      architecture: true,
      ui: true,
      security: true,
      minutes: 6,
    })) {
      const told = begin({ mode: "lean", lean: { ...team.LEAN, [key]: value } });
      told.expectRefused("lean-not-allowed");
    }
    begin({ mode: "lean" }).expectRefused("lean-not-allowed");
  });
});

describe("content gates", () => {
  test.each(["spec.md", "acceptance.json", "status.json"])(
    "[TC-138] [TC-025] INTAKE does not end while %s is wrong",
    (file) => {
      const told = begin().given({ [`content:${path(file)}`]: ["is wrong"] });
      if (file === "status.json") work(told, "specify");
      else
        team.report(told.send("specify", ".", team.ORCHESTRATOR)).expectRefused("artifact-invalid");
      expect(at(told)).toBe("INTAKE");
    },
  );

  test("[TC-006] [TC-134] a claimed architecture.md that is not there does not pass", () => {
    const told = team.toDesign(begin()).given({ [`content:${path("architecture.md")}`]: null });
    work(told, "architect").expectRefused("artifact-invalid");
    expect(told.refusals[0]?.message).toContain(path("architecture.md"));
    const claimed = team.toDesign(begin()).given({ "digest:docs/adr.md": null });
    work(claimed, "architect", ".", { files: ["docs/adr.md"] }).expectRefused("files-missing");
  });

  test("[TC-138] [TC-122] PLAN ends only with a plan in which nothing has begun", () => {
    const wrong = team
      .toPlan(begin())
      .given({ [`content:${path("tasks.yaml")}`]: ["T-001 has no list done_when"] });
    work(wrong, "plan").expectRefused("artifact-invalid");
    const begun = team.toPlan(
      begin({}, { tasks: [team.seed("T-001", { status: "in-progress" })] }),
    );
    work(begun, "plan").expectRefused("plan-begun");
    expect(at(begun)).toBe("PLAN");
  });

  test("[TC-026] [TC-152] Researcher and Designer take part when they are needed, or are waived by a person", () => {
    const told = team.toDesign(begin());
    told.when({ type: "vars.set", name: "ui", value: true }, team.ORCHESTRATOR).expectAccepted();
    told
      .when({ type: "vars.set", name: "ui", value: false }, team.ORCHESTRATOR)
      .expectRefused("value-illegal");
    work(told, "architect");
    expect(at(told)).toBe("DESIGN");
    told.move("to-approval", team.ORCHESTRATOR).expectRefused("agent-missing");
    const waived = told.fork();
    waived.when({ type: "gate.waive", unit: ".", gate: "Designer", reason: "icons only" }, PERSON);
    expect(at(waived)).toBe("APPROVE_DESIGN");
    told.send("design", ".", team.ORCHESTRATOR);
    told.given({ [`designs:${team.ID}`]: { "design-specs/a.md": { problems: [] } } });
    team.report(told);
    expect(at(told)).toBe("APPROVE_DESIGN");
    const research = team.toDesign(begin({ research: true }));
    research.send("architect", ".", team.ORCHESTRATOR).expectRefused("agent-missing");
  });

  test("[TC-035] [TC-137] nobody is started whose files are missing or wrong", () => {
    const told = team.toLoop(begin()).given({
      "context:Coder": [`${path("spec.md")} does not exist`],
    });
    told.send("code", "T-001", team.ORCHESTRATOR).expectRefused("context-missing");
    expect(told.refusals[0]?.message).toBe(`${path("spec.md")} does not exist`);
    expect(Object.values(told.state.dispatches).some((one) => one.role === "Coder")).toBe(false);
  });
});

describe("the end", () => {
  test("[TC-149] [TC-179] INTEGRATE ends only when its commands passed on what is there now", () => {
    const told = work(team.toIntegrate(begin()), "integrate");
    told.move("to-release", team.ORCHESTRATOR).expectRefused("checks-not-green");
    team.ran(told, "cmd: npm test", "failed");
    expect(at(told)).toBe("INTEGRATE");
    told.move("red", ENGINE).expectAccepted();
    expect(at(told)).toBe("FIX_BUILD");
    work(told, "fix-build");
    expect(at(told)).toBe("INTEGRATE");
    told.move("to-release", team.ORCHESTRATOR).expectRefused("checks-not-green");
    team.ran(told).move("to-release", team.ORCHESTRATOR);
    expect(at(told)).toBe("RELEASE");
  });

  test("[TC-149] a green run counts only for the contents it ran on", () => {
    const told = work(team.toIntegrate(begin()), "integrate");
    told.given({ "changes:.": { "src/a.ts": "d2" } });
    team.ran(told).move("to-release", team.ORCHESTRATOR).expectRefused("checks-not-green");
  });

  test("[TC-149] without any command every manual check needs a named person", () => {
    const tasks = [team.seed("T-001", { checks: ["manual: it is dark"] })];
    const acceptance = [{ id: "AC-001", checks: ["manual: it is dark"] }];
    const told = work(team.toIntegrate(begin({}, { tasks, acceptance })), "integrate");
    told.move("to-release", team.ORCHESTRATOR).expectRefused("checks-not-green");
    const attest = {
      type: "finding.record",
      unit: ".",
      kind: "attest:manual: it is dark",
      by: "person:ada",
      value: "passed",
      bound: {},
    } as const;
    told.when(attest, team.ORCHESTRATOR).expectRefused("actor-not-allowed");
    told.when({ ...attest, by: "person:bob" }, PERSON).expectRefused("actor-not-allowed");
    told.when(attest, PERSON).move("to-release", team.ORCHESTRATOR);
    expect(at(told)).toBe("RELEASE");
  });

  test("[TC-177] [TC-178] [TC-179] DONE needs criteria, report and tasks; a person may waive a criterion", () => {
    const acceptance = [
      { id: "AC-001", checks: ["cmd: npm test"] },
      { id: "AC-002", checks: ["cmd: npm run e2e"] },
    ];
    const told = work(work(team.toRelease(begin({}, { acceptance })), "document"), "release");
    expect(at(told)).toBe("RELEASE");
    told.move("finish", team.ORCHESTRATOR).expectRefused("criteria-open");
    expect(told.refusals[0]?.message).toContain(
      "AC-002 (not run on what is there now: cmd: npm run e2e)",
    );
    const red = team.ran(told.fork(), "cmd: npm run e2e", "failed");
    red.move("finish", team.ORCHESTRATOR).expectRefused("ci-red", "criteria-open");
    expect(red.refusals[1]?.message).toBe("not met: AC-002 (cmd: npm run e2e: failed)");
    told.given({ [`content:${path("report.md")}`]: ['There is no section "How to run"'] });
    told.when({ type: "gate.waive", unit: ".", gate: "AC-002", reason: "next release" }, PERSON);
    told.move("finish", team.ORCHESTRATOR).expectRefused("artifact-invalid");
    told.given({ [`content:${path("report.md")}`]: [] }).move("finish", team.ORCHESTRATOR);
    expect(at(told)).toBe("DONE");
  });

  test("[TC-149] [TC-179] a run speaks for the commands that were in it, and says how each ended", () => {
    const acceptance = [{ id: "AC-001", checks: ["cmd: npm test", "cmd: npm run new"] }];
    const tasks = [team.seed("T-001", { checks: ["cmd: npm test", "manual: it is dark"] })];
    const told = work(team.toIntegrate(begin({}, { acceptance, tasks })), "integrate");
    const run = (name: string, exit: number) => ({
      name,
      passed: exit === 0,
      ended: `exit ${exit}`,
      at: "2026-03-01T10:00:00.000Z",
      output: "abc",
      tail: "",
    });
    const ran = (value: string, ...runs: readonly ReturnType<typeof run>[]) =>
      told.when(
        {
          type: "finding.record",
          unit: ".",
          kind: "checks",
          by: "engine",
          value,
          bound: { "changes:.": { "src/a.ts": "d1" } },
          detail: { runs },
        },
        ENGINE,
      );
    ran("failed", run("cmd: npm test", 127));
    told.move("to-release", team.ORCHESTRATOR).expectRefused("checks-not-green");
    expect(told.refusals[0]?.message).toBe("cmd: npm test: exit 127");
    ran("passed", run("cmd: npm test", 0)).move("to-release", team.ORCHESTRATOR).expectAccepted();
    // Back in INTEGRATE's time: the criterion has a command that was in no run, the task a look nobody took.
    work(work(told, "document"), "release");
    told.move("finish", team.ORCHESTRATOR).expectRefused("criteria-open", "check-unattested");
    expect(told.refusals.map((one) => one.message)).toEqual([
      "not met: AC-001 (not run on what is there now: cmd: npm run new)",
      'no named person has vouched for "manual: it is dark"',
    ]);
  });

  test("[TC-150] RELEASE is Docs, then Integrator, with a README", () => {
    const told = team.toRelease(begin());
    told.send("release", ".", team.ORCHESTRATOR).expectRefused("agent-missing");
    work(told, "document");
    told.given({ "digest:README.md": null });
    work(told, "release");
    expect(at(told)).toBe("RELEASE");
    told.move("finish", team.ORCHESTRATOR).expectRefused("readme-missing");
  });

  test("[TC-151] the session does not leave the loop before QA and Security have worked on it", () => {
    const told = work(team.task(team.toLoop(begin())), "review-all");
    told.move("to-integrate", team.ORCHESTRATOR).expectRefused("agent-missing");
    expect(told.refusals[0]?.message).toContain("Security");
    work(told, "secure-all");
    expect(at(told)).toBe("INTEGRATE");
  });

  test("[TC-029] a finished session is reopened by a person, with a reason, and starts over", () => {
    const told = team.toDone(begin());
    told.move("reopen", { ...team.ORCHESTRATOR, reason: "more" }).expectRefused("person-required");
    told.move("reopen", PERSON).expectRefused("reason-missing");
    told.move("reopen", { ...PERSON, reason: "one more thing" });
    expect(at(told)).toBe("INTAKE");
    told.move("to-design", team.ORCHESTRATOR).expectRefused("agent-missing");
    expect(at(work(told, "specify"))).toBe("DESIGN");
  });
});
