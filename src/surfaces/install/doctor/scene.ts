/** A temporary repository with a running workflow, so that something is held in it. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hereProgram } from "../here.ts";
import { packagesNear } from "../program.ts";
import { runBounded } from "./run.ts";

export interface Scene {
  readonly dir: string;
  /** A file that only the engine may write: the journal. */
  readonly held: string;
  /** A file that anybody may read. */
  readonly plain: string;
}

const PROTOCOL = [
  "name: probe",
  "version: 1",
  "title: Probe of the hooks",
  "states: [open, done]",
  "start: open",
  "ends: [done]",
  "work:",
  "  write: { role: writer, order: Write it., makes: [notes.txt], done: finish }",
  "moves:",
  "  finish: { from: open, to: done }",
];

const STEP_MS = 30_000;

/** Fails with a message if it cannot be created. `root` is where the project's packages are. */
export async function makeScene(root: string): Promise<Scene | { readonly said: string }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-doctor-")));
  writeFileSync(join(dir, "probe.yaml"), `${PROTOCOL.join("\n")}\n`);
  writeFileSync(join(dir, "holdpoint.config.json"), '{ "protocols": ["probe.yaml"] }\n');
  writeFileSync(join(dir, "notes.txt"), "Nothing.\n");
  const packages = join(packagesNear(root) ?? root, "node_modules");
  if (existsSync(packages)) symlinkSync(packages, join(dir, "node_modules"));
  const { node, script } = hereProgram();
  const who = [
    "-c",
    "user.name=doctor",
    "-c",
    "user.email=doctor@localhost",
    "-c",
    "commit.gpgsign=false",
  ];
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["git", "init", "--quiet", "--template="],
    ["git", "add", "probe.yaml", "holdpoint.config.json", "notes.txt"],
    ["git", ...who, "commit", "--quiet", "--no-verify", "--message", "probe"],
    [node, script, "start", "probe", "--protocol", "probe"],
    [node, script, "advance", "probe"],
  ];
  for (const [command, ...args] of steps) {
    const ran = await runBounded(command, args, { cwd: dir, env: plainEnv(), ms: STEP_MS });
    if (ran.exit === 0) continue;
    endScene({ dir });
    return { said: `${command} ${args.join(" ")}: ${ran.stderr || ran.stdout || "no answer"}` };
  }
  const journals = join(dir, ".git/holdpoint/journals");
  const [journal = "probe"] = readdirSync(journals);
  return { dir, held: join(journals, journal), plain: join(dir, "notes.txt") };
}

export function endScene({ dir }: Pick<Scene, "dir">): void {
  rmSync(dir, { recursive: true, force: true });
}

/** The environment without variables that point to another store, session or client. */
export function plainEnv(): Record<string, string | undefined> {
  const told = /^(?:HOLDPOINT|GIT|CLAUDE|CODEX|GEMINI|COPILOT|OPENCODE)/;
  const kept = Object.entries(process.env).filter(([name]) => !told.test(name));
  return Object.fromEntries(kept);
}
