/** Releases that came along with commits: every way in which one of them is none. */
import { describe, expect, test } from "vitest";
import { agree, around, commit, MAIN, oid, release, SIGNATURES } from "../../../test/fenced.ts";
import type { Around, Release } from "../../../test/fenced.ts";
import { pressAt } from "../../../test/press.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import type { Parts } from "../parts.ts";
import { carriedMoves, carryRelease, judgeCarried } from "./carried.ts";
import type { Arriving } from "./carried.ts";

const MOVE = { ref: MAIN, from: oid("old"), to: oid("new") };
const SIGNED = { strength: "signed", notAuthor: false };

interface Case extends Release {
  readonly policy?: JsonObject;
  readonly config?: JsonObject | string;
  readonly commit?: Partial<CommitFacts>;
  readonly arriving?: Arriving;
  /** What came along, where it is not one release. */
  readonly sources?: readonly string[];
}

const SIGNERS = ["ada key-ada", "ben key-ben", "ben sk-ben", "bea key-ben", "cy key-cy"];

function standing(around_: Around): Parts {
  const { parts } = pressAt({
    parts: (all) => ({
      fencing: around_.fencing,
      signatures: { ...all.signatures, ...SIGNATURES },
    }),
  });
  return parts;
}

async function judged(one: Case): Promise<string | undefined> {
  const git = around();
  commit(git, "old");
  commit(git, "new", "old", one.commit);
  agree(git, "old", one.config ?? { policy: one.policy ?? SIGNED, protected: ["main"] }, SIGNERS);
  git.carried.set(MOVE.to, [...(one.sources ?? [JSON.stringify(release(one))])]);
  return await judgeCarried(standing(git), MOVE, one.arriving);
}

const whole = (one: Release): string => JSON.stringify(release(one));
const without = (name: string): string => {
  const { [name]: _, ...rest } = release() as unknown as JsonObject;
  return JSON.stringify(rest);
};
const at = (now: string): Arriving => ({ now: `2026-03-01T${now}Z` });

