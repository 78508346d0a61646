import { describe, expect, test } from "vitest";
import {
  atImplementation,
  atRequirements,
  TASK,
  reportOf,
} from "../../../test/fixtures/task-protocol/world.ts";
import { AGENT, atReview, atSynthesis, begun } from "../../../test/fixtures/task-protocol/world.ts";
import { placesOf, repository, worldOf } from "../../../test/fixtures/task-protocol/places.ts";
import type { Repository } from "../../../test/fixtures/task-protocol/places.ts";
import { emptyWorkflow } from "../../core/evolve.ts";
import type { Json } from "../../core/json.ts";
import { next } from "../../core/next.ts";
import type { Effect, Workflow } from "../../core/state.ts";
import { renderTaskMd } from "../../files/task/task-md.ts";
import { readReport } from "./claim.ts";
import { taskFamily } from "./family.ts";
import { deferredNames } from "./git-looks.ts";
import { object } from "./read.ts";
import { viewsOf } from "./views.ts";

const DIR = `.holdpoint/tasks/${TASK}`;
const TODO = `- [ ] **READY:** \`${TASK}\` - parse it
  - **Purpose**: a tree
  - **Scope**: src/Parser.java
- [ ] **READY:** \`other\` - x
`;
const DOCUMENT = renderTaskMd({
  task: TASK,
  objective: "Parse it.",
  inScope: ["src/main/Parser.java"],
  outOfScope: [],
});

async function look(
  repo: Repository,
  key: string,
  state: Workflow = emptyWorkflow(TASK),
): Promise<Json> {
  const [name = "", ...of] = key.split(":");
  const found = taskFamily(placesOf(repo)).looks[name];
  if (found === undefined) throw new Error(`no look ${name}`);
  return await found(worldOf(repo), of.join(":"), state);
}

function branch(repo: Repository, name: string, change: Partial<Branch> = {}): void {
  const { commits = ["one"], files = [], texts = {} } = change;
  repo.branches.set(name, {
    commit: `${name}-commit`,
    tree: `${name}-tree`,
    patch: `${name}-patch`,
    ahead: { commits: commits.map((subject) => ({ sha: subject, subject })), files },
    files: new Map(Object.entries(texts)),
  });
}

interface Branch {
  readonly commits: readonly string[];
  readonly files: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
}

