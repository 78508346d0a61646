/** Journals that prove themselves, what others have seen of them, and how all of it is told. */
import { describe, expect, test } from "vitest";
import { ADA, press, pressAt, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { Event } from "../../core/state/events.ts";
import { toJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { GitJournaled } from "../../ports/git.ts";
import { GENESIS } from "../../ports/journal.ts";
import type { Head, JournalReport, Loaded } from "../../ports/journal.ts";
import { emptyWorkflow } from "../../core/state/evolve.ts";
import type { Workflow } from "../../core/state/state.ts";
import { find } from "../engine.ts";
import { audit, tell } from "./audit.ts";
import { workflowFold } from "../parts.ts";
import { proveFrom } from "./onward.ts";
import { checkEnd, prove } from "./prove.ts";
import type { Proof } from "./prove.ts";
import { guardsDigest, keepState, recordedAs, SHORT } from "./recorded.ts";
import { verifyAll, verifyOne } from "./verify.ts";
import { commitWitnesses, contradiction, nameRecord, nearWitnesses } from "./witnesses.ts";

const NOTED: Event = { type: "note.added", list: "timeline", tag: "", text: "" };

/** Append a line that nobody decided, with a correct hash. */
async function forge(it: Press, body: JsonObject, at = "2026-04-01T00:00:00.000Z"): Promise<void> {
  const { head } = await it.parts.journal.load("press:x");
  const whole = { command: "note.add", actor: "person:ada", session: "s", used: {}, ...body };
  const id = `forged-${String(head.seq)}`;
  const told = await it.parts.journal.append("press:x", head, { id, at, body: whole });
  if (told.kind !== "appended") throw new Error(told.kind);
}

async function proof(it: Press): Promise<Proof> {
  return await prove(it.parts, "press:x", it.family);
}

const moved: Event = {
  type: "unit.moved",
  unit: ".",
  move: "publish",
  from: "idea",
  to: "printed",
  back: [],
  reason: "",
};

describe("a proof", () => {
  test("of what deciding made is sound, and folds to where it stands", async () => {
    const it = await written();
    const told = await proof(it);
    expect(told).toMatchObject({ forged: [], doubts: [], chain: { records: 3 } });
    expect(told.state).toEqual(await it.state());
    expect(told.seen.hashes).toHaveLength(3);
    expect([...told.seen.runs]).toContain((await it.state()).startedAt);
    const none = await prove(it.parts, "press:y", it.family);
    expect(none.state).toMatchObject({ id: "y", seq: 0 });
  });

  test("names each record that deciding could not have made, up to five", async () => {
    const it = await press();
    await forge(it, { events: toJson([moved]) });
    const { forged } = await proof(it);
    expect(forged).toEqual([
      {
        seq: 2,
        message: expect.stringMatching(/^x moves from "idea" to "printed" by "publish", /),
      },
    ]);
    const without = await prove(it.parts, "press:x", undefined);
    expect(without.forged).toEqual([]);
    for (let count = 0; count < 6; count += 1) await forge(it, { events: [], command: "odd" });
    expect((await proof(it)).forged).toHaveLength(5);
  });

  test("names a time that is none, and who is nobody", async () => {
    const it = await press();
    await forge(it, { events: toJson([NOTED]) }, "yesterday");
    await forge(it, { events: toJson([NOTED]), actor: 7 }, "zzz");
    const { forged } = await proof(it);
    expect(forged).toMatchObject([
      { seq: 2, message: '"yesterday" is no time' },
      { seq: 3, message: expect.stringContaining("is nobody who gives commands") },
    ]);
  });

  test("tells clocks that ran backwards as a doubt, and no more", async () => {
    const it = await press();
    await forge(it, { events: toJson([NOTED]) }, "2026-04-01T00:00:00.000Z");
    await forge(it, { events: toJson([NOTED]) }, "2026-04-01T00:00:00.000Z");
    await forge(it, { events: toJson([NOTED]) }, "2026-03-15T00:00:00.000Z");
    const { forged, doubts } = await proof(it);
    expect(forged).toEqual([]);
    expect(doubts).toEqual([
      "record 4 is of 2026-03-15T00:00:00.000Z, and record 3 before it of 2026-04-01T00:00:00.000Z: a clock was wrong; their order is right",
    ]);
  });

  test("counts what another definition or another build has made, and does not accuse it", async () => {
    const it = await press();
    await it.move("do");
    const other = pressAt({ table: { version: 2 } }, it);
    expect(await proof(other)).toMatchObject({
      forged: [],
      doubts: ["3 records were made by another definition; only what holds under any was checked"],
    });
    await forge(it, { events: toJson([NOTED]), guards: "another" });
    expect((await proof(it)).doubts).toEqual([
      "1 record was decided by another build; the rows were checked, its guards were not",
    ]);
    const digest = guardsDigest(it.family.protocol, sha256);
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(guardsDigest(it.family.protocol, () => "not asked again")).toBe(digest);
    const guarded = pressAt({ table: { guards: { odd: () => "no" } } });
    const checked = pressAt({
      table: { guards: { odd: { check: () => "no", args: {} } } },
    });
    expect(guardsDigest(guarded.family.protocol, sha256)).not.toBe(digest);
    expect(guardsDigest(checked.family.protocol, sha256)).not.toBe(digest);
  });

  test("keeps short facts as they are and long ones by their digest", () => {
    const short = "s".repeat(198);
    expect(recordedAs(sha256, short)).toBe(short);
    const long = "s".repeat(199);
    expect(recordedAs(sha256, long)).toEqual({ sha256: sha256(JSON.stringify(long)) });
  });

  test("of a damaged chain accuses nobody, and one that cannot be replayed says why", async () => {
    const it = await press();
    await forge(it, { events: toJson([moved]) });
    const damage = { code: "journal-broken", offset: 0, line: 1, message: "odd" } as const;
    const { journal } = it.parts;
    const verify: typeof journal.verify = async (...args) => ({
      ...(await journal.verify(...args)),
      damage,
    });
    const parts = { ...it.parts, journal: { ...journal, verify } };
    expect(await prove(parts, "press:x", it.family)).toMatchObject({
      forged: [],
      chain: { damage },
    });
    const family = { ...it.family, protocol: { ...it.family.protocol, kinds: {} } };
    const told = await prove(it.parts, "press:x", family);
    expect(told.forged.map((one) => one.message).join()).toMatch(/\S/);
  });
});

describe("a proof from a record on", () => {
  const wanted = (args: JsonObject): Event =>
    ({ type: "effect.wanted", effect: "E-1", kind: "commit", args, unit: "." }) as never;

  /** A record that says what all before it came to, and one behind it. */
  async function kept(
    it: Press,
    change: (state: JsonObject) => JsonObject = (state) => state,
  ): Promise<Head> {
    const state = await it.state();
    const loaded = { state, head: { seq: SHORT, hash: "" } };
    await forge(it, {
      events: toJson([NOTED]),
      ...change(await keepState(it.parts.blobs, loaded, [wanted({ savepoint: {} })])),
    });
    const { head } = await it.parts.journal.load("press:x");
    await forge(it, { events: toJson([NOTED]) });
    return head;
  }

  const from = async (it: Press, known: Head): Promise<Proof | undefined> =>
    await proveFrom(it.parts, "press:x", { family: it.family, known });

  test("needs nothing of what came before, and comes to the same", async () => {
    const it = await written();
    const known = await kept(it);
    const whole = await proof(it);
    const { journal } = it.parts;
    const verify: typeof journal.verify = async () => {
      throw new Error("all of it was read");
    };
    const told = await proveFrom({ ...it.parts, journal: { ...journal, verify } }, "press:x", {
      family: it.family,
      known,
    });
    expect(told).toMatchObject({ forged: [], chain: whole.chain });
    expect(told?.state).toEqual(whole.state);
    expect(told?.words.map((one) => one.record.seq)).toEqual([known.seq + 1]);
    await forge(it, { events: toJson([moved]) });
    expect((await from(it, known))?.forged).toMatchObject([{ seq: known.seq + 2 }]);
  });

  test("is none where the record is another one, or what it came to cannot be had", async () => {
    const it = await written();
    const known = await kept(it);
    expect(await from(it, known)).toBeDefined();
    expect(await from(it, { ...known, hash: "0".repeat(64) })).toBeUndefined();
    expect(await from(it, { ...known, seq: known.seq - 1 })).toBeUndefined();
    expect(await from(it, { ...known, seq: known.seq + 9 })).toBeUndefined();
    const later = it.shown.get("press:x");
    it.shown.set("press:x", { seq: known.seq + 9, views: {} });
    expect(await from(it, known)).toBeUndefined();
    if (later !== undefined) it.shown.set("press:x", later);
    expect(await from(it, known)).toBeDefined();
    it.blobs.clear();
    expect(await from(it, known)).toBeUndefined();
    const older = await press();
    const other = await kept(older, () => ({ state: `older ${"0".repeat(64)}` }));
    expect(await from(older, other)).toBeUndefined();
    expect((await proof(older)).forged).toEqual([]);
  });

  test("a record that names another state is found by whoever reads all of it", async () => {
    const it = await press();
    const { parts } = it;
    const lie = `${workflowFold.version} ${await parts.blobs.put("{}")}`;
    const known = await kept(it, () => ({ state: lie }));
    expect((await proof(it)).forged).toEqual([
      {
        seq: known.seq,
        message: "it says that it was decided on another state than the records before it come to",
      },
    ]);
  });

  test("is kept for a commit in a long journal alone", async () => {
    const it = await press();
    const loaded = (seq: number): Loaded<Workflow> => ({
      state: emptyWorkflow("x"),
      head: { seq, hash: "" },
    });
    const { blobs } = it.parts;
    const savepoint = wanted({ savepoint: {} });
    expect(await keepState(blobs, loaded(SHORT - 1), [savepoint])).toEqual({});
    expect(await keepState(blobs, loaded(SHORT), [wanted({}), NOTED])).toEqual({});
    expect(await keepState(blobs, loaded(SHORT), [NOTED, savepoint])).toEqual({
      state: expect.stringMatching(/^\d+ [0-9a-f]{64}$/),
    });
  });
});

describe("witnesses", () => {
  const chain: JournalReport = { records: 2, void: 0, torn: 0, head: { seq: 2, hash: "h2" } };
  const seen = { hashes: ["h1", "h2"], runs: new Set(["r1"]) };

  test("who know more than the journal contradict it", () => {
    const who = "somebody saw it";
    expect(contradiction(seen, [{ seq: 2, hash: "h2", who }])).toBeUndefined();
    expect(contradiction(seen, [{ seq: 1, who }])).toBeUndefined();
    expect(contradiction(seen, [{ seq: 0, hash: "x", who }])).toBeUndefined();
    expect(contradiction(seen, [{ seq: 3, who, run: "r2" }])).toBeUndefined();
    expect(
      contradiction(seen, [
        { seq: 2, who },
        { seq: 3, who, run: "r1" },
      ]),
    ).toBe(
      "cannot trust the journal's end: it stops after record 2, and somebody saw it for record 3",
    );
    expect(contradiction(seen, [{ seq: 1, hash: "x", who }])).toBe(
      "cannot trust the journal's end: somebody saw it for another record 1 than the one that is there",
    );
  });

  test("make a chain truncated that is whole as far as it goes; none that is damaged or not there", () => {
    const late = [{ seq: 3, who: "x" }];
    expect(checkEnd(chain, seen, late).damage).toEqual({
      code: "journal-truncated",
      offset: 0,
      line: 0,
      message: "cannot trust the journal's end: it stops after record 2, and x for record 3",
    });
    expect(checkEnd(chain, seen, [])).toBe(chain);
    const damaged = {
      ...chain,
      damage: { code: "journal-broken", offset: 1, line: 1, message: "" },
    } as const;
    expect(checkEnd(damaged, seen, late)).toBe(damaged);
    const none = { ...chain, records: 0 };
    expect(checkEnd(none, seen, late)).toBe(none);
  });

  test("near the journal are the files that were shown and what was refused", async () => {
    const it = await press();
    await it.move("publish");
    const told = await nearWitnesses(it.parts, "press:x");
    const state = await it.state();
    expect(told).toMatchObject([
      { seq: 1, who: "the files were written" },
      { seq: 1, run: state.startedAt, who: "a command was refused" },
    ]);
    it.refusals.push({ ...it.refusals[0], seq: undefined } as never);
    it.refusals.push({ ...it.refusals[0], run: undefined } as never);
    expect(await nearWitnesses(it.parts, "press:x")).toHaveLength(2);
    expect(await nearWitnesses(it.parts, "press:y")).toEqual([]);
    it.shown.set("press:x", { seq: 9, views: {} });
    expect((await proof(it)).chain.damage?.code).toBe("journal-truncated");
  });

  test("in git are the commits that name a record of a journal", async () => {
    const asked: string[] = [];
    const list: GitJournaled[] = [
      { oid: "0123456789", journal: "press%3Ax r1 3", record: "h3", here: true },
      { oid: "1", journal: "press%3Ax r1 4", record: "h4", here: true },
      { oid: "2", journal: "press%3Ay r1 odd", record: "", here: true },
      { oid: "3", journal: "%E0%A4%A r1 1", record: "h", here: true },
    ];
    const git = {
      journaled: async (since: string) => {
        asked.push(since);
        return list;
      },
    } as never;
    const journals = [{ seen: { ...seen, runs: new Set(["", "r2"]) } }, { seen }];
    const told = await commitWitnesses({ git }, journals);
    expect(asked).toEqual(["r1"]);
    expect([...told.keys()]).toEqual(["press:x", "%E0%A4%A"]);
    expect(told.get("press:x")).toEqual([
      { seq: 3, hash: "h3", run: "r1", who: "commit 0123456 was made" },
      { seq: 4, hash: "h4", run: "r1", who: "commit 1 was made" },
    ]);
    const none = await commitWitnesses({ git }, [{ seen: { hashes: [], runs: new Set([""]) } }]);
    expect(none.size).toBe(0);
    expect(asked).toHaveLength(1);
    const state = { startedAt: "t", seq: 4 } as never;
    expect(nameRecord("a b:c", state)).toBe("a%20b%3Ac t 5");
  });
});

describe("verifying", () => {
  test("finds nothing where files and journal agree", async () => {
    const it = await written();
    expect(await verifyAll(it.parts)).toEqual([
      { id: "x", protocol: "press", exit: 0, findings: [] },
    ]);
  });

  test("names where the files say something else, and cites the family's rule", async () => {
    const it = await written({ table: { rules: { "state-mismatch": "P-99" } } });
    it.files.set("NEWS.md", it.text("NEWS.md").replace("written", "printed"));
    const finding = {
      code: "state-mismatch",
      file: "NEWS.md",
      line: 0,
      message: 'NEWS.md says x is "printed", the journal says written',
      fix: { operation: "reconcile", input: { workflow: "x" }, says: "Decide which side is right" },
      rule: "P-99",
    };
    const all = [{ id: "x", protocol: "press", exit: 2, findings: [finding] }];
    expect(await verifyAll(it.parts)).toEqual(all);
    expect(await verifyOne(it.parts, await find(it.parts, "x"), "x")).toEqual(all);
  });

  test("adds to what the family says of the files, and keeps the graver exit", async () => {
    const odd = { code: "odd", file: "f", line: 1, message: "odd", fix: "", rule: "P-1" };
    const judged = (exit: 0 | 1 | 3, ended?: true): PressOptions => ({
      family: {
        verify: {
          judge: async () => [
            {
              id: "x",
              protocol: "press",
              exit,
              findings: [odd],
              ...(ended === undefined ? {} : { ended }),
            },
            { id: "files-only", protocol: "press", exit: 0, findings: [] },
            { id: "z", protocol: "nobody", exit: 0, findings: [] },
          ],
        },
      },
    });
    for (const [exit, ended, after] of [
      [0, undefined, 2],
      [3, undefined, 3],
      [1, true, 2],
      [1, undefined, 1],
    ] as const) {
      const it = await press(judged(exit, ended));
      it.files.delete("NEWS.md");
      const [first, second] = await verifyAll(it.parts);
      expect(first).toMatchObject({ exit: after, findings: [odd, { code: "state-mismatch" }] });
      expect(first).not.toHaveProperty("ended");
      expect(second).toEqual({ id: "files-only", protocol: "press", exit: 0, findings: [] });
    }
    const agreeing = await press(judged(1, true));
    expect((await verifyAll(agreeing.parts))[0]).toMatchObject({
      exit: 1,
      ended: true,
      findings: [odd],
    });
  });

  test("names what nobody here can judge: a journal of no known protocol", async () => {
    const it = await press();
    for (const stream of ["later:y", "no protocol"])
      await it.parts.journal.append(stream, GENESIS, {
        id: stream,
        at: "2026-04-01T00:00:00.000Z",
        body: { command: "start", actor: "person:ada", session: "s", events: [], used: {} },
      });
    const told = await verifyAll(it.parts);
    const missing = [{ code: "protocol-missing", file: "journal" }];
    expect(told.filter((one) => one.findings.length > 0)).toMatchObject([
      { id: "y", protocol: "later", exit: 2, findings: missing },
      { id: "no protocol", protocol: "", exit: 2, findings: missing },
    ]);
  });

  test("names a forged record, and judges no file by it", async () => {
    const it = await press();
    await forge(it, { events: toJson([moved]) });
    const [told] = await verifyAll(it.parts);
    expect(told).toMatchObject({ id: "x", protocol: "press", exit: 2 });
    expect(told?.findings).toMatchObject([
      {
        code: "record-forged",
        file: "journal",
        line: 0,
        message: expect.stringMatching(
          /^record 2 is not one that deciding could have made: x moves/,
        ),
        rule: "S5",
      },
    ]);
  });

  test.each([
    ["snapshot-false", "Remove the snapshot: it is a cache"],
    ["journal-event", "Use the version of Holdpoint that wrote it"],
    ["journal-broken", "Restore the journal from a backup; everything before that line"],
  ] as const)("names damage of the kind %s with what helps", async (code, fix) => {
    const it = await press();
    const { journal } = it.parts;
    const damage = { code, offset: 1, line: 7, message: "odd" };
    const verify: typeof journal.verify = async (...args) => ({
      ...(await journal.verify(...args)),
      damage,
    });
    const [told] = await verifyAll({ ...it.parts, journal: { ...journal, verify } });
    expect(told).toMatchObject({
      exit: 2,
      findings: [
        {
          code,
          file: "journal",
          line: 7,
          message: "odd",
          rule: "S5",
          fix: expect.stringContaining(fix),
        },
      ],
    });
  });

  test("names a journal that the list leaves out", async () => {
    const it = await press();
    const { journal } = it.parts;
    const parts = { ...it.parts, journal: { ...journal, list: async () => [] } };
    expect(await verifyAll(parts)).toMatchObject([
      {
        id: "x",
        exit: 2,
        findings: [
          {
            code: "snapshot-false",
            message: "the list of workflows leaves it out, and its journal is there",
          },
        ],
      },
    ]);
  });

  test("names an end that a commit has seen and the journal lacks", async () => {
    const it = await written({ repository: true });
    const { startedAt } = await it.state();
    const { git } = it.parts;
    const journaled = async (): Promise<readonly GitJournaled[]> => [
      { oid: "abcdefghij", journal: `press%3Ax ${startedAt} 9`, record: "h", here: true },
    ];
    const parts = { ...it.parts, git: { ...git, journaled } };
    const [told] = await verifyAll(parts);
    expect(told?.findings).toMatchObject([{ code: "journal-truncated" }]);
    expect((await audit(parts, await it.found())).chain.damage?.code).toBe("journal-truncated");
  });

  test("of one name tells what refused it, what ended, or what its files say", async () => {
    const it = await press({ family: { verify: { judge: async () => [] } } });
    const found = await find(it.parts, "x");
    expect(await verifyOne(it.parts, found, "x")).toEqual([
      { id: "x", protocol: "press", exit: 0, findings: [] },
    ]);
    it.files.delete("NEWS.md");
    expect(await verifyOne(it.parts, found, "x")).toMatchObject([
      { exit: 2, findings: [{ message: "NEWS.md is missing" }] },
    ]);
    const nothing = await find(it.parts, "nothing");
    expect(await verifyOne(it.parts, nothing, "nothing")).toMatchObject([
      {
        id: "nothing",
        protocol: "",
        exit: 1,
        findings: [{ code: "workflow-unknown", file: "", line: 0 }],
      },
    ]);
    const over = { code: "over", file: "", line: 0, message: "over", fix: "", rule: "" };
    const ended = await press({
      family: { verify: { judge: async () => [], ended: () => over } },
    });
    expect(await verifyOne(ended.parts, await find(ended.parts, "x"), "x")).toEqual([
      { id: "x", protocol: "press", exit: 1, findings: [over], ended: true },
    ]);
    const shown = await press({
      family: {
        verify: {
          judge: async () => [{ id: "ghost", protocol: "press", exit: 1, findings: [over] }],
        },
      },
    });
    const ghost = await find(shown.parts, "ghost");
    expect(await verifyOne(shown.parts, ghost, "ghost")).toMatchObject([{ id: "ghost", exit: 1 }]);
  });
});

describe("an audit", () => {
  test("is the journal read aloud, with what was refused and the family's judgement", async () => {
    let whole: boolean | undefined;
    const it = await press({
      family: {
        audit: {
          compliance: (state, evidence) => {
            whole = evidence.chainWhole;
            return { passed: true, markdown: `${state.id} ${evidence.records.length}`, json: {} };
          },
        },
      },
    });
    await it.move("publish");
    const vouched = {
      actor: { kind: "agent", name: "bot", agent: "c:s" },
      session: "s-1",
    } as const;
    await it.give({ type: "note.add", list: "timeline", tag: "", text: "n" }, vouched);
    const told = await audit(it.parts, await it.found());
    expect(told).toMatchObject({
      forged: [],
      doubts: [],
      refusals: [{ step: "publish" }],
      compliance: { markdown: "x 2" },
    });
    expect(told.entries).toMatchObject([
      { seq: 1, actor: "person:ada", session: "human:ada", command: "workflow.start" },
      { seq: 2, actor: "agent:bot", agent: "c:s", command: "note.add" },
    ]);
    expect(told.entries[0]).not.toHaveProperty("agent");
    expect(told.entries[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(whole).toBe(true);
    await forge(it, { events: toJson([moved]) });
    await audit(it.parts, await it.found());
    expect(whole).toBe(false);
    const plain = await press();
    expect(await audit(plain.parts, await plain.found())).not.toHaveProperty("compliance");
  });

  test.each<[Event, string]>([
    [{ ...moved, reason: "why" }, "idea → printed (why)"],
    [{ ...moved, unit: "u" }, "u: idea → printed"],
    [{ type: "unit.opened", unit: ".", kind: "k", at: "a", data: {} }, "workflow opened at a"],
    [{ type: "unit.opened", unit: "u", kind: "k", at: "a", data: {} }, "u opened at a"],
    [{ type: "unit.closed", unit: "u" }, "u closed"],
    [
      { type: "workflow.started", id: "x", protocol: { name: "p", version: 2 }, vars: {} },
      "started under p version 2",
    ],
    [
      { type: "definition.changed", protocol: { name: "p", version: 2 }, by: "b", reason: "r" },
      "goes on under p version 2 (b: r)",
    ],
    [{ type: "workflow.adopted", from: {}, why: "w" }, "adopted from files (w)"],
    [
      {
        type: "decision.settled",
        decision: "D",
        status: "answered",
        option: "o",
        text: "",
        by: "b",
      },
      "D answered by b: o",
    ],
    [
      { type: "decision.settled", decision: "D", status: "void", option: "", text: "", by: "b" },
      "D void by b",
    ],
    [
      { type: "decision.joined", decision: "D", option: "o", text: "", by: "b" },
      "D: o chosen by b; more people must choose it",
    ],
    [{ type: "option.looked", decision: "D", option: "o", by: "b" }, "D: o looked at by b"],
    [
      { type: "answer.dropped", decision: "D", why: "w" },
      "D: the answer that waited was refused (w)",
    ],
    [
      { type: "answer.kept", decision: "D", text: "t", reason: "", name: "n", session: "" },
      'D: the answer "t" of n waits for the files',
    ],
    [
      {
        type: "dispatch.sent",
        dispatch: "W",
        spec: "s",
        role: "r",
        unit: ".",
        session: "",
        baseline: {},
      },
      "W handed to r",
    ],
    [
      {
        type: "dispatch.sent",
        dispatch: "W",
        spec: "s",
        role: "r",
        unit: "u",
        session: "",
        baseline: {},
      },
      "W handed to r for u",
    ],
    [{ type: "dispatch.taken", dispatch: "W", agent: "a" }, "W taken by a"],
    [{ type: "dispatch.taken", dispatch: "W", agent: null }, "W given free"],
    [{ type: "dispatch.parked", dispatch: "W", claim: {} }, "W reported; the report waits"],
    [
      { type: "dispatch.parked", dispatch: "W", claim: { agent: "a", summary: " so\n so " } },
      "W reported; the report waits; a said: so so",
    ],
    [
      { type: "dispatch.parked", dispatch: "W", claim: { agent: "a", summary: " " } },
      "W reported; the report waits",
    ],
    [
      { type: "dispatch.parked", dispatch: "W", claim: { summary: "s" } },
      "W reported; the report waits",
    ],
    [
      { type: "dispatch.parked", dispatch: "W", claim: { agent: "a", summary: "s".repeat(301) } },
      `W reported; the report waits; a said: ${"s".repeat(300)}`,
    ],
    [{ type: "dispatch.ended", dispatch: "W", outcome: "o", claim: {}, notes: [] }, "W ended: o"],
    [
      {
        type: "dispatch.ended",
        dispatch: "W",
        outcome: "o",
        claim: {},
        notes: [{ code: "c", message: "", rule: "" }],
      },
      "W ended: o (c)",
    ],
    [
      { type: "finding.recorded", unit: ".", kind: "k", by: "b", value: "v", bound: {} },
      "k v by b",
    ],
    [
      {
        type: "effect.wanted",
        effect: "E",
        kind: "k",
        args: {},
        unit: ".",
        asks: null,
        undo: null,
      },
      "k wanted (E)",
    ],
    [
      { type: "effect.settled", effect: "E", status: "done", detail: { oid: "0123456789" } },
      "E done 0123456",
    ],
    [{ type: "effect.settled", effect: "E", status: "failed", detail: { oid: 7 } }, "E failed"],
    [
      { type: "artifact.sealed", artifact: "a", digest: null, by: "b", why: "w" },
      "sealed a as absent (w)",
    ],
    [
      { type: "artifact.sealed", artifact: "a", digest: "d", by: "b", why: "w" },
      "sealed a as d (w)",
    ],
    [{ type: "artifact.unsealed", artifact: "a" }, "unsealed a"],
    [{ type: "budget.spent", budget: "b" }, "one more attempt counted: b"],
    [{ type: "budget.reset", budget: "b" }, "attempts counted anew: b"],
    [{ type: "lease.taken", session: "s", holder: "h" }, "lease taken by s"],
    [{ type: "lease.ended", session: "s", why: "w" }, "lease of s ended (w)"],
    [{ type: "vars.changed", vars: { a: 1, b: "x" } }, 'set a=1, b="x"'],
    [{ type: "note.added", list: "log", tag: "", text: "t" }, "log: t"],
    [{ type: "note.added", list: "log", tag: "g", text: "t" }, "log g: t"],
    [{ type: "warned", about: "", text: "t" }, "warning: t"],
    [
      { type: "edit.refused", view: "v", blob: "b", reasons: [] },
      "edit of v refused; the text is kept as b",
    ],
    [
      { type: "refusal.noted", at: "", command: "c", step: "s", by: "b", codes: ["x", "y"] },
      "refused before: c s by b (x, y)",
    ],
  ])("tells %j", (event, sentence) => {
    expect(tell(event)).toBe(sentence);
  });

  test("tells what was measured beside what was said", () => {
    const measured = { files: { a: [null, "f 1"] }, moved: {}, commits: [] };
    const ended: Event = {
      type: "dispatch.ended",
      dispatch: "W",
      outcome: "o",
      claim: {},
      notes: [],
      measured,
    };
    expect(tell(ended)).toMatch(/^W ended: o; measured: .*a/);
    expect(ADA.session).toBe("human:ada");
  });
});
