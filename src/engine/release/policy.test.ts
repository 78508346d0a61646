/** Which policies bind a command: what was agreed on, what is committed, what some workflow remembers. */
import { describe, expect, test } from "vitest";
import { oid } from "../../../test/fenced.ts";
import { press, pressAt } from "../../../test/press.ts";
import { emptyWorkflow } from "../../core/state/evolve.ts";
import type { Bases, Basis, Policy } from "../../core/state/policy.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Parts } from "../parts.ts";
import { basesOf, basisAt, boundBy, inForce, policiesIn, readBasis, signersIn } from "./policy.ts";
import { weakened } from "./weaker.ts";

const policy = (more: JsonObject = {}): Policy => ({ gates: {}, ...more });

function basis(from: string, more: Partial<Basis> = {}): Basis {
  return { from, policy: policy(), protected: [], signers: "", revoked: "", ...more };
}

const NONE: Bases = { accepted: undefined, remembered: undefined, committed: [] };
const [accepted, remembered, main] = [basis("accepted"), basis("remembered"), basis("main")];

describe("in force", () => {
  test.each<[string, Partial<Bases>, string, readonly Basis[]]>([
    ["is nothing where there is nothing", {}, "press", []],
    ["is what is committed", { committed: [main] }, "press", [main]],
    [
      "is all of it at once",
      { accepted, remembered, committed: [main] },
      "press",
      [accepted, remembered, main],
    ],
    [
      "for its own change is what is agreed on alone",
      { accepted, committed: [main] },
      "repository",
      [accepted],
    ],
    [
      "for its own change is what is remembered",
      { remembered, committed: [main] },
      "repository",
      [remembered],
    ],
    ["for its first policy is that policy", { committed: [main] }, "repository", [main]],
  ])("%s", (_, bases, protocol, all) => {
    expect(inForce({ ...NONE, ...bases }, protocol)).toEqual(all);
  });

  test("for the repository is the strictest of every gate", () => {
    const gates = { "press/publish": { strength: "signed", people: 2, by: ["ben"] } };
    const one = basis("main", { policy: policy({ strength: "presence", by: ["ada"], gates }) });
    expect(policiesIn([one], "press")).toEqual([one.policy]);
    expect(policiesIn([one], "repository")).toEqual([
      { strength: "presence", by: ["ada"], gates: {} },
      { strength: "signed", people: 2, by: ["ada"], gates: {} },
    ]);
    const own = basis("main", { policy: policy({ gates: { ...gates, "repository/accept": {} } }) });
    expect(policiesIn([own], "repository")).toEqual([own.policy]);
    const open = basis("main", { policy: policy({ gates }) });
    expect(policiesIn([open], "repository")).toMatchObject([{ by: null }, { by: null }]);
  });
});

describe("keys", () => {
  test("count where every basis has them and none has revoked them", () => {
    const one = basis("main", { signers: "# people\n ada k1 \n\nben k2\n", revoked: "k9\n" });
    const two = basis("accepted", { signers: "ben k2\r\ncy k3", revoked: "k9\nk8\n" });
    expect(signersIn([one, two])).toEqual({ signers: "ben k2\n", revoked: "k9\nk8\n" });
    expect(signersIn([one])).toEqual({ signers: "ada k1\nben k2\n", revoked: "k9\n" });
    expect(signersIn([])).toEqual({ signers: "", revoked: "" });
  });
});

describe("weaker", () => {
  const strong = basis("accepted", {
    policy: policy({ strength: "signed" }),
    protected: ["main"],
    signers: "ada k1\n",
    revoked: "k9\n",
  });
  test.each<[string, JsonObject, readonly string[]]>([
    ["nothing, where all is the same", {}, []],
    ["a gate", { policy: policy({ strength: "word" }) }, ["*/* asks for less"]],
    [
      "a further key",
      { signers: `ada k1\nbea ${"k".repeat(200)}\n` },
      [`another key counts: bea ${"k".repeat(116)}`],
    ],
    ["nothing, where a key is gone", { signers: "" }, []],
    ["a key that was revoked", { revoked: "" }, ["a key counts again: k9"]],
    ["a branch", { protected: ["side"] }, ["main is not protected any more"]],
  ])("is %s", (_, more, told) => {
    expect(weakened({ ...NONE, accepted: strong, committed: [{ ...strong, ...more }] })).toEqual(
      told,
    );
  });

  test("is a policy that went, and what is remembered counts before what is accepted", () => {
    expect(weakened({ ...NONE, committed: [main] })).toEqual([]);
    const gone = ["the configuration has no policy any more"];
    expect(weakened({ ...NONE, accepted: strong })).toEqual(gone);
    expect(
      weakened({ ...NONE, remembered: strong, accepted: main, committed: [main] }),
    ).not.toEqual([]);
    expect(weakened({ ...NONE, remembered: main, accepted: strong, committed: [main] })).toEqual(
      [],
    );
    const last = basis("side", { policy: policy({ strength: "word" }) });
    expect(weakened({ ...NONE, accepted: strong, committed: [strong, last] })).toEqual([]);
  });
});

