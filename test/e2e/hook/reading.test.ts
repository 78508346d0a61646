/** A worker reads what its order lists before it writes: the first edit is stopped until the hooks saw it read. */
import { describe, expect, test } from "vitest";
import { isJsonObject, parseJson } from "../../../src/core/values/json.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { answerHook } from "../../../src/surfaces/hook/answer.ts";
import type { TeamSession } from "../team.ts";
import { startTeam } from "../team.ts";

const S = "4273883f";

interface Worker {
  readonly session: TeamSession;
  /** The reason why a tool is stopped; empty where it is not. */
  readonly use: (tool: string, input: JsonObject, agent?: string) => Promise<string>;
}

/** The main agent hands the coding of the only task to a subagent. */
async function coder(...agents: readonly string[]): Promise<Worker> {
  const session = startTeam({ goal: "Fix typo", flags: ["--lean"] });
  const { repo, id } = session;
  const env = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: S };
  repo.hold(["advance", id], { env });
  repo.hold(["report", id, "-"], { env, stdin: session.play("SpecAgent") });
  const sent = repo.hold(["advance", id], { env });
  const out = repo.hold(["order", id], { env });
  expect(out.json.order?.role, `${sent.stdout}${out.stdout}`).toBe("Coder");
  const hook = async (payload: JsonObject): Promise<string> => {
    const text = JSON.stringify({ session_id: S, cwd: repo.top, ...payload });
    const answer = await answerHook(
      "claude",
      text,
      { ...repo.env, PATH: process.env["PATH"] ?? "" },
      repo.top,
    );
    const told = parseJson(answer.stdout);
    const own = isJsonObject(told) ? told["hookSpecificOutput"] : undefined;
    const reason = isJsonObject(own) ? own["permissionDecisionReason"] : undefined;
    return typeof reason === "string" ? reason : "";
  };
  for (const id of agents)
    await hook({ hook_event_name: "SubagentStart", agent_id: id, agent_type: "coder" });
  const use: Worker["use"] = async (tool, input, agent = agents[0] ?? "") =>
    await hook({
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: input,
      agent_id: agent,
      agent_type: "coder",
    });
  return { session, use };
}

const EDIT = { file_path: "app.js", content: "x" };
const UNREAD = /^HOLD reading-first \(TC-034\)/;

describe("[TC-034] before a worker writes", () => {
  test("it has read every file of its order, by whatever tool", async () => {
    const { session, use } = await coder("a1");
    const first = await use("Write", EDIT);
    expect(first).toMatch(UNREAD);
    expect(first).toContain(session.path("spec.md"));
    expect(first).toContain(session.path("tasks.yaml"));
    expect(await use("Read", { file_path: session.path("spec.md") })).toBe("");
    const second = await use("Bash", { command: "echo x > app.js" });
    expect(second).toMatch(UNREAD);
    expect(second).not.toContain("spec.md");
    expect(await use("Bash", { command: `cat ${session.path("*.yaml")}` })).toBe("");
    expect(await use("Write", EDIT)).toBe("");
  });

  test("reading, and writing elsewhere, is never stopped", async () => {
    const { use } = await coder("a1");
    for (const command of ["ls", "npm test", "echo x > /tmp/holdpoint-none", "git status"])
      expect(await use("Bash", { command }), command).toBe("");
    expect(await use("Grep", { pattern: "x" })).toBe("");
    expect(await use("Write", EDIT)).toMatch(UNREAD);
  });

  test("it is told twice at most: what no hook sees may have been read", async () => {
    const { use } = await coder("a1");
    expect(await use("Write", EDIT)).toMatch(UNREAD);
    expect(await use("Write", EDIT)).toMatch(UNREAD);
    expect(await use("Write", EDIT)).toBe("");
  });

  test("several tools at once lose nothing, and one agent does not read for another", async () => {
    const { session, use } = await coder("a1");
    await Promise.all(
      ["spec.md", "tasks.yaml"].map((name) => use("Read", { file_path: session.path(name) })),
    );
    expect(await use("Write", EDIT)).toBe("");
    // This one was not started for the work: the boundary of its role is all that holds it.
    expect(await use("Write", EDIT, "a9")).not.toMatch(UNREAD);
  });
});
