/** What does the fence add to git: a fast-forward of a protected branch that is released, and any other reference? */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, holdpoint, median, node, timed } from "./figures.ts";
import type { Print } from "./figures.ts";
import { prepare, REPORT } from "./report.ts";

const ROUNDS = 31;
const WARM_UP = 5;
/** 100 ms, and 10 ms, where an empty Node starts in 40: a busy machine makes both slower, and the ratio stays. */
const MOVE_STARTS_MAX = 2.5;
const OTHER_STARTS_MAX = 0.25;
const KILLED = 137;

interface Scene {
  readonly cwd: string;
  /** Where main stands, and the savepoint it is to be moved to. */
  readonly base: string;
  readonly made: string;
}

export async function benchFence(print: Print): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const fenced = sceneIn(join(top, "fenced"));
    const free = { ...fenced, cwd: join(top, "free") };
    cpSync(fenced.cwd, free.cwd, { recursive: true });
    rmSync(join(free.cwd, ".git/hooks/reference-transaction"));
    checkHolds(fenced, free);
    const moves: number[][] = [[], []];
    const others: number[][] = [[], []];
    const starts: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const start = timed(() => node(["--eval", ""]));
      const move = [fenced, free].map((scene) => timeMove(scene));
      const other = [fenced, free].map((scene) => timeOther(scene, round));
      if (round < WARM_UP) continue;
      starts.push(start);
      for (const at of [0, 1]) {
        moves[at]?.push(move[at] ?? Number.NaN);
        others[at]?.push(other[at] ?? Number.NaN);
      }
    }
    tell(print, { moves, others, start: median(starts) });
  } finally {
    rmSync(top, { recursive: true });
  }
}

function tell(
  print: Print,
  {
    moves,
    others,
    start,
  }: { readonly moves: number[][]; readonly others: number[][]; readonly start: number },
): void {
  const ms = (times: number[][]): readonly number[] => times.map(median);
  const added = (times: number[][]): number =>
    median((times[0] ?? []).map((one, round) => one - (times[1]?.[round] ?? Number.NaN)));
  const shown = (name: string, [fenced = 0, free = 0]: readonly number[]): void =>
    print(
      `${name.padEnd(28)} ${fenced.toFixed(1)} ms with the fence, ${free.toFixed(1)} without: ${(fenced / free).toFixed(2)} times`,
    );
  print(`${"node, empty script".padEnd(28)} ${start.toFixed(1)} ms`);
  shown("fast-forward of main", ms(moves));
  shown("another branch", ms(others));
  for (const [name, times, max] of [
    ["a fast-forward of main", moves, MOVE_STARTS_MAX],
    ["another branch", others, OTHER_STARTS_MAX],
  ] as const) {
    const more = added(times);
    print(`${`on top of ${name}`.padEnd(32)} ${more.toFixed(1)} ms`);
    check(print, `fence, on top of ${name}, in empty starts of node`, { value: more / start, max });
  }
}

/** A savepoint that is wanted and made, and whose process died before main moved: it can be moved again and again. */
function sceneIn(cwd: string): Scene {
  prepare(cwd);
  holdpoint(["fence", "install"], { cwd });
  const base = git(cwd, "rev-parse", "main").trim();
  holdpoint(["report", "Echo", "-"], {
    cwd,
    input: REPORT,
    env: { HOLDPOINT_DIE_AT: "git.update-ref" },
    exits: [KILLED, null],
  });
  const [made] = git(cwd, "fsck", "--no-reflogs", "--unreachable", "--no-progress")
    .split("\n")
    .flatMap((line) => /^unreachable commit (\w+)$/.exec(line)?.[1] ?? []);
  if (made === undefined) throw new Error("the report left no commit to move to");
  return { cwd, base, made };
}

/** A fence that lets everything through is the fastest of all: what nobody released must stop at it, and at it alone. */
function checkHolds(fenced: Scene, free: Scene): void {
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
