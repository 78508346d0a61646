/** What can be asked of a workflow, beside the commands themselves. */
import { describe, expect, test } from "vitest";
import { ADA, accepted, BOT, codesOf, press, pressAt, written } from "../../test/press.ts";
import { sha256 } from "../../test/memory-parts.ts";
import {
  act,
  find,
  inspect,
  lacks,
  nextIn,
  offeredIn,
  orderFor,
  resettle,
  start,
  takeInEdits,
} from "./engine.ts";
import { openWorld, uncounted } from "./parts.ts";

describe("starting", () => {
  test("begins a workflow with the values that its family reads from the options", async () => {
    const it = pressAt({
      family: {
        starting: {
          vars: async (_, id, options) => ({
            kind: "ready",
            vars: { mood: `${id} ${String(options["by"])} ${String(options["mood"])}` },
            warnings: ["careful"],
          }),
        },
      },
    });
    const request = { id: "x", options: { mood: "wild" }, caller: ADA };
    const told = accepted(await start(it.parts, it.family, request));
    expect(told.state.vars["mood"]).toBe("x person wild");
    expect(told.warnings).toEqual([
      'There is no check "tests" here, and its gate will be held: say in holdpoint.config.json what to run ({"checks": {"tests": {"run": ["..."]}}}) or why there is none ({"none": "..."}), and commit it',
      "careful",
    ]);
  });

  test("says nothing about checks that are there, or that the repository says it has none of", async () => {
    for (const config of [
      { checks: { tests: { run: ["x"], minutes: 1 } } },
      { none: { tests: "a sketch" } },
    ]) {
      const it = pressAt({ config });
      const told = await start(it.parts, it.family, { id: "x", options: {}, caller: ADA });
      expect(accepted(told).warnings).toEqual([]);
    }
  });

  test("tells what of the settings does not count", async () => {
    const uncountedOne = { path: "c", message: "c is edited", fix: "Commit it." };
    const it = pressAt({
      config: { none: { tests: "no" } },
      parts: ({ settings }) => ({ settings: { ...settings, uncounted: () => [uncountedOne] } }),
    });
    const told = await start(it.parts, it.family, { id: "x", options: {}, caller: ADA });
    expect(accepted(told).warnings).toEqual(["c is edited. Commit it."]);
    expect(uncounted(it.parts)).toEqual(["c is edited. Commit it."]);
    expect(await it.move("publish")).toMatchObject({
      kind: "refused",
      warnings: ["c is edited. Commit it."],
    });
  });

  test("refuses an odd name, a name that differs in capitals, and what the family refuses", async () => {
    const it = await press();
    const begin = async (id: string): Promise<readonly string[]> =>
      codesOf(await start(it.parts, it.family, { id, options: {}, caller: ADA }));
    expect(await begin("../x")).toHaveLength(1);
    const twin = await start(it.parts, it.family, { id: "X", options: {}, caller: ADA });
    expect(twin).toMatchObject({
      state: { id: "X", seq: 0 },
      refusals: [
        {
          code: "name-taken",
          message: "There is x already; X differs from it only in capitals",
          fix: "Go on with it as x, or choose another name.",
          rule: "core",
        },
      ],
    });
    expect(await begin("y")).toEqual([]);
    const refusal = { code: "no", message: "no", fix: "no", rule: "core" };
    const strict = pressAt({
      family: { starting: { vars: async () => ({ kind: "refused", refusals: [refusal] }) } },
    });
    const told = await start(strict.parts, strict.family, { id: "x", options: {}, caller: ADA });
    expect(codesOf(told)).toEqual(["no"]);
    expect((await strict.parts.journal.list()).length).toBe(0);
  });

  test("what is there already is refused, unless its protocol gives names free again", async () => {
    const it = await press();
    const again = await start(it.parts, it.family, { id: "x", options: {}, caller: ADA });
    expect(codesOf(again)).toHaveLength(1);
    const { article } = it.family.protocol.kinds;
    if (article === undefined) throw new Error("no article");
    const starts = [
      { id: "begin", rule: "P-0" },
      { id: "again", from: ["shelved"], rule: "P-0" },
    ];
    let asked = 0;
    const free = await press({
      table: { kinds: { article: { ...article, starts } } },
      family: {
        starting: {
          vars: async () => {
            asked += 1;
            return { kind: "ready", vars: {} };
          },
        },
      },
    });
    const begin = async (): Promise<readonly string[]> =>
      codesOf(await start(free.parts, free.family, { id: "x", options: {}, caller: ADA }));
    expect(await begin()).toHaveLength(1);
    await free.move("shelve");
    expect(await begin()).toEqual([]);
    expect((await free.state()).units["."]?.at).toBe("idea");
    expect(asked).toBe(3);
  });
});

