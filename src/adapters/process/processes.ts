/**
 * Names for processes that tell a dead one from a slow one, and from another that got its number since:
 *
 *   <pid>.<thread> <start> <boot> <namespace> <machine>      parts that the system does not tell are "-"
 *
 * A number is looked up only where it means the same: on this machine, in this boot, among the processes that
 * this one can see. Elsewhere nothing is proven.
 */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Liveness } from "../../ports/sessions.ts";

export function createProcesses(clock: Pick<Clock, "bootId">, place?: string): Processes {
  let known: string | undefined;
  // Computed on first use, because most commands only read and need no name.
  const self = (): string =>
    (known ??= [
      `${process.pid}.${threadId}`,
      startOf("self")?.start ?? UNTOLD,
      clock.bootId() ?? UNTOLD,
      readNamespace(),
      machineName(),
    ].join(" "));
  return {
    ...(place === undefined ? {} : { place }),
    get self() {
      return self();
    },
    fate: (name) => (name === self() ? HERE : fateOf(name, self().split(" ").slice(2))),
  };
}

const UNTOLD = "-";
const HERE: Liveness = { kind: "alive", why: "it is this very process" };

function fateOf(name: string, here: readonly string[]): Liveness {
  const [number = "", start, boot, namespace, machine] = name.split(" ");
  const pid = Number.parseInt(number, 10);
  const [ownBoot, ownNamespace, ownMachine] = here;
  if (!Number.isSafeInteger(pid) || pid <= 0 || machine === undefined)
    return { kind: "unknown", why: "nothing is known of its process" };
  if (machine !== ownMachine) return { kind: "unknown", why: `process ${pid} of another machine` };
  if (boot !== ownBoot)
    return boot === UNTOLD || ownBoot === UNTOLD
      ? { kind: "unknown", why: `process ${pid}; the system does not tell its boots apart` }
      : { kind: "dead", why: `the machine was restarted since process ${pid}` };
  if (namespace !== ownNamespace)
    return { kind: "unknown", why: `process ${pid} of another container` };
  if (!exists(pid)) return { kind: "dead", why: `process ${pid} has ended` };
  const now = startOf(String(pid));
  if (now === undefined || start === UNTOLD)
    return { kind: "alive", why: `there is a process ${pid}` };
  if (now.start !== start)
    return { kind: "dead", why: `process ${pid} has ended, and another has its number` };
  return now.ended
    ? { kind: "dead", why: `process ${pid} has ended` }
    : { kind: "alive", why: `process ${pid} is running` };
}

/** A process of another user exists as well, even if it may not be signalled. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Its start, in kernel ticks since boot. A zombie is still listed but has ended. */
function startOf(pid: string): { readonly start: string; readonly ended: boolean } | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The process name in brackets may contain anything, including brackets and spaces.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const [state = "", start = ""] = [fields[0], fields[19]];
  return /^\d+$/.test(start) ? { start, ended: /^[ZXx]$/.test(state) } : undefined;
}

/** Containers on one machine share its boot id, but number their processes separately. */
function readNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? UNTOLD;
  } catch {
    return UNTOLD;
  }
}

/** Different for any two machines, and says nothing else about them. */
export function machineName(): string {
  const id = readText("/etc/machine-id") ?? "";
  return createHash("sha256").update(`${id.trim()} ${hostname()}`).digest("hex").slice(0, 16);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
