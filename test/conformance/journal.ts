/**
 * What every journal promises, as tests. Each store runs this suite, with no exception.
 *
 * `open` gives another handle on the same store: a second process as far as a store can tell.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/values/json.ts";
import type { Appended, Entry, Fold, Head, Journal } from "../../src/ports/journal.ts";
import { GENESIS } from "../../src/ports/journal.ts";

export interface Tally {
  readonly stream: string;
  readonly count: number;
  readonly last: Json;
  /** The hash of every record in order, shortened: two folds of one history must agree on it. */
  readonly trail: string;
}

export const tallyFold: Fold<Tally> = {
  version: "tally-1",
  initial: (stream) => ({ stream, count: 0, last: null, trail: "" }),
  evolve: (state, record) => {
    if (record.body["type"] === LATER) throw new Error(`it is of the unknown type ${LATER}`);
    return {
      ...state,
      count: state.count + 1,
      last: record.body["value"] ?? null,
      trail: `${state.trail}${record.hash.slice(0, 4)}`.slice(-400),
    };
  },
  summary: (state) => ({ count: state.count }),
};

/** What a version wrote that is not out yet. */
export const LATER = "test.later";

export interface Harness {
  readonly open: () => Promise<Journal<Tally>>;
  readonly remove: () => Promise<void>;
}

export function entry(id: string, value: Json = id): Entry {
  return { id, at: "2026-01-02T03:04:05.000Z", body: { type: "test.noted", value } };
}

/** Loads and appends until it wins, as a command does. */
export async function appendNext(
  journal: Journal<Tally>,
  stream: string,
  next: Entry,
): Promise<Appended<Tally>> {
  let { head } = await journal.load(stream);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await journal.append(stream, head, next);
    if (answer.kind !== "conflict") return answer;
    head = answer.head;
  }
  throw new Error(`lost ${TRIES_MAX} races in a row`);
}

export async function appendMany(
  journal: Journal<Tally>,
  stream: string,
  ids: readonly string[],
): Promise<Head> {
  let { head } = await journal.load(stream);
  for (const id of ids) {
    const answer = await journal.append(stream, head, entry(id));
    if (answer.kind !== "appended") throw new Error(`cannot append ${id}: ${answer.kind}`);
    head = answer.record;
  }
  return { seq: head.seq, hash: head.hash };
}

export function ids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_value, n) => `${prefix}${n + 1}`);
}

export function describeJournal(name: string, factory: () => Promise<Harness>): void {
  describe(`${name}: journal conformance`, () => {
    let harness: Harness;
    let journal: Journal<Tally>;
    beforeEach(async () => {
      harness = await factory();
      journal = await harness.open();
    });
    afterEach(async () => {
      await journal.close();
      await harness.remove();
    });
    describeAppend(() => journal);
    describeRaces(
      () => journal,
      () => harness,
    );
    describeContents(() => journal);
    describeReading(
      () => journal,
      () => harness,
    );
  });
}

