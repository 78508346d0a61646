import { join } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { Holders } from "../../ports/holders.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Sessions } from "../../ports/sessions.ts";
import { createProcesses } from "../process/processes.ts";
import { createInbox } from "../workspace/inbox.ts";
import { createHolders } from "./holders.ts";
import { createSessions } from "./sessions.ts";

/**
 * Who is present: sessions by their signs of life, processes by their names, who carries out an effect, and who
 * left a command.
 */
export function createPresence(
  dir: string,
  {
    clock,
    onStep,
    root,
    place,
  }: {
    readonly clock: Clock;
    readonly onStep: (step: string) => void;
    readonly root: string;
    /** The name of this clone, if others share its store. */
    readonly place?: string;
  },
): {
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly holders: Holders;
  readonly inbox: Inbox;
} {
  return {
    inbox: createInbox(root),
    sessions: createSessions(join(dir, "beats"), clock),
    processes: createProcesses(clock, place),
    holders: createHolders(join(dir, "holders"), onStep),
  };
}