describe("a basis", () => {
  const at = async (files: Readonly<Record<string, string>>): Promise<Basis | undefined> =>
    await basisAt(async (commit, path) => (commit === "c" ? (files[path] ?? "") : ""), "main", "c");

  test("is read from a commit, with the files it names", async () => {
    const config = { policy: { strength: "signed" }, protected: ["main"] };
    const files = {
      "holdpoint.config.json": JSON.stringify(config),
      allowed_signers: "a",
      revoked_keys: "r",
    };
    expect(await at(files)).toEqual({
      from: "main",
      policy: { strength: "signed", gates: {} },
      protected: ["main"],
      signers: "a",
      revoked: "r",
    });
    const elsewhere = { ...config, policy: { signers: "keys", revoked: "bad" } };
    expect(
      await at({ "holdpoint.config.json": JSON.stringify(elsewhere), keys: "k", bad: "b" }),
    ).toMatchObject({ signers: "k", revoked: "b" });
  });

  test("that cannot be read asks for the most, and where there is none there is none", async () => {
    expect(await at({ "holdpoint.config.json": "{" })).toMatchObject({
      policy: { strength: "unreadable", gates: {} },
      protected: [],
    });
    expect(await at({ "holdpoint.config.json": "[]" })).toMatchObject({
      policy: { strength: "unreadable" },
    });
    expect(await at({})).toBeUndefined();
    expect(await at({ "holdpoint.config.json": "{}" })).toBeUndefined();
    expect(readBasis({})).toBeUndefined();
    expect(readBasis({ policy: {}, protected: ["main"], signers: "s", revoked: "r" })).toEqual(
      basis("accepted", { protected: ["main"], signers: "s", revoked: "r" }),
    );
  });
});

