/** Sizes at which a record used to be too large. The bench goes further: 5,000 tasks, 20,000 files. */
import { describe, expect, test } from "vitest";
import { NAME, doWork, giveReport, pluginAt, reportText } from "./plugin.ts";
import * as team from "./team.ts";

describe("work of thousands", () => {
  test("a session of 2,000 tasks is planned, worked on, and verified", () => {
    const session = team.sessionAt("plan");
    session.tasks = Array.from({ length: 2_000 }, (_, n) => `T-${String(n + 1).padStart(4, "0")}`);
    expect(session.work("plan").json.held?.[0]?.prompt).toContain("2000 tasks");
    expect(session.answer("batch").exit).toBe(0);
    session.work("code", "T-1234");
    expect(session.read("tasks.yaml")).toContain("- id: T-1234 # a task\n    status: implemented");
    expect(session.repo.hold(["verify", session.id]).json).toMatchObject({ ok: true });
    // Another process folds the journal without its snapshot, and finds the same.
    session.repo.remove(".git/holdpoint/snapshots");
    expect(session.repo.hold(["status", session.id]).json).toMatchObject({
      ok: true,
      state: "IMPLEMENT_LOOP",
    });
  }, 120_000);

  test("a session begins beside 3,000 untracked files", () => {
    const session = team.startTeam({ repo: withFiles(team.emptyRepository({ a: "a\n" }), "lies") });
    session.work("specify");
    expect(session.at()).toBe("DESIGN");
  }, 120_000);

  test("a stage of 3,000 changed files is reported with all their names, and committed", () => {
    const scratch = pluginAt("p2");
    doWork(scratch, "2");
    withFiles(scratch, `plugins/${NAME}/Source/many`);
    const files = names(`plugins/${NAME}/Source/many`);
    const reply = giveReport(scratch, reportText("2", { files }));
    expect([0, 11]).toContain(reply.exit);
    const committed = scratch.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect(committed).toEqual(expect.arrayContaining([...files]));
    expect(scratch.hold(["verify", NAME]).exit).toBe(0);
  }, 120_000);
});

function withFiles<S extends { readonly write: (path: string, text: string) => void }>(
  scratch: S,
  directory: string,
): S {
  for (const name of names(directory)) scratch.write(name, `${name}\n`);
  return scratch;
}

function names(directory: string): readonly string[] {
  return Array.from({ length: 3_000 }, (_, n) => `${directory}/a-file-of-some-length-${n}.cpp`);
}
