/** What do the nine checks before SYNTHESIS cost, against a shell script that asks the files the same? */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { renderTaskMd } from "../src/protocols/task-protocol/files/task-md.ts";
import { median } from "./figures.ts";

const ROUNDS = 11;
const TASK = "add-parser";
const SESSION = "bench-session";
const BIN = resolve("bin/holdpoint.js");
const SCRIPT = resolve("bench/task-checks.sh");

export async function benchTaskChecks(print: (line: string) => void): Promise<void> {
  if (spawnSync("jq", ["--version"]).status !== 0) {
    print("jq is not installed: nothing to compare with");
    return;
  }
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const agents = prepare(top);
    const code = join(top, ".holdpoint/tasks", TASK, "code");
    const script = (): string =>
      execFileSync(SCRIPT, [join(top, ".holdpoint/tasks"), TASK, SESSION], {
        cwd: code,
        encoding: "utf8",
      });
    const check = (): string => holdpoint(code, ["next", TASK, "synthesize", "--json"]);
    if (!script().includes("ALL 9 CHECKS PASSED")) throw new Error("the script does not pass");
    if (!check().includes("ALL 9 CHECKS PASSED"))
      throw new Error(`the checks do not pass: ${check()}`);
    const times: { readonly script: number[]; readonly check: number[]; readonly node: number[] } =
      { script: [], check: [], node: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.script.push(timed(script));
      times.check.push(timed(check));
      times.node.push(timed(() => spawnSync(process.execPath, ["--eval", ""])));
    }
    const [shell, own, node] = [median(times.script), median(times.check), median(times.node)];
    const line = (name: string, ms: number): string =>
      `${name.padEnd(34)} ${ms.toFixed(0).padStart(5)} ms   ${(ms / shell).toFixed(2)} x the script`;
    print(`${agents} agents, nine checks, the whole process each time`);
    print(line("shell script (jq, grep, wc)", shell));
    print(`${line("holdpoint next <task> synthesize", own)} (< 0.25)`);
    print(line("of that, starting Node", node));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function timed(run: () => unknown): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

/** A task in REQUIREMENTS whose seven agents are done. */
function prepare(top: string): number {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", args, { cwd: top, stdio: "ignore" });
  };
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@example.org");
  const entry = `- [ ] **READY:** \`${TASK}\` - security, performance and tests of a parser`;
  const fields = "  - **Purpose**: measure\n  - **Scope**: src/Parser.java\n";
  writeFileSync(join(top, "todo.md"), `# Tasks\n\n${entry}\n${fields}`);
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  const dir = join(top, ".holdpoint/tasks", TASK);
  holdpoint(top, ["start", TASK, "--protocol", "task-protocol", "--feasibility", "yes"]);
  const scope = { inScope: ["src/Parser.java"], outOfScope: [] };
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "task.md"), renderTaskMd({ task: TASK, objective: "Parse.", ...scope }));
  const code = join(dir, "code");
  for (const step of ["begin", "select", "gather"]) holdpoint(code, ["advance", TASK, step]);
  const shown: unknown = JSON.parse(holdpoint(code, ["agents", TASK, "--json"]));
  const agents = namesIn(shown);
  for (const agent of agents) {
    holdpoint(code, ["advance", TASK, "requirements", "--unit", agent]);
    writeFileSync(join(dir, `${TASK}-${agent}-requirements.md`), `R1: ${"it works ".repeat(20)}\n`);
    holdpoint(code, ["report", TASK, "-"], '{"status": "COMPLETE"}');
  }
  return agents.length;
}

function namesIn(shown: unknown): readonly string[] {
  if (typeof shown !== "object" || shown === null || !("agents" in shown)) return [];
  const { agents } = shown;
  if (!Array.isArray(agents)) return [];
  return agents.map((one: { readonly agent: string }) => one.agent);
}

function holdpoint(cwd: string, args: readonly string[], input = ""): string {
  const env = { ...process.env, HOLDPOINT_ACTOR: "agent:bench", HOLDPOINT_SESSION: SESSION };
  return execFileSync(process.execPath, [BIN, ...args], { cwd, env, input, encoding: "utf8" });
}
