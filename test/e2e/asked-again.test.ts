/** A question that comes again says what has changed since; what is long is folded. */
import { describe, expect, test } from "vitest";
import { NO_CHECKS } from "./cli.ts";
import {
  NAME,
  answer,
  changeSetting,
  doWork,
  finish,
  giveReport,
  pluginAt,
  questionOf,
  reportText,
} from "./plugin.ts";
import * as team from "./team.ts";

interface Again {
  readonly decision: string;
  readonly files: readonly { path: string; change: string; added?: number; removed?: number }[];
  readonly said: readonly string[];
}

function againIn(json: object): readonly Again[] {
  return (json as { readonly again?: readonly Again[] }).again ?? [];
}

/** The design was sent back with words, and comes again with more lines. */
function reapproval(): team.TeamSession {
  const session = team.sessionAt("gate");
  session.answer("changes-requested: say how it is stored");
  session.send("correct-architecture");
  session.file("architecture.md", `${team.ARCHITECTURE}\nIn a file.\nOr two.\n`);
  session.report(team.agentReply({ summary: "says where it is kept" }));
  return session;
}

describe("a question that comes again", () => {
  test("the first time there is nothing to say", () => {
    const session = team.sessionAt("gate");
    expect(againIn(session.repo.hold(["next", session.id]).json)).toEqual([]);
    expect(session.repo.say(["status", session.id]).stdout).not.toContain("Asked before");
  });

  test("names the files with their lines, and what was said in between", () => {
    const session = reapproval();
    const file = session.path("architecture.md");
    for (const verb of ["next", "status", "hold"]) {
      const [again] = againIn(session.repo.hold([verb, session.id]).json);
      expect(again, verb).toMatchObject({
        decision: "UD-APPROVE-DESIGN",
        files: [{ path: file, change: "modified", added: 3, removed: 0 }],
      });
      expect(again?.said.join("\n")).toMatch(
        /answered UD-APPROVE-DESIGN: changes-requested: say how it is stored\nArchitect reported OK: says where it is kept/,
      );
      const { stdout } = session.repo.say([verb, session.id]);
      expect(stdout, verb).toMatch(
        /Asked before, .*Since then:\n {2}modified .*architecture\.md {2}\+3 -0\n/,
      );
      expect(stdout, verb).toContain("› Architect reported OK: says where it is kept");
    }
  }, 60_000);

  test("counts from when it was asked last, also what was edited by hand between two askings", () => {
    const session = team.sessionAt("gate");
    const lines: string[] = [];
    for (const line of ["One.", "Two."]) {
      lines.push(line);
      session.file("architecture.md", [team.ARCHITECTURE, ...lines, ""].join("\n"));
      const { stdout } = session.repo.say(["answer", session.id, "approved"]);
      expect(stdout).toContain("! UD-APPROVE-DESIGN void: what it is about has changed");
    }
    const [again] = againIn(session.repo.hold(["next", session.id]).json);
    const file = { path: session.path("architecture.md"), change: "modified", added: 1 };
    expect(again?.files).toMatchObject([file]);
  }, 60_000);

  test("stands before the question when a report leads to it", () => {
    const session = team.sessionAt("gate");
    session.answer("changes-requested: say how it is stored");
    session.send("correct-architecture");
    session.file("architecture.md", `${team.ARCHITECTURE}\nIn a file.\n`);
    const said = session.repo.say(["report", session.id, "-", ...team.ORCHESTRATOR], {
      stdin: team.agentReply(),
    });
    expect(said.stdout).toMatch(/Asked before[^]*\+2 -0[^]*\? Is the design approved/);
  }, 60_000);

  test("a repair that failed again says what it did, and not what was there before", () => {
    const scratch = pluginAt("p3");
    const failed = (issue: string): string =>
      reportText("3", { with: { status: "failure", issues: [issue] } });
    doWork(scratch, "3");
    expect(questionOf(giveReport(scratch, failed("it howls")))).toBe("stage-failed");
    answer(scratch, "1");
    const file = `plugins/${NAME}/Source/PluginProcessor.cpp`;
    scratch.edit(file, (text) => `${text}one\ntwo\n`);
    expect(questionOf(giveReport(scratch, failed("it still howls")))).toBe("stage-failed");
    const [again] = againIn(scratch.hold(["next", NAME]).json);
    expect(again?.files).toEqual([{ path: file, change: "modified", added: 2, removed: 0 }]);
    // Nothing changes without an order, and what does is seen all the same.
    scratch.edit(file, (text) => text.replace("one\n", ""));
    const [later] = againIn(scratch.hold(["next", NAME]).json);
    expect(later?.files).toEqual([{ path: file, change: "modified", added: 1, removed: 0 }]);
  }, 60_000);

  test("a report that waits: only what changed since the tests were red", () => {
    const scratch = pluginAt("p2");
    changeSetting(scratch, "holdpoint.config.json", {
      checks: { ...NO_CHECKS, tests: { run: ["test", "-e", "ok"] } },
    });
    finish(scratch, "2", { outputs: { parameter_count: 3 } });
    answer(scratch, "1");
    expect(questionOf(finish(scratch, "3"))).toBe("tests-failed");
    scratch.write("NOTES.md", "one\ntwo\n");
    expect(questionOf(answer(scratch, "1"))).toBe("tests-failed");
    const [again] = againIn(scratch.hold(["next", NAME]).json);
    expect(again?.files).toEqual([{ path: "NOTES.md", change: "added", added: 2, removed: 0 }]);
  }, 60_000);
});

describe("what is long", () => {
  test("is folded, and shown by the command that it names", () => {
    const session = team.sessionAt("gate");
    session.answer("changes-requested: more files");
    session.send("correct-architecture");
    session.file("architecture.md", `${team.ARCHITECTURE}\nMore.\n`);
    session.report(team.agentReply());
    for (let count = 10; count < 40; count += 1) session.repo.write(`notes/n${count}.md`, "one\n");
    const { stdout } = session.repo.say(["next", session.id]);
    expect(stdout).not.toContain("notes/n39.md");
    expect(stdout).toContain(`(19 more lines: holdpoint next ${session.id} --full)`);
    const whole = session.repo.say(["next", session.id, "--full"]).stdout;
    expect(whole).toContain("added notes/n39.md");
    expect(whole).toContain("+1 -0");
    expect(whole).not.toContain("more lines");
  }, 60_000);
});
