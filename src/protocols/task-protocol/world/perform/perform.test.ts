import { describe, expect, test } from "vitest";
import { repository, worldOf } from "../../../../../test/fixtures/task-protocol/places.ts";
import { TASK } from "../../../../../test/fixtures/task-protocol/world.ts";
import { emptyWorkflow } from "../../../../core/state/evolve.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { Decision, Effect, Workflow } from "../../../../core/state/state.ts";
import type { World } from "../../../../ports/family.ts";
import type { Branches, RemoveWorktree, Worktrees } from "../../../../ports/worktrees.ts";
import { performTask } from "./perform.ts";
import type { GitPorts } from "./outcome.ts";

const DIR = `.holdpoint/tasks/${TASK}`;
const HEAD = { commit: "c".repeat(40), tree: "t", patch: "p" };
const VARS = { root: ".holdpoint/tasks", main: "main", todo: "todo.md", merge_policy: "exact" };

function released(bound: Readonly<Record<string, string>>): Decision {
  return {
    id: "D-1",
    question: "change",
    unit: ".",
    status: "answered",
    prompt: "",
    options: [],
    bound,
    nonce: "",
    askedAt: "",
    askedSeq: 1,
    about: {},
    settled: { option: "approve", text: "", by: "person:ada", at: "", seq: 2 },
  };
}

function wanted(kind: string, args: JsonObject, detail?: JsonObject): Effect {
  const status = detail === undefined ? "wanted" : "done";
  return { id: "E-1", kind, args, unit: ".", status, detail: detail ?? {}, asks: null, undo: null };
}

function taskWith(change: Partial<Workflow>): Workflow {
  return { ...emptyWorkflow(TASK), vars: VARS, ...change };
}

/** Ports that note what they are asked to do. */
function ports(asked: string[], removals: RemoveWorktree[] = []): GitPorts {
  const branches: Partial<Branches> = {
    head: async () => HEAD,
    ahead: async () => ({ commits: [], files: [], since: undefined, entries: {} }),
    fastForward: async ({ from }) => {
      asked.push(from);
      return { kind: "done", commit: from, moved: true };
    },
  };
  const worktrees: Partial<Worktrees> = {
    list: async () => [],
    remove: async (plan) => {
      removals.push(plan);
      return { kind: "done", removed: true, saved: [], branch: "deleted" };
    },
  };
  return { branches: branches as Branches, worktrees: worktrees as Worktrees };
}

