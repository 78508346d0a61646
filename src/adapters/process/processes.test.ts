/** A dead process is told from a slow one, from one elsewhere, and from another with its number. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { createProcesses } from "./processes.ts";

const { self, fate } = createProcesses(systemClock);

/** The name that a process here has, with some parts of it otherwise. */
function named(change: {
  readonly pid?: string;
  readonly start?: string;
  readonly boot?: string;
  readonly namespace?: string;
  readonly machine?: string;
}): string {
  const [pid = "", start = "", boot = "", namespace = "", machine = ""] = self.split(" ");
  return Object.values({ pid, start, boot, namespace, machine, ...change }).join(" ");
}

async function sleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error("it did not start");
  return Object.assign(child, { pid });
}

describe("what became of a process", () => {
  test("this one is alive, and another reader of its name says so too", () => {
    expect(fate(self).kind).toBe("alive");
    expect(createProcesses(systemClock).self).toBe(self);
    expect(fate(named({ pid: `${process.pid}.7` })).kind).toBe("alive");
  });

  test("a process that runs or is stopped is alive, one that was killed is dead", async () => {
    const child = await sleeper();
    // Where the system does not tell when it started, its number is all there is.
    const name = named({ pid: `${child.pid}.0`, start: "-" });
    expect(fate(name).kind).toBe("alive");
    child.kill("SIGSTOP");
    expect(fate(name).kind).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(fate(name).kind).toBe("dead");
  });

  test.runIf(existsSync("/proc/self/stat"))("another with its number is not it", async () => {
    const child = await sleeper();
    const { kind, why } = fate(named({ pid: `${child.pid}.0`, start: "12" }));
    child.kill("SIGKILL");
    expect([kind, why]).toEqual(["dead", expect.stringContaining("another has its number")]);
  });

  test("from an earlier boot of this machine it is dead", () => {
    if (systemClock.bootId() === undefined) return;
    expect(fate(named({ boot: "earlier" })).kind).toBe("dead");
    expect(fate(named({ boot: "-" })).kind).toBe("unknown");
  });

  test("nothing is proven about another machine, another container, or what cannot be read", () => {
    const gone = "4194304999.0";
    for (const name of [
      named({ machine: "other", boot: "earlier" }),
      named({ machine: "other", pid: gone }),
      named({ namespace: "other", pid: gone }),
      "",
      "1",
      "x y z",
      named({ pid: "-1" }),
      named({ pid: "0.0" }),
    ])
      expect([name, fate(name).kind]).toEqual([name, "unknown"]);
  });
});
