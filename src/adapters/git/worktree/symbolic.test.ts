/** A branch that is only another name for main: whatever is done to it would be done to main. */
import { expect, test } from "vitest";
import {
  adding,
  CODE,
  done,
  forest,
  planted,
  refusal,
  removing,
  TASK,
} from "../../../../test/conformance/worktrees.ts";

const REF = `refs/heads/${TASK}`;

test("[TP-048] no worktree is made on it, whether the other branch is there or not", async () => {
  for (const target of ["refs/heads/main", "refs/heads/nowhere"]) {
    const one = forest();
    one.git("symbolic-ref", REF, target);
    for (const recorded of [false, true]) {
      const refused = refusal(await one.worktrees.add(adding({ recorded })));
      expect([refused.code, refused.message]).toEqual([
        "branch-symbolic",
        expect.stringContaining(target.slice("refs/heads/".length)),
      ]);
    }
    expect(one.git("for-each-ref", "--format=%(refname)", "refs/heads/nowhere")).toBe("");
    expect(one.git("worktree", "list")).not.toContain(TASK);
  }
});

test("[TP-156] it is not moved, squashed or rebased, though it stands where it is expected", async () => {
  const one = await planted();
  const expected = one.oid("main");
  const from = one.commit(CODE, "new.txt", "new\n");
  one.at(CODE, "checkout", "--quiet", "--detach");
  one.git("branch", "side", from);
  one.git("symbolic-ref", REF, "refs/heads/main");
  const { branches } = one;
  expect(refusal(await branches.fastForward({ into: TASK, from, expected })).code).toBe(
    "branch-symbolic",
  );
  expect(refusal(await branches.integrate({ branch: "side", into: TASK })).code).toBe(
    "branch-symbolic",
  );
  one.git("symbolic-ref", REF, "refs/heads/side");
  one.commit(".", "other-work.txt", "x");
  expect(refusal(await branches.rebase({ branch: TASK, onto: "main" })).code).toBe(
    "branch-symbolic",
  );
  const plan = { branch: TASK, base: "main", message: "Do it", task: TASK };
  expect(refusal(await branches.squash({ ...plan, at: "2026-01-02T03:04:05Z" })).code).toBe(
    "branch-symbolic",
  );
  expect(one.oid("side")).toBe(from);
});

test("[TP-197] removing it takes the name away, and never the branch behind it", async () => {
  const one = await planted();
  const main = one.oid("main");
  one.git("symbolic-ref", REF, "refs/heads/main");
  expect(done(await one.worktrees.remove(removing())).branch).toBe("deleted");
  expect(one.oid("refs/heads/main")).toBe(main);
  expect(one.git("branch", "--list")).toBe("* main");
});
