/**
 * Signs of life in the shared store, by the server's clock, because clocks of two machines differ. A session of
 * this machine from an earlier boot is dead. About other machines nothing is proven, and a long silence only
 * counts as quiet.
 */
import type { Clock } from "../../../ports/clock.ts";
import type { Liveness, Sessions } from "../../../ports/sessions.ts";
import { machineName } from "../../process/processes.ts";
import { SESSION_MS_MAX } from "../sessions.ts";
import type { Database, Row } from "./database.ts";
import { nameOf } from "./lines.ts";

export function createSessions(
  database: Database,
  clock: Pick<Clock, "bootId">,
  machine: () => string = machineName,
  msMax: number = SESSION_MS_MAX,
): Sessions {
  return {
    beat: async (session) => {
      const values = [nameOf(session).key, machine(), clock.bootId() ?? null];
      await database.query("SELECT @.beat($1, $2, $3)", values);
    },
    liveness: async (session) => {
      const [row] = await database.query(LAST, [nameOf(session).key]);
      if (row === undefined) return { kind: "unknown", why: "it never gave a sign of life here" };
      return judge(row, { here: machine(), boot: clock.bootId(), msMax });
    },
  };
}

const LAST = `SELECT machine, boot, extract(epoch FROM clock_timestamp() - at) * 1000 AS ms
  FROM @.beats WHERE session = $1`;

function judge(
  row: Row,
  {
    here,
    boot,
    msMax,
  }: { readonly here: string; readonly boot: string | undefined; readonly msMax: number },
): Liveness {
  const isHere = row["machine"] === here;
  const before = row["boot"];
  if (isHere && typeof before === "string" && boot !== undefined && before !== boot)
    return { kind: "dead", why: "the machine was restarted since its last sign of life" };
  const ms = Number(row["ms"]);
  const minutes = Math.round(ms / 60_000);
  const where = isHere ? "" : ", on another machine";
  return ms > msMax
    ? { kind: "quiet", why: `no sign of life for ${minutes} minutes${where}` }
    : { kind: "alive", why: `last sign of life ${minutes} minutes ago${where}` };
}
