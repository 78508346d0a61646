/** A task of the task protocol, driven through the command line: one coordinator, its agents, one person. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { renderTaskMd } from "../task-md.ts";
import { NO_CHECKS, repository } from "./cli.ts";
import type { Args, Reply, RunOptions, Scratch } from "./cli.ts";

export type Risk = "HIGH" | "MEDIUM" | "LOW";

/** What a task of each risk is about; the patterns are the protocol's own. */
export const SCOPES: Readonly<Record<Risk, string>> = {
  HIGH: "src/Parser.java",
  MEDIUM: "src/resources/words.properties",
  LOW: "docs/guide.md",
};

export function entryOf(task: string, file: string): string {
  return [
    `- [ ] **READY:** \`${task}\` - write it down`,
    "  - **Purpose**: somebody needs it",
    `  - **Scope**: ${file}`,
    "",
  ].join("\n");
}

/** A repository with a task list, a changelog and a build that looks at its own directory. */
export function taskRepository(
  tasks: Readonly<Record<string, string>>,
  config: { readonly checks?: object; readonly task?: object } = {
    checks: { build: { run: ["git", "rev-parse", "HEAD"] } },
  },
): Scratch {
  const scratch = repository();
  const list = Object.entries(tasks).map(([task, file]) => entryOf(task, file));
  scratch.write("todo.md", `# Tasks\n\n${list.join("")}`);
  scratch.write("changelog.md", "# Changelog\n");
  scratch.write(
    "holdpoint.config.json",
    JSON.stringify({ ...config, checks: { ...NO_CHECKS, ...config.checks } }),
  );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "the task list");
  return scratch;
}

export interface Task {
  readonly scratch: Scratch;
  readonly id: string;
  readonly dir: string;
  /** The task's worktree. */
  readonly code: string;
  /** As the coordinator, in the task's worktree once there is one. */
  readonly run: (args: Args, options?: RunOptions) => Reply;
  /** As `run`, and it must be done. */
  readonly step: (args: Args, options?: RunOptions) => Reply;
  /** The person answers. */
  readonly answer: (...words: readonly string[]) => Reply;
  readonly git: (...args: readonly string[]) => string;
  readonly at: () => string;
  readonly agents: () => readonly string[];
}

export function taskIn(scratch: Scratch, id: string, session: string = `s-${id}`): Task {
  const dir = `.holdpoint/tasks/${id}`;
  const code = join(scratch.top, dir, "code");
  const env = { HOLDPOINT_ACTOR: "agent:coordinator", HOLDPOINT_SESSION: session };
  let known: readonly string[] | undefined;
  const run: Task["run"] = (args, options = {}) =>
    scratch.hold(args, {
      cwd: existsSync(join(code, ".git")) ? code : scratch.top,
      ...options,
      env: { ...env, ...options.env },
    });
  const step: Task["step"] = (args, options) => {
    const reply = run(args, options);
    const what = typeof args === "string" ? args : args.join(" ");
    const { refusals, error, pending, held } = reply.json;
    const problems = reply.exit === 0 ? [] : (refusals ?? error ?? [pending, held]);
    expect({ what, exit: reply.exit, problems }).toEqual({ what, exit: 0, problems: [] });
    return reply;
  };
  return {
    scratch,
    id,
    dir,
    code,
    run,
    step,
    answer: (...words) => scratch.hold(["answer", id, ...words]),
    git: (...args) => gitIn(scratch, code, args),
    at: () => scratch.hold(["status", id]).json.state ?? "",
    agents: () => (known ??= agentsOf(scratch, id)),
  };
}

export function gitIn(scratch: Scratch, cwd: string, args: readonly string[]): string {
  const env = { ...scratch.env };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trimEnd();
}

function agentsOf(scratch: Scratch, id: string): readonly string[] {
  const { json } = scratch.hold(["agents", id]);
  const listed: unknown = Reflect.get(json, "agents");
  if (!Array.isArray(listed)) throw new Error(`no agents: ${JSON.stringify(json)}`);
  return listed.map((one: { readonly agent: string }) => one.agent);
}

/**
 * Killed before that step, as a machine that loses its power: what it was about is done by the next call,
 * or can be asked for again. Gives the answer that came in the end.
 */
