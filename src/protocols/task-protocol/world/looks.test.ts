import { describe, expect, test } from "vitest";
import {
  AGENT,
  atReview,
  atSynthesis,
  begun,
  atImplementation,
  atRequirements,
  TASK,
} from "../../../../test/fixtures/task-protocol/world.ts";
import {
  aheadBy,
  DIR,
  DOCUMENT,
  placesOf,
  repository,
  TODO,
  worldOf,
} from "../../../../test/fixtures/task-protocol/places.ts";
import type { Repository } from "../../../../test/fixtures/task-protocol/places.ts";
import { emptyWorkflow } from "../../../core/state/evolve.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import { renderTaskMd } from "../../../../test/task-md.ts";
import { taskFamily } from "../index.ts";
import { deferredNames } from "./git-looks.ts";
import { object } from "../../../core/values/json-read.ts";

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
    ahead: aheadBy(
      files,
      commits.map((subject) => ({ sha: subject, subject })),
    ),
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
    // Before the agent: its own commit on top does not hide it, unless people were told and released another plan.
    repo.changed.clear();
    branch(repo, "a^", { files: ["src/A.java"] });
    expect(await own(merged)).toEqual(["src/A.java", "src/Mine.java"]);
    const vars = { ...merged.vars, replanned: "told" };
    expect(await own({ ...merged, vars })).toEqual(["src/Mine.java"]);
    repo.changed.set("told a^", ["src/A.java"]);
    expect(await own({ ...merged, vars })).toEqual(["src/A.java", "src/Mine.java"]);
  });

  test("[TP-163] a configuration that nobody committed is no policy", async () => {
    const repo = repository();
    expect(await look(repo, "config")).toEqual([]);
    repo.uncounted = ["holdpoint.config.json"];
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