describe("the merge to main", () => {
  const effect = wanted("merge-ff", { from: TASK, to: "main", scope: "main" });
  const bound = { [`head:${TASK}`]: HEAD.commit, [`patch:${TASK}`]: HEAD.patch };
  const world = worldOf(repository());

  test("[TP-181] only the commit that was released, asked again where it is done", async () => {
    const asked: string[] = [];
    const merge = async (change: Partial<Workflow>) =>
      await performTask(ports(asked), { world, state: taskWith(change), effect });
    const other = { ...bound, [`head:${TASK}`]: "d".repeat(40) };
    for (const decisions of [{}, { "D-1": released(other) }]) {
      expect(await merge({ decisions })).toMatchObject({ code: "change-differs" });
    }
    expect(asked).toEqual([]);
    const vars = { ...VARS, merge_policy: "same-patch" };
    expect(await merge({ decisions: { "D-1": released(other) }, vars })).toMatchObject({
      kind: "done",
    });
    expect(await merge({ decisions: { "D-1": released(bound) } })).toMatchObject({ kind: "done" });
    expect(asked).toEqual([HEAD.commit, HEAD.commit]);
  });

  const undo = { units: [], vars: {}, asks: "effect-failed" };
  const building = { ...effect, undo, args: { ...effect.args, check: "build" } };
  const state = taskWith({ decisions: { "D-1": released(bound) } });
  const checks = { build: { run: ["make"], minutes: 1 } };

  /** Merge with a build that ends so on main, and say what came of it and where main was put back to. */
  async function built(given: {
    readonly code: number;
    readonly branch?: string;
    readonly moved?: boolean;
    readonly refused?: string;
  }): Promise<{ readonly outcome: unknown; readonly ran: string[]; readonly back: string[] }> {
    const [ran, back]: [string[], string[]] = [[], []];
    const some = ports([]);
    const branches: Branches = {
      ...some.branches,
      fastForward: async ({ from }) => ({ kind: "done", commit: from, moved: given.moved ?? true }),
      takeBack: async ({ expected }) => {
        back.push(expected);
        if (given.refused === undefined) return { kind: "done", commit: expected, moved: true };
        return { kind: "refused", code: given.refused, message: "", fix: "", paths: [] };
      },
    };
    const list = [{ path: ".", branch: given.branch ?? "main", prunable: false }];
    const worktrees = { list: async () => list } as unknown as Worktrees;
    const runner: World["runner"] = {
      run: async (command, { cwd }) => {
        ran.push(`${command.join(" ")} in ${cwd}`);
        return { kind: "exited", code: given.code, output: "no such header\n", ms: 1 };
      },
    };
    const git = { resolve: async (revision: string) => `${revision} resolved` } as World["git"];
    const here = { ...world, runner, git, config: { checks, settings: {} } };
    const wish = { world: here, state, effect: building };
    return { outcome: await performTask({ branches, worktrees }, wish), ran, back };
  }

  test("[TP-192] main is built where it is checked out; what passes there stays", async () => {
    const { outcome, ran, back } = await built({ code: 0 });
    expect(outcome).toMatchObject({ kind: "done", detail: { build: "passed" }, warnings: [] });
    expect(ran).toEqual([`make in ${world.workspace.root}/.`]);
    expect(back).toEqual([]);
    const elsewhere = await built({ code: 1, branch: "elsewhere" });
    expect([elsewhere.ran, elsewhere.outcome]).toMatchObject([
      [],
      { detail: { build: "not-run" } },
    ]);
  });

  test("[TP-192] what does not is taken back, from where it was or from before the try that died", async () => {
    const { outcome, back } = await built({ code: 2 });
    expect(outcome).toMatchObject({ kind: "failed", code: "main-broken" });
    expect(outcome).toHaveProperty("message", expect.stringContaining("no such header"));
    expect(back).toEqual([HEAD.commit]);
    const again = await built({ code: 2, moved: false });
    expect(again.back).toEqual([`${HEAD.commit}^ resolved`]);
  });

  test("[TP-192] unless others have built on it; and what is in the way is a person's to move", async () => {
    const { outcome } = await built({ code: 2, refused: "branch-moved" });
    expect(outcome).toMatchObject({ kind: "done", warnings: [expect.stringContaining("stays")] });
    const blocked = await built({ code: 2, refused: "tree-dirty" });
    expect(blocked.outcome).toMatchObject({ kind: "blocked", code: "tree-dirty" });
  });
});

describe("removing", () => {
  test("[TP-197] only places the journal says were made are taken away", async () => {
    const removals: RemoveWorktree[] = [];
    const made = { made: [{ path: `${DIR}/code`, branch: TASK, commit: "c" }] };
    const agent = { kind: "agent", at: "ready", back: null, data: {}, entered: {} };
    const units = { quality: { ...agent, id: "quality" } } as unknown as Workflow["units"];
    const state = taskWith({ units, effects: { "E-0": wanted("worktree", {}, made) } });
    const effect = wanted("worktree-remove", { scope: "all", path: DIR, branch: TASK });
    await performTask(ports([], removals), { world: worldOf(repository()), state, effect });
    expect(removals.map(({ branch, recorded }) => [branch, recorded])).toEqual([[TASK, true]]);
  });
});

describe("making", () => {
  test("[TP-029] [TP-219] of several places all are made, or none is left", async () => {
    const removals: RemoveWorktree[] = [];
    const agent = { kind: "agent", at: "preparing", back: null, data: {}, entered: {} };
    const units = Object.fromEntries(
      ["architect", "quality", "style"].map((id) => [id, { ...agent, id }]),
    ) as unknown as Workflow["units"];
    const made = { made: [{ path: `${DIR}/agents/architect/code`, branch: `${TASK}-architect` }] };
    const state = taskWith({ units, effects: { "E-0": wanted("worktree", {}, made) } });
    const full = { code: "path-taken", message: "", fix: "", paths: [] };
    const some = ports([], removals);
    const worktrees: Worktrees = {
      ...some.worktrees,
      add: async ({ branch }) =>
        branch.endsWith("style")
          ? { kind: "refused", ...full }
          : { kind: "done", commit: "c", created: true },
    };
    const args = { scope: "agents", path: `${DIR}/agents`, base: TASK };
    const effect = {
      ...wanted("worktree", args),
      undo: { units: [], vars: {}, asks: "effect-failed" },
    };
    const world = worldOf(repository());
    expect(await performTask({ ...some, worktrees }, { world, state, effect })).toMatchObject({
      kind: "failed",
      code: "path-taken",
    });
    expect(removals.map(({ branch }) => branch)).toEqual([`${TASK}-quality`]);
  });
});
