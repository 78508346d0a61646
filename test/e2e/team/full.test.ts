// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
import { describe, expect, test } from "vitest";
import * as team from "../team.ts";

describe("a full session", () => {
  test("[TC-139] [TC-027] [TC-066] [TC-090] [TC-095] [TC-097] [TC-151] [TC-154] [TC-156] [TC-177] from the goal to DONE, with a round of changes and a repair that runs out", () => {
    const session = team.sessionAt("gate");
    expect(session.at()).toBe("APPROVE_DESIGN");
    expect(session.repo.has(session.path("approve-design-history.jsonl"))).toBe(false);

    // A person asks for changes: history first, then one correction, then the same question again.
    expect(session.answer("changes-requested: say how it is stored").exit).toBe(0);
    expect(session.status().gate_tracking?.APPROVE_DESIGN).toMatchObject({
      correction_status: "queued",
    });
    expect(session.send("plan").exit).toBe(10);
    const sent = session.send("correct-architecture");
    expect(sent.json.order?.prompt).toContain("say how it is stored");
    expect(session.status().gate_tracking?.APPROVE_DESIGN).toMatchObject({
      correction_status: "dispatched",
      last_correction_dispatch: { agent: "Architect", task_id: "meta" },
    });
    session.file("architecture.md", `${team.ARCHITECTURE}\nIn a file.\n`);
    expect(session.report(team.agentReply()).json.held?.[0]?.id).toBe("UD-APPROVE-DESIGN");
    expect(session.answer("approved: ship it").exit).toBe(0);
    const history = session.read("approve-design-history.jsonl").trim().split("\n");
    expect(history.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { answer: "changes-requested: say how it is stored", state_context: "APPROVE_DESIGN" },
    ]);

    expect(session.work("plan").json.held?.[0]?.prompt).toContain("Recommended: single-final");
    expect(session.answer("batch").exit).toBe(0);
    session.work("code", "T-001");

    // Three repairs, then a person.
    for (const count of [1, 2, 3]) {
      session.work("review", "T-001", team.blocking("off by one"));
      expect(session.at()).toBe("FIX_REVIEW");
      expect(session.status().retry_counts).toEqual({ "T-001": { FIX_REVIEW: count } });
      session.work("fix-review", "T-001");
      expect(session.at()).toBe("IMPLEMENT_LOOP");
    }
    const out = session.work("review", "T-001", team.blocking("off by one, still"));
    expect(session.at()).toBe("ASK_USER");
    expect(out.json.held?.[0]).toMatchObject({ id: "UD-1", question: "retry-exhausted" });
    expect(out.json.held?.[0]?.options.map((one) => one.id)).toEqual([
      "different-approach",
      "known-issues",
      "simplify-scope",
      "stop",
      "guidance",
    ]);
    expect(session.answer("known-issues").exit).toBe(0);
    expect(session.at()).toBe("IMPLEMENT_LOOP");
    session.work("test", "T-001");
    expect(session.read("tasks.yaml")).toContain("status: completed");
    session.work("review-all");
    session.work("secure-all");
    expect(session.at()).toBe("INTEGRATE");
    session.work("integrate");
    expect(session.run("advance", ["to-release"]).json.state).toBe("RELEASE");
    session.work("document");
    session.work("release");
    const done = session.run("advance", ["finish"]);
    expect([done.exit, done.json.state]).toEqual([0, "DONE"]);
    expect(session.read("report.md")).toContain("Accepted as it is: off by one, still");
    expect(session.status()).toMatchObject({ current_state: "DONE", last_ci_result: "green" });
    expect(session.states()).toEqual([
      "INTAKE",
      "DESIGN",
      "APPROVE_DESIGN",
      "APPROVE_DESIGN",
      "PLAN",
      "REVIEW_STRATEGY",
      "IMPLEMENT_LOOP",
      "FIX_REVIEW",
      "IMPLEMENT_LOOP",
      "FIX_REVIEW",
      "IMPLEMENT_LOOP",
      "FIX_REVIEW",
      "IMPLEMENT_LOOP",
      "ASK_USER",
      "IMPLEMENT_LOOP",
      "INTEGRATE",
      "RELEASE",
      "DONE",
    ]);
    expect(session.repo.hold(["verify", session.id]).json).toMatchObject({ ok: true });
    expect(session.repo.hold(["verify", "--all"]).json.workflows).toMatchObject([
      { id: session.id, exit: 0, findings: [] },
    ]);
  }, 120_000);

  test("[TC-093] [TC-124] the history cannot be rewritten for good, and past the loop no task is taken back", () => {
    const session = team.sessionAt("gate");
    session.answer("changes-requested: more");
    const path = session.path("approve-design-history.jsonl");
    const history = session.repo.read(path);
    session.repo.edit(path, (text) => text.replace("more", "less"));
    expect(session.repo.hold(["reconcile", session.id, "--restore"]).exit).toBe(0);
    expect(session.repo.read(path)).toBe(history);
    expect(session.repo.hold(["verify", session.id]).exit).toBe(0);
    const late = team.sessionAt("release");
    const again = ["reopen", "--unit", "T-001", "--reason", "a hole"];
    expect(late.run("advance", again).json.refusals?.[0]).toMatchObject({ code: "loop-left" });
    expect(late.read("tasks.yaml")).toContain("status: completed");
  }, 60_000);

  test("[TC-005] only the closing message is prose: at DONE and at BLOCKED", () => {
    const session = team.sessionAt("loop");
    const order = session.send("code", "T-001").json.order;
    expect(JSON.parse(JSON.stringify(order))).toMatchObject({
      role: "Coder",
      task: { id: "T-001" },
    });
    session.report(team.agentReply({ status: "FAIL", summary: "the disk is gone" }));
    const said = session.repo.say(["status", session.id]);
    expect(said.stdout).toContain("Blocked: a person has to act");
    expect(said.stdout).toContain("agent_failed: the disk is gone");
    expect(session.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: "agent_failed",
      blocked_from: "IMPLEMENT_LOOP",
    });
    const replies = session.repo.hold(["audit", session.id]).json.entries ?? [];
    expect(replies.length).toBeGreaterThan(0);
    // A person removes the cause and says so.
    expect(session.run("advance", ["unblock", "--reason", "new disk"]).exit).toBe(10);
    expect(session.repo.hold(["advance", session.id, "unblock", "--reason", "new disk"]).exit).toBe(
      0,
    );
    expect(session.at()).toBe("IMPLEMENT_LOOP");
  }, 60_000);

  test("[TC-011] [TC-010] [TC-014] what changed is found by git, over commits and renames, apart from what lay about before", () => {
    const repo = team.emptyRepository({ "old.js": "1\n2\n3\n4\n", "gone.js": "x\n" });
    repo.write("before.txt", "lay about\n");
    repo.git("checkout", "--quiet", "-b", "feature/x");
    const session = team.startTeam({ repo });
    session.work("specify");
    session.work("architect");
    session.answer("approved");
    session.work("plan");
    session.answer("per-batch");
    session.send("code", "T-001");
    repo.git("mv", "old.js", "new.js");
    repo.remove("gone.js");
    repo.write("app.js", "1\n");
    repo.git("add", "app.js", "new.js");
    repo.git("commit", "--quiet", "-m", "work");
    repo.write("late.js", "not committed\n");
    expect(session.report(team.agentReply()).exit).toBe(0);
    const { order } = session.send("review", "T-001").json;
    expect(order).toMatchObject({ repo_state: { branch: "feature/x", ci_status: "unknown" } });
    expect(order?.task?.["session_changed_files"]).toEqual([
      { path: "app.js", change_type: "added" },
      { path: "gone.js", change_type: "deleted" },
      { path: "late.js", change_type: "added" },
      { path: "new.js", change_type: "renamed", old_path: "old.js" },
    ]);
  }, 60_000);

  test("[TC-169] [TC-172] a role that commits what it may not touch is found by git, whatever it says", () => {
    const session = team.sessionAt("coded");
    session.work("review", "T-001");
    session.send("test", "T-001");
    session.repo.write("src/hidden.js", "quietly\n");
    session.repo.git("add", "src/hidden.js");
    session.repo.git("commit", "--quiet", "-m", "tests");
    const reported = session.report(session.play("QA"));
    expect(reported.exit).toBe(10);
    expect(reported.json.refusals).toMatchObject([
      { code: "role-boundary", message: "QA may not change src/hidden.js", rule: "TC-169" },
    ]);
  }, 60_000);

  test("[TC-039] [TC-040] project instructions are looked for at the start and before each dispatch", () => {
    const session = team.startTeam();
    expect(session.status().runtime_flags).toMatchObject({ copilot_instructions_exists: false });
    session.repo.write(".github/copilot-instructions.md", "Be brief.\n");
    session.repo.edit(session.path("status.json"), (text) =>
      text.replace(/ {2}"runtime_flags": \{[^}]*\},\n/, ""),
    );
    expect(session.status().runtime_flags).toBeUndefined();
    expect(session.send("specify").json.order?.prompt).toContain("copilot-instructions.md");
    expect(session.status().runtime_flags).toMatchObject({ copilot_instructions_exists: true });
  }, 60_000);

  test("[TC-088] [TC-138] [TC-152] a design spec that came inside the reply becomes a file that the others must read", () => {
    const session = team.startTeam({ flags: ["--ui"] });
    session.work("specify");
    session.work("architect");
    expect(session.at()).toBe("DESIGN");
    session.send("design");
    const long = team.agentReply({ artifacts: { design_spec_inline: "x\n".repeat(90) } });
    expect(session.report(long).json.refusals?.[0]?.message).toContain("more than 80 lines");
    const spec = "# Layout\nx\n\n# Interaction states\nhover\n\n# Accessibility\nx\n";
    session.report(team.agentReply({ artifacts: { design_spec_inline: spec } }));
    expect(session.at()).toBe("APPROVE_DESIGN");
    const path = "design-specs/design-spec-add-dark-mode.md";
    expect(session.read(path)).toBe(spec);
    expect(session.status().user_decisions[0]?.["question"]).toContain(path);
  }, 60_000);

  test("[TC-145] [TC-150] advance alone always hands out the next piece of work, and moves on when none is left", () => {
    const session = team.sessionAt("loop2");
    const roles: string[] = [];
    for (let step = 0; step < 20 && session.at() !== "DONE"; step += 1) {
      const reply = session.run("advance");
      expect(reply.exit, reply.stdout).toBe(0);
      const { order } = reply.json;
      roles.push(order === undefined ? (reply.json.state ?? "") : order.role);
      if (order !== undefined) session.report(session.play(order.role));
    }
    expect(roles).toEqual([
      "Coder",
      "Reviewer",
      "QA",
      "Coder",
      "Reviewer",
      "QA",
      "Reviewer",
      "Security",
      "Integrator",
      "RELEASE",
      "Docs",
      "Integrator",
      "DONE",
    ]);
  }, 120_000);
});
