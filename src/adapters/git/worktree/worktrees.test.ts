import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  emptyRepository,
  repository,
  scratchAt,
  scratchDirectory,
} from "../../../../test/conformance/git.ts";
import {
  adding,
  CODE,
  done,
  forest,
  readIn,
  refusal,
  removing,
  TASK,
} from "../../../../test/conformance/worktrees.ts";

describe("add", () => {
  test("[TP-048] a worktree on a branch named after the task, in a path with spaces and a dash", async () => {
    const one = forest();
    const { commit } = done(await one.worktrees.add(adding()));
    expect(commit).toBe(one.oid("main"));
    expect(await one.worktrees.list()).toEqual([
      { path: ".", branch: "main", head: commit, locked: undefined, prunable: false },
      { path: CODE, branch: TASK, head: commit, locked: "holdpoint: task", prunable: false },
    ]);
    expect(readIn(one.top, `${CODE}/other.txt`)).toContain("line 1");
    expect(one.git("status", "--porcelain")).toBe("");
  });

  test("[TP-010] a second time nothing is made, and what was done meanwhile stays", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const work = one.commit(CODE, "a.txt", "a");
    one.write(`${CODE}/b.txt`, "b");
    expect(done(await one.worktrees.add(adding()))).toMatchObject({ created: false, commit: work });
    expect(readIn(one.top, `${CODE}/b.txt`)).toBe("b");
  });

  test("[TP-029] a branch of that name that is not ours is refused, even where it stands at the base", async () => {
    const one = forest();
    one.git("branch", TASK);
    expect(refusal(await one.worktrees.add(adding()))).toMatchObject({ code: "branch-taken" });
    expect(await one.worktrees.list()).toHaveLength(1);
    expect(one.oid(TASK)).toBe(one.oid("main"));
  });

  test("[TP-215] a recorded branch is attached where it stands, its own worktree deleted by hand or not", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const work = one.commit(CODE, "a.txt", "a");
    rmSync(join(one.top, CODE), { recursive: true });
    done(await one.worktrees.add(adding({ recorded: true })));
    expect(one.at(CODE, "rev-parse", "HEAD")).toBe(work);
    expect(readIn(one.top, `${CODE}/a.txt`)).toBe("a");
    const other = join(one.top, "..", "gone");
    one.git("worktree", "add", "--quiet", "-b", "foreign", other);
    rmSync(other, { recursive: true });
    rmSync(join(one.top, CODE), { recursive: true });
    done(await one.worktrees.add(adding({ recorded: true })));
    expect((await one.worktrees.list()).map(({ branch }) => branch)).toContain("foreign");
  });

  test("what was only staged in a worktree deleted by hand is saved before its entry goes", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    one.write(`${CODE}/staged.txt`, "only staged");
    one.at(CODE, "add", "staged.txt");
    rmSync(join(one.top, CODE), { recursive: true });
    done(await one.worktrees.add(adding({ recorded: true })));
    const [ref = ""] = one.salvaged();
    const texts = one.git("rev-list", "--objects", ref);
    expect(texts).toContain("staged.txt");
  });

  test("whatever else lies in its place is refused and left alone", async () => {
    const one = forest();
    one.write("tasks/file", "x");
    one.write("tasks/full/x", "x");
    symlinkSync("nowhere", join(one.top, "tasks/link"));
    for (const path of ["tasks/file", "tasks/full", "tasks/link"]) {
      expect(refusal(await one.worktrees.add(adding({ path }))).code).toBe("path-taken");
    }
    expect(one.git("branch", "--list", TASK)).toBe("");
    expect(one.git("status", "--porcelain", "-uall").split("\n")).toHaveLength(3);
  });

  test("paths that leave the repository, and names no branch can have, are refused", async () => {
    const one = forest();
    for (const path of ["../out", "/tmp/x", ".git/x", "a/../../x", "a\nb"]) {
      expect(refusal(await one.worktrees.add(adding({ path }))).code).toMatch(/outside$/);
    }
    for (const branch of ["-b", "a..b", "a b", "", "x.lock"]) {
      expect(refusal(await one.worktrees.add(adding({ branch }))).code).toBe("branch-name");
    }
    symlinkSync(scratchDirectory(), join(one.top, "out"));
    expect(refusal(await one.worktrees.add(adding({ path: "out/code" }))).code).toBe("outside");
  });

  test("a branch checked out elsewhere is refused with the place", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const answer = refusal(await one.worktrees.add(adding({ path: "second", recorded: true })));
    expect(answer).toMatchObject({ code: "branch-checked-out", paths: [CODE] });
  });

  test("another branch in that place, or none, is refused", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    expect(refusal(await one.worktrees.add(adding({ branch: "x" }))).code).toBe("worktree-foreign");
    one.at(CODE, "checkout", "--quiet", "--detach");
    expect(refusal(await one.worktrees.add(adding())).message).toContain("detached");
    // Deleted like that, git remembers a commit that may be nowhere else; the fix works when typed.
    rmSync(join(one.top, CODE), { recursive: true });
    const lost = refusal(await one.worktrees.add(adding({ recorded: true })));
    expect([lost.code, lost.fix]).toEqual([
      "worktree-lost",
      expect.stringContaining(`git branch kept ${one.oid("main")}`),
    ]);
    one.git("worktree", "remove", "-f", "-f", CODE);
    done(await one.worktrees.add(adding({ recorded: true })));
  });

  test("a directory where a branch is wanted is refused", async () => {
    const one = forest();
    one.git("branch", `${TASK}/x`);
    expect(refusal(await one.worktrees.add(adding())).code).toBe("branch-taken");
  });

  test("without commits, without a repository, bare, without the base: each says what to do", async () => {
    const code = async (scratch: Parameters<typeof forest>[0], base = "main") =>
      refusal(await forest(scratch).worktrees.add(adding({ base }))).code;
    expect(await code(emptyRepository())).toBe("no-commits");
    expect(await code(repository(), "nowhere")).toBe("base-missing");
    const home = scratchDirectory();
    const plain = scratchAt(home, home);
    mkdirSync(join(home, ".git", "info"), { recursive: true });
    expect(await code(plain)).toBe("no-repository");
    const bare = scratchAt(scratchDirectory(), scratchDirectory());
    bare.git("init", "--quiet", "--bare");
    mkdirSync(join(bare.top, ".git", "info"), { recursive: true });
    expect(await code(bare)).toBe("git-bare");
    expect(await forest(bare).worktrees.list()).toEqual([]);
  });

  test("from inside a linked worktree paths still count from the main one", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const inside = one.open2({ cwd: join(one.top, CODE) });
    done(await inside.worktrees.add(adding({ path: "agents/a/code", branch: "t-a", base: TASK })));
    expect((await one.worktrees.list()).map(({ path }) => path)).toContain("agents/a/code");
  });

  test("a committed link to what the commit does not have is not clean, and one that main has is main's", async () => {
    const one = forest();
    one.write("../beside.txt", "x\n");
    const link = (from: string, name: string, target: string): void => {
      symlinkSync(target, join(one.top, from, name));
      one.at(from, "add", name);
      one.at(from, "commit", "--quiet", "-m", name);
    };
    link(".", "old", join(one.top, "../beside.txt"));
    done(await one.worktrees.add(adding()));
    const dirty = async () => (await one.worktrees.status({ path: CODE }))?.dirty;
    link(CODE, "inside", "other.txt");
    link(CODE, "nowhere", "gone");
    expect(await dirty()).toEqual([]);
    link(CODE, "aside", join(one.top, "../beside.txt"));
    expect(await dirty()).toEqual(["aside (a link to what no commit of it has)"]);
  });

  test("a worktree of a repository with submodules is made and removed", async () => {
    const one = forest();
    const sub = repository();
    const args = [
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      sub.top,
      "sub",
    ];
    one.git(...args);
    one.git("commit", "--quiet", "-m", "sub");
    done(await one.worktrees.add(adding()));
    one.at(CODE, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    const inSub = `${CODE}/sub`;
    one.at(inSub, "checkout", "--quiet", "-b", "mine");
    one.at(
      inSub,
      "-c",
      "user.name=A",
      "-c",
      "user.email=a@b",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "x",
    );
    const kept = refusal(await one.worktrees.remove(removing()));
    expect(kept).toMatchObject({ code: "nested-repository", paths: ["sub"] });
    one.at(inSub, "checkout", "--quiet", "main");
    one.at(inSub, "branch", "--quiet", "-D", "mine");
    expect(done(await one.worktrees.remove(removing()))).toMatchObject({ saved: [] });
  });
});