describe("a release that came along", () => {
  test.each<[string, Case]>([
    ["as it was signed", {}],
    ["by the last minute that is allowed", { policy: { ...SIGNED, minutes: 30 } }],
    ["while it counts", { arriving: at("10:30:00.000") }],
    ["by a clock that is two minutes late", { arriving: at("09:58:00.000") }],
    [
      "by a commit that is two minutes ahead",
      { commit: { at: Date.parse("2026-03-01T10:02:00Z") / 1000 } },
    ],
    ["by somebody who made nothing of it", { policy: { ...SIGNED, notAuthor: true }, by: "ben" }],
    ["by one of those who are named", { policy: { ...SIGNED, by: ["ada", "ben"] } }],
    ["by a key in a device", { policy: { ...SIGNED, hardware: true }, by: "ben", key: "sk-ben" }],
    [
      "after others that hold for nothing",
      { sources: ["{}", whole({ key: "key-cy" }), whole({})] },
    ],
    [
      "by two people, one of whom said no before",
      {
        policy: { ...SIGNED, people: 2 },
        sources: [
          whole({}),
          whole({ says: { choice: "no", nonce: "n-2", at: "2026-03-01T09:05:00.000Z" } }),
          whole({ by: "ben" }),
        ],
      },
    ],
    [
      "by two people",
      { policy: { ...SIGNED, people: 2 }, sources: [whole({}), whole({ by: "ben" })] },
    ],
  ])("counts %s", async (_, one) => {
    expect(await judged(one)).toBeUndefined();
  });

  const stood = `${oid("old").slice(0, 12)}, where it stands, has no policy that asks for signatures`;
  const allowed = (from: string, until: string, minutes = 30): string =>
    `its release counts from 2026-03-01T${from}.000Z to 2026-03-01T${until}.000Z, and ${minutes} minutes are allowed`;
  test.each<[string, string, Case]>([
    ["no policy", stood, { config: {} }],
    ["no configuration", stood, { config: "" }],
    ["a policy that asks for less", stood, { policy: { strength: "presence" } }],
    ["nothing", "no signed release of it came along", { sources: [] }],
    ["no JSON", "what came along as its release cannot be read", { sources: ["x"] }],
    ["a list", "what came along as its release cannot be read", { sources: ["[]"] }],
    ["no card", "what came along as its release cannot be read", { sources: [without("card")] }],
    [
      "no statement",
      "what came along as its release cannot be read",
      { sources: [without("statement")] },
    ],
    [
      "no signature",
      "what came along as its release cannot be read",
      { sources: [without("signature")] },
    ],
    [
      "another card",
      "what came along as its release is not what was signed",
      { says: { card: "other" } },
    ],
    ["another choice", 'ada has said "no" to it', { says: { choice: "no" } }],
    [
      "another gate",
      "what was signed is of repository/accept, which lets no branch move",
      { says: { gate: "accept" } },
    ],
    [
      "another protocol",
      "what was signed is of press/open-fence, which lets no branch move",
      { says: { protocol: "press" } },
    ],
    [
      "another move",
      `what was released is side from ${oid("old").slice(0, 12)} to ${oid("new").slice(0, 12)}`,
      { ref: "refs/heads/side" },
    ],
    [
      "another question's card",
      "what was released is  from nothing to nothing",
      { card: { question: { question: "other", about: MOVE } } },
    ],
    [
      "a minute too many",
      allowed("10:00:00", "10:30:00", 29),
      { policy: { ...SIGNED, minutes: 29 } },
    ],
    [
      "no time at all",
      allowed("10:00:00", "10:00:00"),
      { says: { expires: "2026-03-01T10:00:00.000Z" } },
    ],
    [
      "a time that is none",
      "its release counts from then to 2026-03-01T10:30:00.000Z, and 30 minutes are allowed",
      { says: { at: "then" } },
    ],
    [
      "a commit made later",
      "its release is older than the commit",
      { commit: { at: Date.parse("2026-03-01T10:02:01Z") / 1000 } },
    ],
    [
      "a time that is over",
      "its release counted from 2026-03-01T10:00:00.000Z to 2026-03-01T10:30:00.000Z, and it is 2026-03-01T10:30:00.001Z",
      { arriving: at("10:30:00.001") },
    ],
    [
      "a time that has not begun",
      "its release counted from 2026-03-01T10:00:00.000Z to 2026-03-01T10:30:00.000Z, and it is 2026-03-01T09:57:59.999Z",
      { arriving: at("09:57:59.999") },
    ],
    [
      "whoever has no word",
      "cy is none of those whose word counts",
      { policy: { ...SIGNED, by: ["ada"] }, by: "cy" },
    ],
    [
      "who made it",
      "ada made some of it, and whoever did so does not release it",
      { policy: { ...SIGNED, notAuthor: true } },
    ],
    ["another's key", "its release does not hold: that key does not count", { key: "key-cy" }],
    [
      "no device",
      "the key of ben is kept in no device, or that was not touched",
      { policy: { ...SIGNED, hardware: true }, by: "ben" },
    ],
    ["too few", "1 of 2 people have released it", { policy: { ...SIGNED, people: 2 } }],
    [
      "one person with two keys",
      "1 of 2 people have released it",
      {
        policy: { ...SIGNED, people: 2 },
        sources: [whole({ by: "ben" }), whole({ by: "ben", key: "sk-ben" })],
      },
    ],
    [
      "one key under two names",
      "1 of 2 people have released it",
      {
        policy: { ...SIGNED, people: 2 },
        sources: [whole({ by: "ben" }), whole({ by: "bea", key: "key-ben" })],
      },
    ],
    [
      "two people, one of whom said no afterwards",
      "1 of 2 people have released it",
      {
        policy: { ...SIGNED, people: 2 },
        sources: [
          whole({ says: { choice: "no", nonce: "n-2", at: "2026-03-01T10:05:00.000Z" } }),
          whole({}),
          whole({ by: "ben" }),
        ],
      },
    ],
    [
      "two people who saw different things",
      "1 of 2 people have released it",
      {
        policy: { ...SIGNED, people: 2 },
        sources: [
          whole({}),
          whole({
            by: "ben",
            card: { tree: "t", question: { question: "open-fence", about: MOVE } },
          }),
        ],
      },
    ],
  ])("does not count with %s", async (_, why, one) => {
    expect(await judged(one)).toBe(why);
  });

  test("is none of a commit, or of an end, that cannot be read", async () => {
    const git = around();
    commit(git, "old");
    agree(git, "old", { policy: SIGNED }, SIGNERS);
    git.carried.set(MOVE.to, [whole({})]);
    const parts = standing(git);
    const unreadable = "not all of it can be read here";
    expect(await judgeCarried(parts, MOVE)).toBe(unreadable);
    commit(git, "new", "between");
    expect(await judgeCarried(parts, MOVE)).toBe(unreadable);
    const range = async (): Promise<readonly string[]> => [oid("between"), MOVE.to];
    const fencing = { ...git.fencing, range };
    expect(await judgeCarried({ ...parts, fencing }, MOVE)).toBe(unreadable);
    // As where history was cut off behind it.
    const cut = { ...git.fencing, range: async (): Promise<readonly string[]> => [MOVE.to] };
    expect(await judgeCarried({ ...parts, fencing: cut }, MOVE)).toBe(unreadable);
    commit(git, "between", "old");
    expect(await judgeCarried(parts, MOVE)).toBeUndefined();
    const none = { ...git.fencing, range: async () => [] };
    expect(await judgeCarried({ ...parts, fencing: none }, MOVE)).toBe(unreadable);
  });

  test("does not count by whoever made one commit of several", async () => {
    const git = around();
    commit(git, "old");
    commit(git, "between", "old", { people: ["ben"] });
    commit(git, "new", "between");
    agree(git, "old", { policy: { strength: "signed", notAuthor: true } }, SIGNERS);
    git.carried.set(MOVE.to, [whole({ by: "ben" })]);
    expect(await judgeCarried(standing(git), MOVE)).toMatch(/^ben made some of it/);
  });

  test("may be what a push is just bringing", async () => {
    const git = around();
    commit(git, "old");
    commit(git, "new", "old");
    agree(git, "old", { policy: SIGNED }, SIGNERS);
    const ref = "refs/holdpoint/releases/1";
    git.carried.set(ref, [whole({})]);
    const parts = standing(git);
    expect(await judgeCarried(parts, MOVE)).toBe("no signed release of it came along");
    expect(await judgeCarried(parts, MOVE, { brought: [{ ref, to: "x" }] })).toBeUndefined();
  });
});