describe("acting", () => {
  test("is a sign of life, and a report is delivered first", async () => {
    const delivered: unknown[] = [];
    const it = await press({
      files: { "x.md": "text" },
      family: {
        work: { deliver: async (_, state, claim) => void delivered.push(state.id, claim) },
      },
    });
    await it.send();
    expect(it.beats).toEqual(["human:ada"]);
    expect(delivered).toEqual([]);
    await it.report();
    expect(it.beats).toEqual(["human:ada", "s-1"]);
    expect(delivered).toEqual(["x", { agent: "writer", outcome: "success" }]);
  });

  test("without git says, when work goes out, that nothing will be committed", async () => {
    for (const [why, fix] of [
      ["no-git", "Install git."],
      ["no-repository", "Run git init."],
      ["bare", "Work in a clone that has files."],
      ["unusable", "Correct what git names, until `git status` works here."],
    ] as const) {
      const place = { kind: "none", why, message: "No git." } as const;
      const it = await press({ parts: () => ({ place }) });
      expect(accepted(await it.move("do")).warnings).toEqual([]);
      const told = accepted(await it.send());
      expect(told.warnings).toEqual([`Nothing will be committed: No git. ${fix}`]);
    }
    const within = await press({ repository: true });
    expect(accepted(await within.send()).warnings).toEqual([]);
    const looks = ["digest", "check", "command", "tree", "drift", "git"];
    const plain = pressAt().family.protocol;
    const { article } = plain.kinds;
    const moves = (article?.moves ?? []).map(({ effects: _effects, ...one }) => one);
    if (article === undefined) throw new Error("no article");
    const { "commit-failed": _c, "deed-failed": _d, ...questions } = plain.questions;
    const table = {
      looks: looks.slice(0, -1),
      effects: [],
      questions,
      kinds: { article: { ...article, moves } },
    };
    const unaware = await press({ table });
    expect(accepted(await unaware.send()).warnings).toEqual([]);
    expect(codesOf(await unaware.send())).not.toEqual([]);
  });
});

describe("looking at a workflow", () => {
  test("tells drift, what waits and what comes next, and changes nothing", async () => {
    const pending = { effect: "E-1", code: "busy", message: "not now", fix: "" };
    const it = await press({ deed: async () => ({ kind: "pending", pending }) });
    await it.move("do");
    const { seq } = await it.state();
    it.files.set("NEWS.md", it.text("NEWS.md").replace("idea", "shelved"));
    const told = await inspect(it.parts, await it.found(), ADA);
    expect(told.drift).toEqual(['NEWS.md says x is "shelved", the journal says idea']);
    expect(told.pending).toEqual([
      {
        effect: "E-1",
        code: "effect-pending",
        message: "the deed is not done yet",
        fix: { operation: "reconcile", input: { workflow: "x" }, says: "Try it again" },
      },
    ]);
    expect(told.next.candidates.length).toBeGreaterThan(0);
    expect((await it.state()).seq).toBe(seq);
  });

  test("tells files that cannot be read, a kept answer, another definition and damage first", async () => {
    const it = await written();
    it.files.set("NEWS.md", { kind: "unreadable", code: "link", message: "a link", fix: "No." });
    await it.answer("yes");
    const damage = { code: "journal-broken", offset: 0, line: 3, message: "odd" } as const;
    const { journal } = it.parts;
    const parts = {
      ...it.parts,
      journal: {
        ...journal,
        load: async (of: string) => ({ ...(await journal.load(of)), damage }),
      },
    };
    const found = await it.found();
    const changed = { ...found.family, protocol: { ...found.family.protocol, version: 2 } };
    const told = await inspect(parts, { ...found, family: changed }, ADA);
    expect(told.pending.map(({ effect, code }) => [effect, code])).toEqual([
      ["journal", "journal-broken"],
      ["definition", "definition-changed"],
      ["show", "view-link"],
      ["show", "answer-kept"],
    ]);
    expect(told.pending[2]).toMatchObject({ message: "a link", fix: "No." });
    expect(told.pending[3]).toMatchObject({
      message: "the answer to D-1 is kept in the journal, and counts once the files can show it",
      fix: { operation: "reconcile", says: "Mend the file, then try again" },
    });
    expect(told.drift).toContain("a link");
    const plain = await inspect(it.parts, found, ADA);
    expect(plain.pending.map(({ effect }) => effect)).toEqual(["show", "show"]);
  });

  test("reads each file once", async () => {
    const reads: string[] = [];
    const it = await press({
      parts: ({ workspace }) => ({
        workspace: {
          ...workspace,
          read: async (path) => {
            reads.push(path);
            return await workspace.read(path);
          },
        },
      }),
    });
    reads.splice(0);
    await inspect(it.parts, await it.found(), ADA);
    expect(reads.toSorted()).toEqual(["NEWS.md", "x.state.md"]);
  });

  test("says what may be done, what a command lacks, and what an agent is told", async () => {
    const it = await press();
    const found = await it.found();
    const world = openWorld(it.parts);
    const offers = await offeredIn(world, found, ADA);
    const names = offers.map(({ command }) => ("move" in command ? command.move : command.type));
    expect(names).toEqual(expect.arrayContaining(["shelve", "check", "do", "dispatch.send"]));
    const next = await nextIn(world, found, BOT);
    const shelve = next.candidates.find(
      ({ command }) => "move" in command && command.move === "shelve",
    );
    expect(shelve?.refusals.map((one) => one.code)).not.toEqual([]);
    const check = { type: "unit.move", unit: ".", move: "check" } as const;
    expect((await lacks(world, found, ADA, check)).map((one) => one.code)).toEqual(["untested"]);
    expect(await lacks(world, found, ADA, { ...check, move: "do" })).toEqual([]);
    await it.send();
    const { "W-1": out } = (await it.state()).dispatches;
    if (out === undefined) throw new Error("nothing is out");
    const order = await orderFor(it.parts, await it.found(), out);
    expect(order).toMatchObject({ dispatch: "W-1", role: "writer" });
  });
});

