/** Everything that one call of git wants to do to references: which of it is the fence's affair, and what it answers. */
import { describe, expect, test } from "vitest";
import { agree, commit, fenced, MAIN, oid, release, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import { pressAt } from "../../../test/press.ts";
import type { Stands } from "../../ports/fence.ts";
import { judgeAll } from "./judge-all.ts";

async function codes(it: Fenced, ref: string, to: string): Promise<readonly string[]> {
  return (await judgeAll(it.parts, [{ ref, to }])).map(({ code }) => code);
}

describe("what git wants to do to references", () => {
  test("is held up as a whole where nobody knows what is protected", async () => {
    const it = await fenced();
    const empty = { ...it.parts, journal: pressAt().parts.journal };
    expect(await judgeAll(empty, [{ ref: MAIN, to: oid("x") }])).toMatchObject([
      {
        code: "fence-journal",
        message: expect.stringMatching(/^A hook of the fence is here, and no journal says/),
      },
    ]);
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
    expect(await judgeAll({ ...it.parts, journal: { ...journal, verify } }, [])).toMatchObject([
      {
        code: "fence-journal",
        message: expect.stringMatching(
          /^Which branches are protected is not known.*: line 1 is odd$/,
        ),
        fix: { operation: "verify", input: { all: true } },
      },
    ]);
  });

  test("is the fence's affair only where a protected branch is named, by whatever name", async () => {
    const it = await fenced();
    const stray = oid("stray");
    expect(await codes(it, "refs/heads/side", stray)).toEqual([]);
    expect(await codes(it, "HEAD", stray)).toEqual([]);
    expect(await codes(it, MAIN, stray)).toEqual(["fence-unreleased"]);
    expect(await codes(it, `worktrees/w/${MAIN}`, stray)).toEqual(["fence-unreleased"]);
    expect(await codes(it, `main-worktree/${MAIN}`, stray)).toEqual(["fence-unreleased"]);
    expect(await codes(it, "refs/heads/Main", stray)).toEqual(["fence-disguised"]);
    expect(await codes(it, `refs/replace/${stray}`, oid("other"))).toEqual(["fence-replaced"]);
    expect(await codes(it, `refs/replace/${stray}`, "")).toEqual([]);
    const all = await judgeAll(it.parts, [
      { ref: "refs/heads/MAIN", to: stray },
      { ref: "refs/heads/side", to: stray },
      { ref: MAIN, to: "ref:refs/heads/side" },
    ]);
    expect(all.map(({ message }) => message)).toEqual([
      "main is protected, and refs/heads/MAIN would stand for it",
      "main is protected, and ref:refs/heads/side would stand for it",
    ]);
  });

  test.each<[string, Partial<Stands>, string, boolean]>([
    ["to where it stands", { oid: oid("base") }, oid("base"), true],
    [
      "to where what it stands for is",
      { oid: oid("base"), symbolic: "refs/heads/side" },
      oid("base"),
      false,
    ],
    ["away, and is packed there", { oid: oid("base"), packed: oid("base") }, "", true],
    ["away, and is packed elsewhere", { oid: oid("base"), packed: oid("other") }, "", false],
    [
      "away, while somebody packs",
      { oid: oid("base"), packed: oid("base"), locked: true },
      "",
      false,
    ],
    ["away, and was not there", {}, "", false],
    ["away", { oid: oid("base") }, "", false],
  ])("a branch that goes %s", async (_, stands, to, passes) => {
    const it = await fenced();
    it.git.stands.set(MAIN, stands);
    expect(await codes(it, MAIN, to)).toEqual(passes ? [] : ["fence-unreleased"]);
  });

  test("may always be the way back to where released moves have led", async () => {
    const it = await fenced();
    commit(it.git, "stray", "base");
    it.git.stands.set(MAIN, { oid: oid("stray") });
    expect(await codes(it, MAIN, oid("base"))).toEqual([]);
    commit(it.git, "other", "base");
    expect(await codes(it, MAIN, oid("other"))).toEqual(["fence-unreleased"]);
    const bare = await fenced({}, "");
    expect(await codes(bare, MAIN, oid("stray"))).toEqual(["fence-unreleased"]);
    bare.git.stands.set(MAIN, { oid: oid("stray") });
    expect(await codes(bare, MAIN, "")).toEqual(["fence-unreleased"]);
    const both = await fenced({}, "base", ["main", "side"]);
    both.git.stands.set(MAIN, { oid: oid("stray") });
    both.git.stands.set("refs/heads/side", { oid: oid("stray") });
    expect(await codes(both, MAIN, oid("base"))).toEqual([]);
    expect(await codes(both, "refs/heads/side", oid("base"))).toEqual(["fence-unreleased"]);
  });

  test("is what a record wants", async () => {
    const it = await fenced();
    await it.send();
    await it.report();
    expect(await codes(it, MAIN, (await wantedCommit(it)).oid)).toEqual([]);
  });

  test("where nobody works, may be what people signed and a push brings along", async () => {
    const it = await fenced();
    const place = { kind: "none", why: "bare", message: "bare" } as const;
    const parts = { ...it.parts, place };
    commit(it.git, "new", "base");
    agree(it.git, "base", { policy: { strength: "signed" } }, ["ben key-ben"]);
    const move = { ref: MAIN, to: oid("new") };
    expect(await judgeAll(parts, [move])).toMatchObject([
      {
        code: "fence-unreleased",
        message: expect.stringMatching(
          /: no journal here wants it, and no signed release of it came along$/,
        ),
        fix: { input: { from: oid("base").slice(0, 12), commit: oid("new").slice(0, 12) } },
      },
    ]);
    const brought = { ref: "refs/holdpoint/releases/1", to: "x" };
    it.git.carried.set(brought.ref, [JSON.stringify(release({ from: "base", by: "ben" }))]);
    expect(await judgeAll(parts, [move, brought])).toEqual([]);
    expect((await judgeAll(it.parts, [move, brought])).map(({ message }) => message)).toEqual([
      expect.stringMatching(/: no journal wants it$/),
    ]);
  });
});
