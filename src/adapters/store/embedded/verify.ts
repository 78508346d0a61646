/**
 * Reads every byte of a stream's file again and folds it from the first record on, without trusting the snapshot.
 * The snapshot is then checked in two ways: as a witness that the file was once longer, and as the state that
 * every command was decided on, which must match the records.
 */
import { closeSync, fstatSync } from "node:fs";
import { canonicalJson, isJsonObject, toJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Damage, JournalReport, Watch } from "../../../ports/journal.ts";
import type { Count, OnRecord, Whole } from "./count.ts";
import { FILE_START, countTorn, isHeadFalse, startCount } from "./count.ts";
import type { Store } from "./disk.ts";
import { scan } from "./scan.ts";
import type { Snapshot, Witness } from "./snapshot.ts";
import { checkWitness, readSnapshot } from "./snapshot.ts";
import { streamPaths } from "./paths.ts";
import type { Place } from "./recent.ts";
import type { Stream } from "./stream.ts";
import { openFile, wholeIn } from "./stream.ts";

export interface Verifying<S> {
  /** The stream as this process has it open. */
  readonly open: Stream<S> | undefined;
  readonly watch: Watch<S> | undefined;
}

export function verifyStream<S>(
  store: Store<S>,
  name: string,
  { open, watch }: Verifying<S>,
): JournalReport {
  const paths = streamPaths(store.dir, name);
  // Witnesses are read before the file: a snapshot written meanwhile would name records not counted yet.
  const read = readSnapshot(store, paths.snapshot);
  const { descriptor, damage } = openFile({ ...store, readOnly: true }, paths.journal, 0);
  const refold = createRefold(store, name, { snapshot: read?.snapshot, watch });
  try {
    const from = {
      descriptor,
      unreadable: damage,
      witnesses: [read?.witness, open && memoryOf(open)],
      onRecord: refold.onRecord,
    };
    const count = countAll(wholeIn(store), from);
    count.damage ??= refold.falseSnapshot(paths.snapshot);
    return report(count);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

interface Refold {
  readonly onRecord: OnRecord;
  readonly falseSnapshot: (path: string) => Damage | undefined;
}

/** Folds from the first record on, and compares with the snapshot at its record. */
function createRefold<S>(
  store: Store<S>,
  name: string,
  { snapshot, watch }: { snapshot: Snapshot<S> | undefined; watch: Watch<S> | undefined },
): Refold {
  let state = store.fold.initial(name);
  let differs: string | undefined;
  const places = new Map<string, Place>();
  return {
    onRecord: (record, offset) => {
      const after = store.fold.evolve(state, record);
      watch?.(record, state);
      state = after;
      places.set(record.id, { seq: record.seq, offset });
      if (snapshot === undefined) return;
      // A reader that continues from the snapshot would never see this record.
      if (record.seq === snapshot.head.seq + 1 && offset < snapshot.offset) differs ??= "offset";
      if (record.seq !== snapshot.head.seq) return;
      differs =
        differentState(snapshot.state, state) ??
        (snapshot.at === record.at && snapshot.start === offset ? undefined : "its place") ??
        falsePlace(snapshot, places);
    },
    falseSnapshot: (path) =>
      differs === undefined || snapshot === undefined
        ? undefined
        : {
            code: "snapshot-false",
            offset: snapshot.start,
            line: snapshot.line - 1,
            message: `the snapshot ${path} says something else at record ${snapshot.head.seq} than the records before it come to: ${differs} differs`,
          },
  };
}

/**
 * A place in the snapshot for a command that was never recorded. The command would be answered as if it had been.
 */
function falsePlace<S>(
  { recent }: Snapshot<S>,
  places: ReadonlyMap<string, Place>,
): string | undefined {
  for (const [id, { seq, offset }] of recent) {
    const place = places.get(id);
    if (place?.seq !== seq || place.offset !== offset) return `the place of command ${id}`;
  }
  return undefined;
}

/** Compared as texts first, which are nearly always equal and take a tenth of the time. */
function differentState(told: unknown, folded: unknown): string | undefined {
  if (JSON.stringify(told) === JSON.stringify(folded)) return undefined;
  return differenceOf(toJson(told), toJson(folded), "");
}

/** Where two values first differ, as a path. */
function differenceOf(a: Json, b: Json, path: string): string | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return undefined;
  if (!isJsonObject(a) || !isJsonObject(b))
    return canonicalJson(a) === canonicalJson(b) ? undefined : path || "the state";
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [one, other] = [a, b].map((from) => (Object.hasOwn(from, key) ? from[key] : undefined));
    const found =
      one === undefined || other === undefined
        ? `${path}/${key}`
        : differenceOf(one, other, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function countAll(
  whole: Whole,
  from: {
    readonly descriptor: number | undefined;
    readonly unreadable: Damage | undefined;
    readonly witnesses: readonly (Witness | undefined)[];
    readonly onRecord: OnRecord;
  },
): Count {
  const { descriptor, unreadable, witnesses } = from;
  const count = startCount(FILE_START, Number.POSITIVE_INFINITY, whole);
  count.damage = unreadable;
  const { size, headStart } = countTo(descriptor, count, from.onRecord);
  for (const witness of witnesses) {
    if (witness === undefined) continue;
    const witnessed = count.hashes.get(witness.head.seq) === witness.head.hash;
    count.damage ??= checkWitness(count, witness, { size, witnessed });
  }
  if (!isHeadFalse(count, headStart)) return count;
  const before = startCount(FILE_START, Number.POSITIVE_INFINITY, whole);
  before.stopAt = count.damage?.offset ?? 0;
  countTo(descriptor, before, () => undefined);
  before.damage = count.damage;
  return before;
}

function countTo(
  descriptor: number | undefined,
  count: Count,
  onRecord: OnRecord,
): { readonly size: number; readonly headStart: number } {
  let headStart = -1;
  if (descriptor === undefined) return { size: 0, headStart };
  const unfinished = scan(descriptor, count, (record, offset) => {
    onRecord(record, offset);
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
