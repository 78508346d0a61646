/**
 * Reads every byte of a stream's file again. Believes no snapshot, but listens to it as a witness:
 * only something outside the file can know that the file was once longer.
 */
import { closeSync, fstatSync } from "node:fs";
import type { Damage, JournalReport } from "../../../ports/journal.ts";
import type { Count, Whole } from "./count.ts";
import { FILE_START, countTorn, isHeadFalse, startCount } from "./count.ts";
import type { Store } from "./disk.ts";
import { scan } from "./scan.ts";
import type { Witness } from "./snapshot.ts";
import { checkWitness, readSnapshot } from "./snapshot.ts";
import { streamPaths } from "./paths.ts";
import type { Stream } from "./stream.ts";
import { openFile, wholeIn } from "./stream.ts";

export function verifyStream<S>(
  store: Store<S>,
  name: string,
  open: Stream<S> | undefined,
): JournalReport {
  const paths = streamPaths(store.dir, name);
  // Read the witnesses before the file: a snapshot written meanwhile would name records the count has not seen.
  const witnesses = [readSnapshot(store, paths.snapshot)?.witness, open && memoryOf(open)];
  const { descriptor, damage } = openFile({ ...store, readOnly: true }, paths.journal, 0);
  try {
    return report(countAll(wholeIn(store), { descriptor, unreadable: damage, witnesses }));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function countAll(
  whole: Whole,
  from: {
    readonly descriptor: number | undefined;
    readonly unreadable: Damage | undefined;
    readonly witnesses: readonly (Witness | undefined)[];
  },
): Count {
  const { descriptor, unreadable, witnesses } = from;
  const count = startCount(FILE_START, Number.POSITIVE_INFINITY, whole);
  count.damage = unreadable;
  const { size, headStart } = countTo(descriptor, count);
  for (const witness of witnesses) {
    if (witness === undefined) continue;
    const witnessed = count.hashes.get(witness.head.seq) === witness.head.hash;
    count.damage ??= checkWitness(count, witness, { size, witnessed });
  }
  if (!isHeadFalse(count, headStart)) return count;
  const before = startCount(FILE_START, Number.POSITIVE_INFINITY, whole);
  before.stopAt = count.damage?.offset ?? 0;
  countTo(descriptor, before);
  before.damage = count.damage;
  return before;
}

function countTo(
  descriptor: number | undefined,
  count: Count,
): { readonly size: number; readonly headStart: number } {
  let headStart = -1;
  if (descriptor === undefined) return { size: 0, headStart };
  const unfinished = scan(descriptor, count, (_record, offset) => {
    headStart = offset;
  });
  if (unfinished > 0 && count.offset < count.stopAt) countTorn(count);
  return { size: fstatSync(descriptor).size, headStart };
}

function report(count: Count): JournalReport {
  return {
    records: count.head.seq,
    void: count.void,
    torn: count.torn,
    head: count.head,
    ...(count.damage !== undefined && { damage: count.damage }),
  };
}

function memoryOf<S>(stream: Stream<S>): Witness {
  const { offset, line, head } = stream.count;
  return { offset, line, head, start: Math.max(stream.headStart, 0) };
}