describe("facts from files", () => {
  test("[TP-001] the entry in the task list", async () => {
    const repo = repository({ "todo.md": TODO });
    expect(await look(repo, `todo:${TASK}`)).toMatchObject({
      status: "READY",
      purpose: true,
      scope: true,
      components: true,
    });
    expect(await look(repo, "todo:other")).toMatchObject({ purpose: false, scope: false });
    expect(await look(repo, "todo:pars")).toBeNull();
  });

  test("[TP-009] [TP-018] a lock that lies there without a journal is somebody else's, readable or not", async () => {
    const repo = repository();
    expect(await look(repo, `selection:${TASK}`)).toBe("PROCEED_WITH_INIT");
    repo.worktrees.push({ path: `${DIR}/code`, branch: TASK });
    expect(await look(repo, `selection:${TASK}`)).toBe("ASK_USER");
    repo.files.set(`${DIR}/task.json`, "{");
    expect(await look(repo, `selection:${TASK}`)).toBe("SELECT_ALTERNATIVE");
  });

  test("[TP-003] [TP-015] the next one that could be taken", async () => {
    const repo = repository({ "todo.md": TODO, [`${DIR}/task.json`]: "{}" });
    expect(await look(repo, "next-task")).toBe("other");
  });

  test("[TP-021] unfinished tasks of a session", async () => {
    const repo = repository();
    const summary = { protocol: "task-protocol", session: "s-1" };
    repo.summaries = [
      { ...summary, id: "a", at: "REVIEW" },
      { ...summary, id: "b", at: "CLEANUP" },
      { ...summary, id: "c", at: "INIT", session: "s-2" },
    ];
    expect(await look(repo, "session-tasks:s-1")).toEqual(["a"]);
  });

  test("[TP-084] task.md, in its place or not", async () => {
    const { state } = atRequirements();
    const repo = repository();
    expect(await look(repo, `task-md:${TASK}`, state)).toBeNull();
    repo.files.set(`${DIR}/code/task.md`, DOCUMENT);
    expect(await look(repo, `task-md:${TASK}`, state)).toMatchObject({ misplaced: true });
    repo.files.set(`${DIR}/task.md`, DOCUMENT);
    expect(await look(repo, `task-md:${TASK}`, state)).toEqual({ missing: [] });
  });

  test("[TP-072] [TP-073] [TP-077] risk and agents come from the scope, or from an override", async () => {
    const repo = repository({ "todo.md": TODO, [`${DIR}/task.md`]: DOCUMENT });
    const { state } = begun();
    expect(await look(repo, `classification:${TASK}`, state)).toMatchObject({
      level: "HIGH",
      agents: ["architect", "style", "quality", "build"],
    });
    const vars = { ...state.vars, risk_override: "LOW" };
    expect(await look(repo, `agents:${TASK}`, { ...state, vars })).toEqual([]);
    repo.settings = { patterns: { HIGH: [], MEDIUM: ["src/**"], LOW: [] } };
    expect(await look(repo, `classification:${TASK}`, state)).toMatchObject({ level: "MEDIUM" });
  });

  test("[TP-219] going back and selecting again keeps those that had joined", async () => {
    const data = {
      justification: {
        missing_expertise: "a",
        unmet_requirement: "b",
        why_not_first: "c",
        evidence: "d",
      },
    };
    const one = atRequirements();
    one.when({ type: "unit.open", kind: "agent", unit: "security", data }, AGENT).settle();
    const repo = repository({ [`${DIR}/task.md`]: DOCUMENT });
    const agents = await look(repo, `agents:${TASK}`, one.state);
    expect(agents).toContainEqual(expect.objectContaining({ id: "security" }));
  });

  test("[TP-093] [TP-099] reports and statuses of agents", async () => {
    const { state } = atRequirements();
    const repo = repository({
      [`${DIR}/${TASK}-quality-requirements.md`]: "x".repeat(120),
      [`${DIR}/agents/quality/status.json`]:
        '{"status": "completed", "updated_at": "2026-03-01T10:00:00Z"}',
    });
    expect(await look(repo, "report:quality", state)).toEqual({ bytes: 120 });
    expect(await look(repo, "report:architect", state)).toBeNull();
    expect(await look(repo, "agent-status:quality", state)).toMatchObject({ status: "COMPLETE" });
    expect(await look(repo, "agent-status:architect", state)).toBeNull();
  });

  test("[TP-126] [TP-127] [TP-139] plan and synthesis", async () => {
    const { state } = atSynthesis();
    const report = `${DIR}/${TASK}-quality-requirements.md`;
    const repo = repository({ [`${DIR}/task.md`]: DOCUMENT, [report]: `R1 ${"x".repeat(120)}` });
    expect(await look(repo, `plan:${TASK}`, state)).toBeNull();
    expect(await look(repo, `plan-digest:${TASK}`, state)).toBeNull();
    expect(await look(repo, `synthesis:${TASK}`, state)).toMatchObject({ unmapped: ["R1"] });
    repo.files.set(`${DIR}/task.md`, `${DOCUMENT}\n## Implementation Plan\n\nx\n`);
    expect(await look(repo, `plan-digest:${TASK}`, state)).toMatch(/^sha256:hash-/);
  });
});

