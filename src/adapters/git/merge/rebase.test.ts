import { describe, expect, test } from "vitest";
import {
  adding,
  CODE,
  done,
  dyingEverywhere,
  planted,
  readIn,
  refusal,
  TASK,
  type Forest,
} from "../../../../test/conformance/worktrees.ts";

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

test("[TP-181] how two changes of a file become one: by what main commits, never by a driver of this machine", async () => {
  const one = await planted();
  const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n5\n6\n${last}\n`;
  one.commit(".", ".gitattributes", "list.txt merge=union\n");
  for (const file of ["own.txt", "list.txt"]) one.commit(".", file, lines("1", "7"));
  done(await one.branches.rebase({ branch: TASK, onto: "main" }));
  one.commit(CODE, "own.txt", lines("1", "task"));
  one.commit(CODE, "list.txt", lines("1", "task"));
  one.commit(".", "own.txt", lines("main", "7"));
  one.commit(".", "list.txt", lines("1", "main"));
  one.git("config", "merge.evil.driver", "echo evil > %A; touch evil-ran");
  one.write(".git/info/attributes", "* merge=evil\n");
  one.write(".gitattributes", "* merge=evil\n");
  done(await one.branches.rebase({ branch: TASK, onto: "main" }));
  expect(one.git("show", `${TASK}:own.txt`)).toBe(lines("main", "task").trimEnd());
  expect(one.git("show", `${TASK}:list.txt`)).toBe(`${lines("1", "main")}task`);
  expect(one.git("ls-files", "--others")).not.toContain("evil-ran");
});
