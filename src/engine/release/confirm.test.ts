/** A person is asked to prove a word: when, for what, and which proof counts. */
import { describe, expect, test } from "vitest";
import { agree, around, oid, sign, SIGNATURES } from "../../../test/fenced.ts";
import { ADA, BOT, codesOf, pressAt, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { readStatement } from "../../core/decide/decisions/statement.ts";
import { canonicalJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { repositoryFamily } from "../../protocols/repository/index.ts";
import type { Caller } from "../caller.ts";
import type { Outcome } from "../outcome.ts";
import { proven } from "./confirm.ts";
import type { Confirm, Confirmed, Shown } from "./confirm.ts";

type Asked = Confirm & { readonly shown: Shown[] };

function asks(answer: (shown: Shown) => Confirmed, signs = false): Asked {
  const shown: Shown[] = [];
  return { signs, shown, ask: async (one) => (shown.push(one), answer(one)) };
}

const confirms = (by = "ada"): Asked =>
  asks((shown) => ({ kind: "confirmed", by, statement: shown.statement(by) }));

const signs = (by = "ada", key = `key-${by}`): Asked =>
  asks((shown) => {
    const statement = shown.statement(by);
    return { kind: "confirmed", by, statement, signature: sign(statement, key) };
  }, true);

const no = asks(() => ({
  kind: "refused",
  refusal: { code: "not-now", message: "Not now", fix: "Later.", rule: "core" },
}));

/** A written article, in a repository whose protected branch asks for so much. */
async function asking(policy: JsonObject | undefined, more: PressOptions = {}): Promise<Press> {
  const git = around();
  const tip = oid("tip");
  if (policy !== undefined) agree(git, "tip", { policy, protected: ["main"] }, ["ada key-ada"]);
  return await written({
    repository: true,
    beside: [repositoryFamily],
    ...more,
    parts: (all, memory) => ({
      signatures: { ...all.signatures, ...SIGNATURES },
      git: {
        ...all.git,
        branch: async () => undefined,
        resolve: async (name) => (name === "refs/heads/main" ? tip : undefined),
        committed: async (commit, path) => {
          const text = git.files.get(`${commit}:${path}`);
          return text === undefined ? undefined : Buffer.from(text);
        },
      },
      ...more.parts?.(all, memory),
    }),
  });
}

const by = (confirm: Confirm, more: Partial<Caller> = {}): Caller => ({ ...ADA, confirm, ...more });

async function at(it: Press): Promise<string | undefined> {
  return (await it.state()).units["."]?.at;
}

describe("a person", () => {
  test("is asked only where the policy asks for more than a word, or the person signs", async () => {
    const plain = confirms();
    const none = await asking(undefined);
    expect(await none.answer("yes", by(plain))).toMatchObject({ kind: "done" });
    expect(plain.shown).toEqual([]);
    const word = await asking({ strength: "word" });
    await word.answer("yes", by(plain));
    expect(plain.shown).toEqual([]);
    expect(await at(word)).toBe("printed");
    const signed = signs();
    const free = await asking({ strength: "word" });
    expect(await free.answer("yes", by(signed))).toMatchObject({ kind: "done" });
    expect(signed.shown).toHaveLength(1);
    expect(Object.values((await free.state()).given)).toMatchObject([{ strength: "signed" }]);
  });

  test("confirms what is shown, and nothing of it counts before", async () => {
    const it = await asking({ strength: "presence" });
    expect(codesOf(await it.answer("yes"))).toEqual(["presence-missing"]);
    expect(codesOf(await it.answer("yes", { ...BOT, confirm: confirms() }))).not.toEqual([]);
    const confirm = confirms();
    expect(await it.answer("yes", by(confirm))).toMatchObject({ kind: "done" });
    expect(await at(it)).toBe("printed");
    const [shown] = confirm.shown;
    expect(shown).toMatchObject({
      gate: "publish",
      choice: "yes",
      name: "ada",
      signers: "ada key-ada\n",
    });
    expect(shown?.digest).toBe(it.parts.sha256(canonicalJson(shown?.card ?? null)));
    const statement = readStatement(shown?.statement("zoe") ?? "");
    const { journal } = it.parts;
    const [before] = (await journal.read("press:x")).slice(-2);
    expect(statement).toMatchObject({
      holdpoint: "release/1",
      protocol: "press",
      workflow: "x",
      hold: "D-1",
      card: shown?.digest,
      by: "zoe",
      expires: shown?.expires,
      head: before?.hash,
      seq: before?.seq,
    });
    expect(Date.parse(statement?.expires ?? "") - Date.parse(statement?.at ?? "")).toBe(
      30 * 60_000,
    );
  });

  test("who says no is heard, and one who is refused anyway is not asked", async () => {
    const it = await asking({ strength: "presence" });
    expect(codesOf(await it.answer("yes", by(no)))).toEqual(["not-now"]);
    const confirm = confirms();
    expect(codesOf(await it.answer("perhaps", by(confirm)))).not.toEqual([]);
    expect(codesOf(await it.move("resume", by(confirm)))).not.toEqual([]);
    expect(confirm.shown).toEqual([]);
    const signing = signs();
    expect(codesOf(await it.answer("perhaps", by(signing)))).not.toEqual([]);
    expect(codesOf(await it.answer("yes", { ...BOT, confirm: signing }))).not.toEqual(["not-now"]);
    expect(signing.shown).toEqual([]);
  });

  test("who attests does so under the name of the key", async () => {
    const it = await asking({ strength: "signed" }, { table: { signs: { seen: ["person"] } } });
    const command = {
      type: "finding.record",
      kind: "seen",
      unit: ".",
      value: true,
      by: "person:somebody",
      bound: {},
    } as const;
    const told = await it.give(command, {
      session: "human:ada",
      actor: { kind: "person", name: "somebody" },
      confirm: signs(),
    });
    expect(codesOf(told)).toEqual([]);
    expect(Object.values((await it.state()).findings)).toMatchObject([
      { kind: "seen", by: "person:ada" },
    ]);
  });

  test("is not asked to confirm where only a signature helps", async () => {
    const it = await asking({ strength: "signed" });
    const confirm = confirms();
    const told = await it.answer("yes", by(confirm));
    expect(codesOf(told)).toEqual(["signature-missing"]);
    expect(confirm.shown).toEqual([]);
    expect(await it.answer("yes", by(signs()))).toMatchObject({ kind: "done" });
    expect(await at(it)).toBe("printed");
  });

  test("signs with a key that counts, under its name", async () => {
    const it = await asking({ strength: "signed" });
    const told = async (confirm: Confirm): Promise<Outcome> => await it.answer("yes", by(confirm));
    expect(codesOf(await told(signs("ada", "key-eve")))).toEqual(["signature-bad"]);
    expect(codesOf(await told(signs("eve", "key-ada")))).toEqual(["signature-bad"]);
    expect(await at(it)).toBe("written");
    const { actor: _, ...rest } = ADA;
    const other: Caller = { ...rest, actor: { kind: "person", name: "somebody" } };
    expect(await it.answer("yes", { ...other, confirm: signs() })).toMatchObject({ kind: "done" });
    const [given] = Object.values((await it.state()).given);
    expect(given).toMatchObject({ by: "person:ada", key: "key-ada" });
  });

  test("is told what has changed while they read", async () => {
    const it = await asking({ strength: "presence" });
    const confirm = asks((shown) => {
      it.files.set("y.md", "meanwhile");
      return { kind: "confirmed", by: "ada", statement: shown.statement("ada") };
    });
    const told = await it.answer("yes", by(confirm));
    expect(told).toMatchObject({
      kind: "refused",
      refusals: [{ code: "release-stale", message: expect.stringMatching(/: y\.md$/) }],
    });
    expect(await at(it)).toBe("written");
  });

  test("is not asked about what cannot be read in full", async () => {
    const it = await asking({ strength: "presence" });
    const confirm = confirms();
    it.files.set("odd", {
      kind: "unreadable",
      code: "EIO",
      message: "odd",
      fix: "Mend it.",
    } as never);
    expect(codesOf(await it.answer("yes", by(confirm)))).toEqual(["card-unreadable"]);
    expect(confirm.shown).toEqual([]);
  });
});

describe("a proof", () => {
  const STATEMENT = "{}";

  test("without a signature is presence, whatever it says", async () => {
    const { parts } = pressAt();
    expect(
      await proven(parts, "press", { kind: "confirmed", by: "ada", statement: STATEMENT }),
    ).toEqual({
      proof: { strength: "presence", statement: STATEMENT },
      name: "ada",
    });
  });

  test("needs a commit that says whose keys count", async () => {
    const signed = {
      kind: "confirmed",
      by: "ada",
      statement: STATEMENT,
      signature: sign(STATEMENT, "key-ada"),
    } as const;
    expect(await proven(pressAt().parts, "press", signed)).toMatchObject({ code: "base-missing" });
    const worktree = pressAt({
      config: { policy: { gates: {} } },
      parts: (all) => ({
        signatures: { ...all.signatures, ...SIGNATURES },
        settings: {
          ...all.settings,
          read: async () => ({ kind: "text", text: "ada key-ada\n", digest: "" }),
        },
      }),
    });
    expect(await proven(worktree.parts, "press", signed)).toMatchObject({ code: "base-missing" });
    const it = await asking({ strength: "signed" });
    expect(await proven(it.parts, "press", signed)).toEqual({
      proof: {
        strength: "signed",
        statement: STATEMENT,
        signature: signed.signature,
        key: "key-ada",
        hardware: false,
        names: ["ada"],
      },
      name: "ada",
    });
  });
});
