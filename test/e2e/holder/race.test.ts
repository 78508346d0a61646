/**
 * Races for one workflow, in real processes: one owner, no step taken back, every loser is told whose it is,
 * and whoever is a stranger to it carries nothing out. The whole numbers run with `npm run test:race`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyOf, preparedOnce, scratchDirectory } from "../cli.ts";
import type { Reply, Scratch } from "../cli.ts";
import { counted, MS_MAX, roundsOf } from "../progress.ts";
import { doWork, NAME, pluginAt, reportText } from "../plugin.ts";
import {
  archived,
  classified,
  expectTidy,
  gathered,
  planned,
  SCOPES,
  START,
  started,
  taskIn,
  taskRepository,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";
import { renderTaskMd } from "../../task-md.ts";

const ROUNDS = roundsOf(200, 3);
const RACERS = 10;
const ID = "add-words";
const OWNER = "s-owner";

interface Stranger {
  readonly session: string;
  readonly reply: Promise<Reply>;
  /** What its process did, step by step. */
  readonly trace: string;
}

/** Persons and agents by turns: neither may carry out what another wants. */
function strangers(scratch: Scratch, commands: readonly (readonly string[])[]): Stranger[] {
  const room = scratchDirectory();
  return commands.map((args, index) => {
    const session = `s-stranger-${index}`;
    const trace = join(room, `${index}.trace`);
    const env = {
      HOLDPOINT_SESSION: session,
      HOLDPOINT_ACTOR: index % 2 === 0 ? "person:eve" : "agent:eve",
      HOLDPOINT_TRACE_STEPS: trace,
    };
    return { session, trace, reply: scratch.holdLater(args, { env }) };
  });
}

function performedBy({ trace }: Stranger): readonly string[] {
  const steps = existsSync(trace) ? readFileSync(trace, "utf8").split("\n") : [];
  return steps.filter((step) => /^(?:effect|git|merge)\./.test(step));
}

/** Each was told 12 and the owner's name, and did nothing. */
async function expectLost(
  all: readonly Stranger[],
  owner: string,
  exits: readonly number[] = [12],
): Promise<void> {
  for (const one of all) {
    const { exit, json, stdout } = await one.reply;
    expect(exits, `${one.session} ${stdout}`).toContain(exit);
    const told = exit === 12 ? (json.refusals?.[0]?.message ?? "") : owner;
    expect(told, stdout).toContain(owner);
    expect({ session: one.session, did: performedBy(one) }).toEqual({
      session: one.session,
      did: [],
    });
  }
}

/** Whoever settled an effect is the one who wanted it, and none was taken back. */
function expectOwnOutcomes(scratch: Scratch, id: string, owner: string): void {
  const { entries = [] } = scratch.hold(["audit", id]).json;
  const settled = entries.filter((one) => one.command === "effect.settle");
  expect(settled.length).toBeGreaterThan(0);
  for (const { session, events } of settled) {
    expect(session).toBe(owner);
    expect(events.join()).not.toMatch(/failed|undo/);
  }
}

describe("ten sessions race for one task", () => {
  test(
    "one has it, nothing is rolled back, and each of the others gets 12 and the winner's name",
    { timeout: MS_MAX },
    async () => {
      const ids = Array.from({ length: ROUNDS }, (_, round) => `race-${round + 1}`);
      const scratch = taskRepository(Object.fromEntries(ids.map((id) => [id, SCOPES.LOW])));
      for (const round of counted("one task", ROUNDS)) {
        const id = `race-${round}`;
        const racers = strangers(
          scratch,
          Array.from({ length: RACERS }, () => ["start", id, ...START]),
        ).map((one) => ({ ...one, session: one.session }));
        const replies = await Promise.all(racers.map((one) => one.reply));
        const told = replies.map((one) => [one.exit, one.json.refusals?.[0]?.code ?? ""]);
        const won = racers.filter((_, index) => replies[index]?.exit === 0);
        expect({ id, won: won.length, told }).toMatchObject({ id, won: 1 });
        const winner = won[0]?.session ?? "";
        await expectLost(
          racers.filter((one) => one.session !== winner),
          winner,
        );
        expect(scratch.hold(["status", id]).json).toMatchObject({
          state: "INIT",
          lease: { session: winner },
        });
        expect(scratch.has(`.holdpoint/tasks/${id}/code/todo.md`)).toBe(true);
        expectOwnOutcomes(scratch, id, winner);
        expect(scratch.hold(["lock", id, "--break", "--reason", "next round"]).exit).toBe(0);
      }
    },
  );
});

