/** What was said reaches who needs it: the orders of a session through the command line. */
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import * as team from "../team.ts";

const constraints = (sent: Reply): string => JSON.stringify(sent.json.order?.task?.["constraints"]);
const context = (sent: Reply): unknown => sent.json.order?.task?.["context_files"];

function finding(severity: string, file: string, description: string): object {
  return { severity, category: "XSS", file, description, recommended_fix: `escape ${file}` };
}

describe("an order tells", () => {
  test("[TC-085] what a person answered to BLOCKED, to whoever takes the work up again", () => {
    const session = team.sessionAt("loop");
    session.work("code", "T-001", team.blocking("the key is missing"));
    session.answer("use the key of the test account");
    const sent = session.send("code", "T-001");
    expect(constraints(sent)).toContain("use the key of the test account");
    expect(constraints(sent)).toContain("the key is missing");
  }, 60_000);

  test("[TC-085] what a person answered to a question, to every role that has not heard it", () => {
    const session = team.sessionAt("design");
    session.run("ask", ["Shall it follow the system?", "--origin", "design"]);
    session.answer("no, a switch of its own");
    const heard = session.send("architect");
    expect(constraints(heard)).toContain("Shall it follow the system?");
    expect(constraints(heard)).toContain("no, a switch of its own");
    session.report(session.play("Architect"));
    session.answer("approved");
    expect(constraints(session.send("plan"))).toContain("no, a switch of its own");
  }, 60_000);

  test("[TC-075] only what was chosen to be fixed is ordered to be fixed; an accepted risk is told as one", () => {
    const session = team.sessionAt("loop");
    session.work("code", "T-001");
    session.work("review", "T-001");
    session.work("test", "T-001");
    const findings = [finding("medium", "app.js", "echoes"), finding("medium", "b.js", "logs it")];
    const gates = JSON.parse(team.blocking("x")).gates as object;
    const said = { status: "NEEDS_DECISION", artifacts: { findings }, gates };
    session.work("review-all");
    session.work("secure-all", undefined, team.agentReply(said));
    session.answer("accept-risk", ["--decision", "UD-1"]);
    session.answer("fix-now", ["--decision", "UD-2"]);
    expect(session.at()).toBe("FIX_SECURITY");
    const sent = session.send("fix-security-all");
    const lines = sent.json.order?.task?.["constraints"] as readonly string[];
    const ordered = lines.filter((one) => one.startsWith("Repair this"));
    expect(ordered).toEqual(["Repair this: medium, XSS, b.js: logs it; escape b.js"]);
    expect(lines.find((one) => one.includes("echoes"))).toContain("Accept the risk");
  }, 60_000);

  test("[TC-096] a correction what is to be changed, in which files, and what it is all for", () => {
    const session = team.sessionAt("gate");
    session.answer("changes-requested: name the modules");
    const spec = session.send("correct-spec");
    expect(context(spec)).toEqual([session.path("acceptance.json"), session.path("spec.md")]);
    expect(spec.json.order?.task?.["goal"]).toBe("Add dark mode!");
    expect(constraints(spec)).toContain("changes-requested: name the modules");
    session.file("spec.md", `${team.SPEC}\nmore\n`);
    session.report(team.agentReply());
    session.answer("changes-requested: draw them");
    const architecture = session.send("correct-architecture");
    expect(context(architecture)).toContain(session.path("architecture.md"));
    expect(constraints(architecture)).toContain("draw them");
  }, 60_000);

  test("[TC-153] a rejection, to the Reviewer who looks again and to the Coder who repairs", () => {
    const session = team.sessionAt("fixReview");
    expect(constraints(session.send("fix-review", "T-001"))).toContain("off by one");
    session.report(session.play("Coder"));
    expect(constraints(session.send("review", "T-001"))).toContain("off by one");
  }, 60_000);
});

describe("the record tells", () => {
  test("[TC-048] replies that were refused, and which agent said what", () => {
    const session = team.sessionAt("coded");
    session.send("review", "T-001");
    const bad = session.report(team.agentReply({ status: "NEEDS_INFO" }));
    expect(bad.exit).toBe(10);
    const [refused] = session.audit().refusals ?? [];
    expect(refused).toMatchObject({ command: "dispatch.report" });
    const said = team.agentReply({
      summary: "reads well",
      artifacts: { checklist_summary: team.CHECKLIST },
    });
    session.report(said);
    const events = (session.audit().entries ?? []).flatMap((one) => one.events);
    expect(events).toContainEqual(expect.stringContaining("Reviewer said: reads well"));
    // The chain vouches for it too.
    expect(events).toContainEqual(
      expect.stringMatching(/^refused before: dispatch\.report W-\d+\/Reviewer/),
    );
  }, 60_000);

  test("[TC-122] [TC-138] a plan that is begun already is refused, and the Planner can mend it", () => {
    const session = team.sessionAt("plan");
    session.send("plan");
    session.file("tasks.yaml", team.tasksYaml("T-001").replace("not-started", "implemented"));
    const refused = session.report(team.agentReply());
    expect(refused.json.refusals).toMatchObject([{ code: "plan-begun" }]);
    session.file("tasks.yaml", team.tasksYaml("T-001"));
    expect(session.report(team.agentReply()).exit).toBe(11);
    expect(session.at()).toBe("REVIEW_STRATEGY");
  }, 60_000);

  test("[TC-055] counts of nothing, as others write them, are no mismatch and stay", () => {
    const session = team.sessionAt("loop");
    const zeros = '"retry_counts": {"T-001": {"FIX_REVIEW": 0, "FIX_TESTS": 0}}';
    session.repo.edit(session.path("status.json"), (text) =>
      text.replace(/"retry_counts": \{\}/, zeros),
    );
    expect(session.repo.hold(["verify", session.id]).json.workflows?.[0]?.findings).toEqual([]);
    session.work("code", "T-001");
    expect(session.read("status.json")).toContain(zeros);
    session.work("review", "T-001", team.blocking("no"));
    expect(session.status().retry_counts).toEqual({ "T-001": { FIX_REVIEW: 1 } });
  }, 60_000);

  test("[TC-042] [TC-067] a design that changed is named, and approving it again updates the gate's own entry", () => {
    const session = team.sessionAt("loop");
    session.file("spec.md", `${team.SPEC}\nmore\n`);
    const held = session.send("code", "T-001").json.held ?? [];
    expect(held[0]?.prompt).toContain("the approved design has changed since");
    expect(held[0]?.prompt).toContain("spec.md");
    const gate = (): unknown =>
      session.status().user_decisions.find((one) => one["decision_id"] === "UD-APPROVE-DESIGN");
    const before = gate() as Record<string, string>;
    session.answer("approve");
    expect(gate()).toMatchObject({ status: "answered", answer: "approved: as it is now" });
    expect((gate() as Record<string, string>)["resolved_at"]).not.toBe(before["resolved_at"]);
    expect(session.send("code", "T-001").exit).toBe(0);
    expect(session.repo.hold(["verify", session.id]).json.workflows?.[0]?.findings).toEqual([]);
  }, 60_000);
});