describe("facts from git", () => {
  test("[TP-048] [TP-050] worktrees and where the session stands", async () => {
    const { state } = atRequirements();
    const repo = repository();
    expect(await look(repo, "worktree:.", state)).toBeNull();
    repo.worktrees.push({ path: `${DIR}/agents/quality/code`, branch: `${TASK}-quality` });
    expect(await look(repo, "worktree:quality", state)).toMatchObject({
      branch: `${TASK}-quality`,
    });
    repo.cwd = `${DIR}/code-look-alike`;
    expect(await look(repo, `cwd:${TASK}`, state)).toMatchObject({ same: false, inside: true });
    repo.cwd = `${DIR}/code`;
    expect(await look(repo, `cwd:${TASK}`, state)).toMatchObject({ same: true });
  });

  test("[TP-191] one commit ahead, fast-forward, and on main", async () => {
    const { state } = atReview();
    const repo = repository();
    branch(repo, TASK);
    branch(repo, "main");
    expect(await look(repo, `commits:${TASK}`, state)).toBe(1);
    expect(await look(repo, `ff:${TASK}`, state)).toBe(false);
    repo.contains.add(`${TASK} main-commit`).add(`main ${TASK}-commit`);
    expect(await look(repo, `ff:${TASK}`, state)).toBe(true);
    expect(await look(repo, `on-main:${TASK}`, state)).toBe(true);
    expect(await look(repo, `head:${TASK}`, state)).toBe(`${TASK}-commit`);
    expect(await look(repo, "tree:quality", state)).toBeNull();
  });

  test("[TP-161] an agent's branch is merged when nothing of it is left outside", async () => {
    const { state } = atImplementation();
    const repo = repository();
    expect(await look(repo, "merged:quality", state)).toBe(true);
    branch(repo, `${TASK}-quality`);
    expect(await look(repo, "merged:quality", state)).toBe(false);
    repo.contains.add(`${TASK} ${TASK}-quality-commit`);
    expect(await look(repo, "merged:quality", state)).toBe(true);
    repo.dirty.set(`${DIR}/agents/quality/code`, ["src/A.java"]);
    expect(await look(repo, "merged:quality", state)).toBe(false);
  });

  test("[TP-187] [TP-188] [TP-189] the commit closes the entry and names the task", async () => {
    const { state } = atReview();
    const repo = repository();
    branch(repo, TASK, { texts: { "todo.md": TODO } });
    expect(await look(repo, `archived:${TASK}`, state)).toEqual(["todo.md", "changelog.md"]);
    const changelog = `## 2026-03-01\n\n### A parser\n\n**Task**: \`${TASK}\`\n`;
    branch(repo, TASK, { texts: { "todo.md": "# none\n", "changelog.md": changelog } });
    expect(await look(repo, `archived:${TASK}`, state)).toEqual([]);
    const vars = { ...state.vars, completion: "mark" };
    branch(repo, TASK, { texts: { "todo.md": TODO.replace("[ ]", "[x]") } });
    expect(await look(repo, `archived:${TASK}`, { ...state, vars })).toEqual([]);
  });

  test("[TP-157] [TP-162] [TP-208] source that no agent brought, however it was committed", async () => {
    const { state } = atImplementation();
    const commits = [{ sha: "a", subject: "no tag", created: ["src/A.java"], modified: [] }];
    const merge: Effect = {
      id: "E-9",
      kind: "merge-ff",
      args: { scope: "agent", agent: "quality" },
      unit: "quality",
      status: "done",
      detail: { oid: "agent-tip", commits },
      asks: null,
      undo: null,
    };
    const merged = { ...state, effects: { ...state.effects, "E-9": merge } };
    const repo = repository();
    const files = ["src/A.java", "src/Mine.java", "docs/notes.md", "todo.md"];
    branch(repo, TASK, { commits: ["Do it all"], files });
    const own = async (of: Workflow): Promise<Json> => await look(repo, `own-source:${TASK}`, of);
    expect(await own(state)).toEqual(["src/A.java", "src/Mine.java"]);
    expect(await own(merged)).toEqual(["src/Mine.java"]);
    // Changed after the agent: its name on the commit, or one commit for all, does not hide it.
    repo.changed.set(`agent-tip ${TASK}`, ["src/A.java"]);
    expect(await own(merged)).toEqual(["src/A.java", "src/Mine.java"]);
    branch(repo, "main", { files: ["src/A.java"] });
    expect(await own(merged)).toEqual(["src/Mine.java"]);
  });

  test("[TP-163] a configuration that nobody committed is no policy", async () => {
    const repo = repository();
    expect(await look(repo, "config")).toEqual([]);
    repo.dirty.set(".", ["todo.md", "holdpoint.config.json"]);
    expect(await look(repo, "config")).toEqual(["holdpoint.config.json"]);
  });

  test("[TP-142] a plan in which the coordinator does the work is not complete", async () => {
    const { state } = atImplementation();
    const phase = (line: string): string =>
      `${DOCUMENT}\n## Implementation Plan\n\n### Implementation Sequence\n\n- ${line}\n`;
    const problems = async (line: string): Promise<Json> => {
      const repo = repository({ [`${DIR}/task.md`]: phase(line) });
      return object(await look(repo, `plan:${TASK}`, state))["problems"] ?? null;
    };
    expect(await problems("architect writes the interface")).toEqual([]);
    expect(await problems("I will implement the parser")).toEqual([
      '"I will implement the parser" leaves the work to the coordinator',
    ]);
  });

  test("[TP-166] [TP-141] what changed, and whether the plan knows it", async () => {
    const { state } = atImplementation();
    const plan = "## Implementation Plan\n\n### File Manifest\n\n- `src/Parser.java` - new\n";
    const repo = repository({ [`${DIR}/task.md`]: `${DOCUMENT}\n${plan}` });
    branch(repo, TASK, { files: ["src/Parser.java", "src/Extra.java", "todo.md"] });
    expect(await look(repo, `deviations:${TASK}`, state)).toEqual(["src/Extra.java"]);
    expect(await look(repo, `source-changed:${TASK}`, state)).toBe(true);
    branch(repo, TASK, { files: ["README.md"] });
    expect(await look(repo, `source-changed:${TASK}`, state)).toBe(false);
  });

  test("[TP-082] what source refers to, what the build reads and what is secret is not safe, and not LOW", async () => {
    const { state } = atImplementation();
    const low: Workflow = { ...state, vars: { ...state.vars, risk_level: "LOW" } };
    const unsafe = async (file: string, says: string): Promise<Json> => {
      const repo = repository();
      branch(repo, "main", { texts: { "src/Help.java": 'open("docs/used.md")' } });
      branch(repo, TASK, { files: [file, "todo.md"], texts: { [file]: says } });
      return await look(repo, `safety:${TASK}`, low);
    };
    expect(await unsafe("docs/free.md", "text")).toEqual([]);
    expect(await unsafe("docs/used.md", "text")).toEqual(["referenced from src/Help.java"]);
    expect(await unsafe("requirements.txt", "yaml")).toEqual(["it affects the build"]);
    expect(await unsafe("notes.txt", "password = hunter22")).toEqual([
      "security-sensitive: notes.txt",
    ]);
    const scope = { task: TASK, objective: "x", inScope: ["docs/used.md"], outOfScope: [] };
    const repo = repository({ [`${DIR}/task.md`]: renderTaskMd(scope) });
    branch(repo, "main", { texts: { "src/Help.java": "docs/used.md" } });
    expect(await look(repo, `classification:${TASK}`, state)).toMatchObject({
      level: "MEDIUM",
      method: "safety escalation",
    });
  });

  test("[TP-175] deferred issues under the names they get in the list", () => {
    const { state } = atReview();
    const claim = { deferrable: ["Limit the nesting depth!"] };
    const [first] = Object.values(state.dispatches);
    if (first === undefined) throw new Error("no dispatch");
    const dispatches = { x: { ...first, spec: "scope", outcome: "DEFER", claim } };
    expect(deferredNames({ ...state, dispatches })).toEqual(["limit-the-nesting-depth"]);
  });
});

