/** The entry point of the shared store for compose. */
import type { Blobs } from "../../../ports/blobs.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Holders } from "../../../ports/holders.ts";
import type { StreamSummary } from "../../../ports/journal.ts";
import type { Refusals } from "../../../ports/refusals.ts";
import type { Sessions } from "../../../ports/sessions.ts";
import type { Watches } from "../../../ports/watches.ts";
import { join } from "node:path";
import { createBlobs as createFileBlobs } from "../blobs.ts";
import { createBlobs, withCopies } from "./blobs.ts";
import type { Database } from "./database.ts";
import { createHolders } from "./holders.ts";
import { createRefusals } from "./refusals.ts";
import { createSessions } from "./sessions.ts";
import { createWatches } from "./watches.ts";

export { openPostgres } from "./open.ts";

/** What is shared besides the journal. */
export interface Shared {
  readonly blobs: Blobs;
  readonly refusals: Refusals;
  readonly sessions: Sessions;
  readonly holders: Holders;
  readonly watches: Watches;
}

export function createShared(
  database: Database,
  of: {
    readonly dir: string;
    readonly gitDir: string | undefined;
    readonly clock: Clock;
    readonly onStep: (step: string) => void;
    readonly list: () => Promise<readonly StreamSummary[]>;
  },
): Shared {
  return {
    blobs: withCopies(createBlobs(database), createFileBlobs(join(of.dir, "blobs"))),
    refusals: createRefusals(database),
    sessions: createSessions(database, of.clock),
    holders: createHolders(database, of.onStep),
    watches: createWatches(of.dir, of.gitDir, of.list),
  };
}