describe("what is carried", () => {
  test("is what was signed about a move, yes or no, under its nonce, and nothing else", async () => {
    const git = around();
    const parts = standing(git);
    const { card, statement, signature } = release();
    const proof = { strength: "signed", statement, signature, key: "k" } as const;
    await carryRelease(parts, card, { ...proof, signature: undefined } as unknown as typeof proof);
    await carryRelease(parts, { question: null }, proof);
    await carryRelease(parts, card, { ...proof, statement: "{}" });
    expect(git.did).toEqual([]);
    await carryRelease(parts, card, proof);
    expect(git.did).toEqual(["carry nonce-ada"]);
    expect(git.carried.get(MOVE.to)).toEqual([JSON.stringify({ card, statement, signature })]);
    const no = release({ says: { choice: "no", nonce: "later" } }).statement;
    await carryRelease(parts, card, { ...proof, statement: no });
    expect(git.did.at(-1)).toBe("carry later");
  });
});

describe("moves that were carried", () => {
  const [one, two, three] = ["one", "two", "three"].map(oid) as [string, string, string];

  function walk(): { readonly git: Around; readonly parts: Parts } {
    const git = around();
    for (const [name, before] of [
      ["one", ""],
      ["two", "one"],
      ["three", "two"],
    ] as const) {
      commit(git, name, before);
      agree(git, name, { policy: SIGNED }, SIGNERS);
    }
    git.carried.set(two, [whole({ from: "one", to: "two" })]);
    git.carried.set(three, [
      "[]",
      "{}",
      whole({ key: "key-cy", from: "two", to: "three" }),
      whole({ from: "two", to: "three" }),
    ]);
    return { git, parts: standing(git) };
  }

  test("lead back from the tip to where the fence stood, the newest first", async () => {
    const { git, parts } = walk();
    const ends = { from: one, tip: three };
    expect(await carriedMoves(parts, MAIN, ends)).toEqual([
      { ref: MAIN, from: two, to: three },
      { ref: MAIN, from: one, to: two },
    ]);
    expect(await carriedMoves(parts, MAIN, { from: two, tip: three })).toHaveLength(1);
    expect(await carriedMoves(parts, MAIN, { from: one, tip: one })).toEqual([]);
    expect(await carriedMoves(parts, "refs/heads/side", ends)).toEqual([]);
    const past = whole({ from: "one", to: "three" });
    git.carried.set(two, [past]);
    git.carried.set(three, [whole({ from: "two", to: "three" }), past]);
    expect(await carriedMoves(parts, MAIN, ends)).toEqual([{ ref: MAIN, from: two, to: three }]);
    git.carried.set(two, [whole({ from: "one", to: "two", key: "key-cy" })]);
    expect(await carriedMoves(parts, MAIN, ends)).toHaveLength(1);
  });

  test("that lead round in a circle end", async () => {
    const { git, parts } = walk();
    commit(git, "one", "three");
    git.carried.set(one, [whole({ from: "three", to: "one" })]);
    const fencing = {
      ...git.fencing,
      range: async (asked: string) => [asked.split("..")[1] ?? ""],
    };
    const found = await carriedMoves({ ...parts, fencing }, MAIN, { from: "nowhere", tip: three });
    expect(found.map(({ to }) => to)).toEqual([three, two]);
  });
});