describe("status and locks", () => {
  test("clean, dirty, in a merge, detached, gone", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const status = async () => await one.worktrees.status({ path: CODE });
    expect(await status()).toMatchObject({ clean: true, branch: TASK, unfinished: undefined });
    one.write(`${CODE}/ü n.txt`, "x");
    one.write(`${CODE}/other.txt`, "x");
    expect(await status()).toMatchObject({ clean: false, dirty: ["other.txt", "ü n.txt"] });
    one.at(CODE, "stash", "--quiet", "-u");
    one.commit(CODE, "other.txt", "ours");
    one.commit(".", "other.txt", "theirs");
    expect(() => one.at(CODE, "merge", "main")).toThrow("merge");
    expect(await status()).toMatchObject({ clean: false, unfinished: "a merge" });
    one.at(CODE, "merge", "--abort");
    one.at(CODE, "checkout", "--quiet", "--detach");
    expect(await status()).toMatchObject({ clean: true, branch: undefined });
    rmSync(join(one.top, CODE), { recursive: true });
    expect(await status()).toBeUndefined();
    expect((await one.worktrees.list())[1]).toMatchObject({ prunable: true });
  });

  test("prune leaves a locked one, and somebody else's lock is not ours to open", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    rmSync(join(one.top, CODE), { recursive: true });
    one.git("worktree", "prune", "--expire=now");
    expect(await one.worktrees.list()).toHaveLength(2);
    done(await one.worktrees.unlock({ path: CODE }));
    done(await one.worktrees.unlock({ path: CODE }));
    one.git("worktree", "lock", "--reason", "usb stick", join(one.top, CODE));
    for (const answer of [
      await one.worktrees.unlock({ path: CODE }),
      await one.worktrees.lock({ path: CODE, reason: "x" }),
      await one.worktrees.remove(removing()),
    ])
      expect(refusal(answer)).toMatchObject({ code: "worktree-locked" });
    expect(refusal(await one.worktrees.lock({ path: "nowhere", reason: "" })).code).toBe(
      "not-a-worktree",
    );
  });
});