describe("reports", () => {
  const read = (text: string, spec: string): unknown => {
    const [first] = Object.values(atReview().state.dispatches);
    if (first === undefined) throw new Error("no dispatch");
    const report = readReport(text, { ...first, spec, role: "quality" }, atReview().state);
    return report.kind === "report" ? report.claim : report;
  };

  test("[TP-170] decision lines become verdicts, anything else is malformed", () => {
    expect(read("FINAL DECISION: APPROVED - fine", "review")).toMatchObject({
      outcome: "APPROVED",
    });
    expect(read("looks good to me", "review")).toMatchObject({
      kind: "void",
      claim: { outcome: "MALFORMED" },
      refusals: [{ code: "report-unreadable", rule: "TP-170" }],
    });
    expect(read('{"status": "COMPLETE"}', "review")).toMatchObject({ outcome: "MALFORMED" });
    expect(read('{"status": "COMPLETE", "decision": "REJECTED"}', "review")).toMatchObject({
      outcome: "REJECTED",
    });
  });

  test("[TP-093] a status in any spelling is a report; one for another task is refused", () => {
    expect(read('{"status": "completed"}', "requirements")).toMatchObject({ outcome: "COMPLETE" });
    expect(read('{"status": "in_progress"}', "implementation")).toMatchObject({
      outcome: "PARTIAL",
    });
    expect(read("I could not do it", "requirements")).toMatchObject({
      kind: "void",
      claim: { outcome: "ERROR" },
    });
    expect(read('{"status": "COMPLETE", "task": "other"}', "requirements")).toMatchObject({
      kind: "refused",
    });
  });

  test("[TP-225] names that belong to the workflow are not taken from a report", () => {
    expect(read('{"status": "COMPLETE", "root": "/etc"}', "requirements")).not.toHaveProperty(
      "root",
    );
  });

  test("[TP-093] a status file is its agent's report only for this mode and round", async () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    const repo = repository();
    const write = async (status: object): Promise<number> => {
      repo.files.set(`${DIR}/agents/quality/status.json`, JSON.stringify(status));
      return (await taskFamily(placesOf(repo)).edits(worldOf(repo), one.state)).length;
    };
    expect(await write({ status: "COMPLETE" })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "implementation", round: 1 })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "requirements", round: 2 })).toBe(0);
    expect(await write({ status: "WORKING", mode: "requirements", round: 1 })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "requirements", round: 1 })).toBe(1);
  });
});

