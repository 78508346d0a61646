/** How long does a command take that only looks, against starting Node with nothing to do? */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, check, median, node, timed } from "./figures.ts";
import type { Print } from "./figures.ts";

const ROUNDS = 11;
const EMPTY = "node, empty script";

export async function benchStart(print: Print): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "holdpoint-bench-"));
  const cases: readonly { name: string; args: readonly string[]; max?: number }[] = [
    { name: EMPTY, args: ["--eval", ""] },
    { name: "holdpoint --version", args: [BIN, "--version"], max: 1.23 },
    { name: "holdpoint list", args: [BIN, "list", "--cwd", cwd], max: 1.3 },
    { name: "holdpoint verify --all", args: [BIN, "verify", "--all", "--cwd", cwd] },
  ];
  const times = new Map(cases.map(({ name }) => [name, [] as number[]]));
  // Interleaved, so that a busy moment of the machine falls on all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, args } of cases) times.get(name)?.push(timed(() => node(args)));
  rmSync(cwd, { recursive: true });
  const base = median(times.get(EMPTY) ?? []);
  for (const { name, max } of cases) {
    const ms = median(times.get(name) ?? []);
    print(`${name.padEnd(24)} ${ms.toFixed(0).padStart(5)} ms`);
    if (max !== undefined)
      check(print, `${name}, against an empty start`, { value: ms / base, max });
  }
}
