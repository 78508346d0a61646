import { existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AT, scratchDirectory } from "../../test/conformance/git.ts";
import {
  adding,
  CODE,
  done,
  dyingEverywhere,
  forest,
  readIn,
  refusal,
  TASK,
  type Forest,
} from "../../test/conformance/worktrees.ts";
import type { FastForward, Versions } from "../ports/worktrees.ts";
import { createWorkspace } from "./workspace.ts";

async function planted(): Promise<Forest> {
  const one = forest();
  done(await one.worktrees.add(adding()));
  return one;
}

/** A task with one commit, ready for main. */
async function ripe(): Promise<{ one: Forest; from: string; expected: string }> {
  const one = await planted();
  const expected = one.oid("main");
  const from = one.commit(CODE, "new.txt", "new\n");
  return { one, from, expected };
}

describe("fast-forward", () => {
  test("[TP-191] main, its files and its index come to exactly the approved commit; twice is once", async () => {
    const { one, from, expected } = await ripe();
    const plan = { into: "main", from, expected, path: "." };
    one.write("untracked.txt", "mine");
    expect(done(await one.branches.fastForward(plan))).toEqual({
      kind: "done",
      commit: from,
      moved: true,
    });
    expect(one.oid("HEAD")).toBe(from);
    expect(one.read("new.txt")).toBe("new\n");
    expect(one.git("status", "--porcelain")).toBe("?? untracked.txt");
    const later = one.commit(".", "later.txt", "");
    expect(done(await one.branches.fastForward(plan)).moved).toBe(false);
    expect(one.oid("main")).toBe(later);
  });

  test("a branch nobody has checked out is moved from exactly where it was expected", async () => {
    const { one, from, expected } = await ripe();
    one.git("checkout", "--quiet", "-b", "elsewhere");
    done(await one.branches.fastForward({ into: "main", from, expected, path: "." }));
    expect(one.oid("main")).toBe(from);
    expect(existsSync(join(one.top, "new.txt"))).toBe(false);
  });

  test("[TP-181] [TP-191] a name, a short id, another commit, a moved or diverged main: refused, main untouched", async () => {
    const { one, from, expected } = await ripe();
    const code = async (plan: { from?: string; expected?: string; into?: string }) =>
      refusal(await one.branches.fastForward({ into: "main", from, expected, ...plan })).code;
    for (const odd of [TASK, from.slice(0, 12), "f".repeat(40), one.oid("main^{tree}")]) {
      expect(await code({ from: odd })).toBe("commit-unknown");
    }
    expect(await code({ into: "nowhere" })).toBe("branch-gone");
    const second = one.commit(CODE, "second.txt", "");
    expect(await code({ from: second, expected: from })).toBe("branch-moved");
    const moved = one.commit(".", "other-work.txt", "");
    expect(await code({})).toBe("branch-moved");
    expect(await code({ expected: moved })).toBe("not-fast-forward");
    expect(one.oid("main")).toBe(moved);
    expect(one.git("status", "--porcelain")).toBe("");
  });

  test("uncommitted changes, files in the way, a merge or a detached HEAD: refused, with the paths", async () => {
    const { one, from, expected } = await ripe();
    const merge = async () =>
      refusal(await one.branches.fastForward({ into: "main", from, expected, path: "." }));
    one.write("other.txt", "mine");
    expect(await merge()).toMatchObject({ code: "tree-dirty", paths: ["other.txt"] });
    one.git("add", "other.txt");
    expect(await merge()).toMatchObject({ code: "tree-dirty", paths: ["other.txt"] });
    one.git("reset", "--quiet", "--hard");
    one.write(".git/info/exclude", ".holdpoint/\nnew.txt\n");
    one.write("new.txt", "ignored, but mine");
    expect(await merge()).toMatchObject({ code: "would-overwrite", paths: ["new.txt"] });
    expect(one.read("new.txt")).toBe("ignored, but mine");
    rmSync(join(one.top, "new.txt"));
    one.write(".git/MERGE_HEAD", `${expected}\n`);
    expect((await merge()).code).toBe("git-unfinished");
    rmSync(join(one.top, ".git/MERGE_HEAD"));
    one.git("checkout", "--quiet", "--detach");
    expect((await merge()).code).toBe("git-detached");
    expect(one.oid("main")).toBe(expected);
  });

  test("a rebase of the branch somewhere else is not overtaken", async () => {
    const one = await planted();
    one.commit(CODE, "other.txt", "ours");
    one.commit(".", "other.txt", "theirs");
    expect(() => one.at(CODE, "rebase", "main")).toThrow("rebase");
    const tip = one.oid(TASK);
    const next = one.git("commit-tree", `${TASK}^{tree}`, "-p", TASK, "-m", "x");
    const answer = await one.branches.fastForward({ into: TASK, from: next, expected: tip });
    expect(refusal(answer)).toMatchObject({ code: "git-unfinished" });
    expect(one.oid(TASK)).toBe(tip);
  });

  test("changes of a carried file come along, without its marks getting in the way", async () => {
    const one = forest();
    one.commit(".", "todo.md", "* READY a\n* READY b\n* BLOCKED c\n\n\n\n\nend\n");
    done(await one.worktrees.add(adding()));
    const expected = one.oid("main");
    const from = one.commit(CODE, "todo.md", "* READY b\n* READY c\n\n\n\n\nend\n");
    one.write("todo.md", "* BUSY a\n* BUSY b\n* BLOCKED c\n\n\n\n\nmy end\n");
    const plan = { into: "main", from, expected, carry: { "todo.md": dress } };
    done(await one.branches.fastForward(plan));
    expect(one.read("todo.md")).toBe("* BUSY b\n* READY c\n\n\n\n\nmy end\n");
    expect(one.git("status", "--porcelain")).toBe(" M todo.md");
    const next = one.commit(CODE, "todo.md", "* READY c\n\n\n\n\ntheir end\n");
    const clash = { ...plan, from: next, expected: from };
    const answer = refusal(await one.branches.fastForward(clash));
    expect(answer).toMatchObject({ code: "tree-dirty", paths: ["todo.md"] });
  });

  test("a carried file that is older than the setting of its line ends is carried all the same", async () => {
    const one = forest();
    one.commit(".", "todo.md", "* READY a\n* READY b\n");
    done(await one.worktrees.add(adding()));
    const expected = one.oid("main");
    const from = one.commit(CODE, "todo.md", "* READY b\n");
    one.git("config", "core.autocrlf", "true");
    one.write("todo.md", "* BUSY a\n* BUSY b\n");
    done(
      await one.branches.fastForward({ into: "main", from, expected, carry: { "todo.md": dress } }),
    );
    expect(one.read("todo.md")).toBe("* BUSY b\n");
  });

  test("[TP-192] a merge is taken back only while nobody has built on it", async () => {
    const { one, from, expected } = await ripe();
    const plan = { into: "main", from, expected };
    done(await one.branches.fastForward(plan));
    expect(done(await one.branches.takeBack(plan))).toMatchObject({ commit: expected });
    expect(existsSync(join(one.top, "new.txt"))).toBe(false);
    expect(done(await one.branches.takeBack(plan)).moved).toBe(false);
    done(await one.branches.fastForward(plan));
    const later = one.commit(".", "later.txt", "");
    expect(refusal(await one.branches.takeBack(plan)).code).toBe("branch-moved");
    expect(one.oid("main")).toBe(later);
  });

  test("a crash before every step: trying again comes to the same end", async () => {
    const { one, from, expected } = await ripe();
    const plan = { into: "main", from, expected, path: "." };
    const steps = await dyingEverywhere(
      async (onStep) => done(await one.open2({ onStep }).branches.fastForward(plan)),
      async () => {
        done(await one.branches.fastForward(plan));
        expect(one.oid("main")).toBe(from);
        expect(one.git("status", "--porcelain")).toBe("");
        done(await one.branches.takeBack(plan));
      },
    );
    expect(steps).toEqual(["merge.carry", "merge.index", "merge.files", "merge.ref"]);
  });

  test("nobody else moves the branch between the files and the ref: git itself holds it", async () => {
    const { one, from, expected } = await ripe();
    const tree = one.oid("main^{tree}");
    const other = one.git("commit-tree", tree, "-p", "main", "-m", "x");
    const tried: string[] = [];
    const onStep = (step: string): void => {
      tried.push(step);
      expect(() => one.git("update-ref", "refs/heads/main", other)).toThrow("File exists");
    };
    const { branches } = one.open2({ onStep });
    done(await branches.fastForward({ into: "main", from, expected, path: "." }));
    expect(tried).toEqual(["merge.carry", "merge.index", "merge.files", "merge.ref"]);
    expect(one.oid("main")).toBe(from);
    one.git("update-ref", "refs/heads/main", other);
  });

  test("a hook that refuses to move the branch is told, with files and branch untouched", async () => {
    const { one, from, expected } = await ripe();
    one.hook("reference-transaction", "echo not today >&2\nexit 1");
    const answer = await one.branches.fastForward({ into: "main", from, expected, path: "." });
    expect(refusal(answer)).toMatchObject({ code: "ref-refused" });
    expect(refusal(answer).message).toContain("not today");
    expect(one.git("status", "--porcelain")).toBe("");
    expect(one.oid("main")).toBe(expected);
  });

  test("a file that was touched, and is as it was, is not in the way", async () => {
    const one = await planted();
    const expected = one.oid("main");
    const from = one.commit(CODE, "other.txt", "new");
    utimesSync(join(one.top, "other.txt"), 5, 5);
    done(await one.branches.fastForward({ into: "main", from, expected, path: "." }));
    expect(one.read("other.txt")).toBe("new");
  });
});