describe("archive", () => {
  const dir = ".holdpoint/tasks/t";
  const to = ".holdpoint/tasks/.archive/t";

  test("[TP-198] every file but those of the worktrees, byte for byte, and twice is once", async () => {
    const one = forest();
    done(await one.worktrees.add(adding({ path: `${dir}/code` })));
    one.write(`${dir}/audit-trail.json`, "{}\r\n");
    one.write(`${dir}/agents/a/status.json`, "\0\u0001");
    symlinkSync("/etc/passwd", join(one.top, dir, "link"));
    const files = ["agents/a/status.json", "audit-trail.json"];
    expect(done(await one.worktrees.archive({ from: dir, to }))).toMatchObject({ files });
    expect(done(await one.worktrees.archive({ from: dir, to }))).toMatchObject({ files });
    expect(one.read(`${to}/audit-trail.json`)).toBe("{}\r\n");
    expect(one.read(`${dir}/audit-trail.json`)).toBe("{}\r\n");
  });

  test("what is archived already is never replaced", async () => {
    const one = forest();
    one.write(`${to}/task.md`, "older");
    one.write(`${dir}/task.md`, "newer");
    done(await one.worktrees.archive({ from: dir, to }));
    expect([one.read(`${to}/task.md`), one.read(`${to}/task.md.1`)]).toEqual(["older", "newer"]);
  });

  test("nothing leaves the repository, and nothing is archived into itself", async () => {
    const one = forest();
    one.write(`${dir}/task.md`, "x");
    symlinkSync(scratchDirectory(), join(one.top, "out"));
    for (const bad of ["../x", "out/x", `${dir}/x`])
      refusal(await one.worktrees.archive({ from: dir, to: bad }));
    expect(done(await one.worktrees.archive({ from: "nowhere", to }))).toMatchObject({ files: [] });
  });
});
