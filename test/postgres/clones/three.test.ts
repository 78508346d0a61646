/** A whole task over three clones: taken in one, worked on in a second, released and merged from a third. */
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Scratch } from "../../e2e/cli.ts";
import { FIRST_CLONE } from "../../e2e/store.ts";
import {
  ID,
  SCOPES,
  archived,
  classified,
  gathered,
  planned,
  started,
  taskIn,
  taskRepository,
  write,
} from "../../e2e/task.ts";
import type { Task } from "../../e2e/task.ts";
import { tell } from "../counts.ts";
import { clonesOf } from "./clones.ts";

/** As `next` says: the branch by git, the papers by hand, the worktree by a person's word. */
function bringTo(scratch: Scratch, from: Task, session: string): Task {
  const { dir, id, scratch: there } = from;
  there.git("push", "--quiet", "--force", "origin", id);
  expect(from.run(["lock", id, "--release"]).json.refusals).toBeUndefined();
  scratch.git("fetch", "--quiet", "origin", `${id}:${id}`);
  const papers = (path: string): boolean => !/\/(?:code|agents)$/.test(path);
  cpSync(join(there.top, dir), join(scratch.top, dir), { recursive: true, filter: papers });
  const task = taskIn(scratch, id, session);
  expect(task.run(["lock", id]).json.refusals).toBeUndefined();
  const asked = task.run(["advance", id, "worktree-lost"]);
  expect(asked.exit).toBe(11);
  const lost = asked.json.held?.find(({ prompt }) => prompt.includes("is gone"));
  const made = scratch.hold(["answer", id, "recreate", "--decision", lost?.id ?? "?"]);
  expect(made.json.refusals).toBeUndefined();
  expect(scratch.has(`${dir}/code/.git`)).toBe(true);
  return task;
}

interface NextAdvice {
  readonly advice?: readonly { readonly action: string; readonly run: readonly string[] }[];
}

function follow({ top, env }: Scratch, { advice = [] }: NextAdvice): void {
  for (const line of advice.flatMap(({ run }) => run))
    execFileSync("sh", ["-c", line], { cwd: top, env: { ...process.env, ...env }, stdio: "pipe" });
}

test("a task is taken in one clone, worked on in a second, and released from a third", () => {
  const [one, two, three] = clonesOf(taskRepository({ [ID]: SCOPES.LOW }), 3);
  if (two === undefined || three === undefined) throw new Error("no clones");
  const taken = planned(gathered(classified(started(one, ID), SCOPES.LOW)), [SCOPES.LOW]);

  // Whoever has nothing of it is told where it is, and how to have it.
  const { advice } = two.hold(["next", ID]).json as { readonly advice?: readonly object[] };
  expect(advice).toContainEqual({
    action: "worktree-missing",
    why: expect.stringContaining(FIRST_CLONE),
    run: [`git fetch origin ${ID}:${ID}`, `holdpoint advance ${ID} worktree-lost`],
  });
  const held = taskIn(two, ID, `s-${ID}`).run(["advance", ID, "skip"]);
  expect([held.exit, held.json.refusals?.[0]?.code]).toEqual([12, "lease-held"]);

  const worked = bringTo(two, taken, "s-two");
  write(worked.code, SCOPES.LOW, "one\n");
  archived(worked);
  const head = worked.git("rev-parse", "HEAD");
  expect(worked.run(["advance", ID, "skip"]).exit).toBe(11);

  const last = bringTo(three, worked, "s-three");
  expect(last.git("rev-parse", "HEAD")).toBe(head);
  expect(last.answer("approve").json.refusals).toBeUndefined();
  last.step(["advance", ID, "complete"], { cwd: three.top });
  expect(three.git("rev-parse", "main")).toBe(head);
  expect(three.read(SCOPES.LOW)).toBe("one\n");
  three.git("push", "--quiet", "origin", "main");

  // A clone that took part is told to fetch, then what of it is still there; typed as it says, nothing is left.
  const todo = one.hold(["next", ID]).json as NextAdvice;
  expect(todo.advice).toMatchObject([
    { action: "not-fetched", why: expect.stringContaining(head.slice(0, 12)) },
  ]);
  follow(one, todo);
  const left = one.hold(["next", ID]).json as NextAdvice;
  expect(left.advice).toMatchObject([{ action: "left-behind" }]);
  follow(one, left);
  expect(one.git("rev-parse", "main")).toBe(head);
  expect(one.hold(["next", ID]).json).not.toHaveProperty("advice");
  expect([one.git("worktree", "list").split("\n").length, one.git("branch", "--list", ID)]).toEqual(
    [1, ""],
  );
  expect(one.hold("verify --all").json).toMatchObject({ ok: true });

  // Its late session says nothing any more, and every clone sees the same end.
  for (const clone of [one, two, three]) {
    expect(clone.hold(["status", ID]).json).toMatchObject({ state: "CLEANUP", finished: true });
    expect(clone.hold(["audit", ID]).json).toMatchObject({ compliance: { verdict: "PASSED" } });
  }
  const records = three.hold(["audit", ID]).json.chain?.records ?? 0;
  tell(
    `a task over three clones: ${records} records, released commit ${head.slice(0, 7)} is main's`,
  );
});
