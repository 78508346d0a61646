/** How a fence stands: what is said before any command, and of which branch. */
import { describe, expect, test } from "vitest";
import { agree, commit, fenced, MAIN, oid, release, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import { ADA, pressAt } from "../../../test/press.ts";
import { openFence, putFence, takeFence } from "./put.ts";
import { fenceBreaches, fenceStanding, provenStanding } from "./standing.ts";
import { REPOSITORY_STREAM } from "./state.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z") / 1000;
const [BASE, STRAY] = [oid("base"), oid("stray")];

async function told(it: Fenced): Promise<readonly string[]> {
  return (await fenceStanding(it.parts)).problems.map(({ code, message }) => `${code}: ${message}`);
}

const damage = { code: "journal-broken", offset: 0, line: 1, message: "line 1 is odd" } as const;

function damaged(it: Fenced): Fenced["parts"] {
  const { journal } = it.parts;
  const load: typeof journal.load = async (stream) => ({ ...(await journal.load(stream)), damage });
  return { ...it.parts, journal: { ...journal, load } };
}

describe("a fence", () => {
  test("that was never put up, or whose journal is damaged, is not believed to stand", async () => {
    const none = await fenceStanding(pressAt().parts);
    expect(none).toEqual({ fence: undefined, branches: [], vouching: [], problems: [] });
    const it = await fenced();
    const odd = await fenceStanding(damaged(it));
    expect(odd).toMatchObject({
      branches: [],
      problems: [
        {
          code: "fence-journal",
          message: "Whether there is a fence is not known: line 1 is odd",
          fix: { operation: "verify", input: { all: true } },
        },
      ],
    });
  });

  test("stands where it was put up, and is vouched for by what released its moves", async () => {
    const it = await fenced();
    expect(await fenceStanding(it.parts)).toMatchObject({
      branches: [{ ref: MAIN, tip: BASE, released: BASE }],
      problems: [],
      vouching: [REPOSITORY_STREAM],
    });
    await it.send();
    await it.report();
    const made = await wantedCommit(it);
    it.git.stands.set(MAIN, { oid: made.oid });
    expect(await fenceStanding(it.parts)).toMatchObject({
      branches: [{ ref: MAIN, tip: made.oid, released: made.oid }],
      problems: [],
      vouching: [REPOSITORY_STREAM, "press:x"],
    });
    await wantedCommit(it, { tree: "other" });
    expect(await told(it)).toEqual([expect.stringMatching(/^branch-breached: /)]);
  });

  test("names a branch that stands elsewhere, and the hook's own trouble", async () => {
    const it = await fenced();
    it.git.stands.set(MAIN, { oid: STRAY });
    const hook = { code: "hook-gone", message: "The hook is gone", fix: "Put it up." };
    const parts = { ...it.parts, fencing: { ...it.git.fencing, look: async () => [hook] } };
    const { problems, branches } = await fenceStanding(parts);
    expect(branches).toEqual([{ ref: MAIN, tip: STRAY, released: BASE }]);
    expect(problems).toMatchObject([
      hook,
      {
        code: "branch-breached",
        message: `main stands at ${STRAY.slice(0, 12)}, and nobody released that: released moves lead to ${BASE.slice(0, 12)}`,
        fix: { input: { what: "main", commit: STRAY.slice(0, 12), from: BASE.slice(0, 12) } },
      },
    ]);
    it.git.stands.set(MAIN, { oid: BASE, symbolic: "refs/heads/side" });
    expect(await told(it)).toEqual([
      "branch-symbolic: main is no branch of its own any more: it stands for refs/heads/side",
    ]);
  });

  test("names what the branch did and nobody released, the last five times", async () => {
    const it = await fenced();
    const strayed = (from: string, to: string, at: number): string =>
      `branch-strayed: main went from ${from.slice(0, 12)} to ${to.slice(0, 12)} at ${new Date(at * 1000).toISOString()}, and nobody released that`;
    it.git.logged.set(MAIN, [
      { from: STRAY, to: oid("old"), at: NOON - 9e6 },
      { from: oid("old"), to: BASE, at: NOON - 9e6 },
      { from: BASE, to: STRAY, at: NOON },
      { from: STRAY, to: STRAY, at: NOON },
      { from: STRAY, to: BASE, at: NOON + 1 },
    ]);
    expect(await told(it)).toEqual([strayed(BASE, STRAY, NOON), strayed(STRAY, BASE, NOON + 1)]);
    // The reflog does not know where it stood any more: the time says which moves came after.
    it.git.logged.set(MAIN, [
      { from: STRAY, to: oid("old"), at: NOON - 9e6 },
      { from: oid("old"), to: BASE, at: NOON },
    ]);
    expect(await told(it)).toEqual([strayed(oid("old"), BASE, NOON)]);
    const start = Math.floor(Date.parse((await fenceStanding(it.parts)).fence?.since ?? "") / 1000);
    it.git.logged.set(MAIN, [{ from: STRAY, to: oid("old"), at: start }]);
    expect(await told(it)).toEqual([]);
    it.git.logged.set(MAIN, [
      { from: STRAY, to: BASE, at: start },
      { from: BASE, to: STRAY, at: start },
      { from: STRAY, to: BASE, at: start + 1 },
    ]);
    expect(await told(it)).toHaveLength(2);
    const many = Array.from({ length: 4 }, (_, at) => [
      { from: BASE, to: STRAY, at: NOON + at },
      { from: STRAY, to: BASE, at: NOON + at },
    ]);
    it.git.logged.set(MAIN, [{ from: "", to: BASE, at: start }, ...many.flat()]);
    expect(await told(it)).toHaveLength(5);
    expect((await told(it)).at(-1)).toBe(strayed(STRAY, BASE, NOON + 3));
  });

  test("lets no branch go where another one was let go", async () => {
    const side = "refs/heads/side";
    const it = await fenced({}, "base", ["main", "side"]);
    const { refs = {} } = (await fenceStanding(it.parts)).fence ?? {};
    expect(refs).toEqual({ [MAIN]: BASE, [side]: "" });
    commit(it.git, "stray", "base");
    await openFence(it.parts, ADA, { branch: "main", commit: STRAY, from: "nothing", reason: "r" });
    await openFence(it.parts, ADA, { branch: "main", commit: STRAY, reason: "r" });
    for (const ref of [MAIN, side]) it.git.stands.set(ref, { oid: STRAY });
    expect(await told(it)).toEqual([expect.stringMatching(/^branch-breached: side stands at/)]);
  });

  test("lets a move that was released once happen once", async () => {
    const it = await fenced();
    commit(it.git, "stray", "base");
    await openFence(it.parts, ADA, { branch: "main", commit: STRAY, reason: "by hand" });
    it.git.stands.set(MAIN, { oid: STRAY });
    const begun = { from: "", to: BASE, at: NOON - 9e6 };
    const moved = { from: BASE, to: STRAY, at: NOON };
    it.git.logged.set(MAIN, [begun, moved]);
    expect(await told(it)).toEqual([]);
    it.git.logged.set(MAIN, [begun, moved, { ...moved, from: STRAY, to: BASE }, moved]);
    expect(await told(it)).toHaveLength(2);
    expect((await fenceStanding(it.parts)).vouching).toEqual([REPOSITORY_STREAM]);
  });

  test("follows a commit that was made to what came after it, and forgets all of it when put up anew", async () => {
    const it = await fenced();
    await it.send();
    await it.report();
    const made = await wantedCommit(it);
    const engine = { actor: { kind: "engine", name: "holdpoint" }, session: "s-1" } as const;
    const detail = { oid: made.oid };
    await it.give({ type: "effect.settle", effect: "E-1", status: "done", detail }, engine);
    commit(it.git, "stray", "", { parents: [made.oid] });
    it.git.stands.set(MAIN, { oid: made.oid });
    await openFence(it.parts, ADA, { branch: "main", commit: STRAY, reason: "by hand" });
    it.git.stands.set(MAIN, { oid: STRAY });
    expect(await fenceStanding(it.parts)).toMatchObject({
      branches: [{ tip: STRAY, released: STRAY }],
      vouching: [REPOSITORY_STREAM, "press:x"],
    });
    const side = "refs/heads/side";
    it.git.stands.set(side, { oid: made.oid });
    await takeFence(it.parts, ADA, "anew");
    await putFence(it.parts, ADA, ["main", "side"]);
    const anew = {
      branches: [{ released: STRAY }, { released: made.oid }],
      problems: [],
      vouching: [REPOSITORY_STREAM],
    };
    expect(await fenceStanding(it.parts)).toMatchObject(anew);
    const old = { from: BASE, to: made.oid, at: NOON };
    it.git.logged.set(MAIN, [old]);
    it.git.logged.set(side, [old]);
    expect((await told(it)).map((one) => one.slice(0, 20))).toEqual([
      "branch-strayed: main",
      "branch-strayed: side",
    ]);
  });

  test("counts what people signed elsewhere only where nobody works", async () => {
    const it = await fenced();
    commit(it.git, "stray", "base");
    agree(it.git, "base", { policy: { strength: "signed" } }, ["ben key-ben"]);
    it.git.carried.set(STRAY, [JSON.stringify(release({ from: "base", to: "stray", by: "ben" }))]);
    it.git.stands.set(MAIN, { oid: STRAY });
    it.git.logged.set(MAIN, [
      { from: "", to: BASE, at: 1 },
      { from: BASE, to: STRAY, at: NOON },
    ]);
    expect(await told(it)).toHaveLength(2);
    const place = { kind: "none", why: "bare", message: "bare" } as const;
    const there = await fenceStanding({ ...it.parts, place });
    expect(there).toMatchObject({ problems: [], branches: [{ released: STRAY }] });
  });

  test("is believed as far as the journals that vouch for it", async () => {
    const it = await fenced();
    expect((await provenStanding(it.parts)).problems).toEqual([]);
    const { head } = await it.parts.journal.load(REPOSITORY_STREAM);
    const body = { command: "odd", actor: "person:ada", session: "s", used: {}, events: [] };
    await it.parts.journal.append(REPOSITORY_STREAM, head, { id: "1", at: "2026-03-01", body });
    expect((await fenceStanding(it.parts)).problems).toEqual([]);
    it.git.stands.set(MAIN, { oid: STRAY });
    expect((await provenStanding(it.parts)).problems).toMatchObject([
      { code: "branch-breached" },
      { code: "fence-journal" },
    ]);
  });
});

