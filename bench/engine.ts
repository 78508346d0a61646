/** What does one decided step cost in a running process, beside the disk, and how many records does it make? */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/compose.ts";
import { act, find, inspect, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Parts } from "../src/engine/parts.ts";
import { median } from "./start.ts";

const PLUGINS = 40;
const CALLER: Caller = { actor: { kind: "person", name: "bench" }, session: "bench" };

export async function benchEngine(print: (line: string) => void): Promise<void> {
  const cwd = mkdtempSync(join(process.env["HOLDPOINT_BENCH_DIR"] ?? tmpdir(), "holdpoint-bench-"));
  writeFileSync(join(cwd, "PLUGINS.md"), "# Plugins\n");
  const composed = await compose({ cwd });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  const steps = await runSteps(parts, cwd);
  for (const [name, list] of steps)
    print(
      `${name.padEnd(34)} median ${median(list.ms).toFixed(1)} ms, p99 ${percentile(list.ms, 0.99).toFixed(1)} ms, ${list.records} record(s)`,
    );
  const looked: number[] = [];
  for (let index = 0; index < PLUGINS; index += 1)
    looked.push(await timed(async () => void (await look(parts, `P${index}`))));
  print(
    `${"status of one workflow".padEnd(34)} median ${median(looked).toFixed(1)} ms, p99 ${percentile(looked, 0.99).toFixed(1)} ms`,
  );
  await parts.journal.close();
}

interface Measured {
  readonly ms: number[];
  records: number;
}

async function runSteps(parts: Parts, cwd: string): Promise<Map<string, Measured>> {
  const steps = new Map<string, Measured>();
  const measure = async (
    name: string,
    stream: string,
    step: () => Promise<void>,
  ): Promise<void> => {
    const entry = steps.get(name) ?? { ms: [], records: 0 };
    steps.set(name, entry);
    const before = (await parts.journal.load(stream)).head.seq;
    entry.ms.push(await timed(step));
    entry.records = (await parts.journal.load(stream)).head.seq - before;
  };
  const family = await parts.families.get("plugin-workflow");
  if (family === undefined) throw new Error("There is no family to measure");
  for (let index = 0; index < PLUGINS; index += 1) {
    const id = `P${index}`;
    const stream = `${family.protocol.name}:${id}`;
    const ideas = join(cwd, "plugins", id, ".ideas");
    mkdirSync(ideas, { recursive: true });
    for (const name of ["creative-brief.md", "parameter-spec.md", "architecture.md"])
      writeFileSync(join(ideas, name), "text\n");
    writeFileSync(join(ideas, "plan.md"), "**Complexity Score:** 1.5\n");
    await measure(
      "start, with both views written",
      stream,
      async () => void (await start(parts, family, { id, options: {}, caller: CALLER })),
    );
    await measure("dispatch, no git", stream, async () => void (await step(parts, id, "send")));
    await measure(
      "report, views and seals, no git",
      stream,
      async () => void (await step(parts, id, "report")),
    );
  }
  return steps;
}

async function step(parts: Parts, id: string, what: "send" | "report"): Promise<void> {
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
  const outcome = await act(parts, found, command, CALLER);
  if (outcome.kind === "refused" || outcome.kind === "failed")
    throw new Error(JSON.stringify(outcome));
}

async function look(parts: Parts, id: string): Promise<void> {
  const found = await find(parts, id);
  if (found.kind === "found") await inspect(parts, found, CALLER);
}

async function timed(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
