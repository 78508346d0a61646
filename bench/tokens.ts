/** What does an orchestrating model read and write for one whole workflow, against what the prose protocol costs it? */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  SAVING_MIN,
  savingOf,
  tokenReport,
  tokensOf,
} from "../src/protocols/plugin-workflow/table/tokens.ts";
import { check, holdpoint } from "./figures.ts";
import type { Print } from "./figures.ts";

/** What all calls of a workflow may cost the model that makes them. */
const TOKENS_MAX = 1_500;
const DONE = 0;
const HELD = 11;

export async function benchTokens(print: Print): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "holdpoint-bench-"));
  try {
    prepare(cwd);
    const spent = playWorkflow(cwd);
    for (const line of tokenReport(spent)) print(line);
    const saving = savingOf(spent);
    check(print, "tokens of the whole workflow", { value: saving.spent, max: TOKENS_MAX });
    check(print, "tokens saved", { value: saving.saved, min: SAVING_MIN });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function prepare(cwd: string): void {
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd, stdio: "ignore" });
  const home = join(cwd, "plugins", "Echo");
  mkdirSync(join(home, "Presets"), { recursive: true });
  mkdirSync(join(home, ".ideas"), { recursive: true });
  for (const name of ["creative-brief.md", "parameter-spec.md"])
    writeFileSync(join(home, ".ideas", name), "text\n");
  writeFileSync(join(home, "CHANGELOG.md"), "1.0.0\n");
  writeFileSync(join(home, "Presets", "a.xml"), "<p/>\n");
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@example.org");
  writeFileSync(join(cwd, "holdpoint.config.json"), '{"checks":{"tests":{"none":"a bench"}}}\n');
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
}

/** From the idea to a plugin that works; answers what each stage cost the orchestrator. */
function playWorkflow(cwd: string): Readonly<Record<number, number>> {
  const spent: Record<number, number> = {};
  const call = (stage: number, args: readonly string[], options: CallOptions = {}): void => {
    const { exits = [DONE, HELD], input = "" } = options;
    const printed = holdpoint(args, { cwd, input, exits });
    // The order goes to the subagent; the orchestrator reads the rest, and writes the command line.
    const read = printed.split("\n\nOrder for")[0] ?? "";
    spent[stage] = (spent[stage] ?? 0) + tokensOf(`holdpoint ${args.join(" ")}`) + tokensOf(read);
  };
  const report = (stage: number, agent: string, files: readonly string[]): void => {
    for (const file of files)
      writeFileSync(
        join(cwd, file),
        file.endsWith("plan.md") ? "**Complexity Score:** 1.5\n" : `work of stage ${stage}\n`,
      );
    const input = JSON.stringify({
      agent,
      status: "success",
      outputs: { stage_completed: stage, files_modified: files },
      issues: [],
      ready_for_next_stage: true,
      stateUpdated: false,
    });
    call(stage, ["report", "Echo", "-"], { input, exits: [HELD] });
  };
  const home = "plugins/Echo";
  call(0, ["start", "Echo", "--protocol", "plugin-workflow"]);
  call(0, ["advance", "Echo"]);
  report(0, "research-planning-agent", [
    `${home}/.ideas/architecture.md`,
    `${home}/.ideas/plan.md`,
  ]);
  call(2, ["answer", "Echo", "1"]);
  report(2, "foundation-shell-agent", [`${home}/CMakeLists.txt`]);
  call(3, ["answer", "Echo", "1"]);
  report(3, "dsp-agent", [`${home}/Engine.cpp`]);
  call(4, ["answer", "Echo", "headless"]);
  report(4, "gui-agent", [`${home}/Editor.cpp`]);
  call(5, ["answer", "Echo", "1"]);
  call(5, ["advance", "Echo"]);
  const state: unknown = JSON.parse(holdpoint(["status", "Echo", "--json"], { cwd }));
  if (!JSON.stringify(state).includes("✅ Working"))
    throw new Error(`the workflow did not get to its end: ${JSON.stringify(state)}`);
  return spent;
}

interface CallOptions {
  readonly input?: string;
  readonly exits?: readonly number[];
}