describe("a carried file", () => {
  /** Main has marks in its list that are not committed; the task's commit takes an entry away. */
  async function listed(): Promise<{ one: Forest; plan: FastForward }> {
    const one = forest();
    one.commit(".", "todo.md", "* READY a\n* READY b\n\n\n\n\nend\n");
    done(await one.worktrees.add(adding()));
    const expected = one.oid("main");
    one.commit(CODE, "new.txt", "new\n");
    const from = one.commit(CODE, "todo.md", "* READY b\n\n\n\n\nend\n");
    return { one, plan: { into: "main", from, expected, path: ".", carry: { "todo.md": dress } } };
  }

  test.each(["merge.carry", "view.take", "merge.index", "merge.files"])(
    "is written by somebody else at %s: their text stays, and the move comes through",
    async (at) => {
      const { one, plan } = await listed();
      let written = false;
      const onStep = (step: string): void => {
        if (step !== at || written) return;
        written = true;
        const now = one.read("todo.md") ?? "";
        one.write("todo.md", now.replace("* READY b", "* BUSY b").replace("end", "my end"));
      };
      done(await one.open2({ onStep }).branches.fastForward(plan));
      expect(written).toBe(true);
      expect(one.read("todo.md")).toBe("* BUSY b\n\n\n\n\nmy end\n");
      expect(one.git("status", "--porcelain")).toBe(" M todo.md");
    },
  );

  test("is put back, and its entry with it, when another file stops the move at the last moment", async () => {
    const { one, plan } = await listed();
    one.write("todo.md", "* BUSY a\n* BUSY b\n\n\n\n\nend\n");
    const onStep = (step: string): void => {
      if (step === "merge.files") one.write("new.txt", "mine\n");
    };
    const answer = await one.open2({ onStep }).branches.fastForward(plan);
    expect(refusal(answer)).toMatchObject({ code: "tree-dirty", paths: ["new.txt"] });
    expect(one.read("todo.md")).toBe("* BUSY a\n* BUSY b\n\n\n\n\nend\n");
    expect(one.git("status", "--porcelain")).toBe(" M todo.md\n?? new.txt");
    expect(one.oid("main")).toBe(plan.expected);
  });

  test("is put back when somebody keeps the index locked", async () => {
    const { one, plan } = await listed();
    const text = "* BUSY a\n* BUSY b\n\n\n\n\nend\n";
    one.write("todo.md", text);
    const onStep = (step: string): void => {
      if (step === "merge.index") one.write(".git/index.lock", "");
    };
    const answer = await one.open2({ onStep }).branches.fastForward(plan);
    expect(refusal(answer)).toMatchObject({ code: "git-locked" });
    rmSync(join(one.top, ".git/index.lock"));
    expect(one.read("todo.md")).toBe(text);
    expect(one.git("status", "--porcelain")).toBe(" M todo.md");
    done(await one.branches.fastForward(plan));
    expect(one.read("todo.md")).toBe("* BUSY b\n\n\n\n\nend\n");
  }, 30_000);

  test("survives a crash before every step, and is carried once", async () => {
    const { one, plan } = await listed();
    one.write("todo.md", "* BUSY a\n* BUSY b\n\n\n\n\nmy end\n");
    const steps = await dyingEverywhere(
      async (onStep) => done(await one.open2({ onStep }).branches.fastForward(plan)),
      async () => {
        await createWorkspace(one.top).recover();
        done(await one.branches.fastForward(plan));
        expect(one.read("todo.md")).toBe("* BUSY b\n\n\n\n\nmy end\n");
        expect(one.git("status", "--porcelain")).toBe(" M todo.md");
        one.git("reset", "--quiet", "--hard", plan.expected);
        one.write("todo.md", "* BUSY a\n* BUSY b\n\n\n\n\nmy end\n");
      },
    );
    const view = ["view.tmp", "view.take", "view.check", "view.link", "view.sync", "view.close"];
    expect(steps).toEqual(["merge.carry", ...view, "merge.index", "merge.files", "merge.ref"]);
  });
});