describe("the bases of a repository", () => {
  const PRESENCE = policy({ strength: "presence" });

  /** Tips of branches, each with a policy of that name as its only gate. */
  function standing(
    tips: Readonly<Record<string, string>>,
    { branch, more }: { readonly branch?: string; readonly more?: Partial<Parts["config"]> } = {},
  ): Parts {
    return pressAt({
      repository: true,
      config: { policy: PRESENCE, ...more },
      parts: (all) => ({
        settings: {
          ...all.settings,
          read: async (path) =>
            path === "allowed_signers"
              ? { kind: "text", text: "ada k1\n", digest: "" }
              : { kind: "absent", digest: "" },
        },
        git: {
          ...all.git,
          branch: async () => branch,
          resolve: async (name) => (tips[name] === undefined ? undefined : oid(tips[name])),
          committed: async (commit, path) => {
            const name = Object.values(tips).find((one) => oid(one) === commit);
            const config = { policy: { gates: { [name ?? ""]: {} } } };
            return path === "holdpoint.config.json"
              ? Buffer.from(JSON.stringify(config))
              : undefined;
          },
        },
      }),
    }).parts;
  }

  const told = async (parts: Parts): Promise<readonly string[]> =>
    (await basesOf(parts)).committed.map(
      ({ from, policy: { gates } }) => `${from}: ${Object.keys(gates).join() || "here"}`,
    );

  test("are those of the protected branches, wherever they are", async () => {
    expect(
      await told(standing({ "refs/heads/main": "m", "refs/remotes/origin/master": "o" })),
    ).toEqual(["main: m", "master: o"]);
    expect(
      await told(standing({ "refs/heads/main": "m", "refs/remotes/origin/main": "o" })),
    ).toEqual(["main: m"]);
    const trunk = { more: { protected: ["trunk", "main"] } };
    expect(
      await told(standing({ "refs/heads/trunk": "t", "refs/heads/main": "m" }, trunk)),
    ).toEqual(["trunk: t", "main: m"]);
    const here = standing({ "refs/heads/main": "m" }, { branch: "main" });
    expect(await told(here)).toEqual(["main: here"]);
    expect((await basesOf(here)).committed).toMatchObject([{ signers: "ada k1\n", revoked: "" }]);
  });

  test("are that of HEAD, or of the worktree, where no such branch is there", async () => {
    expect(await told(standing({ HEAD: "h" }))).toEqual(["HEAD: here"]);
    expect(await told(standing({}))).toEqual(["worktree: here"]);
    expect(await told(standing({}, { more: { policy: undefined as never } }))).toEqual([]);
    const { parts } = pressAt({ config: { policy: PRESENCE } });
    expect(await told(parts)).toEqual(["worktree: here"]);
    const none = standing(
      { "refs/heads/main": "m" },
      { branch: "main", more: { policy: undefined as never } },
    );
    expect(await told(none)).toEqual([]);
  });

  /** A repository whose own journal says what it has agreed on. */
  async function agreed(
    vars: JsonObject,
    notes: readonly Workflow["notes"][number][] = [],
  ): Promise<Parts> {
    const { parts } = await press({ config: { policy: PRESENCE } });
    const { journal } = parts;
    const load: typeof journal.load = async (stream) => {
      const known = await journal.load(stream);
      if (stream !== "repository:repository") return known;
      return {
        head: { seq: 7, hash: "h7" },
        state: { ...emptyWorkflow("repository"), vars, notes },
      };
    };
    const read: typeof journal.read = async (stream, after = 0) =>
      stream === "repository:repository" && after === 4
        ? [{ id: "", at: "", body: {}, seq: 5, prev: "", hash: "h5" }]
        : [];
    return { ...parts, journal: { ...journal, load, read } };
  }

  test("bind a command by what is agreed on, and tell which record says so", async () => {
    const parts = await agreed({ accepted: { policy: { strength: "signed" } } });
    const { family } = await press();
    const own = emptyWorkflow("x");
    const bound = await boundBy(parts, family, own);
    expect(bound.policy).toHaveLength(2);
    expect(bound.agreed).toMatchObject({
      seq: 7,
      hash: "h7",
      basis: { policy: { strength: "signed" } },
    });
    const itself = { ...family, protocol: { ...family.protocol, name: "repository" } };
    const alone = await boundBy(parts, itself, own);
    expect(alone.policy).toHaveLength(1);
    expect(alone).not.toHaveProperty("agreed");
    expect(await boundBy(await agreed({}), family, own)).toEqual({ policy: [PRESENCE] });
    expect(await boundBy(pressAt().parts, family, own)).toEqual({});
  });

  test("hold the protected branches of what was agreed on, too", async () => {
    const asked: string[] = [];
    const { parts } = pressAt({
      repository: true,
      parts: (all) => ({
        git: {
          ...all.git,
          resolve: async (name) => void asked.push(name),
          branch: async () => undefined,
        },
      }),
    });
    const { journal } = parts;
    const vars = { accepted: { policy: {}, protected: ["held"] } };
    const load: typeof journal.load = async () => ({
      head: { seq: 1, hash: "" },
      state: { ...emptyWorkflow("repository"), vars },
    });
    await basesOf({ ...parts, journal: { ...journal, load } });
    expect(asked).toContain("refs/heads/held");
  });

  const AGREED = { seq: 5, hash: "h5", at: "2026-03-02T00:00:00.000Z", basis: basis("accepted") };
  const own = (more: Partial<typeof AGREED> = {}): Workflow => ({
    ...emptyWorkflow("x"),
    agreed: { ...AGREED, ...more },
  });
  const noted = (list: string, at: string): Workflow["notes"][number] =>
    ({ list, at, tag: "accepted", text: "", seq: 1, by: "person:ada" }) as never;

  test.each<[string, Workflow, readonly Workflow["notes"][number][], boolean]>([
    ["nothing, where the journal knows its record", own(), [], false],
    ["a record that is gone", own({ seq: 6 }), [], true],
    ["a record that is another one now", own({ hash: "other" }), [], true],
    ["it after what was accepted before", own({ seq: 6 }), [noted("policies", AGREED.at)], true],
    [
      "nothing once a person accepts another",
      own({ seq: 6 }),
      [noted("policies", "2026-03-03")],
      false,
    ],
    ["it whatever else was noted", own({ seq: 6 }), [noted("fence", "2026-03-03")], true],
    ["nothing it never knew", emptyWorkflow("x"), [], false],
  ])("of a workflow that remembers %s", async (_, workflow, notes, remembers) => {
    const { remembered: found } = await basesOf(await agreed({}, notes), workflow);
    expect(found).toEqual(remembers ? { ...AGREED.basis, from: "remembered" } : undefined);
  });

  test("remember by whichever workflow was decided last", async () => {
    const parts = await agreed({});
    const { journal } = parts;
    const others: Readonly<Record<string, string>> = {
      a: "2026-03-01",
      b: "2026-03-04",
      c: "2026-03-03",
      d: "",
    };
    const list: typeof journal.list = async () =>
      Object.entries(others).map(([stream, at]) => ({
        stream,
        seq: 1,
        hash: "",
        at: "",
        summary: { agreed: at },
      }));
    const load: typeof journal.load = async (stream) => {
      if (others[stream] === undefined) return await journal.load(stream);
      const state = own({ seq: 6, at: others[stream], basis: basis(stream, { signers: stream }) });
      return { head: { seq: 1, hash: "" }, state };
    };
    const all = { ...parts, journal: { ...journal, list, load } };
    expect((await basesOf(all)).remembered?.signers).toBe("b");
    expect((await basesOf(all, own({ seq: 6 }))).remembered?.signers).toBe("b");
    const mine = own({ seq: 6, at: "2026-03-04", basis: basis("x", { signers: "mine" }) });
    expect((await basesOf(all, mine)).remembered?.signers).toBe("mine");
  });
});
