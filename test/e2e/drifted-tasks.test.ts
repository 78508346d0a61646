/** Folders of tasks as sessions leave them behind, of every age: adopting adds a journal, and harms nothing. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STATE_NAMES } from "../../src/protocols/task-protocol/files/state-names.ts";
import type { Finding, Reply, Scratch } from "./cli.ts";
import { entryOf, taskRepository } from "./task.ts";

const ROOT = ".holdpoint/tasks";
const PROSE =
  "# Task\n\n## Task Objective\n\nSomebody's dear words.\n\n## Scope Definition\n\n- `docs/a.md`\n\n## Stakeholder Agent Reports\n\nNone yet.\n";

type Json = Readonly<Record<string, unknown>>;

const ORDER = ["INIT", "CLASSIFIED", "REQUIREMENTS", "SYNTHESIS", "IMPLEMENTATION", "VALIDATION"];

/** Every move up to a state, a minute each. */
function logTo(state: string): readonly Json[] {
  const last = ORDER.indexOf(state);
  return ORDER.slice(1, last + 1).map((to, index) => ({
    from: ORDER[index],
    to,
    timestamp: `2025-11-0${index + 1}T10:00:00Z`,
  }));
}

function lock(task: string, state: string, more: Json = {}): Json {
  return {
    session_id: "11111111-2222-3333-4444-555555555555",
    task_name: task,
    state,
    created_at: "2025-11-01T09:00:00Z",
    transition_log: logTo(state),
    note: "a field of somebody's own",
    ...more,
  };
}

function stateFile(task: string, state: string, more: Json = {}): Json {
  return {
    current_state: state,
    session_id: "11111111-2222-3333-4444-555555555555",
    task_name: task,
    risk_level: null,
    required_agents: [],
    evidence: {},
    transition_log: logTo(state),
    ...more,
  };
}

/** What lies in the folder of each, and where a person knows it to stand. */
const TASKS: Readonly<
  Record<string, { files: Readonly<Record<string, Json | string>>; truth: string }>
> = {
  "all-well": {
    files: {
      "task.json": lock("all-well", "SYNTHESIS"),
      "state.json": stateFile("all-well", "SYNTHESIS"),
    },
    truth: "SYNTHESIS",
  },
  "no-state-file": {
    files: { "task.json": lock("no-state-file", "REQUIREMENTS") },
    truth: "REQUIREMENTS",
  },
  "old-names": {
    files: {
      "task.json": {
        session_id: "s-old",
        task_name: "old-names",
        state: "CLASSIFIED",
        created: "2025-10-01T09:00:00Z",
        transitions: logTo("CLASSIFIED"),
      },
    },
    truth: "CLASSIFIED",
  },
  "other-version": {
    files: {
      "task.json": lock("other-version", "IMPLEMENTATION"),
      "state.json": { version: 1, state: "IMPLEMENTATION", phase: "round 2" },
    },
    truth: "IMPLEMENTATION",
  },
  "two-minds": {
    files: {
      "task.json": lock("two-minds", "VALIDATION"),
      "state.json": stateFile("two-minds", "IMPLEMENTATION"),
    },
    truth: "IMPLEMENTATION",
  },
  "log-behind": {
    files: { "task.json": { ...lock("log-behind", "VALIDATION"), state: "REVIEW" } },
    truth: "VALIDATION",
  },
  abandoned: {
    files: { "task.json": { ...lock("abandoned", "SYNTHESIS"), state: "ABANDONED" } },
    truth: "CLEANUP",
  },
  "in-progress": {
    files: { "task.json": { session_id: "s", task_name: "in-progress", state: "IN_PROGRESS" } },
    truth: "REQUIREMENTS",
  },
  "no-lock": { files: {}, truth: "SYNTHESIS" },
  "broken-lock": { files: { "task.json": '{ "session_id": "s-1", ' }, truth: "REQUIREMENTS" },
  "nobodys-lock": {
    files: { "task.json": { state: "INIT", task_name: "nobodys-lock" } },
    truth: "INIT",
  },
  "left-over": {
    files: {
      "task.json": lock("left-over", "CLEANUP", { transition_log: [] }),
      "task.lock": "session_id: s-2\n",
    },
    truth: "CLEANUP",
  },
};

function drifted(): Scratch {
  const scratch = taskRepository({ another: "docs/other.md" });
  scratch.edit("todo.md", (text) =>
    [text, ...Object.keys(TASKS).map((task) => entryOf(task, "docs/a.md"))].join(""),
  );
  scratch.git("commit", "--quiet", "-am", "tasks");
  for (const [task, { files }] of Object.entries(TASKS)) {
    scratch.write(`${ROOT}/${task}/task.md`, PROSE);
    for (const [name, value] of Object.entries(files))
      scratch.write(
        `${ROOT}/${task}/${name}`,
        typeof value === "string" ? value : `${JSON.stringify(value, null, 4)}\n`,
      );
  }
  // One was archived twice, and the lock of a merge was left.
  for (const time of ["20251101", "20251102"])
    scratch.write(
      `${ROOT}/.archive/left-over-${time}/task.json`,
      JSON.stringify(lock("left-over", "CLEANUP")),
    );
  scratch.write(
    `${ROOT}/main/task.json`,
    JSON.stringify({
      session_id: "s-merge",
      task_name: "main-worktree-operation",
      state: "IN_PROGRESS",
    }),
  );
  return scratch;
}