/** Words after a star belong to whoever works on the entry. */
function dress(text: string, like: string, since = ""): string {
  const words = (given: string): Map<string, string> =>
    new Map(
      [...given.matchAll(/^\* (\w+) (\w+)$/gm)].map(([, word = "", name = ""]) => [name, word]),
    );
  const [wanted, before] = [words(like), words(since)];
  return text.replaceAll(/^\* (\w+) (\w+)$/gm, (line, _, name: string) => {
    const word = wanted.get(name);
    return word === undefined || word === before.get(name) ? line : `* ${word} ${name}`;
  });
}

describe("integrate", () => {
  const [a, b] = ["agents/a/code", "agents/b/code"];
  const names = { a: `${TASK}-a`, b: `${TASK}-b` };

  async function withAgents(): Promise<Forest> {
    const one = await planted();
    for (const [path, branch] of [[a, names.a] as const, [b, names.b] as const]) {
      done(await one.worktrees.add(adding({ path, branch, base: TASK })));
    }
    return one;
  }

  test("[TP-155] [TP-157] one after the other: the task branch is linear, keeps authors and tags, and its files follow", async () => {
    const one = await withAgents();
    one.at(a, "config", "user.name", "Grace");
    one.commit(a, "a.txt", "a1");
    one.commit(a, "a.txt", "a2");
    one.commit(b, "b.txt", "b");
    const first = done(await one.branches.integrate({ branch: names.a, into: TASK }));
    expect(first.commits.map(({ subject }) => subject)).toEqual(["[agent] a.txt", "[agent] a.txt"]);
    const second = done(await one.branches.integrate({ branch: names.b, into: TASK }));
    expect(second.commits).toHaveLength(1);
    expect(one.oid(TASK)).toBe(second.commit);
    expect(one.oid(names.b)).toBe(second.commit);
    expect(one.git("rev-list", "--merges", TASK)).toBe("");
    expect(readIn(one.top, `${CODE}/a.txt`)).toBe("a2");
    expect(readIn(one.top, `${b}/a.txt`)).toBe("a2");
    for (const path of [CODE, a, b]) expect(one.at(path, "status", "--porcelain")).toBe("");
    const again = done(await one.branches.integrate({ branch: names.b, into: TASK }));
    expect(again).toMatchObject({ commit: second.commit, commits: [] });
    expect(one.git("log", "-1", "--format=%an", second.commit)).toBe("Grace");
  });

  test("a conflict names its files and changes nothing anywhere", async () => {
    const one = await withAgents();
    one.commit(a, "other.txt", "a");
    one.commit(b, "fine.txt", "b");
    one.commit(b, "other.txt", "b");
    done(await one.branches.integrate({ branch: names.a, into: TASK }));
    const before = [one.oid(TASK), one.oid(names.b)];
    const answer = refusal(await one.branches.integrate({ branch: names.b, into: TASK }));
    expect(answer).toMatchObject({ code: "merge-conflict", paths: ["other.txt"] });
    expect([one.oid(TASK), one.oid(names.b)]).toEqual(before);
    for (const path of [CODE, b]) {
      expect(await one.worktrees.status({ path })).toMatchObject({
        clean: true,
        unfinished: undefined,
      });
    }
  });

  test("a branch that merged the task branch itself keeps the resolution it made", async () => {
    const one = await withAgents();
    one.commit(a, "other.txt", "a");
    one.commit(b, "other.txt", "b");
    done(await one.branches.integrate({ branch: names.a, into: TASK }));
    expect(() => one.at(b, "merge", TASK)).toThrow("merge");
    one.commit(b, "other.txt", "both");
    one.commit(CODE, "third.txt", "x");
    const { commits } = done(await one.branches.integrate({ branch: names.b, into: TASK }));
    expect(commits).toHaveLength(1);
    expect(one.git("rev-list", "--merges", TASK)).toBe("");
    expect(readIn(one.top, `${CODE}/other.txt`)).toBe("both");
  });

  test("uncommitted changes in either worktree are refused with their paths", async () => {
    const one = await withAgents();
    one.commit(a, "a.txt", "a");
    one.commit(CODE, "t.txt", "t");
    one.write(`${a}/other.txt`, "x");
    const plan = { branch: names.a, into: TASK };
    expect(refusal(await one.branches.integrate(plan))).toMatchObject({ paths: ["other.txt"] });
    one.at(a, "checkout", "--quiet", "other.txt");
    one.write(`${CODE}/PLUGINS.md`, "x");
    expect(refusal(await one.branches.integrate(plan))).toMatchObject({ paths: ["PLUGINS.md"] });
    one.at(CODE, "checkout", "--quiet", "PLUGINS.md");
    done(await one.branches.integrate(plan));
  });

  test("a crash before every step, and commits that touch the same line: no commit twice", async () => {
    const one = await withAgents();
    let round = 0;
    const prepare = (): void => {
      round += 1;
      one.at(a, "reset", "--quiet", "--hard", `${TASK}~${round > 1 ? 1 : 0}`);
      for (const text of ["x", "y"]) one.commit(a, `a${round}.txt`, text);
      one.commit(CODE, `t${round}.txt`, "t");
    };
    const steps = await dyingEverywhere(
      async (onStep) => {
        prepare();
        done(await one.open2({ onStep }).branches.integrate({ branch: names.a, into: TASK }));
      },
      async () => {
        done(await one.branches.integrate({ branch: names.a, into: TASK }));
        const made = one.git("log", "--format=%s", TASK, "--", `a${round}.txt`).split("\n");
        expect(made).toHaveLength(2);
        expect(one.oid(names.a)).toBe(one.oid(TASK));
        for (const path of [CODE, a]) expect(one.at(path, "status", "--porcelain")).toBe("");
      },
    );
    const move = ["merge.carry", "merge.index", "merge.files", "merge.ref"];
    expect(steps).toEqual(["rebase.pick", ...move, ...move]);
  }, 90_000);

  test("both at once: one linear branch with the work of both", async () => {
    const one = await withAgents();
    one.commit(a, "a.txt", "a");
    one.commit(b, "b.txt", "b");
    const answers = await Promise.all(
      [names.a, names.b].map((branch) => one.open2().branches.integrate({ branch, into: TASK })),
    );
    for (const answer of answers) done(answer);
    expect(one.git("rev-list", "--count", "main..add-parser")).toBe("2");
    expect(one.git("ls-tree", "--name-only", TASK).split("\n")).toEqual(
      expect.arrayContaining(["a.txt", "b.txt"]),
    );
    expect(one.at(CODE, "status", "--porcelain")).toBe("");
  });
});

