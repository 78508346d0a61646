/**
 * What is held, stored in a file of each clone as with the embedded store, and made from the heads of all
 * streams. The hook does not ask the server with every use of a tool: it trusts the file for a few seconds, see
 * compose/hook.ts.
 */
import type { StreamSummary } from "../../../ports/journal.ts";
import type { JournalFile, Watches } from "../../../ports/watches.ts";
import { encodeName } from "../embedded/names.ts";
import { keptIn } from "../watches.ts";

export function createWatches(
  dir: string,
  gitDir: string | undefined,
  list: () => Promise<readonly StreamSummary[]>,
): Watches {
  const kept = keptIn(dir, gitDir);
  const fileOf = ({ stream, seq }: StreamSummary): JournalFile => ({
    file: encodeName(stream).file,
    size: seq,
  });
  return {
    ...kept,
    // Here the sizes show everything, including new journals.
    listed: async () => 0,
    journal: async (stream) => {
      const found = (await list()).find((one) => one.stream === stream);
      return found === undefined ? undefined : fileOf(found);
    },
    journals: async () => (await list()).map((one) => ({ ...fileOf(one), stream: one.stream })),
    names: async () => (await list()).map((one) => fileOf(one).file),
  };
}
