/** What does an orchestrating model read and write for one whole workflow, against what the prose protocol costs it? */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tokenReport, tokensOf } from "../src/protocols/plugin-workflow/table/tokens.ts";

const BIN = join(import.meta.dirname, "..", "bin", "holdpoint.js");

export async function benchTokens(print: (line: string) => void): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "holdpoint-bench-"));
  const ideas = join(cwd, "plugins", "Echo", ".ideas");
  mkdirSync(join(cwd, "plugins", "Echo", "Presets"), { recursive: true });
  mkdirSync(ideas, { recursive: true });
  for (const name of ["creative-brief.md", "parameter-spec.md", "architecture.md"])
    writeFileSync(join(ideas, name), "text\n");
  writeFileSync(join(ideas, "plan.md"), "**Complexity Score:** 1.5\n");
  writeFileSync(join(cwd, "plugins", "Echo", "CHANGELOG.md"), "1.0.0\n");
  writeFileSync(join(cwd, "plugins", "Echo", "Presets", "a.xml"), "<p/>\n");
  const spent: Record<number, number> = {};
  const call = (stage: number, args: readonly string[], input = ""): void => {
    const ran = spawnSync(process.execPath, [BIN, ...args], { cwd, input, encoding: "utf8" });
    // The order goes to the subagent; the orchestrator reads the rest, and writes the command line.
    const read = ran.stdout.split("\n\nOrder for")[0] ?? "";
    spent[stage] = (spent[stage] ?? 0) + tokensOf(`holdpoint ${args.join(" ")}`) + tokensOf(read);
  };
  const report = (stage: number, agent: string): void => {
    const text = JSON.stringify({
      agent,
      status: "success",
      outputs: { stage_completed: stage, files_modified: [] },
      issues: [],
      ready_for_next_stage: true,
      stateUpdated: false,
    });
    call(stage, ["report", "Echo", "-"], text);
  };
  call(0, ["start", "Echo"]);
  call(0, ["advance", "Echo"]);
  report(0, "research-planning-agent");
  call(2, ["answer", "Echo", "1"]);
  report(2, "foundation-shell-agent");
  call(3, ["answer", "Echo", "1"]);
  report(3, "dsp-agent");
  call(4, ["answer", "Echo", "headless"]);
  report(4, "gui-agent");
  call(5, ["answer", "Echo", "1"]);
  call(5, ["advance", "Echo"]);
  for (const line of tokenReport(spent)) print(line);
}