describe("squash", () => {
  const plan = { branch: TASK, base: "main", message: "Add the parser\n", at: AT, task: TASK };

  test("[TP-176] exactly one commit with the same tree; the commits it was made of are saved", async () => {
    const one = await planted();
    one.commit(CODE, "a.txt", "a");
    const tip = one.commit(CODE, "b.txt", "b");
    const { commit } = done(await one.branches.squash(plan));
    expect(one.oid(`${TASK}^`)).toBe(one.oid("main"));
    expect(one.oid(`${TASK}^{tree}`)).toBe(one.oid(`${tip}^{tree}`));
    expect(one.git("log", "-1", "--format=%B", TASK)).toBe("Add the parser\n");
    expect(one.at(CODE, "status", "--porcelain")).toBe("");
    const refs = one.salvaged();
    expect(refs.map((ref) => one.oid(ref))).toEqual([tip]);
    const again = { ...plan, at: "2027-01-01T00:00:00.000Z" };
    expect(done(await one.branches.squash(again))).toMatchObject({ commit, moved: false });
  });

  test("[TP-176] [TP-187] on a base that moved it is brought there, and lists that clash are settled", async () => {
    const one = await planted();
    one.commit(CODE, "a.txt", "a");
    one.commit(CODE, "list.md", "ours");
    const main = one.commit(".", "list.md", "theirs");
    const clash = refusal(await one.branches.squash(plan));
    expect([clash.code, clash.paths]).toEqual(["merge-conflict", ["list.md"]]);
    const seen: Versions[] = [];
    const settles = {
      "list.md": (versions: Versions): string => {
        seen.push(versions);
        return "both";
      },
    };
    done(await one.branches.squash({ ...plan, settles }));
    expect(seen).toEqual([{ merged: undefined, ours: "ours", theirs: "theirs", since: undefined }]);
    expect(one.oid(`${TASK}^`)).toBe(main);
    expect(one.git("show", `${TASK}:list.md`)).toBe("both");
    expect(one.git("show", `${TASK}:a.txt`)).toBe("a");
    expect(one.at(CODE, "status", "--porcelain")).toBe("");
    const again = { ...plan, message: "Another", keepsMessage: true, settles };
    expect(done(await one.branches.squash(again))).toMatchObject({ moved: false });
  });

  test("nothing to squash, no branch: refused", async () => {
    const one = await planted();
    expect(refusal(await one.branches.squash(plan)).code).toBe("nothing-to-squash");
    expect(refusal(await one.branches.squash({ ...plan, branch: "x" })).code).toBe("branch-gone");
  });
});

