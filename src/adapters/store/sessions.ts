/**
 * Signs of life. A session from an earlier boot of this machine is dead. One that has been silent for too long,
 * by the clock that does not jump, is quiet. That proves nothing: its agent may be thinking.
 */
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Liveness, Sessions } from "../../ports/sessions.ts";
import { machineName } from "../process/processes.ts";
import { makeDirectory, readOwn, replaceOwn } from "./durable.ts";

export const SESSION_MS_MAX: number = 30 * 60 * 1000;

interface Beat {
  readonly boot: string | null;
  readonly ms: number;
  /** The machine. Signs without it are from this one. */
  readonly machine?: string;
}

export function createSessions(
  dir: string,
  clock: Clock,
  machine: () => string = machineName,
  msMax: number = SESSION_MS_MAX,
): Sessions {
  const fileOf = (session: string): string => join(dir, `${encodeURIComponent(session)}.json`);
  return {
    beat: async (session) => {
      makeDirectory(dir);
      const beat: Beat = {
        boot: clock.bootId() ?? null,
        ms: clock.monotonicMs(),
        machine: machine(),
      };
      replaceOwn(fileOf(session), JSON.stringify(beat));
    },
    liveness: async (session) => {
      const beat = parseBeat(readOwn(fileOf(session)));
      return beat === undefined
        ? { kind: "unknown", why: "it never gave a sign of life here" }
        : judge(beat, { clock, machine: machine(), msMax });
    },
  };
}

function judge(
  beat: Beat,
  {
    clock,
    machine,
    msMax,
  }: { readonly clock: Clock; readonly machine: string; readonly msMax: number },
): Liveness {
  if (beat.machine !== undefined && beat.machine !== machine)
    return { kind: "unknown", why: "its last sign of life came from another machine" };
  const boot = clock.bootId() ?? null;
  if (boot !== beat.boot) {
    if (boot === null || beat.boot === null)
      return { kind: "unknown", why: "the system does not tell its boots apart" };
    return { kind: "dead", why: "the machine was restarted since its last sign of life" };
  }
  const minutes = Math.round((clock.monotonicMs() - beat.ms) / 60_000);
  if (clock.monotonicMs() - beat.ms > msMax)
    return { kind: "quiet", why: `no sign of life for ${minutes} minutes` };
  return { kind: "alive", why: `last sign of life ${minutes} minutes ago` };
}

function parseBeat(text: string): Beat | undefined {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || typeof parsed["ms"] !== "number") return undefined;
  const { ms, boot, machine } = parsed;
  return {
    ms,
    boot: typeof boot === "string" ? boot : null,
    ...(typeof machine === "string" ? { machine } : {}),
  };
}