export function survive(task: Task, args: readonly string[], dieAt: string, cwd?: string): Reply {
  const before = shownState(task);
  const where = cwd === undefined ? {} : { cwd };
  const died = task.run(args, { ...where, env: { HOLDPOINT_DIE_AT: dieAt } });
  expect({ args, dieAt, exit: died.exit }).toEqual({ args, dieAt, exit: -1 });
  const settled = task.run(["reconcile", task.id], where);
  expect({ args, dieAt, pending: settled.json.pending }).toEqual({ args, dieAt, pending: [] });
  return shownState(task) === before ? task.run(args, where) : settled;
}

/** Where the files say it stands; once they are archived, it is over. */
function shownState({ scratch, dir }: Task): string {
  if (!scratch.has(`${dir}/state.json`)) return "";
  const shown: unknown = JSON.parse(scratch.read(`${dir}/state.json`));
  return JSON.stringify(shown);
}

export const START: readonly string[] = ["--protocol", "task-protocol", "--feasibility", "yes"];

/** INIT, with the place of the task made. */
export function started(scratch: Scratch, id: string, session?: string): Task {
  const task = taskIn(scratch, id, session);
  task.step(["start", id, ...START]);
  return task;
}

/** CLASSIFIED, agents selected. */
export function classified(task: Task, file: string, take: Take = (step) => task.step(step)): Task {
  const { scratch, id, dir } = task;
  scratch.write(
    `${dir}/task.md`,
    renderTaskMd({ task: id, objective: "Write it.", inScope: [file], outOfScope: [] }),
  );
  take(["advance", id, "begin"], "appended");
  take(["advance", id, "select"], "show.own:3");
  return task;
}

/** Hand `spec` to one agent; gives the dispatch. */
export function handOut(task: Task, spec: string, agent: string): string {
  const { json } = task.step(["advance", task.id, spec, "--unit", agent]);
  if (json.order === undefined) throw new Error(`no order for ${agent}: ${JSON.stringify(json)}`);
  return json.order.dispatch;
}

export function reportFor(task: Task, dispatch: string, text: string): Reply {
  return task.run(["report", task.id, "-", "--dispatch", dispatch], { stdin: text });
}

/** Hand it out and have it answered; what it came to must be accepted. */
export function done(task: Task, spec: string, agent: string, text: string): Reply {
  const dispatch = handOut(task, spec, agent);
  return task.step(["report", task.id, "-", "--dispatch", dispatch], { stdin: text });
}

/** Every agent is handed its part before the first one answers. */
export function everyAgent(task: Task, spec: string, answer: string): void {
  const out = task.agents().map((agent) => handOut(task, spec, agent));
  for (const dispatch of out)
    task.step(["report", task.id, "-", "--dispatch", dispatch], { stdin: answer });
}

export function writeRequirements(task: Task, agent: string): void {
  const text = `# ${agent}\n\nR1: it works.\n\n${"Success means that it works. ".repeat(5)}\n`;
  task.scratch.write(`${task.dir}/${task.id}-${agent}-requirements.md`, text);
}

/** SYNTHESIS: every agent has given its requirements. */
export function gathered(task: Task, take: Take = (step) => task.step(step)): Task {
  take(["advance", task.id, "gather"], "append");
  for (const agent of task.agents()) writeRequirements(task, agent);
  everyAgent(task, "requirements", '{"status": "COMPLETE"}');
  take(["advance", task.id, "synthesize"], "show.own");
  return task;
}

/** How a step is taken: plainly, or with a crash before a point of it. */
export type Take = (step: readonly string[], dieAt: string) => unknown;

export const PLAN: (files: readonly string[]) => string = (files) => `
## Conflict Resolution

None.

## Architecture

One file.

## Requirements Mapping

R1 is met by the file.

## Trade-offs

None.

## Execution Planning

One phase.

## Success Criteria

It works.

## Implementation Plan

### File Manifest

${files.map((file) => `- \`${file}\` - create`).join("\n")}

### API Specifications

None are public.

### Behavioral Specifications

Given a line, it is read.

### Test Specifications

| name | input | expected |
|---|---|---|
| reads | a line | the line |

### Implementation Sequence

1. architect writes it

### Decision Log

