/** Putting a fence up, taking it down, opening it: whose it is, and what is left when it fails. */
import { describe, expect, test } from "vitest";
import { around, commit, fenced, HOOK, MAIN, oid } from "../../../test/fenced.ts";
import type { Around, Fenced } from "../../../test/fenced.ts";
import { ADA, BOT, pressAt } from "../../../test/press.ts";
import type { PressOptions } from "../../../test/press.ts";
import { repositoryFamily } from "../../protocols/repository/index.ts";
import type { Parts } from "../parts.ts";
import { openFence, putFence, takeFence } from "./put.ts";
import type { FenceDone } from "./put.ts";
import { fenceOf, REPOSITORY_STREAM } from "./state.ts";
import type { Fence } from "./state.ts";

function bare(
  more: PressOptions = {},
  git: Around = around(),
): { readonly parts: Parts; readonly git: Around } {
  const { parts } = pressAt({
    repository: true,
    beside: [repositoryFamily],
    ...more,
    parts: (all, memory) => ({ fencing: git.fencing, ...more.parts?.(all, memory) }),
  });
  return { parts, git };
}

async function up(parts: Parts): Promise<Fence | undefined> {
  return fenceOf((await parts.journal.load(REPOSITORY_STREAM)).state);
}

function toldOf(done: FenceDone): string {
  if ("code" in done) return done.code;
  const { outcome } = done;
  if (outcome.kind === "refused") return outcome.refusals.map(({ code }) => code).join();
  return outcome.kind;
}

const refsOf = (fence: Fence | undefined): readonly string[] => Object.keys(fence?.refs ?? {});

describe("a fence that is put up", () => {
  interface Branches {
    readonly named?: readonly string[];
    readonly configured?: readonly string[];
    readonly there?: readonly string[];
  }
  const stood = oid("base");
  test.each<[string, Branches, Readonly<Record<string, string>>]>([
    [
      "the branches that are named",
      { named: ["main", "refs/heads/side"], there: ["main"] },
      { [MAIN]: stood, "refs/heads/side": "" },
    ],
    [
      "those of the configuration",
      { configured: ["trunk"], there: ["main"] },
      { "refs/heads/trunk": "" },
    ],
    ["the usual ones that are there", { there: ["master"] }, { "refs/heads/master": stood }],
    ["the one that is checked out, where none of them is", {}, { [MAIN]: "" }],
  ])("stands around %s", async (_, { named = [], configured = [], there = [] }, refs) => {
    const { parts, git } = bare({ config: { protected: configured } });
    for (const branch of there) git.stands.set(`refs/heads/${branch}`, { oid: stood });
    expect(toldOf(await putFence(parts, ADA, named))).toBe("done");
    expect(await up(parts)).toMatchObject({ refs, hook: HOOK });
    expect(git.did).toContain(`put ${Object.keys(refs).join(" ")}`);
  });

  test("needs a branch whose name is one", async () => {
    const detached = bare({
      parts: (all) => ({ git: { ...all.git, branch: async () => undefined } }),
    });
    expect(await putFence(detached.parts, ADA, [])).toMatchObject({
      code: "fence-no-branch",
      message: "There is no branch to protect",
    });
  });

  test.each(["a b", "a..b", "a@{1}", "a/", "a.lock", "a//b", "a~", "a\\b", "", "refs/"])(
    "needs another name than %j",
    async (name) => {
      const { parts, git } = bare();
      expect(await putFence(parts, ADA, ["main", name])).toMatchObject({
        code: "fence-no-branch",
        message: expect.stringMatching(/^There is no branch to protect of that name: /),
      });
      expect(git.did).toEqual([]);
    },
  );

  test("again protects what it protected, from where that stood then", async () => {
    const { parts, git } = bare();
    git.stands.set(MAIN, { oid: oid("base") });
    await putFence(parts, ADA, ["main"]);
    const before = await up(parts);
    git.stands.set(MAIN, { oid: oid("later") });
    await putFence(parts, ADA, ["side"]);
    expect(git.did.at(-1)).toMatch(/^put refs\/heads\/\w+ refs\/heads\/\w+$/);
    expect(await up(parts)).toEqual({
      ...before,
      refs: { ...before?.refs, "refs/heads/side": "" },
    });
    await putFence(parts, ADA, []);
    expect(refsOf(await up(parts)).toSorted()).toEqual([MAIN, "refs/heads/side"]);
    expect(git.did.at(-1)).toMatch(/^put refs\/heads\/\w+ refs\/heads\/\w+$/);
    expect((await up(parts))?.refs[MAIN]).toBe(oid("base"));
  });

  test("is a person's: an agent puts up no hook, and changes none that stands", async () => {
    const { parts, git } = bare();
    expect(toldOf(await putFence(parts, BOT, ["main"]))).toMatch(/^[a-z-]+$/);
    expect(await up(parts)).toBeUndefined();
    expect(git.did).toEqual([]);
    await putFence(parts, ADA, ["main"]);
    const { did } = git;
    did.length = 0;
    expect(toldOf(await putFence(parts, BOT, ["main"]))).not.toBe("done");
    expect(did).toEqual([]);
  });

  test("needs a hook, a repository, and a journal that takes its first record", async () => {
    const odd = { code: "hook-odd", message: "odd", fix: "Mend it." };
    const git = around({ put: async () => odd });
    expect(await putFence(bare({}, git).parts, ADA, ["main"])).toEqual(odd);
    const none = bare({ repository: false });
    expect(await putFence(none.parts, ADA, ["main"])).toMatchObject({ code: "no-repository" });
    expect(toldOf(await takeFence(none.parts, ADA, "x"))).toBe("no-repository");
    expect(toldOf(await openFence(none.parts, ADA, { branch: "main", reason: "x" }))).toBe(
      "no-repository",
    );
    const place = { kind: "none", why: "bare", message: "bare" } as const;
    expect(toldOf(await putFence(bare({ parts: () => ({ place }) }).parts, ADA, ["main"]))).toBe(
      "done",
    );
    const failed = { kind: "failed", code: "disk", message: "full" } as const;
    const full = bare({
      parts: (all) => ({ journal: { ...all.journal, append: async () => failed } }),
    });
    expect(toldOf(await putFence(full.parts, ADA, ["main"]))).toBe("failed");
    expect(full.git.did).toEqual([]);
    const without = bare({ beside: [] });
    await expect(putFence(without.parts, ADA, ["main"])).rejects.toThrow(
      "protocol of the repository",
    );
  });
});