describe("before any command", () => {
  test("nothing is said of a fence that was taken down, or never there", async () => {
    expect(await fenceBreaches(pressAt().parts)).toEqual([]);
    const it = await fenced();
    expect(await fenceBreaches(it.parts)).toEqual([]);
    await takeFence(it.parts, ADA, "no longer");
    expect(await fenceBreaches(it.parts)).toEqual([]);
  });

  test("a fence that is forgotten is told", async () => {
    const it = await fenced();
    await fenceBreaches(it.parts);
    const parts = pressAt({ parts: () => ({ fencing: it.git.fencing }) }).parts;
    expect(await fenceBreaches(parts)).toEqual([expect.stringMatching(/^A fence was put up here/)]);
  });

  test("what was in order is looked at again only when something has changed", async () => {
    const it = await fenced();
    await fenceBreaches(it.parts);
    let looks = 0;
    const look = async (): Promise<readonly never[]> => ((looks += 1), []);
    const parts = { ...it.parts, fencing: { ...it.git.fencing, look } };
    expect(await fenceBreaches(parts)).toEqual([]);
    expect(looks).toBe(0);
    it.git.stands.set(MAIN, { oid: STRAY });
    const breaches = await fenceBreaches(parts);
    expect(breaches).toEqual([
      expect.stringMatching(
        /^main stands at .*, and nobody released that: .*\. Look at it and put the branch back/,
      ),
    ]);
    expect(await fenceBreaches(parts)).toEqual(breaches);
    expect(looks).toBe(2);
    it.git.stands.set(MAIN, { oid: BASE });
    expect(await fenceBreaches({ ...damaged(it), fencing: parts.fencing })).toEqual([
      expect.stringMatching(/^Whether there is a fence is not known/),
    ]);
  });
});
