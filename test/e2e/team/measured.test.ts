/** The work itself is evidence: what agents did, whatever they say, through the command line. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Reply, bareDirectory } from "../cli.ts";
import * as team from "../team.ts";

const messages = (reply: Reply): string =>
  (reply.json.refusals ?? []).map((one) => `${one.code}: ${one.message}`).join("; ");
const files = (...files_changed: readonly string[]): string =>
  team.agentReply({ artifacts: { files_changed } });
const reviewed: string = team.agentReply({ artifacts: { checklist_summary: team.CHECKLIST } });

describe("no work, no step", () => {
  test("[TC-006] [TC-085] a Coder's OK with nothing changed is asked about, and so is an old reply for another task", () => {
    const session = team.sessionAt("loop2");
    session.send("code", "T-001");
    const said = session.play("Coder");
    session.report(said);
    session.work("review", "T-001");
    session.work("test", "T-001");
    session.send("code", "T-002");
    const held = session.report(said);
    expect(held.json.held).toMatchObject([{ question: "nothing-done" }]);
    expect(session.read("tasks.yaml")).toContain("status: in-progress");
    session.answer("write the second part into lib.js");
    const again = session.send("code", "T-002");
    expect(JSON.stringify(again.json.order?.task)).toContain("write the second part into lib.js");
    session.repo.write("lib.js", "2\n");
    expect(session.report(files("lib.js")).exit).toBe(0);
  }, 120_000);

  test("[TC-006] deleted files, ./x and absolute paths are what they are", () => {
    const session = team.sessionAt("coded");
    session.work("review", "T-001", team.blocking("take it away"));
    session.send("fix-review", "T-001");
    session.repo.remove("app.js");
    session.repo.write("src/b.js", "1\n");
    session.repo.write("src/c.js", "1\n");
    const reply = session.report(files("app.js", "./src/b.js", join(session.repo.top, "src/c.js")));
    expect(reply.exit, reply.stdout).toBe(0);
    expect(reply.json.notes ?? []).toEqual([]);
  }, 120_000);

  test("[TC-141] a lean session that changes 201 files is asked about, whatever was declared", () => {
    const session = team.sessionAt("leanLoop");
    session.send("code", "T-001");
    for (let number = 0; number <= 200; number += 1)
      session.repo.write(`src/${number}.js`, `${number}\n`);
    session.report(files("src/0.js"));
    const held = session.send("review", "T-001");
    expect(held.json.held).toMatchObject([{ question: "lean-outgrown" }]);
    expect(held.json.held?.[0]?.prompt).toContain("has changed 201");
    session.answer("full");
    expect([session.at(), session.status().mode]).toEqual(["INTAKE", "full"]);
  }, 120_000);
});

describe("what is hidden", () => {
  test("[TC-011] [TC-125] code that the Coder lets git ignore is reviewed, and bound like any other", () => {
    const session = team.sessionAt("loop");
    session.send("code", "T-001");
    session.repo.write(".gitignore", "build/\nsrc/hidden.js\n");
    session.repo.write("src/hidden.js", "1\n");
    session.repo.write("app.js", "1\n");
    const reply = session.report(files("app.js", ".gitignore"));
    expect(reply.json.notes).toMatchObject([
      { code: "changed-unclaimed", message: "changed, but not named: src/hidden.js" },
    ]);
    const order = session.send("review", "T-001").json.order;
    expect(JSON.stringify(order?.task?.["session_changed_files"])).toContain("src/hidden.js");
    session.report(reviewed);
    session.repo.write("src/hidden.js", "2\n");
    expect(messages(session.send("test", "T-001"))).toContain("review goes first");
  }, 120_000);
});

test("[TC-006] [TC-011] what was ignored before is named as not measured, also where the report names it", () => {
  const session = team.sessionAt("loop");
  session.send("code", "T-001");
  session.repo.write("build/out.js", "1\n");
  const held = session.report(files("build/out.js")).json.held?.[0];
  expect(held?.about["message"]).toContain("ignored, and so not measured: build/");
  session.repo.write("app.js", "1\n");
  expect(session.repo.hold(["answer", session.id, "again"]).exit).toBe(0);
  session.send("code", "T-001");
  session.repo.write("app.js", "2\n");
  const reply = session.report(files("app.js", "build/out.js"));
  expect(reply.json.notes).toMatchObject([
    {
      code: "claimed-unchanged",
      message: "named, but ignored, and so not measured: build/out.js",
    },
  ]);
}, 120_000);

describe("what is committed is judged by the role, also where the files were put back", () => {
  const evil = ({ repo }: team.TeamSession): void => {
    repo.write("app.js", "evil\n");
    repo.git("add", "app.js");
    repo.git("commit", "--quiet", "-m", "mine");
  };

  test.each([
    ["restores the file", ({ repo }: team.TeamSession, text: string) => repo.write("app.js", text)],
    [
      "sets the branch back",
      ({ repo }: team.TeamSession, text: string) => {
        repo.git("reset", "--quiet", "--soft", "HEAD~1");
        repo.write("app.js", text);
      },
    ],
  ])("[TC-169] QA that commits the product and %s is refused", (_, putBack) => {
    const session = team.sessionAt("coded");
    session.work("review", "T-001");
    session.send("test", "T-001");
    const text = session.repo.read("app.js");
    evil(session);
    putBack(session, text);
    const refused = session.report(session.play("QA"));
    expect(refused.exit, refused.stdout).toBe(10);
    expect(messages(refused)).toContain("role-boundary: QA may not change app.js");
  });
});

test("[TC-169] who commits what lay there has not changed it, and a commit that was refused has a way out", () => {
  const session = team.sessionAt("loop");
  session.send("code", "T-001");
  session.repo.write("app.js", "1\n");
  session.repo.git("add", "--all");
  session.repo.git("commit", "--quiet", "-m", "mine, and all that lay there");
  const taken = session.report(files("app.js"));
  expect(taken.exit, taken.stdout).toBe(0);
  session.send("review", "T-001");
  session.repo.git("commit", "--quiet", "--allow-empty", "-m", "mine");
  expect(messages(session.report(reviewed))).toContain("role-boundary: Reviewer may not commit");
  session.repo.git("reset", "--quiet", "--soft", "HEAD~1");
  expect(messages(session.report(reviewed))).toContain("role-boundary: Reviewer may not commit");
  expect(session.repo.hold(["advance", session.id, "cancel"]).exit).toBe(0);
  // Git dates commits by the second: what is from the second of an order counts as made under it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  session.send("review", "T-001");
  expect(session.report(reviewed).exit).toBe(0);
}, 120_000);

describe("a judge that changes anything is named and refused", () => {
  const cases: readonly (readonly [string, (session: team.TeamSession) => void])[] = [
    ["deletes a file", ({ repo }) => repo.remove("app.js")],
    [
      "puts a link in its place",
      ({ repo }) => {
        repo.remove("app.js");
        symlinkSync(".gitignore", join(repo.top, "app.js"));
      },
    ],
    [
      "puts a folder in its place",
      ({ repo }) => {
        repo.remove("app.js");
        mkdirSync(join(repo.top, "app.js"));
        repo.write("app.js/x", "1");
      },
    ],
    ["makes it a program", ({ repo }) => chmodSync(join(repo.top, "app.js"), 0o755)],
    ["moves it", ({ repo }) => renameSync(join(repo.top, "app.js"), join(repo.top, "moved.js"))],
    [
      "hides a file behind an ignore file",
      ({ repo }) => {
        repo.write("src/.gitignore", "*\n");
        repo.write("src/hidden.js", "1\n");
      },
    ],
    [
      "commits",
      ({ repo }) => {
        repo.write("app.js", "other\n");
        repo.git("add", "app.js");
        repo.git("commit", "--quiet", "-m", "mine");
        repo.git("revert", "--no-edit", "HEAD");
      },
    ],
    [
      "changes one of 2,100 paths",
      ({ repo }) => {
        for (let number = 0; number < 2_100; number += 1) repo.write(`many/${number}`, "1");
      },
    ],
  ];

  test.each(cases)("[TC-169] [TC-172] that %s", (_, changes) => {
    const session = team.sessionAt("coded");
    session.send("review", "T-001");
    changes(session);
    const refused = session.report(reviewed);
    expect(refused.exit, refused.stdout).toBe(10);
    expect(messages(refused)).toMatch(/role-boundary: Reviewer may not (?:change|commit)/);
    expect(session.read("tasks.yaml")).toContain("status: implemented");
  });

  test("[TC-028] [TC-169] where git is told to ignore the sessions, their files are watched all the same", () => {
    const session = team.sessionAt("coded");
    session.repo.write(".git/info/exclude", ".agents-work/\n");
    session.repo.write(".gitignore", "build/\n.agents-work/\n");
    session.send("review", "T-001");
    session.file("spec.md", `${team.SPEC}\nmine\n`);
    const refused = session.report(reviewed);
    expect(messages(refused), refused.stdout).toContain(
      `Reviewer may not change ${session.path("spec.md")}`,
    );
  }, 120_000);

  test("[TC-169] without git, and with a ceiling over it, what was changed is measured all the same", () => {
    const session = team.startTeam({ repo: bareDirectory() });
    session.send("specify");
    const said = session.play("SpecAgent");
    session.repo.write("src/a.js", "1\n");
    expect(messages(session.report(said))).toContain("SpecAgent may not change src/a.js");
    rmSync(join(session.repo.top, "src"), { recursive: true });
    expect(session.report(said).exit).toBe(0);
    const other = team.sessionAt("coded");
    other.send("review", "T-001");
    other.repo.write("app.js", "other\n");
    const env = { GIT_CEILING_DIRECTORIES: other.repo.top, PATH: "/nowhere" };
    const refused = other.report(reviewed, { env });
    expect(refused.exit).not.toBe(0);
    expect(other.read("tasks.yaml")).toContain("status: implemented");
  }, 120_000);
});
