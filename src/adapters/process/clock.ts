/** The machine's clock. */
import { readFileSync } from "node:fs";
import type { Clock } from "../../ports/clock.ts";

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  bootId: readBootId,
};

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() || undefined;
  } catch {
    // macOS and Windows have no such file; leases then rely on observed time.
    return undefined;
  }
}
