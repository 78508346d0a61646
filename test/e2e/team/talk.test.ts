// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
/** Those around a session: two orchestrators, a person who is asked, a person who watches. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { BIN } from "../cli.ts";
import * as team from "../team.ts";

describe("two orchestrators", () => {
  test("[TC-045] [TC-047] only one moves a session; the other is told who has it", () => {
    const session = team.sessionAt("intake");
    const as = (name: string): readonly string[] => ["--session", name, ...team.ORCHESTRATOR];
    const first = session.repo.hold(["advance", session.id, "specify", ...as("one")]);
    expect(first.exit).toBe(0);
    const second = session.repo.hold(["advance", session.id, "specify", ...as("two")]);
    expect(second.exit).toBe(12);
    expect(second.json.refusals?.[0]).toMatchObject({ code: "lease-held" });
    const report = ["report", session.id, "-", ...as("two")];
    expect(session.repo.hold(report, { stdin: session.play("SpecAgent") }).exit).toBe(12);
    expect(session.at()).toBe("INTAKE");
    expect(session.count(/handed to SpecAgent/)).toBe(1);
    // A person is never locked out, and the one who has it cannot hand the same out twice.
    expect(session.repo.hold(["advance", session.id, "specify", ...as("one")]).exit).toBe(10);
  }, 60_000);

  test("[TC-045] started at the same moment, exactly one hands the work out", async () => {
    const session = team.sessionAt("intake");
    const replies = await Promise.all(
      ["one", "two", "three"].map((name) =>
        session.repo.holdLater([
          "advance",
          session.id,
          "specify",
          "--session",
          name,
          ...team.ORCHESTRATOR,
        ]),
      ),
    );
    expect(replies.map(({ exit }) => exit).toSorted((a, b) => a - b)).toEqual([0, 12, 12]);
    expect(session.count(/handed to SpecAgent/)).toBe(1);
  }, 60_000);
});

describe("asking", () => {
  test("[TC-064] [TC-065] [TC-067] [TC-071] [TC-072] [TC-082] [TC-083] [TC-085] questions are on disk before they are asked, and lead back", () => {
    const session = team.sessionAt("design");
    const ask = (text: string, origin: string) => session.run("ask", [text, "--origin", origin]);
    expect(ask("Which colours?", "trivia").json.refusals?.[0]?.code).toBe("question-incomplete");
    expect(session.run("ask", ["Approve?", "--kind", "approve-design"]).exit).toBe(10);
    for (const [index, origin] of ["requirements", "design", "scope"].entries())
      expect(ask(`Question ${index + 1}?`, origin).exit).toBe(11);
    expect(session.at()).toBe("ASK_USER");
    expect(session.status().user_decisions).toMatchObject(
      ["UD-1", "UD-2", "UD-3"].map((decision_id) => ({
        decision_id,
        status: "pending",
        answer: null,
        resolved_at: null,
        resolution_reason: null,
        state_context: "DESIGN",
      })),
    );
    expect(session.run("answer", ["blue"]).json.refusals?.[0]?.code).toBe("person-required");
    session.answer('a "quoted" \\ answer\nwith </script> \u2028 🙂 "}],"x":[');
    expect(session.at()).toBe("ASK_USER");
    expect(session.answer("no-response", ["--decision", "UD-2"]).exit).toBe(11);
    expect(session.answer("skip", ["--decision", "UD-3"]).json.refusals?.[0]?.code).toBe(
      "reason-missing",
    );
    session.answer("skip", ["--decision", "UD-3", "--reason", "out of scope"]);
    expect(session.at()).toBe("DESIGN");
    expect(session.status().user_decisions).toMatchObject([
      { status: "answered", answer: 'a "quoted" \\ answer\nwith </script> \u2028 🙂 "}],"x":[' },
      { status: "cancelled", resolution_reason: "no response provided" },
      { status: "skipped", resolution_reason: "out of scope" },
    ]);
    ask("One more?", "scope");
    expect(session.status().user_decisions.at(-1)).toMatchObject({ decision_id: "UD-4" });
  }, 60_000);
});

describe("watching", () => {
  test("[TC-131] status --watch tells every change as it happens and ends with Ctrl-C", async () => {
    const session = team.sessionAt("gate");
    const child = spawn(process.execPath, [BIN, "status", session.id, "--watch"], {
      cwd: session.repo.top,
      env: session.repo.env,
    });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const until = async (text: string): Promise<void> => {
      while (!shown.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until("waits for a person: UD-APPROVE-DESIGN");
    await session.repo.holdLater(["answer", session.id, "approved"]);
    await until("APPROVE_DESIGN → PLAN");
    await until(`${session.path("status.json")} changed`);
    await until("Planning the tasks");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(shown).toContain("UD-APPROVE-DESIGN answered by person:");
  }, 60_000);

  test("[TC-131] for programs --watch --json gives one object a line, and names an edit that does not count", async () => {
    const session = team.sessionAt("gate");
    const child = spawn(process.execPath, [BIN, "status", session.id, "--watch", "--json"], {
      cwd: session.repo.top,
      env: session.repo.env,
    });
    const lines: Record<string, unknown>[] = [];
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    const until = async (type: string, text = ""): Promise<Record<string, unknown>> => {
      for (;;) {
        const found = lines.find(
          (one) => one["type"] === type && JSON.stringify(one).includes(text),
        );
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    expect(await until("state")).toMatchObject({ state: "APPROVE_DESIGN", workflow: session.id });
    session.repo.edit(session.path("status.json"), (text) =>
      text.replace(/"answer": null/, '"answer": "approved"'),
    );
    expect(await until("file")).toMatchObject({
      path: session.path("status.json"),
      change: "changed",
    });
    // On a busy machine the watcher may also see the file between its truncation and its new text.
    expect(await until("drift", "user_decisions")).toMatchObject({
      drift: expect.stringContaining('user_decisions[0].answer "approved", the journal says null'),
    });
    await session.repo.holdLater(["answer", session.id, "approved"]);
    expect(await until("event")).toMatchObject({
      seq: expect.any(Number),
      text: expect.any(String),
    });
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(lines.at(-1)).toMatchObject({ ok: true, workflow: session.id });
  }, 60_000);
});
