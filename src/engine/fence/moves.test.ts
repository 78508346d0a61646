/** Which moves the journals have released, and where they lead. */
import { describe, expect, test } from "vitest";
import { fenced, MAIN, oid, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { followed, releasedMoves, UNDECIDED, verified } from "./moves.ts";
import type { Released } from "./moves.ts";

const RELEASED: Released = { ref: MAIN, from: "", to: "", at: "", by: "", stream: "", sure: true };

/** `a>b` has happened, `a?b` may have. */
function moves(...texts: readonly string[]): readonly Released[] {
  return texts.map((one) => {
    const [from = "", sure = "", to = ""] = one;
    return { ...RELEASED, from, to, sure: sure === ">" };
  });
}

describe("moves", () => {
  test.each<[readonly string[], string, string]>([
    [[], "a", "a"],
    [[], "b", "a"],
    [["a>b", "b>c"], "c", "c"],
    [["b>c", "a>b"], "c", "c"],
    [["a>b", "b>c"], "b", "c"],
    [["a>b"], "x", "b"],
    [["b>c"], "c", "a"],
    [["a?b"], "b", "b"],
    [["a?b"], "x", "a"],
    [["a?b", "b?a"], "a", "a"],
    [["a>b", "b?c", "c>d"], "d", "d"],
    [["a>b", "b?c"], "b", "b"],
    [["a?x", "a?b", "b?c"], "c", "c"],
    [["a?b", "b>a", "a?c"], "c", "c"],
    [["a>b", "b>a", "a>c"], "c", "c"],
    [["a?b", "b?a"], "c", "a"],
  ])("%j with the branch at %s lead from a to %s", (all, tip, to) => {
    expect(followed(moves(...all), "a", tip)).toBe(to);
  });

  test("in any number are followed no further than to an end", () => {
    const all = Array.from({ length: 16 }, (_, at) =>
      moves(`a?b`, `b?a`).map((one) => ({ ...one, at: `${at}` })),
    );
    expect(followed(all.flat(), "a", "x")).toBe("a");
  });

  test("that made a commit count only where it is that commit", async () => {
    const it = await fenced();
    await it.send();
    await it.report();
    const made = await wantedCommit(it);
    const all = await releasedMoves(it.parts, []);
    expect(all).toMatchObject([
      {
        ref: MAIN,
        from: oid("base"),
        to: UNDECIDED,
        sure: false,
        by: "E-1 of press:x",
        stream: "press:x",
      },
    ]);
    expect(verified(all, it.git.commits, made.oid)).toMatchObject([{ to: made.oid }]);
    expect(verified(all, it.git.commits, oid("base"))).toEqual([]);
    expect(verified(all, new Map(), made.oid)).toEqual([]);
    const named = all.map((one) => ({ ...one, to: made.oid }));
    expect(verified(named, it.git.commits, oid("base"))).toMatchObject([{ to: made.oid }]);
    await wantedCommit(it, { tree: "other" });
    expect(verified(named, it.git.commits, made.oid)).toEqual([]);
    expect(verified(moves("a>b"), new Map(), "z")).toEqual(moves("a>b"));
  });
});

describe("a journal", () => {
  async function append(it: Fenced, events: readonly JsonObject[], at?: string): Promise<void> {
    const { head } = await it.parts.journal.load("press:x");
    const body = { command: "c", actor: "engine:e", session: "s", used: {}, events };
    const entry = { id: `more-${String(head.seq)}`, at: at ?? it.parts.clock.now(), body };
    await it.parts.journal.append("press:x", head, entry);
  }

  const settled = (status: string, detail: JsonObject): JsonObject => ({
    type: "effect.settled",
    effect: "E-1",
    status,
    detail,
  });
  const aimed = { type: "effect.aimed", effect: "E-1", aim: { ref: MAIN, from: "b", to: "m" } };
  const shown = (all: readonly Released[]): readonly string[] =>
    all.map(({ from, to, sure }) => `${from.slice(0, 6)}${sure ? ">" : "?"}${to.slice(0, 6)}`);
  const base = oid("base").slice(0, 6);

  test.each<[string, readonly JsonObject[], readonly string[]]>([
    ["a commit that was made", [settled("done", { oid: "new" })], [`${base}>new`]],
    ["a commit that nobody names", [settled("done", {})], []],
    ["a commit that failed", [settled("failed", { oid: "new" })], []],
    ["an aim, both ways", [aimed], ["b?m", "m?b", `${base}?${UNDECIDED}`]],
    [
      "an aim that was reached, and may be taken back",
      [aimed, settled("done", { oid: "m" })],
      ["m?b", "b>m"],
    ],
    [
      "an aim that something else was made of",
      [aimed, settled("done", { oid: "n" })],
      ["b?m", "m?b", `${base}>n`],
    ],
  ])("releases %s", async (_, events, told) => {
    const it = await fenced();
    await it.send();
    await it.report();
    for (const event of events) await append(it, [event]);
    expect(shown(await releasedMoves(it.parts, []))).toEqual(told);
  });

  test("names the record that wanted a commit, and openings come first where they are older", async () => {
    const it = await fenced();
    await it.send();
    await it.report();
    const [record] = await it.parts.journal.read("press:x", 2, 1);
    const [open] = await releasedMoves(it.parts, []);
    expect(open?.savepoint?.hash).toBe(record?.hash);
    await append(it, [settled("done", { oid: "new" })]);
    const [done] = await releasedMoves(it.parts, []);
    expect(done?.savepoint?.hash).toBe(record?.hash);
    const opening = { ref: MAIN, from: "a", to: "b", by: "person:ada" };
    const all = await releasedMoves(it.parts, [
      { ...opening, at: "2026-04-01T00:00:00.000Z" },
      { ...opening, at: "2026-01-01T00:00:00.000Z" },
    ]);
    expect(all.map(({ at, stream, sure }) => [at.slice(0, 7), stream, sure])).toEqual([
      ["2026-01", "repository:repository", false],
      ["2026-03", "press:x", true],
      ["2026-04", "repository:repository", false],
    ]);
  });

  test("that no fold understands releases nothing, and the others do", async () => {
    const it = await fenced();
    await it.send();
    await it.report();
    const { journal } = it.parts;
    const streams: typeof journal.streams = async () => ["press:odd", "press:x"];
    const read: typeof journal.read = async (stream, ...rest) =>
      stream === "press:odd"
        ? [{ id: "1", at: "", body: {}, seq: 1, prev: "", hash: "" }]
        : await journal.read(stream, ...rest);
    const all = await releasedMoves({ journal: { ...journal, streams, read } }, []);
    expect(shown(all)).toEqual([`${base}?${UNDECIDED}`]);
  });
});
