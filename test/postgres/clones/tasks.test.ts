/** Two clones, four processes, twenty tasks at once: each task is one session's, and every record is in its chain once. */
import { expect, test } from "vitest";
import type { Reply, Scratch } from "../../e2e/cli.ts";
import { START, taskIn, taskRepository } from "../../e2e/task.ts";
import { renderTaskMd } from "../../task-md.ts";
import { tell } from "../counts.ts";
import { clonesOf } from "./clones.ts";

const TASKS: readonly string[] = Array.from({ length: 20 }, (_one, n) => `task-${n + 1}`);
const fileOf = (task: string): string => `docs/${task}.md`;

interface Moved {
  readonly task: string;
  readonly worker: number;
}

test("two clones, four processes, twenty tasks: each is taken once, and goes on where it was taken", async () => {
  const first = taskRepository(Object.fromEntries(TASKS.map((task) => [task, fileOf(task)])));
  const clones = clonesOf(first, 2);
  const moved: Moved[] = [];
  const refused: Record<string, number> = {};
  const odd: string[] = [];
  let calls = 0;
  const session = (worker: number, task: string): Readonly<Record<string, string>> => ({
    HOLDPOINT_ACTOR: "agent:coordinator",
    HOLDPOINT_SESSION: `s-${worker}-${task}`,
  });
  const ask = async (
    clone: Scratch,
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
  ): Promise<Reply> => {
    calls += 1;
    const reply = await clone.holdLater(args, options);
    for (const { code } of reply.json.refusals ?? []) refused[code] = (refused[code] ?? 0) + 1;
    return reply;
  };
  const work = async (clone: Scratch, worker: number): Promise<void> => {
    // Two of them begin with the same tasks, so that they meet.
    const order = worker % 2 === 0 ? TASKS : TASKS.toReversed();
    for (const task of order) {
      const env = session(worker, task);
      const started = await ask(clone, ["start", task, ...START], { env });
      if (started.exit !== 0 && started.exit !== 12) odd.push(started.stdout);
      if (started.exit !== 0) continue;
      const { code, dir } = taskIn(clone, task, env["HOLDPOINT_SESSION"] ?? "");
      const said = { task, objective: "Write it.", inScope: [fileOf(task)], outOfScope: [] };
      clone.write(`${dir}/task.md`, renderTaskMd(said));
      for (const step of ["begin", "select"]) {
        const { exit, stdout } = await ask(clone, ["advance", task, step], { env, cwd: code });
        expect({ task, step, exit, stdout }).toMatchObject({ exit: 0 });
      }
      moved.push({ task, worker });
    }
  };
  await Promise.all([0, 1, 2, 3].map((n) => work(clones[n % clones.length] ?? first, n)));

  expect(odd).toEqual([]);
  expect(moved.map(({ task }) => task).toSorted()).toEqual(TASKS.toSorted());
  const ats: Record<string, string | undefined> = {};
  let records = 0;
  for (const { task, worker } of moved) {
    const other = clones[(worker + 1) % clones.length] ?? first;
    const { json } = other.hold(["status", task]);
    ats[task] = json.state;
    expect(json.lease).toMatchObject({ session: `s-${worker}-${task}` });
    const { chain } = other.hold(["audit", task]).json;
    expect(chain?.damage).toBeUndefined();
    records += chain?.records ?? 0;
    const made = clones.map((clone) => clone.has(`.holdpoint/tasks/${task}/code/.git`));
    expect(made).toEqual(clones.map((_clone, n) => n === worker % clones.length));
  }
  expect(new Set(Object.values(ats))).toEqual(new Set(["CLASSIFIED"]));
  const by = [0, 1, 2, 3].map((n) => moved.filter(({ worker }) => worker === n).length);
  tell(
    `two clones, four processes: ${TASKS.length} tasks moved (${by.join(" + ")}) by ${calls} commands, ${records} records; ` +
      `refused: ${JSON.stringify(refused)}`,
  );
});