function describeAppend(journal: () => Journal<Tally>): void {
  test("[S4] an unknown stream has the genesis head, the initial state and no records", async () => {
    expect(await journal().load("nobody")).toEqual({
      head: GENESIS,
      state: tallyFold.initial("nobody"),
    });
    expect(await journal().read("nobody")).toEqual([]);
    expect(await journal().verify("nobody")).toEqual({
      records: 0,
      void: 0,
      torn: 0,
      head: GENESIS,
    });
    expect(await journal().list()).toEqual([]);
  });

  test("[S1] an append at the expected head answers its record and the state after it", async () => {
    const first = await journal().append("w", GENESIS, entry("a"));
    expect(first).toMatchObject({
      kind: "appended",
      record: { seq: 1, prev: GENESIS.hash, ...entry("a") },
      state: { count: 1, last: "a" },
    });
    const loaded = await journal().load("w");
    expect(loaded.head.seq).toBe(1);
    expect(loaded.damage).toBeUndefined();
    const second = await journal().append("w", loaded.head, entry("b"));
    expect(second).toMatchObject({
      kind: "appended",
      record: { seq: 2, prev: loaded.head.hash },
      state: { count: 2, last: "b" },
    });
  });

  test("[S2] an append at any other head is a conflict that names the head, and changes nothing", async () => {
    const head = await appendMany(journal(), "w", ["a", "b"]);
    const one = (await journal().read("w"))[0];
    const wrong: Head[] = [
      GENESIS,
      { seq: 1, hash: one?.hash ?? "" },
      { seq: 2, hash: GENESIS.hash },
      { seq: 3, hash: head.hash },
    ];
    for (const expected of wrong) {
      expect(await journal().append("w", expected, entry("c"))).toEqual({ kind: "conflict", head });
    }
    expect(await journal().append("new", head, entry("c"))).toEqual({
      kind: "conflict",
      head: GENESIS,
    });
    expect((await journal().load("w")).head).toEqual(head);
    expect((await journal().list()).map((row) => row.stream)).toEqual(["w"]);
  });

  test("[S2] the same id again answers the stored record, whatever head or body it comes with", async () => {
    const first = await journal().append("w", GENESIS, entry("a", 1));
    if (first.kind !== "appended") throw new Error(first.kind);
    const head = await appendMany(journal(), "w", ["b"]);
    for (const expected of [GENESIS, first.record, head]) {
      const again = await journal().append("w", expected, entry("a", 2));
      expect(again).toMatchObject({ kind: "repeated", record: first.record, state: { count: 2 } });
    }
    expect((await journal().load("w")).head).toEqual(head);
    expect(await journal().append("x", GENESIS, entry("a"))).toMatchObject({ kind: "appended" });
  });

  test("[S2] a command's record is found by its id, and no other's", async () => {
    await appendMany(journal(), "w", ["a", "b", "c"]);
    expect(await journal().find("w", "b")).toMatchObject({ seq: 2, ...entry("b") });
    expect(await journal().find("w", "d")).toBeUndefined();
    expect(await journal().find("nobody", "b")).toBeUndefined();
  });

  test("[S2] the same id twice at once is recorded once", async () => {
    const [one, two] = await Promise.all([
      journal().append("w", GENESIS, entry("a")),
      journal().append("w", GENESIS, entry("a")),
    ]);
    expect([one.kind, two.kind]).toEqual(["appended", "repeated"]);
    expect(await journal().read("w")).toHaveLength(1);
  });

  test("[S5] a record over the limit is refused as too large, and changes nothing", async () => {
    const answer = await journal().append("w", GENESIS, entry("a", "x".repeat(32 * 1024 * 1024)));
    expect(answer).toMatchObject({ kind: "failed", code: "too-large" });
    expect((await journal().load("w")).head).toEqual(GENESIS);
  });

  test("[S5] a record of megabytes is one record, and is read back whole", async () => {
    const large = entry("b", "x".repeat(3 * 1024 * 1024));
    const answer = await journal().append("w", GENESIS, large);
    expect(answer).toMatchObject({ kind: "appended", record: large });
    await appendMany(journal(), "w", ["c"]);
    expect((await journal().read("w"))[0]).toMatchObject(large);
    expect(await journal().find("w", "b")).toMatchObject(large);
    const again = await journal().append("w", GENESIS, entry("b", "another"));
    expect(again).toMatchObject({ kind: "repeated", record: large });
    expect(await journal().verify("w")).toMatchObject({ records: 2, void: 0, torn: 0 });
  });

  test("[S5] a body that looks like a name of something else is read back as it was", async () => {
    const body = { text: { $blob: "0".repeat(64), bytes: 1 } };
    const odd = { ...entry("a"), body };
    expect(await journal().append("w", GENESIS, odd)).toMatchObject({ kind: "appended" });
    expect((await journal().read("w"))[0]).toMatchObject({ body });
  });
}