describe("the family", () => {
  test("[TP-023] [TP-033] the lock is there exactly while somebody owns the task", () => {
    const one = begun();
    const lock = (): unknown => viewsOf(one.state)[0]?.render(null);
    expect(viewsOf(one.state)[0]?.path).toBe(`${DIR}/task.json`);
    expect(lock()).toMatchObject({ kind: "text" });
    one.settle().when({ type: "lease.release" }, AGENT);
    expect(lock()).toEqual({ kind: "absent" });
  });

  test("[TP-047] every view written twice is the same, and the list keeps what is not the task's", () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE");
    for (const view of viewsOf(one.state)) {
      const first = view.render(view.shared ? TODO : null);
      if (first.kind !== "text") continue;
      expect(view.render(first.text)).toEqual(first);
      expect(view.drift(first.text)).toEqual([]);
    }
    const todo = viewsOf(one.state).find((view) => view.shared);
    expect(todo?.render(TODO)).toEqual({
      kind: "text",
      text: TODO.replace(`READY:** \`${TASK}`, `IN_PROGRESS:** \`${TASK}`),
    });
    expect(todo?.drift(TODO)).toHaveLength(1);
  });

  test("[TP-002] [TP-077] [TP-225] what is given at the start", async () => {
    const repo = repository();
    repo.settings = { root: "elsewhere", retries_max: 5, ended: 7 };
    const family = taskFamily(placesOf(repo));
    const started = await family.start(worldOf(repo), TASK, {
      feasibility: "yes",
      "risk-level": "low",
    });
    expect(started).toMatchObject({
      kind: "ready",
      vars: {
        root: "elsewhere",
        archive: "elsewhere/.archive",
        retries_max: 5,
        risk_override: "LOW",
        feasibility: { deliverables_clear: true },
      },
    });
    expect(await family.start(worldOf(repo), TASK, { feasibility: "no" })).toMatchObject({
      vars: { feasibility: { deliverables_clear: false, no_external_blocker: false } },
    });
    expect(family.checkName("Bad_Name")?.rule).toBe("TP-053");
  });

  test("[TP-215] adopting takes the state and the log, and no approval", async () => {
    const lock = {
      session_id: "s-9",
      task_name: TASK,
      state: "CLASSIFIED",
      created_at: "2026-03-01T10:00:00Z",
      transition_log: [{ from: "INIT", to: "CLASSIFIED", timestamp: "2026-03-01T10:01:00Z" }],
      required_agents: ["style"],
      checkpoint: { type: "x", commit_sha: "a", presented_at: "b", approved: true },
    };
    const repo = repository({ [`${DIR}/task.json`]: JSON.stringify(lock) });
    const adopted = await taskFamily(placesOf(repo)).adopt(worldOf(repo), TASK, {});
    expect(adopted).toMatchObject({
      kind: "ready",
      import: {
        at: "CLASSIFIED",
        units: [{ id: "style", at: "ready" }],
        from: { states: ["INIT", "CLASSIFIED"] },
      },
    });
    repo.files.set(`${DIR}/task.json`, "{");
    expect((await taskFamily(placesOf(repo)).adopt(worldOf(repo), TASK, {})).kind).toBe("refused");
  });

  test("[TP-202] verifying reads the folders and changes nothing", async () => {
    const repo = repository({
      "todo.md": TODO,
      [`${DIR}/task.md`]: DOCUMENT,
      [`${DIR}/code/src/A.java`]: "x",
    });
    const before = [...repo.files];
    const [task] = await taskFamily(placesOf(repo)).verify(worldOf(repo));
    expect(task).toMatchObject({ id: TASK, exit: 1 });
    expect([...repo.files]).toEqual(before);
    expect(await taskFamily(placesOf(repo)).discover(worldOf(repo))).toEqual([TASK]);
  });

  test("[TP-191] an effect git cannot do yet stays wanted, with its reason", async () => {
    const repo = repository();
    const one = atImplementation().send("implementation", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE", { work_remaining: "none" });
    const effect = Object.values(one.state.effects).at(-1);
    const adapter = taskFamily(placesOf(repo)).effects?.["merge-ff"];
    if (effect === undefined || adapter === undefined) throw new Error("nothing is wanted");
    expect(await adapter(worldOf(repo), one.state, effect)).toMatchObject({
      kind: "pending",
      pending: { effect: effect.id, code: "conflict" },
    });
  });

  test("[TP-107] [TP-112] asking what a task is doing changes neither it nor its agents", () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    const before = JSON.stringify(one.state);
    const family = taskFamily(placesOf(repository()));
    const envelope = {
      id: "q",
      at: one.state.updatedAt,
      session: "s-1",
      actor: { kind: "agent", name: "claude" },
    } as const;
    family.describe(one.state);
    next({ protocol: family.protocol, state: one.state, envelope, evidence: {} });
    expect(JSON.stringify(one.state)).toBe(before);
    expect(one.state.dispatches["W-1"]?.status).toBe("open");
  });

  test("[TP-055] [TP-088] an order says what, where and how to answer", async () => {
    const one = atImplementation().send("implementation", "quality", AGENT);
    const dispatch = Object.values(one.state.dispatches).at(-1);
    if (dispatch === undefined) throw new Error("nothing is out");
    const order = await taskFamily(placesOf(repository())).order(
      worldOf(repository()),
      one.state,
      dispatch,
    );
    for (const part of [
      "quality",
      `${DIR}/agents/quality/code`,
      `${DIR}/task.md`,
      "[quality]",
      "work_remaining",
      dispatch.id,
    ])
      expect(order.prompt).toContain(part);
    expect(taskFamily(placesOf(repository())).describe(one.state)).toMatchObject({
      state: "IMPLEMENTATION",
      finished: false,
    });
  });
});