- format: decided, plain text
`;

/** The plan is written, shown and released. */
export function planned(
  task: Task,
  files: readonly string[],
  take: Take = (step) => expect(task.run(step).exit).toBe(11),
): Task {
  appendFileSync(join(task.scratch.top, task.dir, "task.md"), PLAN(files));
  take(["advance", task.id, "present-plan"], "append");
  expect(task.answer("approve").exit).toBe(0);
  return task;
}

export function implementing(task: Task): Task {
  task.step(["advance", task.id, "implement", "--input", '{"acknowledged":true}']);
  return task;
}

export const WORK_DONE: string = '{"status": "COMPLETE", "work_remaining": "none"}';

/** An agent starts from where the task is, changes one file, and commits it under its name. */
export function commitAs(task: Task, agent: string, file: string, text: string): void {
  const place = join(task.scratch.top, task.dir, "agents", agent, "code");
  gitIn(task.scratch, place, ["reset", "--quiet", "--hard", task.id]);
  write(place, file, text);
  gitIn(task.scratch, place, ["add", "."]);
  gitIn(task.scratch, place, ["commit", "--quiet", "-m", `[${agent}] ${file}`]);
}

export function write(place: string, file: string, text: string): void {
  mkdirSync(dirname(join(place, file)), { recursive: true });
  writeFileSync(join(place, file), text);
}

/** Every agent is done: the first wrote the file, the others had nothing to add. */
export function implemented(task: Task, file: string, text = "one\n"): Task {
  const agents = task.agents();
  const out = agents.map((agent) => handOut(task, "implementation", agent));
  commitAs(task, agents[0] ?? "", file, text);
  for (const dispatch of out)
    task.step(["report", task.id, "-", "--dispatch", dispatch], { stdin: WORK_DONE });
  return task;
}

/** What lies in the worktree is committed, and made one commit on top of main with the lists closed in it. */
export function archived(task: Task): Task {
  task.git("add", "--all");
  if (task.git("status", "--porcelain") !== "")
    task.git("commit", "--quiet", "-m", `Do ${task.id}`);
  task.step(["advance", task.id, "close"]);
  return task;
}

export const APPROVED: string = "FINAL DECISION: APPROVED - fine";

/** VALIDATION: the agents have looked at the whole, and the build has run. */
export function validated(task: Task): Task {
  archived(task);
  everyAgent(task, "round-review", APPROVED);
  task.step(["advance", task.id, "validate"]);
  return task;
}

export function reviewed(task: Task): Task {
  task.step(["advance", task.id, "review"]);
  everyAgent(task, "review", APPROVED);
  return task;
}

/** A person sees the commit and releases it. */
export function released(task: Task, step = "present"): Task {
  expect(task.run(["advance", task.id, step]).exit).toBe(11);
  expect(task.answer("approve").exit).toBe(0);
  return task;
}

/** Merged and tidied up: from outside, because the worktrees go. */
export function finished(task: Task): Reply {
  return task.step(["advance", task.id, "complete"], { cwd: task.scratch.top });
}

/** What must hold of every task that is over. */
export function expectTidy(task: Task): void {
  const { scratch, id, dir } = task;
  expect(task.at()).toBe("CLEANUP");
  expect(scratch.git("worktree", "list", "--porcelain")).not.toContain(`/${id}/`);
  expect(scratch.git("branch", "--list", id, `${id}-*`)).toBe("");
  expect(scratch.has(`${dir}/code`)).toBe(false);
  expect(scratch.git("status", "--porcelain")).toBe("");
}

export const ID: string = "add-parser";
export const AGENTS: Readonly<Record<Risk, readonly string[]>> = {
  HIGH: ["architect", "style", "quality", "build"],
  MEDIUM: ["architect", "quality"],
  LOW: [],
};

export function begin(risk: Risk): Task {
  const scratch = taskRepository({ [ID]: SCOPES[risk], other: "docs/other.md" });
  return classified(started(scratch, ID), SCOPES[risk]);
}

export function expectMerged(task: Task, head: string, text: string, risk: Risk): void {
  const { scratch } = task;
  expectTidy(task);
  expect(scratch.git("rev-parse", "main")).toBe(head);
  expect(scratch.git("rev-list", "--merges", "--count", "main")).toBe("0");
  expect(scratch.read(SCOPES[risk])).toBe(text);
  expect(scratch.read("todo.md")).not.toContain(ID);
  expect(scratch.read("changelog.md")).toContain(`\`${ID}\``);
  expect(scratch.hold(["audit", ID]).json).toMatchObject({
    ok: true,
    compliance: { verdict: "PASSED", gaps: [] },
  });
}
