/** All journals against the commits and witnesses that have seen them. */
import { describe, expect, test } from "vitest";
import { commit, fenced, oid, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { GitJournaled } from "../../ports/git.ts";
import { againstWitness, proveChains } from "./chain.ts";
import type { Chain, Chains } from "./chain.ts";

/** An article whose commit is made, and what git says of commits like it. */
async function made(): Promise<{
  readonly it: Fenced;
  readonly one: GitJournaled;
  readonly commit: CommitFacts;
}> {
  const it = await fenced();
  await it.send();
  await it.report();
  const facts = await wantedCommit(it);
  const { "Holdpoint-Journal": journal = "", "Holdpoint-Record": record = "" } = facts.trailers;
  return { it, one: { oid: facts.oid, journal, record, here: true }, commit: facts };
}

async function proven(it: Fenced, all: readonly GitJournaled[], only?: string): Promise<Chains> {
  const git = { ...it.parts.git, journaled: async () => all };
  return await proveChains({ ...it.parts, git }, only);
}

async function told(it: Fenced, one: GitJournaled): Promise<readonly string[]> {
  const { bad, doubts } = await proven(it, [one]);
  return [
    ...bad.map(({ journal, seq, code, message }) => `${journal} ${seq} ${code}: ${message}`),
    ...doubts,
  ];
}

async function append(it: Fenced, stream: string, more: JsonObject): Promise<void> {
  const { head } = await it.parts.journal.load(stream);
  const body = { command: "odd", actor: "person:ada", session: "s", used: {}, events: [], ...more };
  await it.parts.journal.append(stream, head, {
    id: `${stream}${head.seq}`,
    at: it.parts.clock.now(),
    body,
  });
}

describe("all journals", () => {
  test("that are sound are counted, with every record and commit", async () => {
    const { it, one } = await made();
    const all = await proven(it, [one]);
    expect(all).toMatchObject({ bad: [], doubts: [], commits: 1, signatures: 0 });
    expect(
      all.journals.map(({ journal, records, hashes }) => [journal, records, hashes.length]),
    ).toEqual([
      ["press:x", 3, 3],
      ["repository:repository", 2, 2],
    ]);
    expect(all.journals[0]?.hash).toBe(one.record);
    expect((await proven(it, [one], "press:x")).journals).toHaveLength(1);
  });

  test("name forged records and damage, in order within a journal", async () => {
    const { it } = await made();
    await append(it, "press:x", {});
    await append(it, "press:x", {});
    await append(it, "repository:repository", { guards: "another" });
    const { bad } = await proven(it, []);
    expect(bad.map(({ journal, seq, code }) => `${journal} ${seq} ${code}`)).toEqual([
      "press:x 4 record-forged",
      "press:x 5 record-forged",
      "repository:repository 3 record-forged",
    ]);
    const { journal } = it.parts;
    const damage = {
      code: "journal-broken",
      offset: 0,
      line: 4,
      message: "line 4 is odd",
    } as const;
    const verify: typeof journal.verify = async (...args) => ({
      ...(await journal.verify(...args)),
      damage,
    });
    const odd = { ...it, parts: { ...it.parts, journal: { ...journal, verify } } };
    expect((await proven(odd, [], "press:x")).bad).toEqual([
      { journal: "press:x", seq: 6, code: "journal-broken", message: "line 4 is odd" },
    ]);
  });

  test("tell doubts under the name of their journal", async () => {
    const { it } = await made();
    const note = { type: "note.added", list: "timeline", tag: "", text: "" };
    await append(it, "press:x", { command: "note.add", events: [note], guards: "another" });
    expect((await proven(it, [])).doubts).toEqual([
      "press:x: 1 record was decided by another build; the rows were checked, its guards were not",
    ]);
  });

  test("that are gone are missed by the commits that were made here", async () => {
    const { it, one } = await made();
    const gone = { ...one, journal: "press%3Agone 2026 3" };
    expect(await told(it, gone)).toEqual([
      `press:gone 0 journal-missing: commit ${one.oid.slice(0, 7)} was made here for a record of its journal, and there is no journal`,
    ]);
    expect(await told(it, { ...gone, here: false })).toEqual([]);
    expect((await proven(it, [gone], "press:x")).bad).toEqual([]);
  });
});

describe("a commit", () => {
  const run = (one: GitJournaled): string => one.journal.split(" ")[1] ?? "";
  const short = (one: GitJournaled): string => `commit ${one.oid.slice(0, 12)}`;

  test("was made for a record that is there", async () => {
    const { it, one } = await made();
    const at = (seq: string, more: Partial<GitJournaled> = {}): GitJournaled => ({
      ...one,
      journal: `press%3Ax ${run(one)} ${seq}`,
      ...more,
    });
    expect(await told(it, at("9"))).toEqual([
      `press:x 4 journal-truncated: ${short(one)} was made for record 9, and the journal ends at 3`,
    ]);
    expect(await told(it, at("3", { record: "other" }))).toEqual([
      `press:x 3 journal-rewritten: ${short(one)} was made for another record 3 than the one that is there`,
    ]);
    for (const odd of ["0", "x", "1.5", "-1"]) expect(await told(it, at(odd))).toEqual([]);
    const fetched = { here: false, record: "other" };
    expect(await told(it, at("3", fetched))).toHaveLength(1);
    expect(await told(it, { ...at("3", fetched), journal: "press%3Ax 1999 3" })).toEqual([]);
    expect(
      await told(it, { ...at("3"), record: "other", journal: "press%3Ax 1999 3" }),
    ).toHaveLength(1);
  });

  test("is the one that its record wanted, or became it later", async () => {
    const { it, one } = await made();
    const doubt = [
      `press:x: ${short(one)} has the trailer of record 3, and is not the commit that it wanted`,
    ];
    await wantedCommit(it, { tree: "other" });
    expect(await told(it, one)).toEqual(doubt);
    const aimed = (effect: string, to: string): JsonObject => ({
      command: "effect.aim",
      actor: "engine:holdpoint",
      session: "s-1",
      events: [
        { type: "effect.aimed", effect, aim: { ref: "refs/heads/main", from: oid("base"), to } },
      ],
    });
    await append(it, "press:x", aimed("E-1", oid("other")));
    expect((await told(it, one)).at(-1)).toBe(doubt[0]);
    await append(it, "press:x", aimed("E-1", one.oid));
    expect((await told(it, one)).filter((text) => text === doubt[0])).toEqual([]);
    it.git.commits.delete(one.oid);
    expect((await told(it, one)).filter((text) => text === doubt[0])).toEqual([]);
    const [first] = await it.parts.journal.read("press:x");
    const early = {
      ...one,
      oid: commit(it.git, "early").oid,
      record: first?.hash ?? "",
      journal: `press%3Ax ${run(one)} 1`,
    };
    expect((await told(it, early)).at(-1)).toMatch(
      /has the trailer of record 1, and is not the commit/,
    );
  });
});

describe("a witness", () => {
  const journals: readonly Chain[] = [
    { journal: "a", records: 3, hash: "h3", hashes: ["h1", "h2", "h3"] },
  ];
  const saw = (
    seq: number,
    hash: string,
    journal = "a",
  ): { readonly at: string; readonly heads: Record<string, { seq: number; hash: string }> } => ({
    at: "noon",
    heads: { [journal]: { seq, hash } },
  });
  const bad = (seq: number, code: string, message: string, journal = "a"): object => ({
    journal,
    seq,
    code,
    message,
  });
  test.each<[string, readonly ReturnType<typeof saw>[], readonly object[]]>([
    ["what is there", [saw(3, "h3"), saw(1, "h1")], []],
    [
      "more than is there",
      [saw(5, "h5")],
      [bad(4, "journal-truncated", "the witness saw record 5 at noon, and the journal ends at 3")],
    ],
    [
      "another one",
      [saw(2, "odd")],
      [bad(2, "journal-rewritten", "record 2 is not the one that the witness saw at noon")],
    ],
    [
      "a journal that is gone",
      [saw(2, "h2", "b")],
      [
        bad(
          1,
          "journal-truncated",
          "the witness saw record 2 at noon, and the journal ends at 0",
          "b",
        ),
      ],
    ],
    [
      "several things wrong with one, and the first counts",
      [saw(3, "h3"), saw(2, "odd"), saw(5, "h5")],
      [bad(2, "journal-rewritten", "record 2 is not the one that the witness saw at noon")],
    ],
  ])("saw %s", (_, kept, told) => {
    expect(againstWitness(journals, kept)).toEqual(told);
  });
});
