// oxlint-disable vitest/expect-expect -- most cases check through helpers that throw
/** Holdpoint's own moves go through its own fence, in every family; and where a fence can be put up, and where not. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, repository, scratchAt, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, expectStopped, fenced, install, problemsOf, tryGit } from "../fence.ts";
import { answer, finish, NAME, pluginAt, writeBuild, writeValidated, UNTESTED } from "../plugin.ts";
import * as tasks from "../task.ts";
import * as team from "../team.ts";

describe("a whole walk with the fence up", () => {
  test("of the plugin workflow", () => {
    const scratch = pluginAt("p0");
    install(scratch);
    finish(scratch, "0");
    answer(scratch, "1");
    finish(scratch, "2", { outputs: { parameter_count: 3 } });
    answer(scratch, "1");
    finish(scratch, "3");
    answer(scratch, "headless");
    finish(scratch, "4");
    answer(scratch, "1");
    writeValidated(scratch);
    scratch.hold(`advance ${NAME}`);
    writeBuild(scratch);
    expect(answer(scratch, "1").json).toMatchObject({ pending: [], warnings: [UNTESTED] });
    expect(scratch.git("status", "--porcelain", "--", "plugins", "PLUGINS.md")).toBe("");
    expect(Number(scratch.git("rev-list", "--count", "main"))).toBeGreaterThan(4);
    expect(problemsOf(scratch)).toEqual([]);
    const first = scratch.git("rev-list", "--max-parents=0", "main");
    const checked = scratch.hold(["fence", "check", `${first}..main`]);
    expect(checked.json).toMatchObject({ ok: true });
    expect(scratch.hold(["fence", "check", "main"]).exit).toBe(10);
  });

  test("of the team contract", () => {
    const session = team.sessionAt("leanIntegrate");
    install(session.repo);
    expect(session.run("advance", ["finish"]).json.state).toBe("DONE");
    expect(problemsOf(session.repo)).toEqual([]);
  });

  test("of the task protocol, and of a merge that does not build and is taken back", () => {
    const { ID, SCOPES } = tasks;
    const scratch = tasks.taskRepository(
      { [ID]: SCOPES.LOW, other: "docs/other.md" },
      { checks: { build: { run: ["sh", "-c", "! test -e broken"] } } },
    );
    install(scratch);
    const task = tasks.classified(tasks.started(scratch, ID), SCOPES.LOW);
    tasks.planned(tasks.gathered(task), [SCOPES.LOW]);
    tasks.write(task.code, SCOPES.LOW, "one\n");
    tasks.archived(task);
    const head = task.git("rev-parse", "HEAD");
    task.run(["advance", ID, "skip"]);
    // The task's own branch is free; main is not, until a person has released it.
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", ID]));
    expect(task.answer("approve").exit).toBe(0);
    const before = scratch.git("rev-parse", "main");
    scratch.write("broken", "");
    writeFileSync(join(scratch.top, ".git/info/exclude"), "broken\n.holdpoint/\n");
    const failed = task.run(["advance", ID, "complete"], { cwd: scratch.top });
    expect(failed.stdout).toContain("main-broken");
    expect(scratch.git("rev-parse", "main")).toBe(before);
    expect(problemsOf(scratch)).toEqual([]);
    scratch.remove("broken");
    const again = task.run(["advance", ID, "complete"], { cwd: scratch.top });
    expect(again.json.refusals).toBeUndefined();
    expect(scratch.git("rev-parse", "main")).toBe(head);
    expect(problemsOf(scratch)).toEqual([]);
    expect(scratch.hold(["fence", "check", `${before}..main`]).json).toMatchObject({ ok: true });
  });

  test("of a savepoint on a branch that has moved meanwhile", () => {
    const scratch = fenced();
    answer(scratch, "1");
    scratch.hold(["start", "Other", "--brief", "x", "--protocol", "plugin-workflow"]);
    const env = { HOLDPOINT_DIE_AT: "git.update-ref" };
    const dying: Scratch = {
      ...scratch,
      hold: (args, more) => scratch.hold(args, { ...more, env }),
    };
    expect(finish(dying, "2", { outputs: { parameter_count: 3 } }).exit).toBe(-1);
    const tip = scratch.git("rev-parse", "main");
    const other = scratch.git("commit-tree", "main^{tree}", "-p", "main", "-m", "reviewed by hand");
    scratch.hold(["fence", "open", "main", other, "--reason", "a hotfix"]);
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", other])).toMatchObject({ exit: 0 });
    expect(scratch.hold(["reconcile", NAME]).json).toMatchObject({ pending: [] });
    expect(scratch.git("rev-parse", "main~2")).toBe(tip);
    expect(problemsOf(scratch)).toEqual([]);
  });
});

describe("opening it", () => {
  test("is for one move, by a person, and recorded", () => {
    const scratch = fenced();
    const [evil, other] = [evilCommit(scratch), evilCommit(scratch, "main", "other")];
    scratch.hold(["fence", "open", "main", evil.slice(0, 12), "--reason", "a hotfix"]);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", other]));
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", evil])).toMatchObject({ exit: 0 });
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", `${evil}~1`]));
    expect(problemsOf(scratch)).toEqual([]);
    expect(scratch.hold("audit repository").stdout).toContain("a hotfix");
    const range = scratch.hold(["fence", "check", "main~1..main"]).json;
    expect(range).toMatchObject({ ok: true, commits: [{ released: true }] });
  });

  test("of what cannot be opened is refused", () => {
    const scratch = fenced();
    const code = (...args: readonly string[]): string | undefined => {
      const { json } = scratch.hold(["fence", "open", ...args, "--reason", "x"]);
      return json.refusals?.[0]?.code ?? json.error?.code;
    };
    expect(code("main", "no-such-commit")).toBe("commit-unknown");
    expect(code("other", "main")).toBe("fence-no-branch");
    expect(code("main")).toBe("usage");
    expect(scratch.hold("fence dance").exit).toBe(2);
    expect(scratch.hold("fence check no..such").json.refusals?.[0]?.code).toBe("range-unknown");
    expect(scratch.hold(["fence", "check", "--output=x"]).exit).not.toBe(0);
  });
});

describe("where it is put up", () => {
  const hook = (scratch: Scratch): string => join(scratch.top, ".git/hooks/reference-transaction");

  test("a foreign hook is kept, called with what git tells it, and put back", () => {
    const scratch = repository();
    const log = join(scratchDirectory(), "log");
    scratch.hook("reference-transaction", `{ echo "$1"; cat; } >> ${log}`);
    const before = readFileSync(hook(scratch), "utf8");
    install(scratch);
    const evil = evilCommit(scratch);
    scratch.git("update-ref", "refs/heads/work", evil);
    const told = readFileSync(log, "utf8");
    for (const state of ["prepared", "committed"])
      expect(told).toContain(`${state}\n${"0".repeat(40)} ${evil} refs/heads/work\n`);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
    install(scratch);
    const down = scratch.say(["fence", "uninstall", "--reason", "moved"]);
    expect([down.exit, down.stdout]).toEqual([0, expect.stringContaining("The fence is down")]);
    expect(readFileSync(hook(scratch), "utf8")).toBe(before);
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", evil])).toMatchObject({ exit: 0 });
  });

  test("a foreign hook that says no is heard", () => {
    const scratch = repository();
    scratch.hook("reference-transaction", "exit 3");
    install(scratch);
    expect(tryGit(scratch, ["branch", "work"]).exit).not.toBe(0);
  });

  test("core.hooksPath of the user: every hook there goes on, and nothing is written there", () => {
    const scratch = repository();
    const shared = scratchDirectory();
    writeFileSync(join(shared, "pre-commit"), "#!/bin/sh\necho ran > hook-ran\n", { mode: 0o755 });
    const global = join(scratchDirectory(), "gitconfig");
    writeFileSync(global, `[core]\n\thooksPath = ${shared}\n`);
    const here = scratchWith(scratch, { GIT_CONFIG_GLOBAL: global });
    install(here);
    expect(existsSync(join(shared, "reference-transaction"))).toBe(false);
    expectStopped(here, () => tryGit(here, ["update-ref", "refs/heads/main", evilCommit(here)]));
    here.git("switch", "--quiet", "--create", "work");
    here.git("commit", "--quiet", "--allow-empty", "-m", "fine");
    expect(here.read("hook-ran")).toBe("ran\n");
    here.hold(["fence", "uninstall", "--reason", "moved"]);
    expect(tryGit(here, ["config", "--local", "core.hooksPath"]).exit).toBe(1);
  });

  test("core.hooksPath of the repository, with the hooks committed, as husky has them", () => {
    const scratch = repository();
    mkdirSync(join(scratch.top, ".husky"));
    scratch.write(".husky/pre-commit", "#!/bin/sh\nexit 1\n");
    chmodSync(join(scratch.top, ".husky/pre-commit"), 0o755);
    commitFile(scratch, ".husky/pre-commit", scratch.read(".husky/pre-commit"));
    scratch.git("config", "core.hooksPath", ".husky");
    install(scratch);
    expect(scratch.git("status", "--porcelain")).toBe("");
    install(scratch);
    expectStopped(scratch, () =>
      tryGit(scratch, ["update-ref", "refs/heads/main", evilCommit(scratch)]),
    );
    scratch.git("switch", "--quiet", "--create", "work");
    expect(tryGit(scratch, ["commit", "--quiet", "--allow-empty", "-m", "x"]).exit).toBe(1);
    // Its own installer points git back to its own place.
    scratch.git("config", "core.hooksPath", ".husky");
    expect(problemsOf(scratch)).toEqual(["hooks-elsewhere"]);
    scratch.hold(["fence", "uninstall", "--reason", "moved"]);
    expect(scratch.git("config", "core.hooksPath")).toBe(".husky");
  });

  test("a hook that is no file is not replaced", () => {
    const scratch = repository();
    mkdirSync(hook(scratch), { recursive: true });
    expect(scratch.hold("fence install").json.refusals?.[0]).toMatchObject({ code: "hook-odd" });
  });

  test.runIf(process.geteuid?.() === 0)("nor is one that somebody else owns", () => {
    const scratch = repository();
    scratch.hook("reference-transaction", "exit 0");
    chownSync(hook(scratch), 4_711, 4_711);
    const [refused] = scratch.hold("fence install").json.refusals ?? [];
    expect(refused).toMatchObject({ code: "hook-not-yours" });
    expect(refused?.fix).toContain("fence install");
    expect(scratch.hold("fence status").json).toMatchObject({ ok: false });
    expect(readFileSync(hook(scratch), "utf8")).toBe("#!/bin/sh\nexit 0\n");
  });

  test("a bare repository: pushes are judged before any branch moves", () => {
    const scratch = repository();
    const bare = join(scratchDirectory(), "server.git");
    scratch.git("clone", "--quiet", "--bare", scratch.top, bare);
    const server = scratchAt(bare);
    install(server);
    expect(existsSync(join(bare, "hooks/pre-receive"))).toBe(true);
    const evil = evilCommit(scratch);
    const pushed = tryGit(scratch, ["push", bare, `${evil}:refs/heads/main`]);
    expect(pushed.exit).not.toBe(0);
    expect(pushed.stderr).toMatch(/holdpoint: main does not move/);
    expect(tryGit(scratch, ["push", "--quiet", bare, `${evil}:refs/heads/work`]).exit).toBe(0);
    expect(tryGit(server, ["update-ref", "refs/heads/main", evil]).exit).not.toBe(0);
  });

  test("no commit yet: the first one is Holdpoint's too, or a person's", () => {
    const scratch = scratchAt(join(scratchDirectory(), "empty"));
    mkdirSync(scratch.top);
    scratch.git("init", "--quiet", "--initial-branch=main");
    scratch.git("config", "user.name", "Ada");
    scratch.git("config", "user.email", "ada@example.org");
    install(scratch);
    const { exit, stderr } = tryGit(scratch, ["commit", "--quiet", "--allow-empty", "-m", "first"]);
    expect(exit).not.toBe(0);
    expect(stderr).toMatch(/main does not move from nothing to/);
    const first = scratch.git("commit-tree", scratch.git("write-tree"), "-m", "first");
    scratch.hold(["fence", "open", "main", first, "--reason", "begin"]);
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", first])).toMatchObject({ exit: 0 });
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("a shallow clone: nothing is vouched for that is not here", () => {
    const scratch = pluginAt("s0");
    const shallow = join(scratchDirectory(), "shallow");
    scratch.git("clone", "--quiet", "--depth=1", `file://${scratch.top}`, shallow);
    const clone = scratchAt(shallow);
    const checked = clone.hold("fence check HEAD");
    expect(checked.exit).toBe(10);
    expect(JSON.stringify(checked.json)).toContain("cannot be vouched for here (a shallow clone)");
    expect(clone.hold("fence check HEAD~1..HEAD").json.refusals?.[0]?.code).toBe("range-unknown");
    clone.git("config", "user.name", "Eve");
    clone.git("config", "user.email", "eve@example.org");
    install(clone);
    expectStopped(clone, () => tryGit(clone, ["update-ref", "refs/heads/main", evilCommit(clone)]));
  });

  test("no repository", () => {
    const scratch = scratchAt(scratchDirectory());
    expect(scratch.hold("fence install").json.refusals?.[0]?.code).toBe("no-repository");
    expect(scratch.hold("fence status").exit).toBe(10);
  });

  test("a hook that is a link is kept as a link", () => {
    const scratch = repository();
    const real = join(scratchDirectory(), "their-hook");
    writeFileSync(real, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    mkdirSync(join(scratch.top, ".git/hooks"), { recursive: true });
    symlinkSync(real, hook(scratch));
    install(scratch);
    expect(readFileSync(real, "utf8")).toBe("#!/bin/sh\nexit 0\n");
    scratch.hold(["fence", "uninstall", "--reason", "moved"]);
    expect(readFileSync(hook(scratch), "utf8")).toBe("#!/bin/sh\nexit 0\n");
  });
});

function scratchWith(scratch: Scratch, more: Readonly<Record<string, string>>): Scratch {
  const env = { ...scratch.env, ...more };
  return {
    ...scratch,
    env,
    hold: (args, options = {}) =>
      scratch.hold(args, { ...options, env: { ...env, ...options.env } }),
    git: (...args) => {
      const { exit, stdout, stderr } = tryGit({ ...scratch, env }, args);
      if (exit !== 0) throw new Error(stderr);
      return stdout.trimEnd();
    },
  };
}
