import { existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  adding,
  CODE,
  done,
  dyingEverywhere,
  forest,
  planted,
  refusal,
  ripe,
  TASK,
  type Forest,
} from "../../../../test/conformance/worktrees.ts";
import type { FastForward } from "../../../ports/worktrees.ts";
import { createWorkspace } from "../../workspace/workspace.ts";

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