/** A task that is about to take a step with effects. */
function about(to: "select" | "merge"): Scratch {
  return preparedOnce(`holder-${to}`, () => {
    const file = to === "select" ? SCOPES.MEDIUM : SCOPES.LOW;
    const scratch = taskRepository({ [ID]: file, other: "docs/other.md" });
    const task = started(scratch, ID, OWNER);
    if (to === "select") {
      const document = { task: ID, objective: "Write it.", inScope: [file], outOfScope: [] };
      scratch.write(`${task.dir}/task.md`, renderTaskMd(document));
      task.step(["advance", ID, "begin"]);
      return scratch;
    }
    planned(gathered(classified(task, file)), [file]);
    write(task.code, file, "one\n");
    archived(task);
    expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    return scratch;
  });
}

function ownerOf(scratch: Scratch): Task {
  return taskIn(scratch, ID, OWNER);
}

/** A copy in which git finds the worktree here: it knows both by absolute paths. */
function relocated(prepared: Scratch): Scratch {
  const scratch = copyOf(prepared);
  for (const file of [".git/worktrees/code/gitdir", `.holdpoint/tasks/${ID}/code/.git`])
    scratch.edit(file, (text) => text.replace(prepared.top, scratch.top));
  return scratch;
}

async function raced(
  prepared: Scratch,
  step: string,
  inCode: boolean,
): Promise<{ readonly scratch: Scratch; readonly own: Reply; readonly others: Stranger[] }> {
  const scratch = relocated(prepared);
  const task = ownerOf(scratch);
  const env = { HOLDPOINT_ACTOR: "agent:coordinator", HOLDPOINT_SESSION: OWNER };
  const own = scratch.holdLater(["advance", ID, step], {
    env,
    cwd: inCode ? task.code : scratch.top,
  });
  const others = strangers(scratch, [
    ["advance", ID],
    ["advance", ID, step],
    ["start", ID, ...START],
    ["lock", ID],
    ["reconcile", ID, "--skip", "--reason", "impatient"],
    ["advance", ID, "--take"],
    ["reconcile", ID],
  ]);
  return { scratch, own: await own, others };
}

describe("strangers come while the owner takes a step", () => {
  test(
    "select: it is the owner's, and nobody else makes a worktree or takes it back",
    { timeout: MS_MAX },
    async () => {
      const prepared = about("select");
      for (const round of counted("select", ROUNDS)) {
        const { scratch, own, others } = await raced(prepared, "select", true);
        expect([round, own.exit, own.json.refusals], own.stdout).toEqual([round, 0, undefined]);
        await expectLost(others.slice(0, 4), OWNER);
        // With nothing to skip, take or mend, they may also be told so.
        await expectLost(others.slice(4), OWNER, [0, 10, 12]);
        expect(ownerOf(scratch).at()).toBe("CLASSIFIED");
        expectOwnOutcomes(scratch, ID, OWNER);
      }
    },
  );

  test("merge: the owner merges, and is not told that it failed", { timeout: MS_MAX }, async () => {
    const prepared = about("merge");
    for (const round of counted("merge", ROUNDS)) {
      const { scratch, own, others } = await raced(prepared, "complete", false);
      expect([round, own.exit, own.json.refusals], own.stdout).toEqual([round, 0, undefined]);
      // Once it is over it is nobody's, and what was asked for may be refused for that.
      await expectLost(others, OWNER, [0, 10, 12]);
      expectTidy(ownerOf(scratch));
      expectOwnOutcomes(scratch, ID, OWNER);
    }
  });

  test(
    "[PW-101] a report's commit is made by the process that brought the report",
    { timeout: MS_MAX },
    async () => {
      for (const round of counted("report", ROUNDS)) {
        const scratch = pluginAt("p0");
        doWork(scratch, "0");
        const owner = scratch.hold(["status", NAME]).json.lease?.session ?? "";
        const own = scratch.holdLater(["report", NAME, "-"], { stdin: reportText("0") });
        const others = strangers(scratch, [
          ["reconcile", NAME],
          ["advance", NAME, "foundation"],
          ["reconcile", NAME],
          ["advance", NAME, "foundation"],
        ]);
        const { exit, stdout } = await own;
        expect([round, exit], stdout).toEqual([round, 11]);
        await expectLost(others, owner, [0, 10, 11, 12]);
        expect(scratch.git("rev-list", "--count", "HEAD")).toBe("2");
        expectOwnOutcomes(scratch, NAME, owner);
      }
    },
  );
});
