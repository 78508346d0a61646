/** What does a report with its commit cost, against an empty Node, `git add` and `git commit` of the same files? */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, holdpoint, median, node, percentile, timed } from "./figures.ts";
import type { Print } from "./figures.ts";

const ROUNDS = 21;
/** The first calls of a verb compile the program and keep the result. */
const WARM_UP = 5;
const MAX = 2;
/** Between the quartiles of a round's ratio, as a part of the median: beyond it the machine was measured, not us. */
const SPREAD_MAX = 0.5;
const HELD = 11;
const PATHS = ["plugins/Echo", "PLUGINS.md"];
export const REPORT: string = JSON.stringify({
  agent: "research-planning-agent",
  status: "success",
  outputs: { stage_completed: 0, files_modified: [] },
  issues: [],
  ready_for_next_stage: true,
  stateUpdated: false,
});

export async function benchReport(print: Print): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const ready = join(top, "ready");
    prepare(ready);
    const times: { readonly report: number[]; readonly base: number[] } = { report: [], base: [] };
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const [ours, theirs] = [join(top, "ours"), join(top, "theirs")];
      for (const place of [ours, theirs]) renew(ready, place);
      const report = timed(() => savepoint(ours));
      const base = timed(() => bare(theirs));
      checkCommitted(ours);
      checkCommitted(theirs);
      if (round < WARM_UP) continue;
      times.report.push(report);
      times.base.push(base);
    }
    const [report, base] = [median(times.report), median(times.base)];
    print(`report with its commit ${report.toFixed(0).padStart(7)} ms`);
    print(`node, git add, git commit ${base.toFixed(0).padStart(4)} ms`);
    checkSpread(times.report.map((ms, round) => ms / (times.base[round] ?? Number.NaN)));
    check(print, "report, against node, git add and git commit", {
      value: report / base,
      max: MAX,
    });
  } finally {
    rmSync(top, { recursive: true });
  }
}

/** A plugin whose first stage is done and waits to be reported. */
export function prepare(cwd: string): void {
  const home = join(cwd, "plugins", "Echo");
  mkdirSync(join(home, ".ideas"), { recursive: true });
  mkdirSync(join(home, "Source"));
  for (const name of ["creative-brief.md", "parameter-spec.md"])
    writeFileSync(join(home, ".ideas", name), "text\n");
  for (let file = 0; file < 20; file += 1)
    writeFileSync(join(home, "Source", `f${file}.cpp`), `int f${file};\n`);
  writeFileSync(join(cwd, "PLUGINS.md"), "# Plugins\n");
  // As people have them: rules, and something that they leave out.
  writeFileSync(join(cwd, ".gitignore"), "build/\n");
  mkdirSync(join(cwd, "build"));
  writeFileSync(join(cwd, "build", "out"), "built\n");
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, "config", "user.name", "Bench");
  git(cwd, "config", "user.email", "bench@example.org");
  git(cwd, "add", ".");
  git(cwd, "commit", "--quiet", "--message", "first");
  holdpoint(["start", "Echo"], { cwd });
  holdpoint(["advance", "Echo"], { cwd });
  writeFileSync(join(home, ".ideas", "architecture.md"), "text\n");
  writeFileSync(join(home, ".ideas", "plan.md"), "**Complexity Score:** 1.5\n");
}

function renew(ready: string, place: string): void {
  rmSync(place, { recursive: true, force: true });
  cpSync(ready, place, { recursive: true });
  // The copies are new files to git: it looks at them once, before anything is measured.
  git(place, "status");
}

function savepoint(cwd: string): void {
  holdpoint(["report", "Echo", "-"], { cwd, input: REPORT, exits: [HELD] });
}

function bare(cwd: string): void {
  node(["--eval", ""]);
  git(cwd, "add", "--", ...PATHS);
  git(cwd, "commit", "--quiet", "--message", "stage 0");
}

/** Both have made a commit of everything, or nothing was compared. */
function checkCommitted(cwd: string): void {
  const count = git(cwd, "rev-list", "--count", "HEAD").trim();
  const left = git(cwd, "status", "--porcelain", "--", ...PATHS);
  if (count !== "2" || left !== "")
    throw new Error(`${cwd}: ${count} commits, and not committed: ${left || "nothing"}`);
}

function checkSpread(ratios: readonly number[]): void {
  const between = percentile(ratios, 0.75) - percentile(ratios, 0.25);
  const spread = between / median(ratios);
  if (!(spread <= SPREAD_MAX))
    throw new Error(
      `the rounds differ too much (${spread.toFixed(2)} > ${SPREAD_MAX}): measure on a quiet machine`,
    );
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