function describeRaces(journal: () => Journal<Tally>, harness: () => Harness): void {
  test("[S2] of 64 appends at one head exactly one wins", async () => {
    const answers = await Promise.all(
      ids("a", 64).map((id) => journal().append("w", GENESIS, entry(id))),
    );
    const kinds = answers.map((answer) => answer.kind);
    expect(kinds.filter((kind) => kind === "appended")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "conflict")).toHaveLength(63);
    expect(await journal().verify("w")).toMatchObject({ records: 1 });
  });

  test("[S2] 64 appenders over two handles: one winner for each number, none lost", async () => {
    const other = await harness().open();
    const answers = await Promise.all(
      ids("a", 64).map((id, n) => appendNext(n % 2 === 0 ? journal() : other, "w", entry(id))),
    );
    const numbers = answers.map((answer) => (answer.kind === "appended" ? answer.record.seq : 0));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_v, n) => n + 1));
    for (const handle of [journal(), other]) {
      expect((await handle.read("w")).map((record) => record.id).sort()).toEqual(
        ids("a", 64).sort(),
      );
      expect((await handle.load("w")).state.count).toBe(64);
    }
    await other.close();
  });

  test("[S3] a handle that was never closed blocks nobody", async () => {
    const dead = await harness().open();
    await appendMany(dead, "w", ["a"]);
    await appendMany(journal(), "w", ["b"]);
    expect((await dead.load("w")).state.count).toBe(2);
    await dead.close();
  });
}

function describeContents(journal: () => Journal<Tally>): void {
  test("[S4] any string is a stream, and no two are one", async () => {
    for (const stream of ODD_STREAMS) {
      expect(await journal().append(stream, GENESIS, entry("a", stream))).toMatchObject({
        kind: "appended",
        state: { stream, count: 1 },
      });
    }
    for (const stream of ODD_STREAMS) {
      const { state } = await journal().load(stream);
      expect(state).toMatchObject({ stream, count: 1, last: stream });
    }
    const listed = (await journal().list()).map((row) => row.stream);
    expect(listed).toEqual([...ODD_STREAMS].sort());
  });

  test("[S4] a record comes back as it was given, whatever is in it", async () => {
    const bodies: Json[] = [...ODD_VALUES];
    let head = GENESIS;
    for (const [n, value] of bodies.entries()) {
      const answer = await journal().append("w", head, {
        ...entry(`id ${n} \u2028"\n`),
        body: { value },
      });
      if (answer.kind !== "appended") throw new Error(answer.kind);
      expect(answer.record.body["value"]).toEqual(value);
      head = answer.record;
    }
    const records = await journal().read("w");
    expect(records.map((record) => record.body["value"])).toEqual(bodies);
    expect(records.map((record) => record.id)).toEqual(
      bodies.map((_value, n) => `id ${n} \u2028"\n`),
    );
    expect(await journal().verify("w")).toMatchObject({ records: bodies.length, torn: 0, void: 0 });
  });

  test("[S4] a body changed after the append does not change the record or the state", async () => {
    const list = [1];
    const answer = await journal().append("w", GENESIS, entry("a", list));
    list.push(2);
    expect(answer).toMatchObject({ state: { last: [1] }, record: { body: { value: [1] } } });
    expect((await journal().load("w")).state.last).toEqual([1]);
  });
}

