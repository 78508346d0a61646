/** Gates that hold the tree: what passes is what was checked, whichever way it came there. */
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import * as team from "../team.ts";

const codes = (reply: Reply): readonly string[] =>
  (reply.json.refusals ?? []).map((one) => one.code);
const messages = (reply: Reply): string =>
  (reply.json.refusals ?? []).map((one) => one.message).join("; ");

/** The Coder repairs the build with code that nobody has seen. */
function repair(session: team.TeamSession): void {
  session.send("fix-build-coder");
  session.repo.write("app.js", "// repaired\n");
  session.report(team.agentReply({ artifacts: { files_changed: ["app.js"] } }));
}

describe("no way to the end without a review", () => {
  test("[TC-125] [TC-147] an edit after the final review and before the Integrator", () => {
    const session = team.sessionAt("integrate");
    session.repo.write("app.js", "// by nobody\n");
    session.work("integrate");
    const refused = session.run("advance", ["to-release"]);
    expect(codes(refused)).toContain("checked-something-else");
    expect(messages(refused)).toContain("Reviewer, QA have not passed it as it is now");
    expect(session.at()).toBe("INTEGRATE");
    session.work("review-late");
    session.work("test-late");
    expect(session.run("advance", ["to-release"]).exit).toBe(0);
    expect(session.at()).toBe("RELEASE");
  }, 120_000);

  test("[TC-170] [TC-125] what the Integrator changed itself, whatever its list of files says", () => {
    const session = team.sessionAt("integrate");
    session.send("integrate");
    session.repo.write("src/late.js", "// mine\n");
    session.report(team.agentReply({ artifacts: { files_changed: [] } }));
    expect(codes(session.run("advance", ["to-release"]))).toContain("checked-something-else");
    // Going on by itself leads to who has to look.
    expect(session.run("advance").json.order?.role).toBe("Reviewer");
    const changed = JSON.stringify(
      session.run("order").json.order?.task?.["session_changed_files"],
    );
    expect(changed).toContain("src/late.js");
    session.report(team.blocking("not tested"));
    expect(session.at()).toBe("FIX_BUILD");
  }, 120_000);

  test("[TC-153] [TC-125] red at the release, then a repair", () => {
    const session = team.sessionAt("release");
    session.work("document");
    session.send("release");
    session.report(team.blocking("the build is red"));
    expect(session.at()).toBe("FIX_BUILD");
    repair(session);
    session.work("integrate");
    expect(codes(session.run("advance", ["to-release"]))).toContain("checked-something-else");
    session.work("review-late");
    session.work("test-late");
    expect(session.run("advance", ["to-release"]).exit).toBe(0);
    session.work("document");
    session.work("release");
    expect(session.run("advance", ["finish"]).exit).toBe(0);
    expect(session.at()).toBe("DONE");
  }, 120_000);

  test("[TC-143] [TC-125] in a lean session, where there is no final review", () => {
    const session = team.sessionAt("leanIntegrate");
    session.repo.remove("app.js");
    session.run("advance", ["red"]);
    repair(session);
    expect(codes(session.run("advance", ["finish"]))).toContain("checked-something-else");
    session.work("review-late");
    session.work("test-late");
    expect(session.run("advance", ["finish"]).exit).toBe(0);
  }, 120_000);

  test("[TC-149] [TC-150] what is red is named first, with the step that repairs it", () => {
    for (const at of ["leanIntegrate", "release"] as const) {
      const session = team.sessionAt(at);
      session.repo.remove("app.js");
      const { refusals = [] } = session.run("advance", ["finish"]).json;
      expect(refusals[0]?.code).toMatch(/^(?:checks-not-green|ci-red)$/);
      expect(refusals[0]?.remedy).toMatchObject({ operation: "advance", input: { step: "red" } });
      expect(refusals.length).toBeGreaterThan(1);
      // So does what leads on by itself, before anybody looks at what will be repaired.
      expect(session.repo.hold(["next", session.id]).json).toMatchObject({
        forward: {},
      });
      expect(session.run("advance").exit).toBe(0);
      expect(session.at()).toBe("FIX_BUILD");
    }
  }, 120_000);

  test("[TC-150] documents void no check: a README at the release is nobody's code", () => {
    const session = team.sessionAt("release");
    session.work("document");
    session.work("release");
    expect(session.run("advance", ["finish"]).exit).toBe(0);
    expect(session.at()).toBe("DONE");
  }, 120_000);
});

