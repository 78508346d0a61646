import { join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import type { Holders } from "../../ports/holders.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Sessions } from "../../ports/sessions.ts";
import { createProcesses } from "../process/processes.ts";
import { createHolders } from "./holders.ts";
import { createSessions } from "./sessions.ts";

/** Who is there: sessions by their signs of life, processes by their names, and whose an effect is. */
export function createPresence(
  dir: string,
  { clock, onStep }: { readonly clock: Clock; readonly onStep: (step: string) => void },
): { readonly sessions: Sessions; readonly processes: Processes; readonly holders: Holders } {
  return {
    sessions: createSessions(join(dir, "beats"), clock),
    processes: createProcesses(clock),
    holders: createHolders(join(dir, "holders"), onStep),
  };
}
