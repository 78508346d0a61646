// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
/** What agents hand in that is no good: every field, prose around the JSON, plans that cannot be. */
import { describe, expect, test } from "vitest";
import type { Reply } from "../cli.ts";
import { McpClient } from "../mcp.ts";
import * as team from "../team.ts";

const coding = (): team.TeamSession => {
  const session = team.sessionAt("loop");
  session.send("code", "T-001");
  session.repo.write("app.js", "1\n");
  return session;
};
const messages = ({ json }: Reply): string =>
  (json.refusals ?? []).map(({ message }) => message).join("\n");

const GOOD = JSON.parse(team.agentReply()) as Readonly<Record<string, unknown>>;

describe("replies", () => {
  test("[TC-003] [TC-016] [TC-017] [TC-019] [TC-174] every field that is missing, wrong, too long or unknown is named, all at once", () => {
    const session = coding();
    const before = session.read("status.json");
    const nothing = session.report("{}");
    expect(nothing.exit).toBe(10);
    for (const key of ["status", "summary", "artifacts", "gates", "next"])
      expect(messages(nothing)).toContain(`$.${key} is missing`);
    const wrong = session.report(
      JSON.stringify({
        status: "GREAT",
        summary: 7,
        artifacts: { files_changed: "app.js", notes: [1] },
        gates: { meets_definition_of_done: "yes", needs_review: 1, security_concerns: "none" },
        next: { recommended_agent: "coder", recommended_task_id: "T-1", reason: null },
        extra: true,
      }),
    );
    for (const path of [
      "$.status",
      "$.summary",
      "$.artifacts.files_changed",
      "$.artifacts.notes[0]",
      "$.gates.meets_definition_of_done",
      "$.gates.needs_review",
      "$.gates.needs_tests",
      "$.gates.security_concerns",
      "$.next.recommended_agent",
      "$.next.recommended_task_id",
      "$.next.reason",
      "$.extra",
    ])
      expect(messages(wrong), path).toContain(path);
    const long = session.report(team.agentReply({ summary: "x".repeat(100_000) }));
    expect(messages(long)).toContain("$.summary");
    const twice = session.report(team.agentReply().replace("{", '{"status":"OK",'));
    expect(messages(twice)).toContain("status");
    expect(messages(session.report(JSON.stringify({ ...GOOD, status: "NEEDS_INFO" })))).toContain(
      "only Researcher may return",
    );
    expect(
      messages(session.report(JSON.stringify({ ...GOOD, status: "BLOCKED", summary: " " }))),
    ).toContain("$.summary");
    // Nothing of it counted, and the work is still out: a good reply ends it.
    expect(session.read("status.json")).toBe(before);
    expect(session.report(team.agentReply()).exit).toBe(0);
  }, 120_000);

  test("[TC-002] [TC-046] prose around the JSON is no reply: sent twice more with the same words, then BLOCKED", () => {
    const session = team.sessionAt("loop");
    const inputs: unknown[] = [];
    for (const text of ["```json\n{}\n```", `Done! ${team.agentReply()}`, "[1]"]) {
      inputs.push(session.send("code", "T-001").json.order?.task);
      const { exit, json } = session.report(text);
      expect([exit, json.refusals?.[0]?.code]).toEqual([10, "reply-unreadable"]);
    }
    expect(inputs[1]).toEqual(inputs[0]);
    expect(inputs[2]).toEqual(inputs[0]);
    expect(session.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: "subagent_failure",
      blocked_from: "IMPLEMENT_LOOP",
    });
    expect(session.status().blocker_detail).toContain("not one JSON object");
    expect(session.count(/handed to Coder/)).toBe(3);
  }, 60_000);

  test("[TC-037] an order that names no session: none is found, the only one is meant, of two one must be chosen", async () => {
    const repo = team.emptyRepository({ a: "a\n" });
    const client = await new McpClient(repo).begin();
    const none = repo.hold(["order"]);
    expect(none.exit).toBe(10);
    expect(messages(none)).toContain("missing session context in dispatch");
    expect(await client.call("order")).toContain("missing session context in dispatch");
    const session = team.startTeam({ repo });
    session.send("specify");
    expect(repo.hold(["order"]).json.workflow).toBe(session.id);
    expect(await client.call("order")).toContain(session.id);
    // What the agent then reports is a blocker like any other.
    const blocked = { ...GOOD, status: "BLOCKED", summary: "missing session context in dispatch" };
    const asked = session.report(JSON.stringify(blocked));
    expect(asked.exit).toBe(11);
    expect(JSON.stringify(asked.json.held)).toContain("missing session context in dispatch");
    const other = team.startTeam({ repo, goal: "Mend the header" });
    const two = repo.hold(["order"]);
    expect(two.exit).toBe(10);
    for (const said of [JSON.stringify(two.json.refusals), await client.call("order")]) {
      expect(said).toContain(session.id);
      expect(said).toContain(other.id);
    }
    expect(repo.hold(["order", other.id]).json.refusals?.[0]?.code).toBe("dispatch-unknown");
  }, 60_000);

  test("[TC-006] [TC-021] files that are not there and work that is not done do not pass", () => {
    const session = coding();
    const claims = team.agentReply({ artifacts: { files_changed: ["nowhere.js"] } });
    expect(messages(session.report(claims))).toContain("nowhere.js");
    const gates = { ...(GOOD["gates"] as object), meets_definition_of_done: false };
    expect(session.report(team.agentReply({ gates })).json.refusals?.[0]?.code).toBe("not-done");
    expect(session.read("tasks.yaml")).toContain("status: in-progress");
  }, 60_000);
});

