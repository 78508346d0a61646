import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compose } from "../../compose.ts";
import type { Actor, Command } from "../../core/commands.ts";
import { act, find, orderFor, start } from "../../engine/engine.ts";
import type { Parts } from "../../engine/parts.ts";
import { teamFamily } from "./family.ts";

const ID = "2026-03-01_add-dark-mode";
const LEAN = {
  unambiguous: true,
  files: 1,
  architecture: false,
  ui: false,
  security: false,
  minutes: 5,
};
const agent: Actor = { kind: "agent", name: "claude", role: "Orchestrator" };
const person: Actor = { kind: "person", name: "ada" };
const made: string[] = [];
afterAll(() => made.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

const SPEC = "# Goals\nx\n# Acceptance Criteria\nx\n# Definition of Done\nx\n";
const REPORT = "# What was done\nx\n# How to run\nx\n# How to test\nx\n# Known issues\nx\n";
const TASKS = (status = "not-started") =>
  `# the plan\ntasks:\n  - id: T-001\n    status: ${status}\n    type: feat\n    title: dark\n    goal: draw it\n    depends_on: []\n    done_when: [AC-001]\n    acceptance_checks: ["cmd: test -f app.js"]\n`;

/** A session in a real repository, driven through the engine as the command line would. */
class Session {
  readonly dir = mkdtempSync(join(tmpdir(), "team-"));
  parts: Parts | undefined;

  async open(): Promise<this> {
    made.push(this.dir);
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: this.dir });
    this.write("README.md", "# Demo\n");
    execFileSync("git", ["add", "."], { cwd: this.dir });
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"], {
      cwd: this.dir,
    });
    return await this.restart();
  }

  /** A new process on the same repository. */
  async restart(): Promise<this> {
    const composed = await compose({ cwd: this.dir, families: [teamFamily], env: {} });
    if (composed.kind === "failed") throw new Error(composed.message);
    this.parts = composed.parts;
    return this;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
  }

  file(name: string, text: string): void {
    this.write(`.agents-work/${ID}/${name}`, text);
  }

  read(name: string): string {
    return readFileSync(join(this.dir, `.agents-work/${ID}/${name}`), "utf8");
  }

  status(): Record<string, unknown> {
    return JSON.parse(this.read("status.json")) as Record<string, unknown>;
  }

  get open_(): Parts {
    if (this.parts === undefined) throw new Error("not open");
    return this.parts;
  }

  async begin(options: Record<string, string>): Promise<void> {
    const outcome = await start(this.open_, teamFamily, {
      id: ID,
      options,
      caller: { actor: agent, session: "s-1" },
    });
    expect(outcome.kind).not.toBe("refused");
  }

  async found() {
    const found = await find(this.open_, ID);
    if (found.kind !== "found") throw new Error(JSON.stringify(found.refusals));
    return found;
  }

  async do(command: Command, actor: Actor = agent): Promise<readonly string[]> {
    const outcome = await act(this.open_, await this.found(), command, { actor, session: "s-1" });
    if (outcome.kind === "failed") throw new Error(outcome.message);
    return outcome.kind === "refused"
      ? outcome.refusals.map((one) => `${one.code}: ${one.message}`)
      : [];
  }

  /** Hand it out, let the agent write, take its reply in. */
  async work(
    spec: string,
    unit: string,
    writes: () => void = () => undefined,
    more: object = {},
  ): Promise<void> {
    expect(await this.do({ type: "dispatch.send", spec, unit })).toEqual([]);
    const { family, state } = await this.found();
    const dispatch = Object.values(state.dispatches).at(-1);
    if (dispatch === undefined) throw new Error("nothing was sent");
    const order = await orderFor(this.open_, { family, state }, dispatch);
    expect(order.prompt).toContain(`You are ${order.role}`);
    writes();
    const text = JSON.stringify({
      status: "OK",
      summary: "done",
      artifacts: { files_changed: [], checklist_summary: CHECKLIST, ...more },
      gates: {
        meets_definition_of_done: true,
        needs_review: true,
        needs_tests: false,
        security_concerns: [],
      },
      next: { recommended_agent: "Reviewer", recommended_task_id: "same", reason: "" },
    });
    const read = family.readReport(text, dispatch, state);
    if (read.kind !== "report") throw new Error(JSON.stringify(read));
    expect(
      await this.do({ type: "dispatch.report", dispatch: dispatch.id, claim: read.claim }),
    ).toEqual([]);
  }

  async answer(decision: string, text: string): Promise<void> {
    expect(await this.do({ type: "decision.answer", decision, text }, person)).toEqual([]);
  }
}

