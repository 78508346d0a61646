/**
 * What does one decided step cost in a running process, against a bare script that makes the same durable
 * writes in the same run? The script takes what the step has just written (the journal's new bytes, the new
 * blobs, the changed state files) and writes it elsewhere with the same syncs and nothing else.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/compose/compose.ts";
import { act, find, inspect, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { openBare } from "./bare.ts";
import type { Bare } from "./bare.ts";
import { check, median, percentile } from "./figures.ts";
import type { Print } from "./figures.ts";

const PLUGINS = 60;
/** The first ones load and compile code, which a running process has behind it. */
const WARM_UP = 15;
const RATIO_MAX = 5;
const CALLER: Caller = { actor: { kind: "person", name: "bench" }, session: "bench" };

export async function benchEngine(print: Print): Promise<void> {
  const top = mkdtempSync(join(process.env["HOLDPOINT_BENCH_DIR"] ?? tmpdir(), "holdpoint-bench-"));
  try {
    await benchIn(join(top, "project"), join(top, "bare"), print);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

async function benchIn(cwd: string, out: string, print: Print): Promise<void> {
  mkdirSync(cwd);
  writeFileSync(join(cwd, "PLUGINS.md"), "# Plugins\n");
  const composed = await compose({ cwd });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  const bare = openBare(cwd, out);
  for (const [name, { ms, bareMs, writes }] of await runSteps(parts, cwd, bare)) {
    print(
      `${name.padEnd(34)} median ${median(ms).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms; ` +
        `the same ${writes} writes bare ${median(bareMs).toFixed(1)} ms`,
    );
    check(print, `${name}, against bare`, { value: median(ms) / median(bareMs), max: RATIO_MAX });
  }
  const looked: number[] = [];
  for (let index = 0; index < PLUGINS; index += 1)
    looked.push(await timed(async () => await look(parts, `P${index}`)));
  print(
    `${"status of one workflow".padEnd(34)} median ${median(looked).toFixed(1)} ms, p99 ${percentile(looked, 0.99).toFixed(1)} ms`,
  );
  await parts.journal.close();
}

interface Measured {
  readonly ms: number[];
  readonly bareMs: number[];
  writes: number;
}

async function runSteps(parts: Parts, cwd: string, bare: Bare): Promise<Map<string, Measured>> {
  const steps = new Map<string, Measured>();
  const family = await parts.families.get("plugin-workflow");
  if (family === undefined) throw new Error("There is no family to measure");
  for (let index = 0; index < PLUGINS; index += 1) {
    const id = `P${index}`;
    writeIdeas(cwd, id);
    const measure = async (name: string, step: () => Promise<Outcome>): Promise<void> => {
      const entry = steps.get(name) ?? { ms: [], bareMs: [], writes: 0 };
      steps.set(name, entry);
      bare.note(id);
      const ms = await timed(async () => mustBeAccepted(name, await step()));
      const replayed = bare.replay(id);
      // A step that recorded nothing did not do the work it is timed for.
      if (replayed.records !== 1) throw new Error(`${name}: ${replayed.records} records`);
      if (index < WARM_UP) return;
      entry.ms.push(ms);
      entry.bareMs.push(replayed.ms);
      entry.writes = replayed.writes;
    };
    await measure("start", () => start(parts, family, { id, options: {}, caller: CALLER }));
    await measure("dispatch", () => step(parts, id, "send"));
    writePlan(cwd, id);
    await measure("report, views and seals", async () => sealed(await step(parts, id, "report")));
  }
  return steps;
}

function writeIdeas(cwd: string, id: string): void {
  const ideas = join(cwd, "plugins", id, ".ideas");
  mkdirSync(ideas, { recursive: true });
  for (const name of ["creative-brief.md", "parameter-spec.md"])
    writeFileSync(join(ideas, name), `${name} of ${id}\n`);
}

/** What the order is about: a report of no work is a question to a person, and seals nothing. */
function writePlan(cwd: string, id: string): void {
  const ideas = join(cwd, "plugins", id, ".ideas");
  writeFileSync(join(ideas, "architecture.md"), `architecture of ${id}\n`);
  writeFileSync(join(ideas, "plan.md"), `# ${id}\n\n**Complexity Score:** 1.5\n`);
}

function sealed(outcome: Outcome): Outcome {
  const events = "events" in outcome ? outcome.events : [];
  if (events.some((one) => one.type === "artifact.sealed")) return outcome;
  throw new Error(`nothing is sealed: ${JSON.stringify(outcome)}`);
}

async function step(parts: Parts, id: string, what: "send" | "report"): Promise<Outcome> {
  const found = await find(parts, id);
  if (found.kind === "refused") throw new Error(`${id} is gone`);
  const claim = {
    agent: "research-planning-agent",
    outcome: "success",
    stage: 0,
    phase: null,
    files: [],
    stateUpdated: false,
  };
  const command =
    what === "send"
      ? ({ type: "dispatch.send", spec: "research", unit: "." } as const)
      : ({ type: "dispatch.report", dispatch: "W-1", claim } as const);
  return await act(parts, found, command, CALLER);
}

function mustBeAccepted(name: string, outcome: Outcome): void {
  const whole = outcome.kind === "done" || outcome.kind === "held";
  if (!whole || outcome.pending.length > 0) throw new Error(`${name}: ${JSON.stringify(outcome)}`);
}

async function look(parts: Parts, id: string): Promise<void> {
  const found = await find(parts, id);
  if (found.kind !== "found") throw new Error(`${id} is gone`);
  const { drift } = await inspect(parts, found, CALLER);
  if (drift.length > 0) throw new Error(`${id}: ${drift.join(", ")}`);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
