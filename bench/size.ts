/** Does work of thousands get through: a plan of 5,000 tasks, a stage of 20,000 changed files? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, holdpoint, timed } from "./figures.ts";
import type { Print } from "./figures.ts";

const TASKS = 5_000;
const FILES = 20_000;
const HELD = 11;

export async function benchSize(print: Print): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    benchTasks(print, join(top, "tasks"));
    benchFiles(print, join(top, "files"));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function benchTasks(print: Print, cwd: string): void {
  makeRepository(cwd);
  const as = ["--as", "agent:claude/Orchestrator", "--session", "bench", "--json", "--cwd", cwd];
  const goal = ["--protocol", "team-contract", "--goal", "Add dark mode"];
  const started: { workflow?: string } = JSON.parse(holdpoint(["start", ...goal, ...as]));
  const id = started.workflow ?? "";
  const step = (...args: readonly string[]): string => holdpoint([...args, ...as]);
  const report = (more: object = {}): string =>
    holdpoint(["report", id, "-", ...as], { input: reply(more), exits: [0, HELD] });
  const file = (name: string, text: string): void =>
    writeFileSync(join(cwd, ".agents-work", id, name), text);
  step("advance", id, "specify");
  file("spec.md", "# Goals\nx\n\n# Acceptance Criteria\nx\n\n# Definition of Done\nx\n");
  file("acceptance.json", ACCEPTANCE);
  report();
  step("advance", id, "architect");
  file("architecture.md", "# Overview\nx\n\n# Modules\nx\n");
  report();
  const person = ["--as", "person:ann", "--json", "--cwd", cwd];
  holdpoint(["answer", id, "approved", ...person]);
  step("advance", id, "plan");
  file("tasks.yaml", tasksYaml());
  const planned = timed(() => report());
  holdpoint(["answer", id, "batch", ...person]);
  step("advance", id, "code", "--unit", "T-4321");
  writeFileSync(join(cwd, "app.js"), "// work\n");
  const coded = timed(() => report({ artifacts: { files_changed: ["app.js"] } }));
  const status = holdpoint(["verify", id, "--json", "--cwd", cwd]);
  if (!status.includes('"ok":true')) throw new Error(status);
  print(`plan of ${TASKS} tasks reported in ${seconds(planned)}, one of them in ${seconds(coded)}`);
  const audit = holdpoint(["audit", id, "--json", "--cwd", cwd]);
  const opened = new Set(audit.match(/T-\d{4} opened at/g)).size;
  check(print, "tasks that the journal has", { value: opened, min: TASKS });
}

function benchFiles(print: Print, cwd: string): void {
  makeRepository(cwd);
  const as = ["--json", "--cwd", cwd];
  const home = join(cwd, "plugins", "Echo");
  mkdirSync(join(home, ".ideas"), { recursive: true });
  mkdirSync(join(home, "Source"));
  const write = (name: string, text: string): void =>
    writeFileSync(join(home, ".ideas", name), text);
  for (const name of ["creative-brief.md", "parameter-spec.md"]) write(name, "text\n");
  holdpoint(["start", "Echo", "--protocol", "plugin-workflow", ...as]);
  holdpoint(["advance", "Echo", "research", ...as]);
  // After the order: what was there before is no work of the agent's, and would be asked about.
  write("architecture.md", "text\n");
  write("plan.md", "**Complexity Score:** 1.5\n");
  const files = Array.from({ length: FILES }, (_, n) => `plugins/Echo/Source/file-number-${n}.cpp`);
  for (const name of files) writeFileSync(join(cwd, name), `${name}\n`);
  const said = JSON.stringify({
    agent: "research-planning-agent",
    status: "success",
    outputs: { stage_completed: 0, files_modified: files.slice(0, 5_000) },
    issues: [],
    ready_for_next_stage: true,
    stateUpdated: false,
  });
  const ms = timed(() =>
    holdpoint(["report", "Echo", "-", ...as], { input: said, exits: [0, HELD] }),
  );
  const committed = git(cwd, "show", "--name-only", "--format=", "HEAD").split("\n");
  const names = new Set(committed);
  const there = files.filter((name) => names.has(name)).length;
  print(`stage of ${FILES} changed files reported and committed in ${seconds(ms)}`);
  check(print, "changed files in the commit", { value: there, min: FILES });
}

function makeRepository(cwd: string): void {
  mkdirSync(cwd);
  git(cwd, "init", "--quiet");
  git(cwd, "config", "user.name", "bench");
  git(cwd, "config", "user.email", "bench@localhost");
  git(cwd, "commit", "--quiet", "--allow-empty", "--message", "begin");
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function reply(more: object): string {
  return JSON.stringify({
    status: "OK",
    summary: "did it",
    artifacts: {},
    gates: {
      meets_definition_of_done: true,
      needs_review: true,
      needs_tests: true,
      security_concerns: [],
    },
    next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
    ...more,
  });
}

const ACCEPTANCE = JSON.stringify({
  acceptance_criteria: [{ id: "AC-001", description: "it is there", verify: ["test -f app.js"] }],
});

function tasksYaml(): string {
  const tasks = Array.from({ length: TASKS }, (_, n) => {
    const id = `T-${String(n + 1).padStart(4, "0")}`;
    return [
      `  - id: ${id}`,
      "    status: not-started",
      "    type: feat",
      `    title: Task ${id}`,
      "    depends_on: []",
      `    goal: do ${id}`,
      "    non_goals: []",
      "    context_files: []",
      "    files_expected: []",
      '    acceptance_checks: ["cmd: test -f app.js"]',
      "    risk_flags: []",
      "    done_when: [AC-001]",
      "",
    ].join("\n");
  });
  return `project:\n  name: demo\n  definition_of_done: [CI green]\ntasks:\n${tasks.join("")}`;
}
