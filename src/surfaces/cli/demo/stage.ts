/** The demo's stage: a throwaway repository, the real command line, and agents as real processes. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";
import { style } from "../terminal/style.ts";

export interface Stage {
  readonly root: string;
  readonly interactive: boolean;
  /** Runs holdpoint here, shows what it prints, and returns the exit code. */
  readonly holdpoint: (args: readonly string[], options?: RunOptions) => number;
  /** Runs an agent. Undefined if it died without a report. */
  readonly agent: (behaviour: string) => string | undefined;
  readonly say: (...lines: readonly string[]) => void;
  readonly heading: (title: string) => void;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Show only matching lines, if the full output would hide the point. */
  readonly only?: RegExp;
}

const BIN = join(packageRoot(), "bin", "holdpoint.js");
const AGENT = join(packageRoot(), "dist", "surfaces", "cli", "demo", "agent.js");
const CALL_MS_MAX = 60_000;

export function openStage(plugin: string, interactive: boolean): Stage {
  const root = mkdtempSync(join(tmpdir(), "holdpoint-demo-"));
  prepare(root, plugin);
  const say = (...lines: readonly string[]): void => {
    for (const line of lines) process.stdout.write(`${line}\n`);
  };
  return {
    root,
    interactive,
    say,
    heading: (title) =>
      say("", style().bold(`━━ ${title} ${"━".repeat(Math.max(0, 72 - title.length))}`), ""),
    holdpoint: (args, options = {}) => holdpoint(root, args, options, say),
    agent: (behaviour) => {
      const ran = spawnSync(process.execPath, [AGENT, behaviour, plugin], {
        cwd: root,
        encoding: "utf8",
        timeout: CALL_MS_MAX,
      });
      // Otherwise an agent that cannot start would look like one that reports nothing.
      if (ran.signal === null && ran.status !== 0)
        throw new Error(`Cannot play the agent "${behaviour}": ${ran.stderr}`);
      return ran.signal === null ? ran.stdout : undefined;
    },
  };
}

function prepare(root: string, plugin: string): void {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", [...args], { cwd: root, stdio: "ignore" });
  };
  const ideas = join(root, "plugins", plugin, ".ideas");
  mkdirSync(ideas, { recursive: true });
  writeFileSync(
    join(ideas, "creative-brief.md"),
    `# ${plugin}\n\nA warm delay with a mind of its own.\n`,
  );
  writeFileSync(
    join(ideas, "parameter-spec.md"),
    "# Parameters\n\ntime, feedback, mix, wow, flutter\n",
  );
  writeFileSync(join(root, ".gitignore"), "build/\n");
  writeFileSync(
    join(root, "holdpoint.config.json"),
    `${JSON.stringify({ checks: { tests: { run: [process.execPath, "--eval", "console.log('12 tests passed')"], minutes: 1 } } }, null, 2)}\n`,
  );
  git("init", "--quiet", "--initial-branch", "main");
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@example.invalid");
  git("add", ".");
  git("commit", "--quiet", "--message", "An idea");
}

function holdpoint(
  root: string,
  args: readonly string[],
  options: RunOptions,
  say: Stage["say"],
): number {
  const { dim } = style();
  say(
    dim(
      `$ holdpoint ${args.map((arg) => (/[^\w@%+=:,./-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}`,
    ),
  );
  const asking = args[0] === "answer" && args.length === 2;
  const colour = style().bold("x") === "x" ? {} : { FORCE_COLOR: "1" };
  const ran = spawnSync(process.execPath, [BIN, ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: asking ? undefined : CALL_MS_MAX,
    env: { ...process.env, HOLDPOINT_DIE_AT: "", ...colour, ...options.env },
    ...(asking ? { stdio: "inherit" as const } : { input: options.input ?? "" }),
  });
  const printed = `${ran.stdout ?? ""}${ran.stderr ?? ""}`.trimEnd();
  const lines = printed
    .split("\n")
    .filter((line) => options.only === undefined || options.only.test(line));
  if (printed !== "") say(...lines.map((line) => `  ${line}`));
  return ran.status ?? 1;
}
