/** What do the nine checks before SYNTHESIS cost, against a shell script that asks the files the same? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderTaskMd } from "../test/task-md.ts";
import { check, holdpoint, median, node, timed } from "./figures.ts";
import type { Print } from "./figures.ts";

const ROUNDS = 11;
const TASK = "add-parser";
const SESSION = "bench-session";
/** From where the benches are compiled to: `.bench/bench`. */
const SCRIPT = join(import.meta.dirname, "../../bench/task-checks.sh");
const PASSED = "ALL 9 CHECKS PASSED";
const AGENTS = 7;

export async function benchTaskChecks(print: Print): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const agents = prepare(top);
    if (agents !== AGENTS) throw new Error(`${agents} agents instead of ${AGENTS}`);
    const code = join(top, ".holdpoint/tasks", TASK, "code");
    const script = (): void =>
      mustPass(
        execFileSync(SCRIPT, [join(top, ".holdpoint/tasks"), TASK, SESSION], {
          cwd: code,
          encoding: "utf8",
        }),
      );
    const own = (): void => mustPass(ask(code, ["next", TASK, "synthesize", "--json"]));
    const times = { script: [] as number[], own: [] as number[], node: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.script.push(timed(script));
      times.own.push(timed(own));
      times.node.push(timed(() => node(["--eval", ""])));
    }
    const line = (name: string, ms: number): string =>
      `${name.padEnd(34)} ${ms.toFixed(0).padStart(5)} ms`;
    print(`${agents} agents, nine checks, the whole process each time`);
    print(line("shell script (jq, grep, wc)", median(times.script)));
    print(line("holdpoint next <task> synthesize", median(times.own)));
    print(line("of that, starting Node", median(times.node)));
    const value = median(times.own) / median(times.script);
    check(print, "the nine checks, against the script", { value, max: 0.25 });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function mustPass(printed: string): void {
  if (!printed.includes(PASSED)) throw new Error(`the nine checks do not pass: ${printed}`);
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
  ask(top, ["start", TASK, "--protocol", "task-protocol", "--feasibility", "yes"]);
  const scope = { inScope: ["src/Parser.java"], outOfScope: [] };
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "task.md"), renderTaskMd({ task: TASK, objective: "Parse.", ...scope }));
  const code = join(dir, "code");
  for (const step of ["begin", "select", "gather"]) ask(code, ["advance", TASK, step]);
  const shown: unknown = JSON.parse(ask(code, ["agents", TASK, "--json"]));
  const agents = namesIn(shown);
  for (const agent of agents) {
    ask(code, ["advance", TASK, "requirements", "--unit", agent]);
    writeFileSync(join(dir, `${TASK}-${agent}-requirements.md`), `R1: ${"it works ".repeat(20)}\n`);
    ask(code, ["report", TASK, "-"], '{"status": "COMPLETE"}');
  }
  return agents.length;
}

function namesIn(shown: unknown): readonly string[] {
  if (typeof shown !== "object" || shown === null || !("agents" in shown)) return [];
  const { agents } = shown;
  if (!Array.isArray(agents)) return [];
  return agents.map((one: { readonly agent: string }) => one.agent);
}

function ask(cwd: string, args: readonly string[], input = ""): string {
  const env = { HOLDPOINT_ACTOR: "agent:bench", HOLDPOINT_SESSION: SESSION };
  return holdpoint(args, { cwd, env, input });
}