describe("plans", () => {
  const planning = (yaml: string): Reply => {
    const session = team.sessionAt("plan");
    session.send("plan");
    session.file("tasks.yaml", yaml);
    return session.report(team.agentReply());
  };

  test("[TC-129] [TC-121] [TC-015] cycles, unknown tasks, odd words and missing fields are refused at the gate", () => {
    const cycle = team
      .tasksYaml("T-001", "T-002")
      .replace("depends_on: []", "depends_on: [T-002]")
      .replace("depends_on: []", "depends_on: [T-001]");
    expect(messages(planning(cycle))).toMatch(/T-001.*T-002|circle|cycle/);
    const dangling = team.tasksYaml("T-001").replace("depends_on: []", "depends_on: [T-999]");
    expect(messages(planning(dangling))).toContain("T-999");
    const odd = team
      .tasksYaml("T-001")
      .replace("risk_flags: []", "risk_flags: [danger]")
      .replace('"cmd: test -f app.js"', '"run it"');
    expect(messages(planning(odd))).toMatch(/danger[\s\S]*run it|run it[\s\S]*danger/);
    const twice = planning(team.tasksYaml("T-001", "T-001"));
    expect(messages(twice)).toContain("T-001");
    expect(messages(planning("tasks: [\n"))).toContain("tasks.yaml");
  }, 120_000);

  test("[TC-015] [TC-135] an unquoted cmd: is read as it was meant; verify says so and offers the line", () => {
    const session = team.sessionAt("plan");
    session.send("plan");
    session.file(
      "tasks.yaml",
      team.tasksYaml("T-001").replace('["cmd: test -f app.js"]', "\n      - cmd: test -f app.js"),
    );
    const reported = session.report(team.agentReply());
    expect(reported.exit).toBe(11);
    expect(reported.json.notes).toMatchObject([
      { code: "check-unquoted", message: expect.stringContaining('Write it as - "cmd: test -f') },
    ]);
    const found = session.repo.hold(["verify", session.id]).json.workflows?.[0]?.findings[0];
    expect(found).toMatchObject({ code: "check-unquoted", file: session.path("tasks.yaml") });
    expect(found?.fix).toContain('"cmd: test -f app.js"');
    session.answer("per-batch");
    expect(session.send("code", "T-001").json.order?.task).toMatchObject({
      acceptance_checks: ["cmd: test -f app.js"],
    });
  }, 60_000);

  test("[TC-008] [TC-123] [TC-124] unknown tasks and statuses set by the wrong hand do not count", () => {
    const session = coding();
    expect(session.send("code", "T-999").exit).toBe(10);
    session.repo.edit(session.path("tasks.yaml"), (text) =>
      text.replace("status: in-progress", "status: completed"),
    );
    const reported = session.report(team.agentReply());
    expect(reported.json.notes).toMatchObject([
      { code: "changed-unclaimed", message: "changed, but not named: app.js" },
      {
        code: "status-not-yours",
        message: "tasks.yaml said completed, but T-001 is in-progress; only checks complete a task",
      },
    ]);
    expect(session.read("tasks.yaml")).toContain("status: implemented");
    expect(session.run("advance", ["review-all"]).exit).toBe(10);
  }, 60_000);
});

describe("state files edited by hand", () => {
  test("[TC-042] [TC-043] [TC-062] [TC-098] an approval that an agent wrote is not one", () => {
    const session = team.sessionAt("gate");
    session.repo.edit(session.path("status.json"), (text) =>
      text
        .replace('"status": "pending"', '"status": "answered"')
        .replace('"answer": null', '"answer": "approved"'),
    );
    expect(session.send("plan").exit).not.toBe(0);
    const [verified] = session.repo.hold("verify --all").json.workflows ?? [];
    expect(verified?.exit).toBe(2);
    expect(verified?.findings.map((one) => one.message)).toEqual(
      expect.arrayContaining([
        `${session.path("status.json")} says user_decisions[0].status "answered", the journal says "pending"`,
        `${session.path("status.json")} says user_decisions[0].answer "approved", the journal says null`,
      ]),
    );
    expect(session.run("reconcile", ["--restore"]).exit).not.toBe(1);
    expect(session.status().user_decisions[0]).toMatchObject({ status: "pending", answer: null });
    expect(session.count(/handed to Planner/)).toBe(0);
  }, 60_000);

  test("[TC-049] [TC-061] a status.json that is gone or broken is brought back, and its text kept", () => {
    const session = team.sessionAt("design");
    session.repo.remove(session.path("status.json"));
    expect(session.repo.hold(["verify", session.id]).exit).not.toBe(0);
    session.send("architect");
    expect(session.at()).toBe("DESIGN");
    session.file("status.json", '{"current_state": "DONE", "half');
    session.file("architecture.md", team.ARCHITECTURE);
    const reported = session.report(team.agentReply());
    expect(reported.json.warnings?.join()).toContain("kept as blob");
    expect(session.at()).toBe("APPROVE_DESIGN");
  }, 60_000);
});
