import { describe, expect, test } from "vitest";
import {
  aheadBy,
  placesOf,
  repository,
  worldOf,
} from "../../../../test/fixtures/task-protocol/places.ts";
import type { Repository } from "../../../../test/fixtures/task-protocol/places.ts";
import {
  AGENT,
  agentsOf,
  atApproval,
  atImplementation,
  atRequirements,
  atReview,
  atSynthesis,
  atValidation,
  build,
  codes,
  ENGINE,
  reportOf,
  TASK,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Workflow } from "../../../core/state/state.ts";
import type { Brief, Choice } from "../../../ports/family.ts";
import { taskFamily } from "../index.ts";
import { workOf } from "../world/work.ts";

const DIR = `.holdpoint/tasks/${TASK}`;
const MEDIUM = { level: "MEDIUM", agents: ["architect", "quality"] } as const;

/** A repository in which everything is where the workflow says. */
function whole(state: Workflow, files: Readonly<Record<string, string>> = {}): Repository {
  const lock = JSON.stringify({ session_id: state.lease?.session });
  const repo = repository({ [`${DIR}/task.json`]: lock, ...files });
  repo.worktrees.push({ path: `${DIR}/code`, branch: TASK });
  for (const agent of Object.keys(state.units).filter((id) => id !== "."))
    repo.worktrees.push({ path: `${DIR}/agents/${agent}/code`, branch: `${TASK}-${agent}` });
  return repo;
}

async function briefOf(repo: Repository, state: Workflow, minutes = 0): Promise<Brief> {
  const world = { ...worldOf(repo), now: new Date(Date.parse(state.updatedAt) + minutes * 60_000) };
  const at = { ...world, now: world.now.toISOString() };
  const brief = await taskFamily(placesOf(repo)).words.brief(at, state);
  if (brief === undefined) throw new Error("no brief");
  return brief;
}

async function actions(repo: Repository, state: Workflow, minutes = 0): Promise<readonly string[]> {
  const { advice } = await briefOf(repo, state, minutes);
  return advice.map(({ action, why }) => `${action} ${why.split(":")[0] ?? ""}`);
}

