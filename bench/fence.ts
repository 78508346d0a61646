/** What does the fence add to git: a fast-forward of a protected branch that is released, and any other reference? */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/compose/compose.ts";
import type { Caller } from "../src/engine/engine.ts";
import { lock } from "../src/operations/lock.ts";
import { check, holdpoint, median, node, timed } from "./figures.ts";
import type { Print } from "./figures.ts";
import { prepare, REPORT } from "./report.ts";

const ROUNDS = 31;
const WARM_UP = 5;
/** 100 ms, and 10 ms, where an empty Node starts in 40: a busy machine makes both slower, and the ratio stays. */
const MOVE_STARTS_MAX = 2.5;
const OTHER_STARTS_MAX = 0.25;
const KILLED = 137;
const HELD = 11;
const COMMITS = 10_000;
const RECORDS = 2_000;

interface Scene {
  readonly cwd: string;
  /** Where main stands, and the savepoint it is to be moved to. */
  readonly base: string;
  readonly made: string;
}

export async function benchFence(print: Print): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const short = pairOf(sceneIn(join(top, "short")));
    const long = pairOf(await longScene(join(top, "long")));
    for (const pair of [short, long]) checkHolds(pair);
    const starts: number[] = [];
    const [moves, longMoves, others] = [times(), times(), times()];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const start = timed(() => node(["--eval", ""]));
      const move = short.map((scene) => timeMove(scene));
      const longMove = long.map((scene) => timeMove(scene));
      const other = short.map((scene) => timeOther(scene, round));
      if (round < WARM_UP) continue;
      starts.push(start);
      for (const at of [0, 1]) {
        moves[at]?.push(move[at] ?? Number.NaN);
        longMoves[at]?.push(longMove[at] ?? Number.NaN);
        others[at]?.push(other[at] ?? Number.NaN);
      }
    }
    const start = median(starts);
    print(`${"node, empty script".padEnd(28)} ${start.toFixed(1)} ms`);
    tell(print, "a fast-forward of main", moves, { start, max: MOVE_STARTS_MAX });
    tell(print, "one with a long journal", longMoves, { start, max: MOVE_STARTS_MAX });
    tell(print, "another branch", others, { start, max: OTHER_STARTS_MAX });
  } finally {
    rmSync(top, { recursive: true });
  }
}

/** With the fence, and without it. */
type Pair<T> = readonly [T, T];

function times(): Pair<number[]> {
  return [[], []];
}

function pairOf(fenced: Scene): Pair<Scene> {
  const free = { ...fenced, cwd: `${fenced.cwd}-free` };
  cpSync(fenced.cwd, free.cwd, { recursive: true });
  rmSync(join(free.cwd, ".git/hooks/reference-transaction"));
  return [fenced, free];
}

function tell(
  print: Print,
  name: string,
  [fenced, free]: Pair<number[]>,
  { start, max }: { readonly start: number; readonly max: number },
): void {
  const [ours, theirs] = [median(fenced), median(free)];
  const added = median(fenced.map((one, round) => one - (free[round] ?? Number.NaN)));
  print(
    `${name.padEnd(28)} ${ours.toFixed(1)} ms with the fence, ${theirs.toFixed(1)} without: ${(ours / theirs).toFixed(2)} times, ${added.toFixed(1)} ms on top`,
  );
  check(print, `fence, on top of ${name}, in empty starts of node`, { value: added / start, max });
}

function sceneIn(cwd: string): Scene {
  prepare(cwd);
  holdpoint(["fence", "install"], { cwd });
  return dying(cwd, REPORT);
}