describe("edits by hand", () => {
  test("are taken in as the deeds of the file, but for those that are skipped", async () => {
    const shelve = { type: "unit.move", unit: ".", move: "do" } as const;
    const note = { type: "note.add", list: "timeline", tag: "", text: "" } as const;
    const it = await press({ family: { edits: { commands: async () => [shelve, note] } } });
    const found = await it.found();
    const taken = await takeInEdits(
      it.parts,
      found,
      { ...ADA, id: "one" },
      (command) => command === shelve,
    );
    expect(taken.map((one) => one.kind)).toEqual(["done"]);
    const last = (await it.parts.journal.read("press:x")).at(-1);
    expect(last?.body).toMatchObject({ command: "note.add", actor: "agent:file:edit" });
    expect(last?.id).not.toBe("one");
    expect(await takeInEdits(it.parts, found, ADA)).toHaveLength(2);
  });

  test("wait while the files are not shown, and under a definition that nobody accepted", async () => {
    const note = { type: "note.add", list: "timeline", tag: "", text: "" } as const;
    const it = await press({ family: { edits: { commands: async () => [note] } } });
    const found = await it.found();
    const changed = { ...found.family, protocol: { ...found.family.protocol, version: 2 } };
    expect(await takeInEdits(it.parts, { ...found, family: changed }, ADA)).toEqual([]);
    it.shown.delete("press:x");
    expect(await takeInEdits(it.parts, found, ADA)).toEqual([]);
  });

  test("are taken in once by two that find them at the same time", async () => {
    let busy = 0;
    let most = 0;
    const it = await press({
      family: {
        edits: {
          commands: async () => {
            busy += 1;
            most = Math.max(most, busy);
            await new Promise((resolve) => setTimeout(resolve, 5));
            busy -= 1;
            return [];
          },
        },
      },
    });
    const found = await it.found();
    await Promise.all([takeInEdits(it.parts, found, ADA), takeInEdits(it.parts, found, BOT)]);
    expect(most).toBe(1);
  });
});

test("what waits is tried again on somebody's behalf, or on nobody's", async () => {
  let ready = false;
  const pending = { effect: "E-1", code: "busy", message: "not now", fix: "" };
  const it = await press({
    deed: async () =>
      ready ? { kind: "done", detail: {}, warnings: [] } : { kind: "pending", pending },
  });
  await it.move("do");
  ready = true;
  const nobody = await resettle(it.parts, await it.found(), ADA.session);
  expect(nobody).toMatchObject({ kind: "settled", foreign: { fate: "dead" } });
  const told = await resettle(it.parts, await it.found(), ADA.session, ADA.actor);
  expect(told).toMatchObject({ state: { effects: { "E-1": { status: "done" } } } });
  expect(sha256("x")).toHaveLength(64);
});

describe("finding", () => {
  test("knows a workflow by its name, and by its protocol and name", async () => {
    const it = await press();
    for (const id of ["x", "press:x"])
      expect(await find(it.parts, id)).toMatchObject({ kind: "found", state: { id: "x" } });
    expect(await find(it.parts, "y")).toMatchObject({
      refusals: [{ code: "workflow-unknown", message: expect.stringContaining('"y"') }],
    });
    expect(await act(it.parts, await it.found(), { type: "lease.release" }, ADA)).toMatchObject({
      kind: "done",
    });
  });
});
