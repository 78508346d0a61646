// oxlint-disable vitest/expect-expect -- every story ends in `expectNothingForged`
/** Texts that others write do not make lines of ours: in questions, remarks, orders, status, audit and state files. */
import { describe, expect, test } from "vitest";
import type { Scratch } from "./cli.ts";
import * as plugin from "./plugin.ts";
import * as task from "./task.ts";
import * as team from "./team.ts";

/** Every way to begin a line, and two to go back in one. */
const BAD =
  "fine\nFORGED 1\r\nFORGED 2\rFORGED 3\u2028FORGED 4\u0085FORGED 5\u001B[2K\bFORGED 6\u202E";

/** Lines that begin with what was forged, whatever marks and blanks of ours stand before it. */
function forgedIn(text: string): readonly string[] {
  const lines = text.split(/[\r\n\u2028\u2029\u0085]/);
  return lines.filter((line) => /^[^\p{L}\p{N}"'«>|\\]*FORGED/u.test(line));
}

const heard = new Set<string>();

function expectNothingForged(
  scratch: Scratch,
  id: string,
  more: readonly (readonly string[])[] = [],
): void {
  const found: string[] = [];
  const every = [
    ...["status", "next", "audit", "verify", "order"].map((verb) => [verb, id]),
    ["next", id, "--all"],
    ["list"],
    ["status"],
    ["verify", "--all"],
  ];
  // Once for each family everything is asked; then what tells most.
  const asked = heard.has(id)
    ? [
        ["status", id],
        ["audit", id, "--all"],
      ]
    : every;
  heard.add(id);
  for (const args of [...asked, ...more]) {
    const reply = scratch.say(args);
    const said = forgedIn(`${reply.stdout}\n${reply.stderr}`);
    if (said.length > 0) found.push(`${args.join(" ")}: ${said.join(" / ")}`);
    const json = scratch.hold(args).stdout;
    const inJson = strings(JSON.parse(json)).filter((one) => forgedIn(one).length > 0);
    if (inJson.length > 0)
      found.push(`${args.join(" ")} --json: ${JSON.stringify(inJson).slice(0, 300)}`);
  }
  // What agents write themselves is theirs; formats of machines have no lines.
  const files = scratch.git("ls-files", "-co", "-z").split("\0");
  for (const file of files.filter((one) => one.endsWith(".md") && !/aside|plan\.md/.test(one))) {
    const said = forgedIn(scratch.read(file));
    if (said.length > 0) found.push(`${file}: ${said.join(" / ")}`);
  }
  expect(found).toEqual([]);
}

function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

describe("a plugin's agent", () => {
  test.each([
    ["agent", { with: { agent: BAD } }],
    ["status", { with: { status: BAD } }],
    ["issues", { with: { issues: [BAD, { severity: BAD, description: BAD }] } }],
    ["issues of a failure", { with: { status: "failure", issues: [BAD] } }],
    ["outputs", { outputs: { plugin_name: BAD, notes: BAD, error: BAD, [BAD]: BAD } }],
    ["files_modified", { files: [BAD, "plugins/TapeDelay/CMakeLists.txt"] }],
    ["error", { with: { status: "error", error: BAD, stateUpdateError: BAD } }],
    ["stateUpdateError", { with: { stateUpdateError: BAD, error_type: BAD, error_message: BAD } }],
    [
      "everything",
      { with: { agent: BAD, message: BAD, summary: BAD, next_stage: BAD, [BAD]: BAD } },
    ],
  ])("%s", (_, options) => {
    const scratch = plugin.pluginAt("p2");
    const reply = plugin.finish(scratch, "2", options);
    expect(strings(JSON.parse(reply.stdout)).filter((one) => forgedIn(one).length > 0)).toEqual([]);
    expectNothingForged(scratch, plugin.NAME);
  });
  test("a file's name", () => {
    const scratch = plugin.pluginAt("p2");
    scratch.write("plugins/TapeDelay/Source/a\nFORGED.cpp", "int a;\n");
    scratch.write("src/a\nFORGED.cpp", "int a;\n");
    plugin.finish(scratch, "2");
    expectNothingForged(scratch, plugin.NAME);
  });
  test("the plan's words", () => {
    const scratch = plugin.pluginAt("p0");
    plugin.finish(scratch, "0", {
      plan: plugin
        .planText("2.5", plugin.PHASES)
        .replaceAll("Part 3.1", "Part \rFORGED \u2028FORGED\u0085FORGED"),
    });
    expectNothingForged(scratch, plugin.NAME);
  });
});

describe("a role of a team", () => {
  const GATES = {
    meets_definition_of_done: false,
    needs_review: true,
    needs_tests: true,
    security_concerns: [BAD],
  };
  test.each([
    ["summary", team.agentReply({ summary: BAD })],
    ["status", team.agentReply({ status: BAD })],
    [
      "artifacts",
      team.agentReply({
        artifacts: {
          files_changed: [BAD],
          notes: [BAD],
          [BAD]: BAD,
          findings: [{ severity: BAD, description: BAD, file: BAD }],
          files_to_create_or_update: [{ path: BAD, content: BAD }],
          commands_to_run: [BAD],
        },
      }),
    ],
    [
      "next",
      team.agentReply({ next: { recommended_agent: BAD, recommended_task_id: BAD, reason: BAD } }),
    ],
    ["gates", team.agentReply({ gates: GATES })],
    [
      "BLOCKED",
      team.agentReply({
        status: "BLOCKED",
        summary: BAD,
        gates: GATES,
        next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: BAD },
      }),
    ],
    [
      "NEEDS_DECISION",
      team.agentReply({
        status: "NEEDS_DECISION",
        summary: BAD,
        questions: [BAD],
        artifacts: { questions: [BAD] },
      }),
    ],
    ["another key", team.agentReply({ [BAD]: BAD })],
  ])(
    "%s",
    (_, text) => {
      for (const step of ["code", "review"]) {
        const session = team.sessionAt(step === "code" ? "loop" : "coded");
        const role = session.send(step, "T-001").json.order?.role ?? "";
        session.play(role);
        const reply = session.report(text);
        expect(strings(JSON.parse(reply.stdout)).filter((one) => forgedIn(one).length > 0)).toEqual(
          [],
        );
        session.send("fix-review-coder", "T-001");
        session.send("code", "T-001");
        expectNothingForged(session.repo, session.id);
      }
    },
    120_000,
  );
  test("questions, reasons, a task's title", () => {
    const session = team.sessionAt("loop");
    session.run("ask", [BAD, "--origin", "design"]);
    session.run("advance", ["block", "--reason", BAD]);
    session.repo.hold(["lock", session.id, "--release", "--reason", BAD]);
    expectNothingForged(session.repo, session.id);
    const plan = team.sessionAt("plan");
    plan.send("plan");
    const reply = plan.play("Planner");
    plan.repo.edit(plan.path("tasks.yaml"), (text) =>
      text
        .replace(/title: .*/, `title: ${JSON.stringify(BAD)}`)
        .replace(/goal: .*/, `goal: ${JSON.stringify(BAD)}`),
    );
    plan.report(reply);
    plan.answer("per-batch");
    plan.send("code", "T-001");
    expectNothingForged(plan.repo, plan.id);
  }, 120_000);
});

describe("a task's agents", () => {
  test("reports, reviews, reasons", () => {
    const one = task.implementing(
      task.planned(task.gathered(task.begin("MEDIUM")), [task.SCOPES.MEDIUM]),
    );
    const [agent = ""] = one.agents();
    const dispatch = task.handOut(one, "implementation", agent);
    for (const text of [
      JSON.stringify({ status: "BLOCKED", work_remaining: BAD, blocker: BAD, reason: BAD }),
      JSON.stringify({
        status: BAD,
        decision: BAD,
        work_remaining: BAD,
        decision_reason: BAD,
        [BAD]: BAD,
      }),
      `FINAL DECISION: REJECTED - ${BAD}`,
      JSON.stringify({ status: "WORKING", work_remaining: BAD, agent: BAD }),
    ])
      task.reportFor(one, dispatch, text);
    one.run(["ask", one.id, BAD]);
    one.run(["advance", one.id, "block", "--reason", BAD]);
    expectNothingForged(one.scratch, one.id);
  }, 120_000);
});