/** The same behind thousands of commits and of records, and one savepoint. */
async function longScene(cwd: string): Promise<Scene> {
  prepare(cwd);
  const commits = Array.from(
    { length: COMMITS },
    (_, at) =>
      `commit refs/heads/main\ncommitter Bench <bench@example.org> ${1_700_000_000 + at} +0000\ndata 4\nwork\n${at === 0 ? "from refs/heads/main^0\n" : ""}\n`,
  );
  execFileSync("git", ["fast-import", "--quiet"], { cwd, input: commits.join("") });
  holdpoint(["fence", "install"], { cwd });
  holdpoint(["lock", "Echo", "--release"], { cwd });
  await lockOften(cwd);
  holdpoint(["report", "Echo", "-"], { cwd, input: REPORT, exits: [HELD] });
  holdpoint(["answer", "Echo", "1"], { cwd });
  writeFileSync(join(cwd, "plugins/Echo/CMakeLists.txt"), "project(Echo)\n");
  return dying(cwd, NEXT_REPORT);
}

async function lockOften(cwd: string): Promise<void> {
  const composed = await compose({ cwd });
  if (composed.kind === "failed") throw new Error(composed.message);
  const caller: Caller = { actor: { kind: "person", name: "bench" }, session: "bench" };
  for (let count = 0; count < RECORDS / 2; count += 1)
    for (const release of [false, true]) {
      const given = { workflow: "Echo", ...(release ? { release } : {}) };
      const { ok } = await lock.run({ parts: composed.parts, caller }, given);
      if (!ok) throw new Error("nothing was recorded");
    }
  await composed.parts.journal.close();
}

const NEXT_REPORT = JSON.stringify({
  agent: "foundation-shell-agent",
  status: "success",
  outputs: { plugin_name: "Echo", stage_completed: 2, parameter_count: 3, files_modified: [] },
  issues: [],
  ready_for_next_stage: true,
  stateUpdated: false,
});

/** A savepoint that is wanted and made, and whose process died before main moved: it can be moved again and again. */
function dying(cwd: string, report: string): Scene {
  const base = git(cwd, "rev-parse", "main").trim();
  const before = unreachableIn(cwd);
  holdpoint(["report", "Echo", "-"], {
    cwd,
    input: report,
    env: { HOLDPOINT_DIE_AT: "git.update-ref" },
    exits: [KILLED, null],
  });
  const made = unreachableIn(cwd).find((one) => !before.includes(one));
  if (made === undefined) throw new Error("the report left no commit to move to");
  return { cwd, base, made };
}

function unreachableIn(cwd: string): readonly string[] {
  return git(cwd, "fsck", "--no-reflogs", "--unreachable", "--no-progress")
    .split("\n")
    .flatMap((line) => /^unreachable commit (\w+)$/.exec(line)?.[1] ?? []);
}

/** A fence that lets everything through is the fastest of all: what nobody released must stop at it, and at it alone. */
function checkHolds([fenced, free]: Pair<Scene>): void {
  const evil = git(
    fenced.cwd,
    "commit-tree",
    "-m",
    "evil",
    "-p",
    fenced.base,
    `${fenced.base}^{tree}`,
  );
  const stops = ({ cwd, base }: Scene): boolean => {
    try {
      git(cwd, "update-ref", "refs/heads/main", evil.trim(), base);
      writeFileSync(join(cwd, ".git/refs/heads/main"), `${base}\n`);
      return false;
    } catch {
      return true;
    }
  };
  cpSync(join(fenced.cwd, ".git/objects"), join(free.cwd, ".git/objects"), { recursive: true });
  if (!stops(fenced)) throw new Error("the fence lets through what nobody released");
  if (stops(free)) throw new Error("git refuses the move also without the fence");
}

function timeMove({ cwd, base, made }: Scene): number {
  const ms = timed(() => git(cwd, "update-ref", "refs/heads/main", made, base));
  if (git(cwd, "rev-parse", "main").trim() !== made) throw new Error("main did not move");
  // Back without asking anybody.
  writeFileSync(join(cwd, ".git/refs/heads/main"), `${base}\n`);
  return ms;
}

function timeOther({ cwd, made }: Scene, round: number): number {
  const ms = timed(() => git(cwd, "update-ref", `refs/heads/work-${round}`, made));
  if (git(cwd, "rev-parse", `work-${round}`).trim() !== made) throw new Error("it was not made");
  return ms;
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
