/**
 * Signs of life. A session that has not been heard of for its time to live, by the clock that does not
 * jump, or that belongs to an earlier boot, is dead; whatever cannot be told counts as alive.
 */
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Liveness, Sessions } from "../../ports/sessions.ts";
import { makeDirectory, readOwn, replaceOwn } from "./durable.ts";

export const SESSION_MS_MAX: number = 30 * 60 * 1000;

interface Beat {
  readonly boot: string | null;
  readonly ms: number;
}

export function createSessions(
  dir: string,
  clock: Clock,
  msMax: number = SESSION_MS_MAX,
): Sessions {
  const fileOf = (session: string): string => join(dir, `${encodeURIComponent(session)}.json`);
  return {
    beat: async (session) => {
      makeDirectory(dir);
      const beat: Beat = { boot: clock.bootId() ?? null, ms: clock.monotonicMs() };
      replaceOwn(fileOf(session), JSON.stringify(beat));
    },
    liveness: async (session) => {
      const beat = parseBeat(readOwn(fileOf(session)));
      return beat === undefined
        ? { kind: "unknown", why: "it never gave a sign of life here" }
        : judge(beat, clock, msMax);
    },
  };
}

function judge(beat: Beat, clock: Clock, msMax: number): Liveness {
  const boot = clock.bootId() ?? null;
  if (boot !== beat.boot) {
    if (boot === null || beat.boot === null)
      return { kind: "unknown", why: "the system does not tell its boots apart" };
    return { kind: "dead", why: "the machine was restarted since its last sign of life" };
  }
  const minutes = Math.round((clock.monotonicMs() - beat.ms) / 60_000);
  if (clock.monotonicMs() - beat.ms > msMax)
    return { kind: "dead", why: `no sign of life for ${minutes} minutes` };
  return { kind: "alive", why: `last sign of life ${minutes} minutes ago` };
}

function parseBeat(text: string): Beat | undefined {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || typeof parsed["ms"] !== "number") return undefined;
  return { ms: parsed["ms"], boot: typeof parsed["boot"] === "string" ? parsed["boot"] : null };
}
