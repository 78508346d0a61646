import { spawnSync } from "node:child_process";
import { benchEngine } from "./engine.ts";
import { figureCount, overLimit } from "./figures.ts";
import type { Print } from "./figures.ts";
import { benchFence } from "./fence.ts";
import { benchHook } from "./hook.ts";
import { benchJournal } from "./journal.ts";
import { benchReport } from "./report.ts";
import { benchScale } from "./scale.ts";
import { benchSize } from "./size.ts";
import { benchStart } from "./start.ts";
import { benchTaskChecks } from "./task-checks.ts";

interface Bench {
  readonly run: (print: Print) => Promise<void>;
  /** How many figures with a limit it gives; with fewer, something was not measured. */
  readonly figures: number;
}

/** Every figure is printed with what it is measured against in the same run. Tests never assert times. */
const BENCHES: Readonly<Record<string, Bench>> = {
  journal: { run: benchJournal, figures: 3 },
  engine: { run: benchEngine, figures: 3 },
  start: { run: benchStart, figures: 2 },
  hook: { run: benchHook, figures: 5 },
  report: { run: benchReport, figures: 1 },
  fence: { run: benchFence, figures: 3 },
  scale: { run: benchScale, figures: 4 },
  size: { run: benchSize, figures: 2 },
  "task-checks": { run: benchTaskChecks, figures: 1 },
};

/** Exit code where something was not measured at all. */
const MISSING = 2;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const missing: string[] = [];
const wanted = process.argv.slice(2);
for (const name of wanted) if (!(name in BENCHES)) missing.push(`${name}: there is no such bench`);

for (const [name, { run, figures }] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  say(`\n${name}`);
  const before = figureCount();
  let why = "";
  try {
    await run((line) => say(`  ${line}`));
  } catch (error) {
    why = `: ${error instanceof Error ? error.message : String(error)}`;
  }
  const left = figures - (figureCount() - before);
  if (left !== 0 || why !== "")
    missing.push(`${name}: ${left} of ${figures} figures missing${why}`);
}

const wrong = [...missing, ...overLimit()];
const started = ["start", "hook", "report"].filter(
  (name) => wanted.length === 0 || wanted.includes(name),
);
// Limits were set where it is. Most people have no such thing, and then what we add is a larger part of the whole.
if (process.env["NODE_EXTRA_CA_CERTS"] !== undefined && started.length > 0) {
  say(
    "\nNODE_EXTRA_CA_CERTS slows every start of Node, also the empty one. For information, without it:",
  );
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const how = { env, stdio: "inherit" } as const;
  const { status } = spawnSync(process.execPath, [import.meta.filename, ...started], how);
  // 1 is a figure over its limit, which it has named; a figure that is missing is more.
  if (status !== 0 && status !== 1) wrong.push(`without it: nothing was measured (${status})`);
}
if (wrong.length > 0) {
  say(`\n${["Not every figure is there and within its limit:", ...wrong].join("\n  ")}`);
  process.exitCode = missing.length > 0 ? MISSING : 1;
}
