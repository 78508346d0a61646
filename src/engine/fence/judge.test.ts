/** What a fence lets by: the one move that a journal wants which can be believed. Everything near it stays out. */
import { describe, expect, test } from "vitest";
import { commit, fenced, MAIN, oid, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import { ADA } from "../../../test/press.ts";
import type { Event } from "../../core/state/events.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import { distrust } from "../prove/trust.ts";
import { judgeMove } from "./judge.ts";
import { keepState } from "../prove/recorded.ts";
import { openFence } from "./put.ts";
import { provenFence } from "./proven.ts";
import type { ProvenFence } from "./proven.ts";
import { REPOSITORY_STREAM } from "./state.ts";
import type { RefMove, Trouble } from "./state.ts";

const NOTED: JsonObject = { type: "note.added", list: "timeline", tag: "", text: "" };

async function fenceAt(it: Fenced): Promise<ProvenFence> {
  const fence = await provenFence(it.parts);
  if (fence === undefined || "code" in fence) throw new Error("There is no fence");
  return fence;
}

async function judged(it: Fenced, move: Partial<RefMove>): Promise<Trouble | undefined> {
  const whole = { ref: MAIN, from: oid("base"), to: "", ...move };
  const fence = await provenFence(it.parts);
  if (fence === undefined || "code" in fence) return fence;
  return await judgeMove(it.parts, fence, whole);
}

async function why(it: Fenced, to: CommitFacts, move: Partial<RefMove> = {}): Promise<string> {
  const told = await judged(it, { to: to.oid, ...move });
  return told === undefined ? "released" : (told.message.split(": ").slice(1).join(": ") ?? "");
}

/** Lines that anybody can write, with correct hashes. */
async function append(it: Fenced, body: JsonObject, stream = "press:x", times = 1): Promise<void> {
  for (let left = times; left > 0; left -= 1) {
    const { head } = await it.parts.journal.load(stream);
    const whole = { command: "note.add", actor: "person:ada", session: "s", used: {}, ...body };
    const entry = {
      id: `forged-${stream}-${String(head.seq)}`,
      at: it.parts.clock.now(),
      body: whole,
    };
    const told = await it.parts.journal.append(stream, head, entry);
    if (told.kind !== "appended") throw new Error(told.kind);
  }
}

const FORGED: JsonObject = { command: "odd", events: [] };

/** The article is written, and its commit is wanted. */
async function wanting(): Promise<{ readonly it: Fenced; readonly made: CommitFacts }> {
  const it = await fenced();
  await it.send();
  await it.report();
  return { it, made: await wantedCommit(it) };
}

describe("a move", () => {
  test("that a record wants is made, and the same again once it is over is not", async () => {
    const { it, made } = await wanting();
    expect(await judged(it, { to: made.oid })).toBeUndefined();
    const detail = { oid: made.oid };
    const engine = { actor: { kind: "engine", name: "holdpoint" }, session: "s-1" } as const;
    await it.give({ type: "effect.settle", effect: "E-1", status: "done", detail }, engine);
    expect((await it.state()).effects["E-1"]?.status).toBe("done");
    expect(await why(it, made)).toBe("x wanted it once, and that is over (E-1)");
  });

  const near = "its trailer names E-1 of x, but it wants another commit";
  test.each<[string, string, Partial<CommitFacts>]>([
    ["tree", near, { tree: "other" }],
    ["parent", near, { parents: [oid("other")] }],
    ["second parent", near, { parents: [oid("base"), oid("other")] }],
    ["message", near, { message: "Write y" }],
  ])("to a commit with another %s is not", async (_, told, more) => {
    const { it } = await wanting();
    expect(await why(it, await wantedCommit(it, more))).toBe(told);
  });

  test("is told apart by its record, its branch and where it stands", async () => {
    const { it, made } = await wanting();
    const [name = ""] = (made.trailers["Holdpoint-Journal"] ?? "").split(" ");
    const trailers = { "Holdpoint-Journal": name, "Holdpoint-Record": "other" };
    expect(await why(it, await wantedCommit(it, { trailers }))).toBe("x wants no such move");
    await wantedCommit(it);
    const side = { ref: "refs/heads/side" };
    expect(await why(it, made, side)).toBe(
      "its trailer names E-1 of x, but it is for refs/heads/main",
    );
    commit(it.git, "other");
    expect(await why(it, made, { from: oid("other") })).toBe(
      "its trailer names E-1 of x, but it is to stand on another commit",
    );
  });

  test("without a trailer is looked for in the journals that were last written", async () => {
    const { it } = await wanting();
    const bare = await wantedCommit(it, { trailers: {} });
    expect(await why(it, bare)).toBe("no journal wants it");
    const asked: string[] = [];
    const { journal } = it.parts;
    const many = Array.from({ length: 40 }, (_, at) => `press:${String(at)}`);
    const list: typeof journal.list = async () =>
      many.map((stream, at) => ({
        stream,
        at: `2026-03-${String(60 - at)}`,
        seq: 1,
        hash: "",
        summary: {},
      }));
    const load: typeof journal.load = async (stream) => {
      if (many.includes(stream)) asked.push(stream);
      return await journal.load(stream);
    };
    const parts = { ...it.parts, journal: { ...journal, list, load } };
    await judgeMove(parts, await fenceAt(it), { ref: MAIN, from: oid("base"), to: bare.oid });
    expect(asked).toEqual(many.slice(0, 32));
  });

  test("is wanted by the journal that its trailer names, and by no other", async () => {
    const { it, made } = await wanting();
    const record = made.trailers["Holdpoint-Record"] ?? "";
    const by = async (name: string): Promise<string> =>
      await why(
        it,
        await wantedCommit(it, {
          trailers: { "Holdpoint-Journal": name, "Holdpoint-Record": record },
        }),
      );
    expect(await by("press%3Ax 2026 4")).toBe("released");
    expect(await by("press:x")).toBe("released");
    expect(await by("press%3Ay 2026 4")).toBe("no journal here is called press:y");
    expect(await by("repository%3Arepository 2026 4")).toBe("repository wants no such move");
    expect(await by("")).toBe("released");
  });

  test("that takes the branch away, or leads to what cannot be read, is not made", async () => {
    const { it } = await wanting();
    expect(await judged(it, { to: "" })).toMatchObject({
      code: "fence-unreleased",
      message: `main does not move from ${oid("base").slice(0, 12)} to nothing: nobody has released that it goes`,
      fix: { input: { what: "main", delete: true } },
    });
    const told = await judged(it, { to: oid("unread") });
    expect(told?.message).toMatch(/: it cannot be read$/);
    expect(told?.fix).toMatchObject({ input: { commit: oid("unread").slice(0, 12) } });
  });

  test("that was aimed at is made, and taken back", async () => {
    const it = await fenced({
      family: {
        effects: {
          deed: {
            perform: async (_, __, ___, memory) => {
              await memory?.aim?.({ ref: MAIN, from: oid("base"), to: oid("merged") });
              const pending = { effect: "E-1", code: "later", message: "later", fix: "Wait." };
              return { kind: "pending", pending };
            },
          },
        },
      },
    });
    const merged = commit(it.git, "merged", "base");
    const base = commit(it.git, "base");
    expect(await why(it, merged)).toBe("no journal wants it");
    await it.move("do");
    expect(await why(it, merged)).toBe("released");
    expect(await why(it, base, { from: merged.oid })).toBe("released");
    const other = commit(it.git, "other", "base");
    expect(await why(it, other)).toBe("no journal wants it");
    expect(await why(it, other, { from: merged.oid })).toBe("no journal wants it");
  });
});

describe("a journal", () => {
  test("that deciding could not have made vouches for nothing", async () => {
    const { it, made } = await wanting();
    await append(it, FORGED);
    expect(await judged(it, { to: made.oid })).toMatchObject({
      code: "fence-journal",
      message: expect.stringMatching(
        /^The journal of press:x vouches for nothing: record 4 is not one that deciding could have made: /,
      ),
      fix: { operation: "verify", input: { all: true } },
    });
    expect(await distrust(it.parts, "press:x")).toMatchObject({ code: "fence-journal" });
    expect(await distrust(it.parts, REPOSITORY_STREAM)).toBeUndefined();
    expect(await distrust(it.parts, "unheard:x")).toMatchObject({
      message: expect.stringContaining("its protocol is not known here"),
    });
  });

  test("that is damaged, or another one than the repository has seen, vouches for nothing", async () => {
    const { it, made } = await wanting();
    const { journal } = it.parts;
    const damage = {
      code: "journal-broken",
      offset: 0,
      line: 1,
      message: "line 1 is odd",
    } as const;
    const verify: typeof journal.verify = async (...args) => ({
      ...(await journal.verify(...args)),
      damage,
    });
    const parts = { ...it.parts, journal: { ...journal, verify } };
    const move = { ref: MAIN, from: oid("base"), to: made.oid };
    const told = await judgeMove(parts, await fenceAt(it), move);
    expect(told?.message).toBe("The journal of press:x vouches for nothing: line 1 is odd");
    const accepted = {
      from: "main",
      policy: { gates: {} },
      protected: [],
      signers: "",
      revoked: "",
    };
    const vars = { accepted, heads: { "press:x": "1 other" } };
    const events = [{ type: "vars.changed", vars }];
    await append(it, { events }, REPOSITORY_STREAM);
    expect((await distrust(it.parts, "press:x"))?.message).toBe(
      "The journal of press:x vouches for nothing: record 1: the repository has seen another record when it agreed on a policy",
    );
  });

  test("lets by what the repository's own journal does not let be believed", async () => {
    const { it, made } = await wanting();
    await append(it, FORGED, REPOSITORY_STREAM);
    expect((await judged(it, { to: made.oid }))?.message).toMatch(
      /^The journal of repository:repository vouches for nothing/,
    );
  });

  test("whose record another build decided is not believed", async () => {
    const { it, made } = await wanting();
    const { journal } = it.parts;
    const verify: typeof journal.verify = async (stream, watch) =>
      await journal.verify(stream, (record, before) => {
        const guards = stream === "press:x" ? { guards: "another" } : {};
        watch?.({ ...record, body: { ...record.body, ...guards } }, before);
      });
    const parts = { ...it.parts, journal: { ...journal, verify } };
    const move = { ref: MAIN, from: oid("base"), to: made.oid };
    expect((await judgeMove(parts, await fenceAt(it), move))?.message).toContain(
      ": its record was decided by another build of Holdpoint",
    );
  });

  describe("is judged from the record on that the branch already stands for", () => {
    /** A journal with a forged record, then long, then wanting a commit on `at`; `main` has been fenced in at `base`. */
    async function judgedAt(
      at: string,
      put: (git: Fenced["git"], trailers: Record<string, string>) => void,
    ): Promise<string> {
      const it = await fenced();
      await append(it, FORGED);
      await append(it, { events: [NOTED] }, "press:x", 200);
      await it.send();
      // A record as one is that wanted a commit: it says what all before it came to.
      const before = await it.parts.journal.load("press:x");
      const wanted = { type: "effect.wanted", args: { savepoint: "" } } as unknown as Event;
      const kept = await keepState(it.parts.blobs, before, [wanted]);
      await append(it, { events: [NOTED], ...kept });
      const { seq, hash } = (await it.parts.journal.load("press:x")).head;
      put(it.git, {
        "Holdpoint-Journal": `press%3Ax 2026 ${String(seq)}`,
        "Holdpoint-Record": hash,
      });
      it.git.stands.set(MAIN, { oid: oid(at) });
      await it.report();
      return await why(it, await wantedCommit(it, { parents: [oid(at)] }), { from: oid(at) });
    }
    const since = Date.parse("2026-12-31T00:00:00Z") / 1000;
    const forged = /^The journal|^record 2|record 2 is not one/;

    test("where its commit, or one behind it, says so", async () => {
      const here = await judgedAt("here", (git, trailers) => {
        commit(git, "here", "base", { trailers, at: since });
      });
      expect(here).toBe("released");
      const later = await judgedAt("later", (git, trailers) => {
        commit(git, "here", "base", { trailers, at: since });
        commit(git, "later", "here", { at: since });
      });
      expect(later).toBe("released");
    });

    test.each<[string, string, (known: Record<string, string>) => Partial<CommitFacts>]>([
      ["a commit beside it says nothing", "beside", () => ({})],
      [
        "it names another record",
        "wrong",
        (known) => ({ trailers: { ...known, "Holdpoint-Record": "other" } }),
      ],
      [
        "it names another journal",
        "other",
        (known) => ({ trailers: { ...known, "Holdpoint-Journal": "press%3Ay 2026 203" } }),
      ],
      [
        "it names no record",
        "none",
        (known) => ({ trailers: { ...known, "Holdpoint-Journal": "press%3Ax 2026 0" } }),
      ],
    ])("and whole where %s", async (_, name, more) => {
      const told = await judgedAt(name, (git, trailers) => {
        commit(git, name, "base", { at: since, ...more(trailers) });
      });
      expect(told).toMatch(forged);
    });

    test("and whole where it is older than the fence, or where the fence was put up", async () => {
      const older = await judgedAt("here", (git, trailers) => {
        commit(git, "old", "base", { trailers, at: 0 });
        commit(git, "here", "old", { at: since });
      });
      expect(older).toMatch(forged);
      const base = await judgedAt("base", (git, trailers) => {
        commit(git, "base", "", { trailers, at: since });
      });
      expect(base).toMatch(forged);
    });
  });

  test("that is short is judged whole", async () => {
    const it = await fenced();
    await append(it, FORGED);
    await it.send();
    const { seq, hash } = (await it.parts.journal.load("press:x")).head;
    await it.report();
    const trailers = {
      "Holdpoint-Journal": `press%3Ax 2026 ${String(seq)}`,
      "Holdpoint-Record": hash,
    };
    const here = commit(it.git, "here", "base", { trailers });
    expect((await judged(it, { from: here.oid, to: (await wantedCommit(it)).oid }))?.code).toBe(
      "fence-journal",
    );
  });

  test("wants what an older record of it wants, judged itself", async () => {
    const { it } = await wanting();
    await append(it, { events: [NOTED] }, "press:x", 200);
    const { seq, hash } = (await it.parts.journal.load("press:x")).head;
    const trailers = {
      "Holdpoint-Journal": `press%3Ax 2026 ${String(seq)}`,
      "Holdpoint-Record": hash,
    };
    commit(it.git, "base", "", { trailers });
    const fence = await fenceAt(it);
    const begun = { ...fence, refs: { [MAIN]: oid("before") } };
    const made = await wantedCommit(it);
    const move = { ref: MAIN, from: oid("base"), to: made.oid };
    expect(await judgeMove(it.parts, begun, move)).toBeUndefined();
    await append(it, FORGED);
    expect(await judgeMove(it.parts, begun, move)).toMatchObject({ code: "fence-journal" });
  });
});

describe("an opening", () => {
  test("lets by one move, for a quarter of an hour, while its journal can be believed", async () => {
    const it = await fenced();
    const other = commit(it.git, "other", "base");
    const asked = { branch: "main", commit: other.oid, reason: "a hand edit" };
    expect(await openFence(it.parts, ADA, asked)).toMatchObject({ outcome: { kind: "done" } });
    expect(await judged(it, { to: other.oid })).toBeUndefined();
    expect(await judged(it, { to: "" })).toMatchObject({ code: "fence-unreleased" });
    const fence = await fenceAt(it);
    const given = Date.parse(fence.openings[0]?.at ?? "");
    const move = { ref: MAIN, from: oid("base"), to: other.oid };
    const after = async (ms: number): Promise<string> => {
      const clock = { ...it.parts.clock, now: () => new Date(given + ms).toISOString() };
      return (await judgeMove({ ...it.parts, clock }, fence, move))?.code ?? "released";
    };
    expect(await after(15 * 60_000)).toBe("released");
    expect(await after(15 * 60_000 + 1)).toBe("fence-unreleased");
    expect(await after(-60_000)).toBe("released");
    expect(await after(-60_001)).toBe("fence-unreleased");
    await append(it, FORGED, REPOSITORY_STREAM);
    expect(await judged(it, { to: other.oid })).toMatchObject({ code: "fence-journal" });
  });
});