function findingsOf({ json }: Reply): readonly string[] {
  return (json.workflows ?? []).flatMap(({ id, findings }) =>
    findings.map(({ code, file }: Finding) => `${id} ${code} ${file}`),
  );
}

interface Row {
  readonly id: string;
  readonly result?: string;
  readonly evidence?: readonly string[];
  readonly choices?: readonly string[];
}

const rowsOf = ({ json }: Reply): readonly Row[] => json.workflows ?? [];

/** Every file below the tasks, by its bytes. */
function filesIn(scratch: Scratch): ReadonlyMap<string, string> {
  const top = join(scratch.top, ROOT);
  const paths = readdirSync(top, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(top, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(top, path), "utf8")]));
}

describe("tasks of other times", () => {
  test("are adopted without harm; where their files disagree a person is shown them and asked", () => {
    const scratch = drifted();
    const before = filesIn(scratch);
    const found = findingsOf(scratch.hold("verify --all"));
    scratch.hold("adopt --all --dry-run");
    expect([...filesIn(scratch)]).toEqual([...before]);

    const first = rowsOf(scratch.hold("adopt --all --yes"));
    expect(first.map(({ id }) => id).toSorted()).toEqual(Object.keys(TASKS).toSorted());
    const asked = first.filter(({ result }) => result === "refused");
    const sure = first.filter(({ result }) => result === "adopted").map(({ id }) => id);
    const agreed = ["all-well", "left-over", "no-state-file", "old-names", "other-version"];
    expect(sure.toSorted()).toEqual(agreed);
    for (const { id, evidence, choices } of asked) {
      expect(evidence?.join("\n"), id).toMatch(/task\.json/);
      for (const state of STATE_NAMES)
        expect(
          choices?.some((one) => one.endsWith(`--at ${state}`)),
          `${id} ${state}`,
        ).toBe(true);
      const { truth = "" } = TASKS[id] ?? {};
      const done = scratch.hold(["adopt", id, "--at", truth, "--yes"]);
      expect(done.exit, `${id}: ${done.stdout}`).toBe(0);
    }
    for (const [id, { truth }] of Object.entries(TASKS))
      expect([id, scratch.hold(["status", id]).json.state]).toEqual([id, truth]);

    expect(harmIn(before, filesIn(scratch))).toEqual([]);
    const now = findingsOf(scratch.hold("verify --all"));
    expect(now.filter((one) => !found.includes(one))).toEqual([]);
  }, 240_000);

  test("that contradict themselves say what each file says, those first that a file speaks for", () => {
    const scratch = drifted();
    const [row] = rowsOf(scratch.hold("adopt two-minds --yes"));
    expect(row?.evidence).toEqual([
      expect.stringContaining(`${ROOT}/two-minds/task.json says VALIDATION`),
      expect.stringContaining(`${ROOT}/two-minds/state.json says IMPLEMENTATION`),
      expect.stringContaining("no worktree"),
    ]);
    expect(row?.choices?.slice(0, 2)).toEqual([
      "VALIDATION: holdpoint adopt two-minds --at VALIDATION",
      "IMPLEMENTATION: holdpoint adopt two-minds --at IMPLEMENTATION",
    ]);
  });
});

/** Files that are gone or changed, but for what the protocol itself keeps in them. */
function harmIn(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...before].flatMap(([path, text]) => {
    const now = after.get(path);
    if (now === undefined) return [`${path} is gone`];
    if (now === text || /^[\w-]+\/state\.json$/.test(path)) return [];
    return /^[\w-]+\/task\.json$/.test(path)
      ? lostFrom(text, now).map((name) => `${path} lost ${name}`)
      : [`${path} is changed`];
  });
}

/** Fields that are nobody's but the writer's stay, when it began, and every entry of its log. */
function lostFrom(before: string, after: string): readonly string[] {
  const [old = {}, now = {}] = [parsed(before), parsed(after)];
  const fields = ["note", "created", "created_at", "session_id", "transitions"].filter(
    (name) => old[name] !== undefined && JSON.stringify(now[name]) !== JSON.stringify(old[name]),
  );
  const log = JSON.stringify(now["transition_log"] ?? []);
  const entries = Array.isArray(old["transition_log"]) ? old["transition_log"] : [];
  const lost = entries.map((one) => JSON.stringify(one)).filter((one) => !log.includes(one));
  return [...fields, ...lost];
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
