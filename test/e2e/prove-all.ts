/** Every journal that the tests make is replayed in the end: the tables could have made all of it. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { compose } from "../../src/compose/compose.ts";
import { prove } from "../../src/engine/prove/prove.ts";
import { guardsDigest } from "../../src/engine/prove/recorded.ts";
import { protocolOf } from "../../src/engine/parts.ts";
import type { Family } from "../../src/ports/family.ts";
import type { JournalRecord } from "../../src/ports/journal.ts";
import { storeEnv } from "./store.ts";

/** What is wrong with the records below a directory; damage that a test did on purpose is not looked at. */
export async function forgedBelow(room: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of readdirSync(room)) {
    const top = join(room, name);
    const stores = [".git/holdpoint", ".holdpoint"].flatMap((at) => [
      join(top, at, "format"),
      join(top, at, "store.json"),
    ]);
    if (stores.some((one) => existsSync(one))) found.push(...(await forgedIn(top)));
  }
  return found;
}

async function forgedIn(top: string): Promise<readonly string[]> {
  const composed = await compose({ cwd: top, readOnly: true, env: storeEnv(top) }).catch(
    () => undefined,
  );
  if (composed === undefined || composed.kind === "failed") return [];
  const { parts } = composed;
  const found: string[] = [];
  for (const { stream } of await parts.journal.list()) {
    const family = await parts.families.get(protocolOf(stream)).catch(() => undefined);
    if (family === undefined) continue;
    const { forged, chain } = await prove(sameGuards(parts, family), stream, family);
    found.push(...forged.map((one) => `${stream} record ${one.seq}: ${one.message}`));
    // The store's own complaint about a missing end has a line; what other witnesses say has none.
    const { code = "", line = 1 } = chain.damage ?? {};
    if (chain.damage !== undefined && (code === "snapshot-false" || line === 0))
      found.push(`${stream}: ${chain.damage.message}`);
  }
  await parts.journal.close();
  return found;
}

type ProofParts = Parameters<typeof prove>[0];

/** The records were made by the same guards, built: their digest is of another text. */
function sameGuards(parts: ProofParts, { protocol }: Family): ProofParts {
  const { journal, sha256 } = parts;
  const guards = guardsDigest(protocol, sha256);
  const own = (record: JournalRecord): JournalRecord => ({
    ...record,
    body: { ...record.body, guards },
  });
  return {
    ...parts,
    journal: {
      ...journal,
      verify: (stream, watch) =>
        journal.verify(stream, (record, before) => watch?.(own(record), before)),
    },
  };
}
