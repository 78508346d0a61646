/** Whatever can still say no says it before the append; and the commit that is then made. */
import { describe, expect, test } from "vitest";
import { accepted, codesOf, press, pressAt, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import { defineFamily } from "../../family/define.ts";
import { stateFile } from "../../family/state-file.ts";
import type { View } from "../../ports/family.ts";
import type { Outcome } from "../outcome.ts";
import { readSavepoint } from "./prepare.ts";

const FILES = { "x.md": "text" };

async function reported(
  options: PressOptions,
): Promise<{ readonly it: Press; readonly told: Outcome }> {
  const it = await press({ files: FILES, repository: true, ...options });
  await it.send();
  return { it, told: await it.report() };
}

describe("a commit", () => {
  test("holds the work and the files as they will be shown, under one message", async () => {
    const it = await written({ repository: true });
    const [commit] = it.commits;
    expect(commit?.plan).toMatchObject({
      paths: ["x.md"],
      message: "Write x\n\nBy hand.",
      base: "",
      journal: expect.stringMatching(/^press%3Ax 2026-\S+ 3$/),
    });
    expect(Object.keys(commit?.plan.views ?? {})).toEqual(["x.state.md", "NEWS.md"]);
    expect(commit?.plan.views["x.state.md"]).toContain("- State: written");
    expect(commit?.plan.views["NEWS.md"]).toContain("- State: written");
    const records = await it.parts.journal.read("press:x");
    expect(commit?.record).toBe(records[2]?.hash);
    expect(commit?.plan.at).toBe(records[2]?.at);
    const { "E-1": effect } = (await it.state()).effects;
    const oid = sha256("commit 1").slice(0, 40);
    expect(effect).toMatchObject({ status: "done", detail: { oid } });
    expect(readSavepoint(effect?.args ?? {})).toMatchObject({ ref: "refs/heads/main" });
    expect(it.steps).toContain("prepare.commit");
    expect(it.steps).toContain("effect.commit");
  });

  test("is told with its warnings, before and after", async () => {
    const { told } = await reported({
      parts: ({ git }) => ({
        git: {
          ...git,
          prepare: async (plan) => {
            const prepared = await git.prepare(plan);
            return prepared.kind === "ready"
              ? { ...prepared, warnings: ["ready slowly"] }
              : prepared;
          },
          commit: async (...args) => ({
            ...(await git.commit(...args)),
            warnings: ["made slowly"],
          }),
        },
      }),
    });
    const oid = sha256("commit 1").slice(0, 40);
    expect(accepted(told)).toMatchObject({
      warnings: ["ready slowly", "made slowly"],
      commits: [{ oid, short: oid.slice(0, 7) }],
    });
  });

  test("of nothing new names the commit that is there", async () => {
    const { it, told } = await reported({
      parts: ({ git }) => ({
        git: { ...git, prepare: async () => ({ kind: "empty", oid: "abcdefghijk" }) },
      }),
    });
    expect(accepted(told).commits).toEqual([{ oid: "abcdefghijk", short: "abcdefg" }]);
    expect((await it.state()).effects["E-1"]).toMatchObject({
      args: { empty: "abcdefghijk" },
      detail: { oid: "abcdefghijk", empty: true },
    });
    expect(it.commits).toEqual([]);
  });

  test("that cannot be made now stays wanted", async () => {
    const { it, told } = await reported({
      parts: ({ git }) => ({
        git: {
          ...git,
          commit: async () => ({ kind: "blocked", code: "lock", message: "locked", fix: "Wait." }),
        },
      }),
    });
    expect(accepted(told).pending).toEqual([
      { effect: "E-1", code: "lock", message: "locked", fix: "Wait." },
    ]);
    expect((await it.state()).effects["E-1"]?.status).toBe("wanted");
  });

  test("leaves out what an effect before it takes away", async () => {
    const protocol = pressAt().family.protocol;
    const { article } = protocol.kinds;
    if (article === undefined) throw new Error("no article");
    const deed = { kind: "deed", args: { what: "NEWS.md" } };
    const moves = article.moves.map((one) =>
      one.id === "written" ? { ...one, effects: [deed, ...(one.effects ?? []), deed] } : one,
    );
    const removed: unknown[] = [];
    const { it } = await reported({
      table: { kinds: { article: { ...article, moves } } },
      family: {
        effects: {
          deed: {
            perform: async () => ({ kind: "done", detail: {}, warnings: [] }),
            removes: async (_, state, args) => {
              removed.push(state.id, args["what"]);
              return ["old.md", "NEWS.md"];
            },
          },
        },
      },
    });
    expect(removed).toEqual(["x", "NEWS.md"]);
    expect(it.commits[0]?.plan.views["old.md"]).toBeNull();
    expect(it.commits[0]?.plan.views["NEWS.md"]).toContain("- State: written");
  });

  test("takes one path as well as a list of them", async () => {
    const protocol = pressAt().family.protocol;
    const { article } = protocol.kinds;
    if (article === undefined) throw new Error("no article");
    const effects = [{ kind: "commit", args: { subject: "S", paths: "{id}.md" } }];
    const moves = article.moves.map((one) => (one.id === "written" ? { ...one, effects } : one));
    const { "commit-failed": _, ...questions } = protocol.questions;
    const { it } = await reported({
      table: { kinds: { article: { ...article, moves } }, questions },
    });
    expect(it.commits[0]?.plan).toMatchObject({ paths: ["x.md"], message: "S\n\n" });
  });

  test("is built on the commit that is there, with our part of a shared file only", async () => {
    const it = await written({ repository: true });
    const news = it.text("NEWS.md");
    const theirs = "<!-- holdpoint:y#1 -->\nhalf done\n<!-- /holdpoint:y -->\n";
    it.files.set("NEWS.md", `${news}${theirs}`);
    await it.answer("no");
    await it.send();
    await it.report();
    const second = it.commits[1];
    expect(second?.plan.base).toBe(sha256("commit 1").slice(0, 40));
    expect(second?.plan.views["NEWS.md"]).not.toContain("half done");
    expect(it.files.get("NEWS.md")).toContain("half done");
  });
});

describe("a commit is refused", () => {
  test("where something of it could not be read, and so was judged by nobody", async () => {
    const odd = { kind: "unreadable", code: "too-large", message: "", fix: "" } as const;
    const told = async (path: string, paths: string): Promise<readonly string[]> => {
      const protocol = pressAt().family.protocol;
      const { article } = protocol.kinds;
      if (article === undefined) throw new Error("no article");
      const effects = [{ kind: "commit", args: { subject: "S", paths: [paths] } }];
      const moves = article.moves.map((one) => (one.id === "written" ? { ...one, effects } : one));
      const { "commit-failed": _, ...questions } = protocol.questions;
      const table = { kinds: { article: { ...article, moves } }, questions };
      const it = await press({ files: FILES, repository: true, table });
      await it.send();
      it.files.set(path, odd);
      const outcome = await it.report();
      return outcome.kind === "refused"
        ? outcome.refusals.map((one) => `${one.code} ${one.message}`)
        : [];
    };
    const no = (path: string): readonly string[] => [
      `commit-unread Cannot commit ${path}: it cannot be read (too-large), so nothing has judged it.`,
    ];
    expect(await told("src/big", "src")).toEqual(no("src/big"));
    expect(await told("src/big", ".")).toEqual(no("src/big"));
    expect(await told("src/big", "src/big")).toEqual(no("src/big"));
    expect(await told("srcs/big", "src")).toEqual([]);
  });

  test("where a state file cannot be used: the report is kept and a person is asked", async () => {
    const link = { kind: "unreadable", code: "link", message: "a link", fix: "No." } as const;
    const it = await press({ files: FILES, repository: true });
    await it.send();
    it.files.set("NEWS.md", link);
    const told = accepted(await it.report());
    expect(Object.values(told.state.decisions)).toMatchObject([
      { question: "recovery", about: { code: "view-link", message: "a link", fix: "No." } },
    ]);
    expect(told.state.dispatches["W-1"]?.status).toBe("parked");
  });

  test("where a state file may not be written, although it can be read", async () => {
    const denied = {
      kind: "failed",
      code: "denied",
      message: "read-only",
      fix: "Give rights.",
    } as const;
    let closed = false;
    const it = await press({
      parts: ({ workspace }) => ({
        workspace: {
          ...workspace,
          check: async (path) => (closed && path === "NEWS.md" ? denied : undefined),
        },
      }),
    });
    closed = true;
    expect(await it.move("shelve")).toMatchObject({
      kind: "refused",
      refusals: [{ code: "view-denied", message: "read-only", fix: "Give rights." }],
    });
  });

  test("where it would hold other bytes than were judged; then it is decided anew", async () => {
    let swaps = 2;
    const { it, told } = await reported({
      parts: ({ git }) => ({
        git: {
          ...git,
          prepare: async (plan) => {
            const prepared = await git.prepare(plan);
            if (prepared.kind !== "ready" || swaps === 0) return prepared;
            swaps -= 1;
            return { ...prepared, taken: { "x.md": sha256("swapped") } };
          },
        },
      }),
    });
    expect(told.kind).toBe("held");
    expect(it.steps.filter((one) => one === "prepare.commit")).toHaveLength(3);
  });

  test.each([
    ["a file that was read and is gone from the commit", { "x.md": null }, [], "failed"],
    ["a file that is ignored and not tracked", { "hidden.md": sha256("h") }, [], "failed"],
    ["a file that is ignored but tracked", { "hidden.md": sha256("h") }, ["hidden.md"], "held"],
    ["two of which one is not tracked", { "hidden.md": "1", odd: "2" }, ["hidden.md"], "failed"],
    ["nothing where nothing is", { "none.md": null }, [], "held"],
  ] as const)("%s", async (_, taken, tracked, kind) => {
    const { told } = await reported({
      parts: ({ git }) => ({
        git: {
          ...git,
          tracked: async () => [...tracked],
          prepare: async (plan) => {
            const prepared = await git.prepare(plan);
            return prepared.kind === "ready" ? { ...prepared, taken } : prepared;
          },
        },
      }),
    });
    expect(told.kind).toBe(kind);
  });

  test("where a part of a shared file would be lost", async () => {
    const { told } = await reported({
      parts: ({ git }) => ({
        git: { ...git, resolve: async () => "c0", show: async () => Buffer.from([0xff]) },
      }),
    });
    expect(Object.values(accepted(told).state.decisions)).toMatchObject([
      { question: "commit-failed", about: { code: "read-back-failed" } },
    ]);
  });
});

describe("a shared file that both have changed", () => {
  test("is joined: our part goes where their file has it, and theirs is left alone", async () => {
    let merge: ((path: string, theirs: string, ours: string) => string | undefined) | undefined;
    const plain: View = {
      path: "plain.md",
      shared: false,
      drift: () => [],
      render: () => ({ kind: "text", text: "p" }),
    };
    const { it } = await reported({
      family: { views: [stateFile("NEWS.md"), () => plain] },
      parts: ({ git }) => ({
        git: {
          ...git,
          commit: async (savepoint, record, joined) => {
            merge = joined?.merge;
            return await git.commit(savepoint, record, joined);
          },
        },
      }),
    });
    const ours = it.commits[0]?.plan.views["NEWS.md"] ?? "";
    const theirs = "# News\n\n<!-- holdpoint:y#1 -->\ntheirs\n<!-- /holdpoint:y -->\n";
    const joined = merge?.("NEWS.md", theirs, ours);
    expect(joined).toContain("theirs");
    expect(joined).toContain("- State: written");
    expect(merge?.("plain.md", "a", "b")).toBeUndefined();
    expect(merge?.("other.md", "a", "b")).toBeUndefined();
  });
});

test("only what has the shape of a savepoint is one", () => {
  const whole = { tree: "t", ref: "r", blobs: {} };
  expect(readSavepoint({ savepoint: whole })).toEqual(whole);
  for (const odd of [
    null,
    "text",
    { tree: "t" },
    { ref: "r", blobs: {} },
    { tree: "t", blobs: {} },
    { tree: "t", ref: "r" },
  ])
    expect(readSavepoint({ savepoint: odd })).toBeUndefined();
  expect(readSavepoint({})).toBeUndefined();
});

test("an effect of which this version knows nothing is skipped, and said", async () => {
  const it = await press();
  const empty = defineFamily(it.family.protocol, {
    views: [],
    effects: { deed: { perform: async () => ({ kind: "done", detail: {}, warnings: [] }) } },
  });
  const parts = { ...it.parts };
  const { handle } = await import("../handle.ts");
  const command = { type: "unit.move", unit: ".", move: "do" } as const;
  const caller = { actor: { kind: "person", name: "ada" }, session: "s" } as const;
  const family = { ...empty, effects: {} };
  const told = accepted(await handle(parts, { family, workflow: "x", command, ...caller }));
  expect(told.warnings).toEqual([
    'Press knows no effect "deed", so it was not done. Do it by hand if it is still wanted.',
  ]);
  expect(told.state.effects["E-1"]).toMatchObject({
    status: "skipped",
    detail: { code: "effect-unknown" },
  });
  expect(codesOf(told)).toEqual([]);
});
