/** Only the holder performs: what a process left undone is its session's, or whoever has taken the lease over. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Reply, Scratch } from "../cli.ts";
import { copyOf, scratchDirectory } from "../cli.ts";
import { doWork, NAME, pluginAt, reportText } from "../plugin.ts";
import { SCOPES, START, taskIn, taskRepository } from "../task.ts";
import { ORCHESTRATOR, sessionAt } from "../team.ts";

const OWNER = "s-owner";
const EVE = { HOLDPOINT_SESSION: "s-eve", HOLDPOINT_ACTOR: "person:eve" };
const BOT = { HOLDPOINT_SESSION: "s-bot", HOLDPOINT_ACTOR: "agent:bot" };

/** One family: a step whose effect is not done when its process dies, and what others may try. */
interface Case {
  readonly owner: string;
  readonly scratch: Scratch;
  readonly id: string;
  readonly step: readonly string[];
  readonly stdin?: string;
  /** The effect before which it is killed. */
  readonly dies: string;
  readonly actor: string;
  readonly tries: readonly (readonly string[])[];
}

const CASES: Readonly<Record<string, () => Case>> = {
  dispatch: () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const tries = [
      ["advance", NAME],
      ["reconcile", NAME],
      ["answer", NAME, "1"],
    ];
    const step = ["report", NAME, "-"];
    const stdin = reportText("0");
    return {
      owner: OWNER,
      scratch,
      id: NAME,
      step,
      stdin,
      dies: "effect.commit",
      actor: "agent:a",
      tries,
    };
  },
  workflow: () => {
    const { repo: scratch, id } = sessionAt("leanLoop");
    const step = ["advance", id, "leave-lean", "--reason", "it is large", ...ORCHESTRATOR];
    const tries = [
      ["advance", id],
      ["reconcile", id],
    ];
    // Who has handed work out in this session has its lease.
    const owner = scratch.hold(["status", id]).json.lease?.session ?? "";
    return { owner, scratch, id, step, dies: "effect.archive", actor: "", tries };
  },
  owner: () => {
    const id = "add-words";
    const scratch = taskRepository({ [id]: SCOPES.LOW });
    const step = ["start", id, ...START];
    const tries = [
      step,
      ["advance", id],
      ["reconcile", id],
      ["lock", id],
      ["advance", id, "--take"],
    ];
    return { owner: OWNER, scratch, id, step, dies: "effect.worktree", actor: "agent:a", tries };
  },
};

function asOwner(
  { actor, owner }: Case,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const as = actor === "" ? {} : { HOLDPOINT_ACTOR: actor };
  return { HOLDPOINT_SESSION: owner, ...as, ...more };
}

/** The step, in the owner's session, killed before it has done its effect. */
function killed(of: Case): Case {
  const { scratch, step, stdin = "", dies } = of;
  const died = scratch.hold(step, { stdin, env: asOwner(of, { HOLDPOINT_DIE_AT: dies }) });
  expect([dies, died.exit], died.stdout).toEqual([dies, -1]);
  return of;
}

function records({ scratch, id }: Case): number {
  return scratch.hold(["audit", id]).json.chain?.records ?? 0;
}

function everything(of: Case): string {
  const { scratch } = of;
  return [
    records(of),
    scratch.git("rev-parse", "--all"),
    scratch.git("worktree", "list"),
    scratch.git("status", "--porcelain"),
  ].join("\n");
}

function expectTold(reply: Reply, owner: string): void {
  expect(reply.exit, reply.stdout).toBe(12);
  expect(reply.json.refusals?.[0]?.message).toContain(owner);
}

describe.each(Object.keys(CASES))("a process dies with an effect to do (lease: %s)", (lease) => {
  const dead = (): Case => killed((CASES[lease] as () => Case)());

  test("anybody else is told 12 and whose it is, and touches nothing", () => {
    const of = dead();
    const before = everything(of);
    for (const env of [EVE, BOT])
      for (const args of of.tries) expectTold(of.scratch.hold(args, { env }), of.owner);
    expect(everything(of)).toBe(before);
  });

  test("the next command of its own session does it, once, and the journal says so", () => {
    const of = dead();
    const before = records(of);
    const reply = of.scratch.hold(["reconcile", of.id], { env: asOwner(of) });
    expect(reply.json.pending, reply.stdout).toEqual([]);
    const { entries = [] } = of.scratch.hold(["audit", of.id]).json;
    const since = entries.slice(before);
    expect(since.map((one) => [one.command, one.session])).toEqual([["effect.settle", of.owner]]);
  });

  test("of four commands of its session at once, one does it", async () => {
    const of = dead();
    const room = scratchDirectory();
    const traces = [1, 2, 3, 4].map((index) => join(room, String(index)));
    await Promise.all(
      traces.map((trace) =>
        of.scratch.holdLater(["reconcile", of.id], {
          env: asOwner(of, { HOLDPOINT_TRACE_STEPS: trace }),
        }),
      ),
    );
    const steps = traces.flatMap((one) =>
      existsSync(one) ? readFileSync(one, "utf8").split("\n") : [],
    );
    expect(steps.filter((one) => one === of.dies)).toHaveLength(1);
    expect(of.scratch.hold(["status", of.id]).json).toMatchObject({ pending: [], drift: [] });
  });
});

