/** What a person is shown, whose work it is, and what has changed since. */
import { describe, expect, test } from "vitest";
import { accepted, ADA, press, written } from "../../../test/press.ts";
import type { Press } from "../../../test/press.ts";
import type { Refusal } from "../../core/decide/answer.ts";
import type { Workflow } from "../../core/state/state.ts";
import { toJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { cardIn } from "../look/look.ts";
import { oneLook } from "../look/reading.ts";
import { openWorld } from "../parts.ts";
import { lookAuthors } from "./card.ts";
import type { Card } from "./card.ts";
import { seenOf, tellChanged } from "./changed.ts";
import { unfulfilled } from "./fulfil.ts";

async function cardAt(it: Press, hold = "", state?: Workflow): Promise<Card> {
  const of = { family: it.family, state: state ?? (await it.state()) };
  const card = await cardIn(openWorld(oneLook(it.parts)), of, hold);
  if (typeof card === "string") throw new Error(card);
  return card;
}

async function holdOf(it: Press): Promise<string> {
  return Object.values((await it.state()).decisions)[0]?.id ?? "";
}

describe("a card", () => {
  test("shows the question, the work beside its claim, and where all of it stands", async () => {
    const it = await written();
    const hold = await holdOf(it);
    expect(await cardAt(it, hold)).toEqual({
      protocol: "press",
      workflow: "x",
      at: "Written",
      question: expect.objectContaining({
        id: hold,
        question: "publish",
        prompt: "Print x?",
        options: [
          { id: "yes", label: "Print" },
          { id: "no", label: "Again" },
          { id: "other", label: "Other" },
        ],
        about: {},
        bound: { "digest:x.md": expect.stringMatching(/^sha256:/) },
      }),
      tree: expect.stringMatching(/^[0-9a-f]{64}$/),
      evidence: [],
      work: [
        {
          id: "W-1",
          role: "writer",
          agent: null,
          session: "human:ada",
          status: "ended",
          outcome: "success",
          claimed: { agent: "writer", outcome: "success" },
          measured: { commits: [], files: {}, moved: {} },
        },
      ],
      authors: ["ada"],
      waivers: [],
      rule: expect.objectContaining({ strength: "word", people: 1 }),
      weakened: [],
    });
    expect((await cardAt(it)).question).toBeNull();
  });

  test("of a tree that cannot be read says so instead", async () => {
    const it = await written();
    const hold = await holdOf(it);
    it.files.set("odd", {
      kind: "unreadable",
      code: "EIO",
      message: "odd",
      fix: "Mend it.",
    } as never);
    await expect(cardAt(it, hold)).rejects.toThrow("cannot be read");
  });

  test("tells evidence that holds from what is stale, and waivers from both", async () => {
    const it = await written();
    const state = await it.state();
    const finding = { unit: ".", by: "person:ada", value: "fine", seq: 3, at: "" };
    const findings = {
      a: { ...finding, kind: "seen", bound: { "digest:x.md": "gone" } },
      b: { ...finding, kind: "read", bound: {} },
      c: { ...finding, kind: "waiver:publish", bound: {} },
    };
    const notes = [
      { list: "waivers", tag: "publish", text: "no ink" },
      { list: "timeline", tag: "t", text: "other" },
    ];
    const more = { ...state, findings, notes } as unknown as Workflow;
    const card = await cardAt(it, "", more);
    expect(card.evidence.map(({ kind, holds }) => [kind, holds])).toEqual([
      ["seen", false],
      ["read", true],
    ]);
    expect(card.waivers).toEqual([
      { unit: ".", gate: "publish", by: "person:ada", value: "fine" },
      { gate: "publish", reason: "no ink" },
    ]);
    const { ".": _, ...units } = state.units;
    expect((await cardAt(it, "", { ...state, units })).at).toBe("");
  });
});

describe("authors", () => {
  const dispatch = (session: string, commits?: readonly string[]): JsonObject => ({
    session,
    ...(commits === undefined ? {} : { measured: { commits: [...commits] } }),
  });

  async function authors(state: JsonObject, known?: readonly string[]): Promise<unknown> {
    const it = await press();
    const asked: (readonly string[])[] = [];
    const git = {
      ...it.parts.git,
      authors: async (commits: readonly string[]) => (asked.push(commits), known),
    };
    const whole = { effects: {}, dispatches: {}, ...state } as unknown as Workflow;
    const told = await lookAuthors({ ...openWorld(it.parts), git }, "", whole);
    return { told: toJson(told), asked: asked[0] };
  }

  test("are who wrote its commits, who saved it and whose session reported, each once", async () => {
    const savepoint = { author: { name: "ada", email: "a@x" } };
    expect(
      await authors(
        {
          effects: { a: { args: { savepoint } }, b: { args: {} } },
          dispatches: {
            a: dispatch("human:zoe", ["abcdef1 Write", "odd"]),
            b: dispatch("s-1", ["abcdef1 Write", "abcdef2 More"]),
          },
        },
        ["cy", "ada"],
      ),
    ).toEqual({ told: ["a@x", "ada", "cy", "zoe"], asked: ["abcdef1", "abcdef2"] });
  });

  test("are not known where git does not know a commit", async () => {
    expect(await authors({ dispatches: { a: dispatch("s-1", ["abcdef1"]) } })).toMatchObject({
      told: { unknown: "git does not know a commit that was made meanwhile" },
    });
    expect(await authors({ dispatches: { a: dispatch("human:zoe") } })).toMatchObject({
      told: ["zoe"],
    });
  });
});

describe("a release that is stale", () => {
  const STALE: Refusal = {
    code: "release-stale",
    message: "It has changed",
    fix: "Look again.",
    rule: "core",
  };
  const OTHER: Refusal = { ...STALE, code: "other" };

  async function changed(change: (it: Press, card: Card) => void): Promise<readonly string[]> {
    const it = await written();
    const of = { family: it.family, state: await it.state() };
    const world = openWorld(oneLook(it.parts));
    const hold = await holdOf(it);
    const card = await cardAt(it, hold);
    const shown = { ...card };
    const seen = await seenOf(world, of, hold, shown);
    change(it, shown);
    const now = openWorld(oneLook(it.parts));
    return (await tellChanged(now, of, seen, [STALE, OTHER])).map(({ message }) => message);
  }

  test.each<[string, (it: Press, card: Card) => void, string]>([
    ["nothing", () => undefined, "It has changed"],
    ["a file", (it) => it.files.set("x.md", "other"), "It has changed: x.md"],
    ["a new file", (it) => it.files.set("y.md", "y"), "It has changed: y.md"],
    ["a file that went", (it) => it.files.delete("x.md"), "It has changed: x.md"],
    [
      "many files",
      (it) => ["a", "b", "c", "d", "e", "f", "g"].forEach((one) => it.files.set(one, one)),
      "It has changed: a, b, c, d, e and 2 more files",
    ],
    [
      "five files",
      (it) => ["a", "b", "c", "d", "e"].forEach((one) => it.files.set(one, one)),
      "It has changed: a, b, c, d, e",
    ],
    ...(
      [
        ["question", "the question"],
        ["at", "where the workflow stands"],
        ["evidence", "what vouches for it"],
        ["work", "the work"],
        ["authors", "who made it"],
        ["waivers", "what is waived"],
        ["rule", "the policy"],
        ["weakened", "what is weaker than agreed"],
      ] as const
    ).map(([part, words]): [string, (it: Press, card: Card) => void, string] => [
      part,
      (_, card) => void Object.assign(card, { [part]: "other" }),
      `It has changed: ${words}`,
    ]),
  ])("names %s", async (_, change, told) => {
    expect(await changed(change)).toEqual([told, "It has changed"]);
  });

  test("and anything else is left as it was said", async () => {
    const it = await written();
    const of = { family: it.family, state: await it.state() };
    const world = openWorld(oneLook(it.parts));
    const card = await cardAt(it);
    const seen = { hold: "", card, files: new Map() };
    expect(await tellChanged(world, of, seen, [OTHER])).toEqual([OTHER]);
    it.files.set("odd", {
      kind: "unreadable",
      code: "EIO",
      message: "odd",
      fix: "Mend it.",
    } as never);
    const later = openWorld(oneLook(it.parts));
    expect(await tellChanged(later, of, seen, [STALE])).toEqual([STALE]);
    expect(accepted(await it.give({ type: "lease.release" }, ADA)).kind).toBeDefined();
  });
});

describe("a policy that nobody could fulfil", () => {
  const key = (name: string, at: string, type = "ssh-ed25519"): string =>
    `${name} ${type} ${at.repeat(68)} a comment`;
  const sk = "sk-ssh-ed25519@openssh.com";
  test.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ["one person", {}, [], []],
    ["two words of anybody", { people: 2 }, [], []],
    ["two words of one", { people: 2, by: ["ada", "ada"] }, [], ["*/*"]],
    ["one signature", { strength: "signed" }, [key("ada", "A")], []],
    ["no key", { strength: "signed" }, [], ["*/*"]],
    ["a key of another", { strength: "signed", by: ["ben"] }, [key("ada", "A")], ["*/*"]],
    ["a key of one of them", { strength: "signed", by: ["ada", "ben"] }, [key("ben,bea", "B")], []],
    ["two of two", { strength: "signed", people: 2 }, [key("ada", "A"), key("ben", "B")], []],
    [
      "one with two keys",
      { strength: "signed", people: 2 },
      [key("ada", "A"), key("ada", "B")],
      ["*/*"],
    ],
    [
      "two with one key",
      { strength: "signed", people: 2 },
      [key("ada", "A"), key("ben", "A")],
      ["*/*"],
    ],
    ["a pattern", { strength: "signed", people: 2 }, [key("*@x", "A"), key("ben", "B")], []],
    ["a key in no device", { strength: "signed", hardware: true }, [key("ada", "A")], ["*/*"]],
    ["a key in a device", { strength: "signed", hardware: true }, [key("ada", "A", sk)], []],
    ["a revoked key", { strength: "signed" }, [key("ada", "R")], ["*/*"]],
    [
      "a gate by itself",
      { gates: { "press/publish": { strength: "signed", people: 3 } } },
      [key("ada", "A"), key("ben", "B")],
      ["press/publish"],
    ],
  ])("%s", (_, said, signers, gates) => {
    const policy = { gates: {}, ...said };
    const revoked = `ssh-ed25519 ${"R".repeat(68)}`;
    const basis = { from: "main", policy, protected: [], signers: signers.join("\n"), revoked };
    expect(unfulfilled(basis as never)).toEqual(gates);
  });
});