describe("what to do about agents", () => {
  test("[TP-110] [TP-111] those never asked are asked together; what is done stays done", async () => {
    const one = atRequirements(MEDIUM);
    const repo = whole(one.state);
    const { advice } = await briefOf(repo, one.state);
    expect(advice.map((each) => each.action)).toEqual(["INVOKE_ALL_AGENTS"]);
    expect(advice[0]?.run).toEqual(
      agentsOf(one).map((agent) => `holdpoint advance ${TASK} requirements --unit ${agent}`),
    );
    one.send("requirements", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE");
    repo.files.set(`${DIR}/${TASK}-architect-requirements.md`, "x".repeat(100));
    repo.files.set(`${DIR}/${TASK}-quality-requirements.md`, "x".repeat(100));
    expect(await actions(repo, one.state)).toEqual([
      "INVOKE_INCOMPLETE not asked yet, all at once",
    ]);
    one.send("requirements", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE");
    expect((await briefOf(repo, one.state)).advice).toMatchObject([
      { action: "ALL_DONE", run: [`holdpoint advance ${TASK} synthesize`] },
    ]);
  });

  test("[TP-099] [TP-100] [TP-102] [TP-103] silence, old news and too long a wait are told apart", async () => {
    const one = atRequirements(MEDIUM).send("requirements", "architect", AGENT);
    one.send("requirements", "quality", AGENT);
    const repo = whole(one.state);
    const wrote = (at: number): string =>
      JSON.stringify({
        status: "WORKING",
        mode: "requirements",
        round: 1,
        updated_at: new Date(Date.parse(one.state.updatedAt) + at * 60_000).toISOString(),
      });
    expect(await actions(repo, one.state, 4)).toEqual(["WAIT architect", "WAIT quality"]);
    repo.files.set(`${DIR}/agents/quality/status.json`, wrote(5));
    expect(await actions(repo, one.state, 6)).toEqual(["REINVOKE architect", "WAIT quality"]);
    const { advice } = await briefOf(repo, one.state, 6);
    expect(advice[0]?.run).toEqual([
      `echo '{"outcome":"TIMED_OUT"}' | holdpoint report ${TASK} - --dispatch W-1`,
      `holdpoint advance ${TASK} requirements --unit architect`,
    ]);
    repo.files.set(`${DIR}/agents/architect/status.json`, wrote(35));
    expect(await actions(repo, one.state, 36)).toEqual(["WAIT architect", "REINVOKE quality"]);
    repo.files.set(`${DIR}/agents/architect/status.json`, wrote(60));
    repo.files.set(`${DIR}/agents/quality/status.json`, wrote(60));
    expect(new Set(await actions(repo, one.state, 61))).toEqual(
      new Set(["RETURN_TO_CLASSIFIED architect", "RETURN_TO_CLASSIFIED quality"]),
    );
  });

  test("[TP-098] [TP-106] an error is answered by what it says; exhausted retries show a person five things", async () => {
    const one = atRequirements(MEDIUM);
    const fail = (message: string): void => {
      one.send("requirements", "quality", AGENT);
      reportOf(one, "quality", "ERROR", { error_message: message });
    };
    fail("context limit exceeded");
    const repo = whole(one.state);
    expect(await actions(repo, one.state)).toContain("REINVOKE_SMALLER quality");
    fail("stumbled");
    expect(await actions(repo, one.state)).toContain("ESCALATE quality");
    fail("stumbled again");
    const { shown } = await briefOf(repo, one.state);
    for (const part of ["Issue: quality: stumbled again", "State: ", "Attempts: 3", "Work at risk"])
      expect(shown.join("\n")).toContain(part);
    expect(shown.join("\n")).toContain("abandon");
  });
});

describe("what was done and not merged", () => {
  test("[TP-158] [TP-161] an agent whose merge failed is handed its work again", async () => {
    const one = atImplementation(MEDIUM);
    for (const agent of agentsOf(one)) one.send("implementation", agent, AGENT);
    for (const agent of agentsOf(one)) {
      reportOf(one, agent, "COMPLETE", { work_remaining: "none" });
      const effect = Object.keys(one.state.effects).at(-1) ?? "";
      const detail = { code: "merge-conflict", message: "the same lines", fix: "" };
      const ended =
        agent === "quality"
          ? ({ status: "failed", detail } as const)
          : ({ status: "done", detail: {} } as const);
      one.when({ type: "effect.settle", effect, ...ended }, ENGINE);
    }
    const { advice } = await briefOf(whole(one.state), one.state);
    expect(advice.at(-1)).toEqual({
      action: "REINVOKE",
      why: "quality: the same lines",
      run: [`holdpoint advance ${TASK} implementation --unit quality`],
    });
  });
});

describe("what was rejected", () => {
  test("[TP-171] the rejection and its way back are told, and nobody is asked twice about one tree", async () => {
    const one = atReview(MEDIUM);
    for (const agent of agentsOf(one)) one.send("review", agent, AGENT);
    reportOf(one, "architect", "APPROVED");
    reportOf(one, "quality", "REJECTED", { feedback: "no tests" });
    const { advice } = await briefOf(whole(one.state), one.state);
    expect(advice.at(-1)).toEqual({
      action: "rework",
      why: "quality: REJECTED, no tests",
      run: [`holdpoint advance ${TASK} rework --reason "quality"`],
    });
    expect(codes(one.send("review", "quality", AGENT))).toEqual(["already-judged"]);
    one.given({ [`work:${TASK}`]: "work-2" });
    expect(codes(one.send("review", "quality", AGENT))).toEqual(["accepted"]);
  });
});

describe("what is broken", () => {
  test("[TP-108] [TP-214] [TP-215] lock and worktrees are looked at, each with its way out", async () => {
    const one = atRequirements(MEDIUM);
    const repo = whole(one.state);
    repo.files.set(`${DIR}/task.json`, "{");
    repo.worktrees.splice(0, 2);
    const { advice } = await briefOf(repo, one.state);
    expect(advice.slice(0, 3).map(({ action, run }) => [action, run[0]])).toEqual([
      ["lock-unreadable", `holdpoint reconcile ${TASK} --restore`],
      ["worktree-missing", `holdpoint advance ${TASK} worktree-lost`],
      ["agent-worktree-missing", `holdpoint advance ${TASK} restore-agents`],
    ]);
  });

  test("[TP-068] a report that changed after it was accepted is named", async () => {
    const one = atSynthesis(MEDIUM);
    const told = await actions(whole(one.state), one.state);
    expect(told).toContain("evidence-missing post_transition_evidence_missing");
  });

  test("[TP-168] a failed build says whom it concerns", async () => {
    const one = build(atValidation(MEDIUM), "failed");
    const { state } = one;
    const note = { list: "runs", tag: "build", text: "mvn: exit 1\ncannot find symbol", at: "" };
    const { advice } = await briefOf(whole(state), { ...state, notes: [...state.notes, note] });
    expect(advice.at(-1)).toMatchObject({
      action: "rework",
      why: "build failed (compilation); for architect",
    });
  });
});

describe("what a person is shown", () => {
  test("[TP-133] the plan's own words, read from task.md when it is asked", async () => {
    const one = atSynthesis().move("present-plan", AGENT);
    const plan = [
      "## Task Objective\n\nOne parser.\n\n## Implementation Plan",
      "### File Manifest\n\n- `src/P.java` - create, 120 lines",
      "### API Specifications\n\nNode parse(String text)",
      "### Behavioral Specifications\n\n- empty: an error",
      "### Test Specifications\n\n| n | i | e |\n|---|---|---|\n| reads | a | b |",
      "### Implementation Sequence\n\n1. architect: the interface",
      "### Decision Log\n\n- recursive descent, decided",
    ].join("\n\n");
    const { shown } = await briefOf(whole(one.state, { [`${DIR}/task.md`]: plan }), one.state);
    for (const part of [
      "1 file, about 120 lines",
      "One parser.",
      "Node parse(String text)",
      "empty: an error",
      "reads | a | b",
      "architect: the interface",
      "recursive descent",
      `holdpoint answer ${TASK} approved`,
    ])
      expect(shown.join("\n")).toContain(part);
  });

  test("[TP-178] the commit with its files, checks and agents", async () => {
    const { state } = atApproval();
    const repo = whole(state);
    const ahead = aheadBy(["src/P.java"], [{ sha: "c", subject: "Read it" }]);
    const show = async (tree: string, one: Workflow): Promise<string> => {
      repo.branches.set(TASK, { commit: "c", tree, patch: "p", ahead, files: new Map() });
      return (await briefOf(repo, one)).shown.join("\n");
    };
    const shown = await show("tree-1", state);
    for (const part of ["Read it", "src/P.java", "build: passed on tree tree-1 at", "not pushed"])
      expect(shown).toContain(part);
    expect(shown).toContain("tests: not run, because holdpoint.config.json has no check");

    // What was said of another tree, or of another change, is not shown as if it held for this one.
    expect(await show("tree-2", state)).not.toContain("passed");
    expect(shown).toContain("architect: no verdict on this very change");
    const work = await workOf(placesOf(repo), worldOf(repo), state);
    const judged = structuredClone(state.findings);
    const findings = Object.fromEntries(
      Object.entries(judged).map(([key, one]) => [
        key,
        one.kind === "review" ? { ...one, bound: { [`work:${TASK}`]: work } } : one,
      ]),
    );
    expect(await show("tree-1", { ...state, findings })).toContain(
      "architect: APPROVED, for these",
    );
  });
});

describe("what could be started", () => {
  const choose = async (repo: Repository): Promise<Choice | undefined> =>
    await taskFamily(placesOf(repo)).choice(worldOf(repo));
  const entry = (name: string, word: string, waits = "none"): string =>
    `- [ ] **${word}:** \`${name}\` - x\n  - **Dependencies**: ${waits}\n`;

  test("[TP-019] [TP-020] the first READY one nobody has, or the numbers and each reason", async () => {
    const list = entry("a", "BLOCKED", "b") + entry("b", "READY") + entry("c", "READY");
    const repo = repository({ "todo.md": `${list}${entry("d", "BLOCKED", "gone")}` });
    repo.summaries = [{ protocol: "task-protocol", id: "b", session: "s-9", at: "REVIEW" }];
    expect(await choose(repo)).toMatchObject({
      next: "c",
      run: [
        {
          operation: "start",
          input: { workflow: "c", protocol: "task-protocol", options: { feasibility: "yes" } },
        },
      ],
      counts: { total: 4, ready: 2, locked: 1, blocked: 1 },
    });
    repo.files.set("todo.md", entry("a", "BLOCKED", "b") + entry("b", "READY"));
    const none = await choose(repo);
    expect(none).toMatchObject({ next: null, run: [], counts: { total: 2, ready: 0 } });
    expect(none?.checked.map((one) => one.why)).toEqual(["waits for b", "session s-9 has it"]);
    repo.files.delete("todo.md");
    expect(await choose(repo)).toBeUndefined();
  });
});
