/** How long does a command take that only looks, against starting Node with nothing to do? */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./figures.ts";
import type { Print } from "./figures.ts";

const ROUNDS = 11;

export async function benchStart(print: Print): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "holdpoint-bench-"));
  const cases: Readonly<Record<string, readonly string[]>> = {
    "node, empty script": ["--eval", ""],
    "holdpoint --version": ["bin/holdpoint.js", "--version"],
    "holdpoint list": ["bin/holdpoint.js", "list", "--cwd", cwd],
    "holdpoint verify --all": ["bin/holdpoint.js", "verify", "--all", "--cwd", cwd],
  };
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  // Interleaved, so that a busy moment of the machine falls on all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(cases)) {
      const started = performance.now();
      spawnSync(process.execPath, [...args]);
      times.get(name)?.push(performance.now() - started);
    }
  }
  const base = median(times.get("node, empty script") ?? []);
  for (const [name, list] of times) {
    print(
      `${name.padEnd(24)} ${median(list).toFixed(0).padStart(5)} ms   ${(median(list) / base).toFixed(2)} x an empty start`,
    );
  }
}