const CHECKLIST = {
  security: "N/A",
  architecture: "OK",
  logic: "OK",
  performance: "OK",
  quality: "OK",
  devils_advocate: "OK",
};
const TESTED = { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" } };
const acceptance = JSON.stringify({
  acceptance_criteria: [{ id: "AC-001", description: "d", verify: ["test -f app.js"] }],
});

describe("through the engine", () => {
  test("[TC-049] [TC-120] [TC-144] [TC-131] a lean session from start to DONE, its files right at every step", async () => {
    const session = await new Session().open();
    await session.begin({ mode: "lean", lean: JSON.stringify(LEAN), goal: "Add dark mode" });
    expect(session.status()).toMatchObject({ current_state: "INTAKE_LEAN", session: ID });
    await session.work("specify-lean", ".", () => {
      session.file("spec.md", SPEC);
      session.file("acceptance.json", acceptance);
      session.file("tasks.yaml", TASKS());
    });
    expect(session.status()).toMatchObject({ current_state: "IMPLEMENT_LOOP", mode: "lean" });
    await session.work(
      "code",
      "T-001",
      () => {
        expect(session.read("tasks.yaml")).toBe(TASKS("in-progress"));
        session.write("app.js", "1");
      },
      { files_changed: ["app.js"] },
    );
    expect(session.read("tasks.yaml")).toBe(TASKS("implemented"));
    await session.restart();
    await session.work("review", "T-001");
    await session.work("test", "T-001", () => undefined, TESTED);
    expect(session.read("tasks.yaml")).toBe(TASKS("completed"));
    expect(session.status()["current_state"]).toBe("INTEGRATE");
    const refused = await session.do({ type: "unit.move", unit: ".", move: "finish" });
    expect(refused.join()).toContain("report.md does not exist");
    expect(session.status()["last_ci_result"]).toBe("green");
    session.file("report.md", REPORT);
    expect(await session.do({ type: "unit.move", unit: ".", move: "finish" })).toEqual([]);
    expect(session.status()["current_state"]).toBe("DONE");
  });

  test("[TC-087] [TC-109] [TC-119] [TC-144] a full session up to INTEGRATE, restarted on the way, red and then green", async () => {
    const session = await new Session().open();
    await session.begin({ goal: "Add dark mode", "project-type": "web" });
    await session.work("specify", ".", () => {
      session.file("spec.md", SPEC);
      session.file("acceptance.json", acceptance);
    });
    await session.work("architect", ".", () =>
      session.file("architecture.md", "# Overview\nx\n# Modules\nx\n"),
    );
    expect(session.status()["current_state"]).toBe("APPROVE_DESIGN");
    await session.restart();
    await session.answer("UD-APPROVE-DESIGN", "changes-requested: say more");
    expect(session.read("approve-design-history.jsonl")).toContain("say more");
    await session.work("correct-spec", ".", () => session.file("spec.md", `${SPEC}more\n`));
    await session.answer("UD-APPROVE-DESIGN", "approved");
    await session.work("plan", ".", () => session.file("tasks.yaml", TASKS()));
    await session.restart();
    await session.answer("UD-REVIEW-STRATEGY", "batch");
    expect(session.status()["user_decisions"]).toMatchObject([
      { answer: "approved" },
      { answer: "per-batch" },
    ]);
    await session.work("code", "T-001", () => session.write("lib.js", "1"), {
      files_changed: ["lib.js"],
    });
    await session.work("review", "T-001");
    await session.work("test", "T-001", () => undefined, TESTED);
    await session.work("review-all", ".");
    await session.work("secure-all", ".");
    expect(session.status()["current_state"]).toBe("INTEGRATE");
    await session.work("integrate", ".");
    expect(
      (await session.do({ type: "unit.move", unit: ".", move: "to-release" })).join(),
    ).toContain("checks-not-green");
    expect(session.status()["last_ci_result"]).toBe("red");
    expect(await session.do({ type: "unit.move", unit: ".", move: "red" })).toEqual([]);
    await session.work("fix-build", ".", () => session.write("app.js", "1"), {
      files_changed: ["app.js"],
    });
    expect(await session.do({ type: "unit.move", unit: ".", move: "to-release" })).toEqual([]);
    expect(session.status()).toMatchObject({
      current_state: "RELEASE",
      retry_counts: { meta: { FIX_BUILD: 1 } },
      last_ci_result: "green",
    });
  });
});
