/** Many processes and many tasks at once. The whole numbers run with `npm run test:race`. */
import { describe, expect, test } from "vitest";
import type { Reply, Scratch } from "../cli.ts";
import { counted, LONG, MS_MAX, roundsOf } from "../progress.ts";
import { expectTidy, PLAN, START, taskIn, taskRepository, write } from "../task.ts";
import type { Task } from "../task.ts";
import { renderTaskMd } from "../../task-md.ts";

const ROUNDS = roundsOf(200, 2);
const RACERS = 50;
const TASKS = LONG ? 20 : 4;

describe("a race for one task", () => {
  test(
    "[TP-024] [TP-028] [TP-012] of fifty sessions one gets it, and its lock says so",
    { timeout: MS_MAX },
    async () => {
      const ids = Array.from({ length: ROUNDS }, (_, round) => `race-${round + 1}`);
      const scratch = taskRepository(
        Object.fromEntries(ids.map((id) => [id, "docs/guide.md"] as const)),
      );
      for (const round of counted("fifty sessions", ROUNDS)) {
        const id = `race-${round}`;
        const sessions = Array.from({ length: RACERS }, (_, racer) => `${id}-${racer}`);
        const replies = await Promise.all(
          sessions.map((session) =>
            scratch.holdLater(["start", id, ...START], {
              env: { HOLDPOINT_ACTOR: "agent:racer", HOLDPOINT_SESSION: session },
            }),
          ),
        );
        const winners = sessions.filter((_, racer) => replies[racer]?.exit === 0);
        expect({ id, winners: winners.length, odd: oddOnes(replies) }).toEqual({
          id,
          winners: 1,
          odd: [],
        });
        const lock: unknown = JSON.parse(scratch.read(`.holdpoint/tasks/${id}/task.json`));
        expect(lock).toMatchObject({ session_id: winners[0], task_name: id, state: "INIT" });
        const trees = scratch.git("worktree", "list", "--porcelain");
        expect(trees.split(`/${id}/code\n`)).toHaveLength(2);
      }
    },
  );
});

/** Whoever lost was told that somebody else has it, and nothing else. */
function oddOnes(replies: readonly Reply[]): readonly unknown[] {
  return replies
    .filter((one) => one.exit !== 0)
    .filter((one) => one.exit !== 12 || one.json.refusals?.[0]?.code !== "lease-held")
    .map((one) => [one.exit, one.json.refusals ?? one.json.error ?? one.stderr]);
}

describe("many tasks at once", () => {
  test(
    "[TP-047] [TP-066] [TP-191] [TP-195] [TP-210] all are finished in parallel: main is linear, nothing is lost",
    { timeout: MS_MAX },
    async () => {
      const ids = Array.from({ length: TASKS }, (_, index) => `guide-${index + 1}`);
      const scratch = taskRepository(
        Object.fromEntries(ids.map((id) => [id, `docs/${id}.md`] as const)),
      );
      const before = Number(scratch.git("rev-list", "--count", "main"));
      const tasks = ids.map((id) => taskIn(scratch, id));
      const finished = counted("tasks at once", TASKS);
      await Promise.all(tasks.map((task) => finishLater(task).then(() => finished.next())));
      finished.next();
      expect(scratch.git("rev-list", "--merges", "--count", "main")).toBe("0");
      expect(Number(scratch.git("rev-list", "--count", "main"))).toBe(before + TASKS);
      expect(scratch.git("branch", "--format=%(refname:short)")).toBe("main");
      expect(scratch.git("worktree", "list").split("\n")).toHaveLength(1);
      expect(scratch.git("status", "--porcelain")).toBe("");
      for (const task of tasks) {
        expectTidy(task);
        expect(scratch.read(`docs/${task.id}.md`)).toBe(`${task.id}\n`);
        expect(scratch.read("changelog.md")).toContain(`\`${task.id}\``);
        expect(scratch.read("todo.md")).not.toContain(task.id);
        expect(scratch.hold(["audit", task.id]).json).toMatchObject({
          compliance: { verdict: "PASSED", gaps: [] },
        });
      }
    },
  );
});

/** A small task, all of it, beside others that change the same lists. */
async function finishLater(task: Task): Promise<void> {
  const { scratch, id, dir, code } = task;
  const file = `docs/${id}.md`;
  const act = async (args: readonly string[], exit: number, cwd = code): Promise<Reply> => {
    const reply = await asCoordinator(scratch, id, args, cwd);
    expect({ args, exit: reply.exit, why: reply.exit === exit ? "" : reply.stdout }).toEqual({
      args,
      exit,
      why: "",
    });
    return reply;
  };
  await act(["start", id, ...START], 0, scratch.top);
  const document = { task: id, objective: "Write it.", inScope: [file], outOfScope: [] };
  scratch.write(`${dir}/task.md`, renderTaskMd(document) + PLAN([file]));
  // Without a name each leads on: begin, select, gather, synthesize, present-plan.
  for (const exit of [0, 0, 0, 0, 11]) await act(["advance", id], exit);
  await approve(scratch, id);
  write(code, file, `${id}\n`);
  task.git("add", "--all");
  task.git("commit", "--quiet", "-m", `Write ${file}`);
  await act(["advance", id, "close"], 0);
  await act(["advance", id, "skip"], 11);
  await approve(scratch, id);
  // All reach for main at once; whoever loses that is brought on top of what the others merged, one after the other.
  if (await isFinished(task)) return;
  const turn = turns.then(() => finishAlone(task));
  turns = turn.catch(() => undefined);
  await turn;
}

let turns: Promise<unknown> = Promise.resolve();

async function isFinished({ scratch, id }: Task): Promise<boolean> {
  const reply = await asCoordinator(scratch, id, ["advance", id, "complete"], scratch.top);
  const { json } = await scratch.holdLater(["status", id]);
  if (json.state === "CLEANUP") return true;
  // Merged, but what tidying up looks at was being changed by somebody else: asked for once more.
  if (json.state === "COMPLETE")
    await asCoordinator(scratch, id, ["advance", id, "clean-up"], scratch.top);
  else if (reply.exit === 11) await approve(scratch, id);
  return (await scratch.holdLater(["status", id])).json.state === "CLEANUP";
}

async function finishAlone(task: Task): Promise<void> {
  const { scratch, id } = task;
  for (let round = 0; round < TASKS; round += 1) {
    const { json } = await scratch.holdLater(["status", id]);
    const behind = scratch.git("merge-base", "main", id) !== scratch.git("rev-parse", "main");
    if (json.state === "AWAITING_USER_APPROVAL" && behind) {
      await asCoordinator(scratch, id, ["advance", id, "close"], task.code);
      await approve(scratch, id);
    }
    if (await isFinished(task)) return;
  }
  const last = await asCoordinator(scratch, id, ["advance", id, "complete"], scratch.top);
  throw new Error(`${id} never came to its end: ${last.stdout}`);
}

async function approve(scratch: Scratch, id: string): Promise<void> {
  const reply = await scratch.holdLater(["answer", id, "approve"]);
  expect({ id, exit: reply.exit, why: reply.exit === 0 ? "" : reply.stdout }).toEqual({
    id,
    exit: 0,
    why: "",
  });
}

async function asCoordinator(
  scratch: Scratch,
  id: string,
  args: readonly string[],
  cwd: string,
): Promise<Reply> {
  const env = { HOLDPOINT_ACTOR: "agent:coordinator", HOLDPOINT_SESSION: `s-${id}` };
  return await scratch.holdLater(args, { env, cwd });
}