describe("no other checks than those of the contract", () => {
  test("[TC-179] criteria that were changed at the end are approved by a person or put back", () => {
    const session = team.sessionAt("release");
    session.work("document");
    session.work("release");
    session.file("acceptance.json", team.ACCEPTANCE.replace("test -f app.js", "true"));
    const held = session.run("advance", ["finish"]);
    expect(held.exit).toBe(11);
    expect(held.json.held?.[0]?.prompt).toContain("acceptance.json is not what was approved");
    session.answer("restore");
    session.file("acceptance.json", team.ACCEPTANCE);
    expect(session.run("advance", ["finish"]).exit).toBe(0);
  }, 120_000);

  test("[TC-179] [TC-143] the same in a lean session, which nobody approves", () => {
    const session = team.sessionAt("leanIntegrate");
    session.file("acceptance.json", team.ACCEPTANCE.replace("test -f app.js", "true"));
    expect(session.run("advance", ["finish"]).exit).toBe(11);
    expect(session.at()).not.toBe("DONE");
  }, 120_000);

  test("[TC-149] the configuration does not take the place of the contract's commands", () => {
    const session = team.sessionAt("coded");
    session.repo.write(
      "holdpoint.config.json",
      JSON.stringify({ checks: { checks: { run: ["true"] }, tasks: { run: ["true"] } } }),
    );
    session.repo.git("add", "holdpoint.config.json");
    session.repo.git("commit", "--quiet", "-m", "easier");
    session.repo.remove("app.js");
    expect(codes(session.send("review", "T-001"))).toEqual(["settings-changed"]);
    const why = ["--settings", "--reason", "they are meant"];
    expect(session.repo.hold(["reconcile", session.id, ...why]).exit).toBe(0);
    session.work("review", "T-001");
    session.work("test", "T-001");
    expect(session.at()).toBe("FIX_TESTS");
  }, 120_000);

  test("[TC-125] a task called docs that changed code needs QA, whatever the Coder says of tests", () => {
    const session = team.sessionAt("plan");
    session.send("plan");
    session.file("tasks.yaml", team.tasksYaml("T-001").replace("type: feat", "type: docs"));
    session.report(team.agentReply());
    session.answer("per-batch");
    const gates = {
      meets_definition_of_done: true,
      needs_review: true,
      needs_tests: false,
      security_concerns: [],
    };
    session.work(
      "code",
      "T-001",
      team.agentReply({ gates, artifacts: { files_changed: ["app.js"] } }),
    );
    session.work("review", "T-001");
    expect(session.read("tasks.yaml")).toContain("status: implemented");
    session.work("test", "T-001");
    expect(session.read("tasks.yaml")).toContain("status: completed");
  }, 120_000);

  test("[TC-123] whoever calls himself the Coder implements nothing without an order", () => {
    const session = team.sessionAt("loop");
    const coder = ["--unit", "T-001", "--as", "agent:m/Coder"];
    session.repo.hold(["advance", session.id, "start", ...coder]);
    const refused = session.repo.hold(["advance", session.id, "implement", ...coder]);
    expect(codes(refused)).toContain("actor-not-allowed");
    session.repo.edit(session.path("tasks.yaml"), (text) =>
      text.replace(/status: \S+/, "status: implemented"),
    );
    expect(session.send("review", "T-001").exit).toBe(10);
    const { details } = session.repo.hold(["status", session.id]).json;
    expect(details?.["tasks"]).toBe("T-001 in-progress");
  }, 120_000);
});