function describeReading(journal: () => Journal<Tally>, harness: () => Harness): void {
  test("[S4] reading after a number gives the records behind it, oldest first", async () => {
    await appendMany(journal(), "w", ids("a", 20));
    for (const after of [0, 1, 7, 19, 20, 21, 1000]) {
      const records = await journal().read("w", after);
      expect(records.map((record) => record.id)).toEqual(ids("a", 20).slice(after));
    }
    expect(await journal().read("w")).toHaveLength(20);
    const some = await journal().read("w", 5, 3);
    expect(some.map((record) => record.id)).toEqual(["a6", "a7", "a8"]);
    expect(await journal().read("w", 18, 3)).toHaveLength(2);
  });

  test("[S4] each record names the hash of the one before it", async () => {
    await appendMany(journal(), "w", ids("a", 5));
    let prev = GENESIS.hash;
    for (const record of await journal().read("w")) {
      expect(record.prev).toBe(prev);
      prev = record.hash;
    }
    expect((await journal().load("w")).head.hash).toBe(prev);
  });

  test("[S4] the names of all streams are those that have records", async () => {
    for (const stream of ["b", "a"]) await appendMany(journal(), stream, ["1"]);
    expect((await journal().streams()).toSorted()).toEqual(["a", "b"]);
  });

  test("[S4] list tells number, time and summary of every stream, also after more appends", async () => {
    for (const stream of ["b", "a", "c"]) await appendMany(journal(), stream, ids("x", 3));
    const at = entry("x").at;
    const row = (stream: string, count: number): object => ({
      stream,
      seq: count,
      at,
      summary: { count },
    });
    expect(await journal().list()).toEqual([row("a", 3), row("b", 3), row("c", 3)]);
    await appendMany(journal(), "b", ["y"]);
    expect(await journal().list()).toEqual([row("a", 3), row("b", 4), row("c", 3)]);
  });

  test("[S5] whoever watches verify gets each record with the state before it", async () => {
    await appendMany(journal(), "w", ids("a", 5));
    const seen: (readonly [number, number])[] = [];
    await journal().verify("w", (record, before) => seen.push([record.seq, before.count]));
    expect(seen).toEqual([1, 2, 3, 4, 5].map((seq) => [seq, seq - 1]));
  });

  test("[S1] another handle finds a record by its command's id", async () => {
    await appendMany(journal(), "w", ids("r", 300));
    const other = await harness().open();
    expect(await other.find("w", "r7")).toMatchObject({ seq: 7, id: "r7" });
    await other.close();
  });

  test("[S1] another handle reads what was acknowledged, and goes on from there", async () => {
    const head = await appendMany(journal(), "w", ids("a", 300));
    const other = await harness().open();
    const mine = await journal().load("w");
    expect(await other.load("w")).toEqual(mine);
    expect(mine.head).toEqual(head);
    await appendMany(other, "w", ["b"]);
    expect(await journal().load("w")).toEqual(await other.load("w"));
    expect(await other.append("w", GENESIS, entry("a5"))).toMatchObject({
      kind: "repeated",
      record: { seq: 5 },
    });
    expect(await other.verify("w")).toMatchObject({ records: 301 });
    await other.close();
  });
}

const TRIES_MAX = 10_000;

const ODD_STREAMS: readonly string[] = [
  "plain",
  "Plain",
  "a/b/c",
  "..",
  ".",
  "../../etc/passwd",
  "",
  " ",
  "a.jsonl",
  "%2e%2e",
  "_all",
  "_main",
  "con",
  "new\nline",
  "nul\0byte",
  "naïve — 工作流 🙂",
  "half \ud83d",
  "half \ufffd",
  "x".repeat(200),
  "X".repeat(200),
  `${"X".repeat(200)}!`,
  "🙂".repeat(100),
];

const ODD_VALUES: readonly Json[] = [
  null,
  false,
  0.1,
  -1e300,
  Number.MAX_SAFE_INTEGER,
  "",
  "\u2028\u2029\u0085\ufeff",
  "line\nbreak\r\n\t\0",
  "🙂 工作流",
  "half \ud83d and \udc00",
  '","hash":"0000"}',
  `}\n{"seq":1,"prev":"${"0".repeat(64)}"}`,
  "x".repeat(200_000),
  "🙂".repeat(40_000),
  [],
  {},
  [[[[]]], { "": { "": [] } }],
  { hash: "h", seq: 0, prev: null, try: 1, id: "", constructor: 1, toString: null },
  Array.from({ length: 1000 }, (_value, n) => n),
];
