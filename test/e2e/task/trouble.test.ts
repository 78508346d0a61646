/** Leases, hostile repositories and broken places: refused with a reason, and nothing is lost. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, scratchAt, scratchDirectory } from "../cli.ts";
import type { Reply, Scratch } from "../cli.ts";
import {
  archived,
  classified,
  entryOf,
  expectTidy,
  gathered,
  handOut,
  planned,
  SCOPES,
  START,
  started,
  taskIn,
  taskRepository,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";

const ID = "add-guide";

function codes(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

function fresh(config?: object): Scratch {
  return taskRepository({ [ID]: SCOPES.LOW, other: "docs/other.md" }, config);
}

function begin(scratch: Scratch): Reply {
  return taskIn(scratch, ID).run(["start", ID, ...START]);
}

describe("who owns a task", () => {
  test("[TP-021] [TP-030] [TP-031] [TP-033] [TP-036] only its session moves it, only a person breaks the lease, and a stale number is refused", () => {
    const scratch = fresh();
    const task = started(scratch, ID, "s-1");
    const other = taskIn(scratch, ID, "s-2");
    expect(codes(task.run(["start", "other", ...START], { cwd: scratch.top }))).toContain(
      "session-busy",
    );
    for (const args of [
      ["start", ID, ...START],
      ["advance", ID, "begin"],
      ["lock", ID],
      ["lock", ID, "--release"],
    ]) {
      const reply = other.run(args);
      expect({ args, exit: reply.exit, codes: codes(reply) }).toEqual({
        args,
        exit: 12,
        codes: ["lease-held"],
      });
      expect(reply.json.refusals?.[0]?.message).toContain("s-1");
    }
    const { json } = task.step(["lock", ID]);
    const fence = String(Reflect.get(json.lease ?? {}, "fence"));
    expect(codes(other.run(["lock", ID, "--break", "--reason", "it hangs"]))).toEqual([
      "person-required",
    ]);
    expect(codes(scratch.hold(["lock", ID, "--break"]))).toEqual(["reason-missing"]);
    expect(scratch.hold(["lock", ID, "--break", "--reason", "it hangs"]).exit).toBe(0);
    // Its lease was ended by somebody else: what it wants now was thought out before that.
    expect(codes(task.run(["advance", ID, "begin"]))).toContain("fence-stale");
    task.step(["lock", ID]);
    const stale = task.run(["advance", ID, "begin"], { env: { HOLDPOINT_FENCE: fence } });
    expect({ exit: stale.exit, codes: codes(stale) }).toEqual({ exit: 12, codes: ["fence-stale"] });
    task.step(["lock", ID, "--release"]);
    expect(scratch.has(`${task.dir}/task.json`)).toBe(false);
    expect(scratch.hold(["audit", ID]).stdout).toContain("it hangs");
  });

  test("[TP-018] [TP-034] [TP-067] a lock edited by hand is seen, not believed, and put right", () => {
    const scratch = fresh();
    const task = started(scratch, ID, "s-1");
    scratch.edit(`${task.dir}/task.json`, (text) => text.replaceAll("s-1", "s-9"));
    expect(scratch.hold(["status", ID]).json.drift?.join(" ")).toContain("session_id");
    expect(taskIn(scratch, ID, "s-9").run(["advance", ID, "begin"]).exit).toBe(12);
    task.step(["reconcile", ID, "--restore"]);
    expect(scratch.read(`${task.dir}/task.json`)).toContain('"s-1"');
  });

  test("[TP-115] [TP-123] one step is looked at check by check, and not taken", () => {
    const scratch = fresh();
    const task = classified(started(scratch, ID), SCOPES.LOW);
    task.step(["advance", ID, "gather"]);
    const { seq } = scratch.hold(["status", ID]).json;
    const passed = task.run(["next", ID, "synthesize"]);
    expect(passed.exit).toBe(0);
    expect(Reflect.get(passed.json, "gate")).toHaveLength(10);
    const elsewhere = task.run(["next", ID, "synthesize"], { cwd: scratch.top });
    expect([elsewhere.exit, codes(elsewhere)]).toEqual([10, ["exit-3-directory"]]);
    expect(Reflect.get(elsewhere.json, "gate")).toEqual([
      "[1/9] PASSED: state is REQUIREMENTS",
      "[2/9] PASSED: lock belongs to this session",
      expect.stringMatching(/^\[3\/9\] FAILED: /) as unknown,
    ]);
    expect(codes(task.run(["next", ID, "complete"]))).toEqual(["transition-illegal"]);
    expect(codes(task.run(["next", ID, "constructor"]))).toEqual(["transition-illegal"]);
    expect(codes(task.run(["next", ID, "cancel"]))).toEqual(["dispatch-unknown"]);
    expect(task.run(["next", ID, "synthesize", "--input", "{"]).exit).toBe(2);
    expect(task.run(["next", ID, "synthesize", "now"]).exit).toBe(2);
    expect(scratch.hold(["status", ID]).json.seq).toBe(seq);
  });

  test("[TP-093] [TP-099] a status of another phase or round is no report", () => {
    const scratch = taskRepository({ [ID]: SCOPES.MEDIUM });
    const task = classified(started(scratch, ID), SCOPES.MEDIUM);
    task.step(["advance", ID, "gather"]);
    const dispatch = handOut(task, "requirements", "quality");
    for (const wrong of [{ mode: "implementation" }, { round: 2 }, { task: "other" }]) {
      const status = JSON.stringify({
        status: "COMPLETE",
        mode: "requirements",
        round: 1,
        ...wrong,
      });
      const reply = task.run(["report", ID, "-", "--dispatch", dispatch], { stdin: status });
      expect({ wrong, exit: reply.exit }).toEqual({ wrong, exit: 10 });
    }
    expect(codes(task.run(["advance", ID, "synthesize"]))).toContain("exit-6-incomplete");
  });
});

describe("what git may look like", () => {
  test("[TP-053] a dirty main and an unknown entry are refused before anything is made", () => {
    const scratch = fresh();
    expect(codes(taskIn(scratch, "nowhere").run(["start", "nowhere", ...START]))).toEqual([
      "todo-entry",
    ]);
    expect(codes(taskIn(scratch, "Bad_Name").run(["start", "Bad_Name", ...START]))).toEqual([
      "name-illegal",
    ]);
    scratch.write("src/half-done.txt", "x");
    expect(codes(begin(scratch))).toEqual(["main-dirty"]);
    expect(scratch.has(`.holdpoint/tasks/${ID}`)).toBe(false);
    expect(scratch.git("branch", "--list", ID)).toBe("");
  });

  test("[TP-029] [TP-053] what stands in the way: refused, or taken back so that the name is free again", () => {
    const scratch = fresh();
    scratch.git("branch", ID);
    expect(codes(begin(scratch))).toEqual(["branch-taken"]);
    expect(scratch.git("branch", "--list", ID).trim()).toBe(ID);
    scratch.git("branch", "-D", ID);
    scratch.write(`.holdpoint/tasks/${ID}/code/mine.txt`, "x");
    const reply = begin(scratch);
    expect([reply.exit, reply.json.state, codes(reply)]).toEqual([10, "CLEANUP", ["path-taken"]]);
    expect(scratch.git("branch", "--list", ID)).toBe("");
    expect(scratch.has(`.holdpoint/tasks/${ID}/task.json`)).toBe(false);
    expect(scratch.read(`.holdpoint/tasks/${ID}/code/mine.txt`)).toBe("x");
    expect(scratch.read("todo.md")).toContain(`**READY:** \`${ID}\``);
    rmSync(join(scratch.top, `.holdpoint/tasks/${ID}/code`), { recursive: true });
    expect(begin(scratch).json.state).toBe("INIT");
  });

  test("[TP-013] [TP-016] [TP-017] a worktree without a lock: a person decides", () => {
    const scratch = fresh();
    scratch.git("worktree", "add", "-q", "-b", ID, `.holdpoint/tasks/${ID}/code`);
    const reply = begin(scratch);
    expect(reply.exit).toBe(11);
    expect(reply.json.held?.[0]?.options.map((one) => one.id)).toEqual([
      "fresh",
      "resume",
      "different",
    ]);
    expect(taskIn(scratch, ID).run(["answer", ID, "resume"]).exit).toBe(10);
    expect(scratch.hold(["answer", ID, "resume"]).exit).toBe(0);
    expect(taskIn(scratch, ID).at()).toBe("INIT");
  });

  test("[TP-011] [TP-048] a worktree without its branch is refused, one deleted by hand is made again from its branch, when a person says so", () => {
    const scratch = fresh();
    const task = started(scratch, ID);
    task.git("checkout", "--quiet", "--detach");
    expect(codes(task.run(["advance", ID, "begin"]))).toEqual(["worktree-off-branch"]);
    task.git("switch", "--quiet", ID);
    rmSync(task.code, { recursive: true });
    expect(codes(task.run(["advance", ID, "begin"]))).toContain("worktree-missing");
    expect(task.run(["advance", ID, "worktree-lost"]).exit).toBe(11);
    expect(task.answer("recreate").exit).toBe(0);
    expect(scratch.has(`${task.dir}/code/todo.md`)).toBe(true);
  });

  test("[TP-048] a repository without commits, a bare one, a directory without git, another name for main", () => {
    const empty = scratchAt(join(scratchDirectory(), "no commits"));
    mkdirSync(empty.top);
    empty.git("init", "--quiet", "--initial-branch=trunk");
    empty.write("todo.md", entryOf(ID, SCOPES.LOW));
    expect(codes(begin(empty))).toContain("main-missing");
    empty.git("add", ".");
    empty.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first");
    expect(begin(empty).json.state).toBe("INIT");

    const bare = scratchAt(join(scratchDirectory(), "bare.git"));
    mkdirSync(bare.top);
    bare.git("init", "--quiet", "--bare");
    expect(codes(begin(bare))).toContain("git-missing");

    const none = scratchAt(join(scratchDirectory(), "none"));
    mkdirSync(none.top);
    none.write("todo.md", entryOf(ID, SCOPES.LOW));
    expect(codes(begin(none))).toContain("git-missing");
    expect(none.has(`.holdpoint/tasks/${ID}`)).toBe(false);
  });

  test("a submodule, in a path with spaces and letters that are not ASCII", () => {
    const inner = fresh();
    const outer = repository();
    const name = "größe und länge";
    const allow = ["-c", "protocol.file.allow=always"];
    outer.git(...allow, "submodule", "--quiet", "add", inner.top, name);
    outer.git("commit", "--quiet", "-m", "a submodule");
    const module = scratchAt(join(outer.top, name));
    execFileSync("git", ["config", "user.name", "Ada"], { cwd: module.top });
    execFileSync("git", ["config", "user.email", "ada@example.org"], { cwd: module.top });
    const task = started(module, ID);
    classified(task, SCOPES.LOW);
    expect(task.at()).toBe("CLASSIFIED");
    expect(outer.has(`${name}/.holdpoint/tasks/${ID}/code/todo.md`)).toBe(true);
  });
});

describe("between the release and the merge", () => {
  const prepared = (config?: object): Task => {
    const scratch = fresh(config);
    const task = planned(gathered(classified(started(scratch, ID), SCOPES.LOW)), [SCOPES.LOW]);
    write(task.code, SCOPES.LOW, "one\n");
    archived(task);
    expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    return task;
  };

  test("[TP-039] [TP-041] [TP-163] [TP-180] [TP-181] [TP-191] a moved branch, a moved main, a locked main, a detached HEAD; then it is merged after all", () => {
    const task = prepared();
    const { scratch } = task;
    const complete = (): Reply => task.run(["advance", ID, "complete"], { cwd: scratch.top });

    // Without the build in the configuration there would be nothing to pass.
    scratch.write("holdpoint.config.json", "{}");
    expect(codes(complete())).toEqual(["config-uncommitted"]);
    scratch.git("checkout", "--", "holdpoint.config.json");

    task.git("commit", "--quiet", "--amend", "-m", "another message");
    expect(complete().exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);

    scratch.git("commit", "--quiet", "--allow-empty", "-m", "somebody else");
    expect(codes(complete())).toContain("main-diverged");
    const shown = task.run(["advance", ID, "close"]);
    expect([shown.exit, Reflect.get(shown.json, "shown")]).toEqual([
      11,
      expect.arrayContaining([expect.stringContaining(task.git("rev-parse", "HEAD"))]) as unknown,
    ]);
    expect(task.answer("approve").exit).toBe(0);

    const other = taskIn(scratch, "main", "s-other");
    expect(other.run(["lock", "main"]).exit).toBe(0);
    expect(JSON.parse(scratch.read(".holdpoint/tasks/main/task.json"))).toMatchObject({
      session_id: "s-other",
      task_name: "main-worktree-operation",
      state: "IN_PROGRESS",
    });
    expect([complete().exit, codes(complete())]).toEqual([12, ["lease-held"]]);
    const atMain = (): unknown =>
      scratch.hold(["list"]).json.workflows?.find((one) => one.id === "main")?.at;
    expect(atMain()).toBe("IN_PROGRESS");
    expect(other.run(["lock", "main", "--release"]).exit).toBe(0);
    expect(atMain()).toBe("free");
    expect(scratch.has(".holdpoint/tasks/main/task.json")).toBe(false);

    scratch.git("checkout", "--quiet", "--detach");
    expect(codes(complete())).toEqual(["git-detached"]);
    expect(task.at()).toBe("AWAITING_USER_APPROVAL");
    scratch.git("stash", "--quiet");
    scratch.git("checkout", "--quiet", "main");
    expect(complete().exit).toBe(0);
    expectTidy(task);
  });

  test("[TP-192] what builds in the task but not on main is taken back, and can be merged again", () => {
    const script = "process.exit(+require('node:fs').existsSync('local.txt'))";
    const task = prepared({ checks: { build: { run: [process.execPath, "-e", script] } } });
    const { scratch } = task;
    const before = scratch.git("rev-parse", "main");
    const list = scratch.read("todo.md");
    scratch.write("local.txt", "known to nobody else\n");
    const broken = task.run(["advance", ID, "complete"], { cwd: scratch.top });
    expect([broken.exit, codes(broken)]).toEqual([10, ["main-broken"]]);
    expect(scratch.git("rev-parse", "main")).toBe(before);
    expect(scratch.read("todo.md")).toBe(list);
    expect(scratch.has(SCOPES.LOW)).toBe(false);
    const { json } = scratch.hold(["status", ID]);
    expect(json).toMatchObject({ state: "AWAITING_USER_APPROVAL", drift: [] });
    expect(Reflect.get(json, "details")).not.toHaveProperty("ended");
    rmSync(join(scratch.top, "local.txt"));
    task.step(["advance", ID, "complete"], { cwd: scratch.top });
    expectTidy(task);
  });

  test("[TP-191] a lock that a dead git left is named; the merge waits for it, and is not said to be done", () => {
    const task = prepared();
    const { scratch } = task;
    const lock = ".git/refs/heads/main.lock";
    scratch.write(lock, "");
    const blocked = task.run(["advance", ID, "complete"], { cwd: scratch.top });
    expect([blocked.exit, blocked.json.pending]).toMatchObject([1, [{ code: "git-locked" }]]);
    expect(JSON.stringify(blocked.json.pending)).toContain(lock);
    const { json } = scratch.hold(["status", ID]);
    expect(json).toMatchObject({ headline: "Being merged", pending: [{ effect: "E-3" }] });
    expect(Reflect.get(json, "details")).not.toHaveProperty("ended");
    rmSync(join(scratch.top, lock));
    task.step(["reconcile", ID], { cwd: scratch.top });
    expectTidy(task);
  });
});