describe("taking over", () => {
  test("what a dead process left is a free workflow's taker's: first the lease, then the effect", () => {
    const of = killed((CASES["dispatch"] as () => Case)());
    const told = of.scratch.hold(["advance", of.id], { env: BOT });
    expect(told.json.refusals?.[0]).toMatchObject({
      code: "effect-held",
      fix: expect.stringContaining(`lock ${of.id}`) as unknown,
    });
    expect(of.scratch.hold(["lock", of.id], { env: BOT }).json.commits).toHaveLength(1);
    expectTold(of.scratch.hold(["advance", of.id, "foundation"], { env: EVE }), "s-bot");
    expect(of.scratch.git("rev-list", "--count", "HEAD")).toBe("2");
  });

  test("an owner's task: a person breaks the lease, says why, and takes it", () => {
    const of = killed((CASES["owner"] as () => Case)());
    const { scratch, id } = of;
    expect(
      scratch.hold(["lock", id, "--break", "--reason", "it was killed"], { env: BOT }).exit,
    ).toBe(10);
    const broken = scratch.hold(["lock", id, "--break", "--reason", "it was killed"], { env: EVE });
    expect([broken.exit, broken.json.warnings?.join()], broken.stdout).toEqual([
      0,
      expect.stringContaining(OWNER) as unknown,
    ]);
    expect(scratch.has(`.holdpoint/tasks/${id}/code`)).toBe(false);
    expect(scratch.hold(["lock", id], { env: EVE }).exit).toBe(0);
    expect(scratch.has(`.holdpoint/tasks/${id}/code/todo.md`)).toBe(true);
    expectTold(taskIn(scratch, id, OWNER).run(["advance", id, "begin"]), "s-eve");
  });

  test("a person may do without what a dead process left", () => {
    const of = killed((CASES["dispatch"] as () => Case)());
    const args = ["reconcile", of.id, "--skip", "--reason", "committed by hand"];
    expect(of.scratch.hold(args, { env: BOT }).exit).toBeGreaterThanOrEqual(10);
    expect(of.scratch.hold(args, { env: EVE }).exit).toBe(11);
  });

  test("quiet is not dead: after hours of silence an agent is told 12, a person may take over", () => {
    const scratch = pluginAt("p0");
    const { session = "" } = scratch.hold(["status", NAME]).json.lease ?? {};
    const file = `.git/holdpoint/beats/${encodeURIComponent(session)}.json`;
    scratch.edit(file, (text) => text.replace(/"ms":\d+/, '"ms":-99999999'));
    const quiet = copyOf(scratch);
    const told = quiet.hold(["advance", NAME, "--take"], { env: BOT });
    expectTold(told, session);
    expect(told.json.refusals?.[0]?.message).toContain("no sign of life");
    expect(quiet.hold(["advance", NAME, "--take"], { env: EVE }).json.order).toMatchObject({
      dispatch: "W-2",
    });
  });
});

test("a sign of life that somebody rewrote proves no death: an agent is told 12, a person may take over", () => {
  const scratch = pluginAt("p0");
  const { session = "" } = scratch.hold(["status", NAME]).json.lease ?? {};
  const file = `.git/holdpoint/beats/${encodeURIComponent(session)}.json`;
  scratch.edit(file, (text) => text.replace(/"boot":"[^"]*"/, '"boot":"another"'));
  const told = scratch.hold(["advance", NAME, "--take"], { env: BOT });
  expectTold(told, session);
  expect(told.json.refusals?.[0]?.message).toContain("it has acted since");
  expect(scratch.hold(["advance", NAME, "--take"], { env: EVE }).json.order).toMatchObject({
    dispatch: "W-2",
  });
});

describe("a process that is slow", () => {
  test("is waited for, then others are told, its own session too; nothing is done twice", async () => {
    const of = (CASES["dispatch"] as () => Case)();
    const { scratch, id, stdin = "", step } = of;
    const [began, go] = [join(scratch.top, ".git/began"), join(scratch.top, ".git/go")];
    scratch.hook(
      "reference-transaction",
      `touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.05; done`,
    );
    const own = scratch.holdLater(step, { stdin, env: asOwner(of) });
    while (!existsSync(began)) await pause(20);
    const replies = await Promise.all(
      [EVE, BOT, asOwner(of)].map((env) => scratch.holdLater(["reconcile", id], { env })),
    );
    for (const reply of replies) {
      expectTold(reply, OWNER);
      expect(reply.json.refusals?.[0]?.message).toMatch(/process \d+ is running/);
    }
    expectTold(scratch.hold(["lock", id], { env: BOT }), OWNER);
    scratch.write(".git/go", "");
    const { exit, stdout } = await own;
    expect(exit, stdout).toBe(11);
    expect(scratch.git("rev-list", "--count", "HEAD")).toBe("2");
    const { entries = [] } = scratch.hold(["audit", id]).json;
    expect(entries.filter((one) => one.command.startsWith("effect."))).toHaveLength(1);
  });
});