describe("a fence that is taken down", () => {
  test("is no fence any more, and its hook goes", async () => {
    const it = await fenced();
    expect(toldOf(await takeFence(it.parts, ADA, "done with it"))).toBe("done");
    expect(await up(it.parts)).toBeUndefined();
    expect(it.git.did.slice(-2)).toEqual(["keep nothing", "take"]);
    expect(await takeFence(it.parts, ADA, "again")).toMatchObject({
      code: "fence-absent",
      fix: { operation: "fence", input: { action: "install" } },
    });
  });

  test("stays where it is not a person who says so, and tells what the hook would not do", async () => {
    const it = await fenced();
    it.git.did.length = 0;
    expect(toldOf(await takeFence(it.parts, BOT, "out of the way"))).not.toBe("done");
    expect(await up(it.parts)).toBeDefined();
    expect(it.git.did).toEqual([]);
    const odd = { code: "hook-odd", message: "odd", fix: "Mend it." };
    const fencing = { ...it.git.fencing, take: async () => odd };
    expect(await takeFence({ ...it.parts, fencing }, ADA, "x")).toEqual(odd);
  });
});

describe("a fence that is opened", () => {
  async function opening(): Promise<Fenced> {
    const it = await fenced();
    commit(it.git, "other", "base");
    return it;
  }

  const openings = async (it: Fenced): Promise<readonly object[]> =>
    (await up(it.parts))?.openings ?? [];

  test("by a person lets one move by: from where it stands, or from where it is said to have come", async () => {
    const it = await opening();
    const other = oid("other");
    expect(
      toldOf(await openFence(it.parts, ADA, { branch: "main", commit: other, reason: "r" })),
    ).toBe("done");
    await openFence(it.parts, ADA, { branch: MAIN, delete: true, reason: "r" });
    await openFence(it.parts, ADA, { branch: "main", commit: other, from: "nothing", reason: "r" });
    await openFence(it.parts, ADA, {
      branch: "main",
      commit: oid("base"),
      from: other.slice(0, 8),
      reason: "r",
    });
    const base = oid("base");
    expect(await openings(it)).toMatchObject([
      { ref: MAIN, from: base, to: other, by: "person:ada" },
      { from: base, to: "" },
      { from: "", to: other },
      { from: other, to: base },
    ]);
    const { decisions } = (await it.parts.journal.load(REPOSITORY_STREAM)).state;
    expect(Object.values(decisions)[0]?.about).toMatchObject({ branch: "main", reason: "r" });
  });

  test("by an agent is a question", async () => {
    const it = await opening();
    const asked = await openFence(it.parts, BOT, {
      branch: "main",
      commit: oid("other"),
      reason: "r",
    });
    expect(toldOf(asked)).toBe("held");
    expect(await openings(it)).toEqual([]);
  });

  test("answers for the very move that a person asked for, also where others are asked about", async () => {
    const it = await opening();
    commit(it.git, "third", "base");
    await openFence(it.parts, BOT, { branch: "main", commit: oid("third"), reason: "r" });
    await openFence(it.parts, BOT, {
      branch: "main",
      commit: oid("third"),
      from: "nothing",
      reason: "r",
    });
    expect(
      toldOf(await openFence(it.parts, ADA, { branch: "main", commit: oid("other"), reason: "r" })),
    ).toBe("held");
    expect(await openings(it)).toMatchObject([{ to: oid("other"), from: oid("base") }]);
  });

  test.each([
    [
      "side",
      { commit: "other" },
      "fence-no-branch",
      "side is not protected, so it needs no opening",
    ],
    ["main", { commit: "unread" }, "commit-unknown", `git knows no commit "${oid("unread")}"`],
    [
      "main",
      { commit: "other", from: "unread" },
      "commit-unknown",
      `git knows no commit "${oid("unread")}"`,
    ],
  ])("around %s only for %j", async (branch, ends, code, message) => {
    const it = await opening();
    const named = Object.fromEntries(Object.entries(ends).map(([name, of]) => [name, oid(of)]));
    expect(await openFence(it.parts, ADA, { branch, ...named, reason: "r" })).toMatchObject({
      code,
      message,
    });
  });

  test("has to be there", async () => {
    const { parts } = bare();
    expect(toldOf(await openFence(parts, ADA, { branch: "main", reason: "r" }))).toBe(
      "fence-absent",
    );
  });
});