describe("reading", () => {
  test("[TP-082] [TP-162] which files hold a text, and in which two commits differ", async () => {
    const one = await planted();
    one.commit(CODE, "src/a b.txt", "see docs/x.md");
    one.commit(CODE, "other/c.txt", "see docs/x.md");
    expect(await one.branches.mentions(TASK, ["docs/x.md", "-e"], ["src"])).toEqual([
      "src/a b.txt",
    ]);
    expect(await one.branches.mentions(TASK, ["nowhere"], ["src"])).toEqual([]);
    expect(await one.branches.mentions("none", ["x"], ["src"])).toEqual([]);
    expect([...(await one.branches.changed("main", TASK))].toSorted()).toEqual([
      "other/c.txt",
      "src/a b.txt",
    ]);
  });
});

describe("push", () => {
  test("[TP-177] the exact commit is pushed; only what this task pushed before is replaced", async () => {
    const { one, from } = await ripe();
    const plan = { branch: TASK, commit: from, recorded: [] };
    expect(await one.branches.remote()).toBeUndefined();
    expect(refusal(await one.branches.push(plan)).code).toBe("no-remote");
    const bare = join(scratchDirectory(), "é remote.git");
    one.git("init", "--quiet", "--bare", bare);
    one.git("remote", "add", "upstream", bare);
    const there = (): string => one.git("ls-remote", bare, TASK).slice(0, 40);
    expect(done(await one.branches.push(plan))).toMatchObject({ remote: "upstream", pushed: true });
    expect(there()).toBe(from);
    expect(done(await one.branches.push(plan)).pushed).toBe(false);
    one.at(CODE, "commit", "--quiet", "--amend", "-m", "again");
    const amended = { ...plan, commit: one.oid(TASK) };
    expect(refusal(await one.branches.push(amended)).code).toBe("remote-moved");
    expect(there()).toBe(from);
    done(await one.branches.push({ ...amended, recorded: [from] }));
    expect(there()).toBe(amended.commit);
    one.git("remote", "set-url", "upstream", "/nowhere/at/all");
    expect(refusal(await one.branches.push(plan)).code).toBe("push-failed");
  });
});

