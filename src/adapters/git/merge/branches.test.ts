import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AT, scratchDirectory } from "../../../../test/conformance/git.ts";
import {
  CODE,
  done,
  planted,
  refusal,
  ripe,
  TASK,
} from "../../../../test/conformance/worktrees.ts";
import type { Versions } from "../../../ports/worktrees.ts";

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
      since: expected,
      entries: { "new.txt": expect.stringMatching(/^- 100644 [0-9a-f]{40}$/) as string },
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
