import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ACCEPTANCE,
  ID,
  LEAN,
  REPORT,
  SPEC,
  Session,
  TASKS,
  TESTED,
} from "../../../test/fixtures/team-contract/engine.ts";
import { teamFamily } from "./index.ts";

/** A lean session whose one task has this check, implemented and reviewed. */
async function readyToTest(check: string): Promise<Session> {
  const session = await new Session().open();
  await session.begin({ mode: "lean", lean: JSON.stringify(LEAN), goal: "Add dark mode" });
  await session.work("specify-lean", ".", () => {
    session.file("spec.md", SPEC);
    session.file("acceptance.json", ACCEPTANCE);
    session.file("tasks.yaml", TASKS().replace("cmd: test -f app.js", `cmd: ${check}`));
  });
  await session.work("code", "T-001", () => session.write("app.js", "1"), {
    files_changed: ["app.js"],
  });
  await session.work("review", "T-001");
  return session;
}

describe("a task's own commands", () => {
  const tested = async (session: Session): Promise<unknown> => {
    await session.work("test", "T-001", () => undefined, TESTED);
    return session.status()["current_state"];
  };

  test("[TC-125] [TC-149] QA's word completes nothing while they are red; that is repaired with what they printed", async () => {
    const session = await readyToTest("echo expected 2; grep -q 2 app.js");
    expect(await tested(session)).toBe("FIX_TESTS");
    expect(session.read("tasks.yaml")).toContain("status: implemented");
    const repair = await session.work("fix-tests", "T-001", () => session.write("app.js", "2"), {
      files_changed: ["app.js"],
    });
    const said = JSON.stringify(repair.data);
    expect(said).toContain("Repair this: cmd: echo expected 2; grep -q 2 app.js: exit 1");
    expect(said).toContain("printed:\\nexpected 2");
    await session.work("review", "T-001");
    await session.work("test", "T-001", () => undefined, TESTED);
    expect(session.status()["current_state"]).toBe("INTEGRATE");
    expect(session.read("tasks.yaml")).toContain("status: completed");
  });

  test("[TC-149] [TC-179] a run that writes into what it judges does not count, and is repaired by ignoring that", async () => {
    const session = await readyToTest("date +%N > coverage.txt; test -f app.js");
    expect(await tested(session)).toBe("FIX_TESTS");
    const ignore = { files_changed: [".gitignore"] };
    const repair = await session.work(
      "fix-tests",
      "T-001",
      () => session.write(".gitignore", "coverage.txt\n"),
      ignore,
    );
    expect(JSON.stringify(repair.data)).toContain("the checks write coverage.txt while they run");
    await session.work("review", "T-001");
    await session.work("test", "T-001", () => undefined, TESTED);
    expect(session.status()["current_state"]).toBe("INTEGRATE");
    session.file("report.md", REPORT);
    expect(await session.do({ type: "unit.move", unit: ".", move: "finish" })).toEqual([]);
    expect(session.status()["current_state"]).toBe("DONE");
  });

  test("[TC-149] a check that changes the code it judges never counts", async () => {
    const session = await readyToTest("date +%N >> app.js");
    expect(await tested(session)).toBe("FIX_TESTS");
  });
});

describe("through the engine", () => {
  test("[TC-049] [TC-054] [TC-061] [TC-120] [TC-144] [TC-131] a lean session from start to DONE, its files right at every step", async () => {
    const session = await new Session().open();
    await session.begin({ mode: "lean", lean: JSON.stringify(LEAN), goal: "Add dark mode" });
    expect(session.status()).toMatchObject({ current_state: "INTAKE_LEAN", session: ID });
    await session.work("specify-lean", ".", () => {
      session.file("spec.md", SPEC);
      session.file("acceptance.json", ACCEPTANCE);
      session.file("tasks.yaml", TASKS());
    });
    expect(session.status()).toMatchObject({ current_state: "IMPLEMENT_LOOP", mode: "lean" });
    await session.work(
      "code",
      "T-001",
      () => {
        expect(session.read("tasks.yaml")).toBe(TASKS("in-progress"));
        session.write("app.js", "1");
        // The Coder helps itself to the files: its own status and an assumption are fine, the mode is not.
        session.file("tasks.yaml", TASKS("implemented"));
        const { assumptions: _, ...rest } = session.status();
        const edited = { ...rest, assumptions: ["it is dark"], mode: "full" };
        session.file("status.json", JSON.stringify(edited));
      },
      { files_changed: ["app.js"] },
    );
    expect(session.read("tasks.yaml")).toBe(TASKS("implemented"));
    expect(session.warnings).toEqual([
      expect.stringMatching(
        /says mode "full", the journal says "lean"; it does not count \(.*blob/,
      ),
    ]);
    expect(session.status()).toMatchObject({ mode: "lean", assumptions: ["it is dark"] });
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
    expect(session.read("report.md")).toMatch(
      /^[^]*## Evidence\n\n- cmd: test -f app\.js: exit 0 at \S+Z, output sha256 [0-9a-f]{12}\n$/,
    );
  });

  test("[TC-087] [TC-109] [TC-119] [TC-144] a full session up to INTEGRATE, restarted on the way, red and then green", async () => {
    const session = await new Session().open();
    await session.begin({ goal: "Add dark mode", "project-type": "web" });
    await session.work("specify", ".", () => {
      session.file("spec.md", SPEC);
      session.file("acceptance.json", ACCEPTANCE);
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
    await session.work("code", "T-001", () => session.write("app.js", "1"), {
      files_changed: ["app.js"],
    });
    await session.work("review", "T-001");
    await session.work("test", "T-001", () => undefined, TESTED);
    await session.work("review-all", ".");
    await session.work("secure-all", ".");
    expect(session.status()["current_state"]).toBe("INTEGRATE");
    await session.work("integrate", ".", () => rmSync(join(session.dir, "app.js")));
    expect(
      (await session.do({ type: "unit.move", unit: ".", move: "to-release" })).join(),
    ).toContain("checks-not-green");
    expect(session.status()["last_ci_result"]).toBe("red");
    const described = teamFamily.words.describe((await session.found()).state).details;
    expect(described.find((one) => one.name === "check 1")?.value).toMatch(
      /^cmd: test -f app\.js: exit 1 at 2\d{3}-\S+Z, output sha256 [0-9a-f]{12}$/,
    );
    expect(await session.do({ type: "unit.move", unit: ".", move: "red" })).toEqual([]);
    const repair = await session.work("fix-build", ".", () => session.write("app.js", "2"), {
      files_changed: ["app.js"],
    });
    expect(repair.data).toMatchObject({
      task: {
        constraints: ["Repair this: cmd: test -f app.js: exit 1"],
      },
      repo_state: { ci_status: "red", last_failed_step: "cmd: test -f app.js" },
    });
    // The code is another than that which was checked: everybody looks once more.
    const release = { type: "unit.move", unit: ".", move: "to-release" } as const;
    expect((await session.do(release)).join()).toContain("Reviewer, QA have not passed it");
    expect(await session.do({ type: "dispatch.send", spec: "test-late", unit: "." })).toEqual([
      "not-its-turn: review goes first",
    ]);
    await session.work("review-late", ".");
    await session.work("test-late", ".", () => undefined, TESTED);
    expect(await session.do(release)).toEqual([]);
    expect(session.status()).toMatchObject({
      current_state: "RELEASE",
      retry_counts: { meta: { FIX_BUILD: 1 } },
      last_ci_result: "green",
    });
  });
});