describe("reading", () => {
  test("heads, what is ahead, files at a branch", async () => {
    const { one, from, expected } = await ripe();
    expect(await one.branches.head("nowhere")).toBeUndefined();
    expect(await one.branches.ahead(TASK, "main")).toEqual({
      commits: [
        {
          sha: from,
          subject: "[agent] new.txt",
          at: expect.stringMatching(/Z$/) as string,
          created: ["new.txt"],
          modified: [],
        },
      ],
      files: ["new.txt"],
    });
    expect(await one.branches.contains(TASK, expected)).toBe(true);
    expect(await one.branches.contains("main", from)).toBe(false);
    expect(await one.branches.file(TASK, "new.txt")).toBe("new\n");
    expect(await one.branches.file("main", "new.txt")).toBeUndefined();
  });

  test("[TP-181] the patch survives a rebase, but not a change of white space", async () => {
    const { one } = await ripe();
    const patch = async () => (await one.branches.head(TASK))?.patch;
    const before = await patch();
    one.commit(".", "m.txt", "m");
    done(await one.branches.rebase({ branch: TASK, onto: "main" }));
    expect(await patch()).toBe(before);
    one.write(`${CODE}/new.txt`, " new\n");
    one.at(CODE, "commit", "--quiet", "--all", "--amend", "--no-edit");
    expect(await patch()).not.toBe(before);
  });
});
