/** The door for programs: one handle per workflow, the same rules as the command line. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryJournal } from "../adapters/store/embedded/memory.ts";
import { defineProtocol } from "../core/table/define.ts";
import { exists } from "../core/guards/guards.ts";
import { defineFamily } from "../family/define.ts";
import { stateFile } from "../family/state-file.ts";
import { openEngine } from "./engine.ts";
import type { Engine, EngineOptions } from "./engine.ts";

const ADA = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;

const article = defineProtocol({
  name: "article",
  version: 1,
  title: "Article",
  states: ["idea", "written", "published"],
  start: "idea",
  ends: ["published"],
  work: { write: { role: "writer", order: "Write {id}.md.", done: "written" } },
  questions: {
    publish: {
      prompt: "Publish {id}?",
      options: {
        yes: { label: "Publish", does: "publish" },
        no: { label: "Write it again", does: "rewrite" },
      },
    },
  },
  moves: {
    written: {
      from: "idea",
      to: "written",
      by: [],
      needs: [exists(["{id}.md"], { code: "article-missing", fix: "Write {id}.md." })],
      ask: "publish",
    },
    publish: { from: "written", to: "published", by: [] },
    rewrite: { from: "written", to: "idea", by: [] },
    shelve: { from: "idea", to: "published", by: ["person"] },
  },
});

let cwd = "";
const opened: Engine[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "door-"));
});
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("an engine opened by a program", () => {
  test("walks a workflow from start to end, and tells how it got there", async () => {
    const engine = await open({ families: [article, "plugin-workflow"], as: ADA });
    const first = engine.workflow("first");
    expect(await first.start({ protocol: "article" })).toMatchObject({ ok: true, state: "idea" });
    const sent = await first.advance();
    expect(sent).toMatchObject({
      ok: true,
      order: { prompt: expect.stringContaining("first.md") },
    });
    const early = await first.report({ outcome: "success" });
    expect(early).toMatchObject({ ok: false, refusals: [{ code: "article-missing" }] });
    write("first.md", "text");
    expect(await first.report({ outcome: "success" })).toMatchObject({
      held: [{ question: "publish" }],
    });
    expect(await first.next()).toMatchObject({ decisions: [{ question: "publish" }] });
    expect(await first.answer("yes")).toMatchObject({ ok: true, state: "published" });
    expect(await first.status()).toMatchObject({ finished: true });
    const audit = await first.audit();
    expect(audit).toMatchObject({ ok: true, entries: expect.any(Array) });
    expect(await engine.list()).toMatchObject({
      workflows: [{ id: "first", protocol: "article" }],
    });
  });

  test("a name that two protocols have is given with its protocol", async () => {
    const other = toy("other");
    const engine = await open({ families: [toy("one"), other], as: ADA });
    for (const id of ["one:x", "other:x"])
      expect(await engine.workflow(id).start()).toMatchObject({ ok: true, workflow: "x" });
    expect(await engine.workflow("x").status()).toMatchObject({
      refusals: [{ code: "workflow-ambiguous" }],
    });
    expect(await engine.workflow("other:x").move("finish")).toMatchObject({
      ok: true,
      protocol: "other",
    });
  });

  test("the same id again answers the same, whatever has happened since, and after a restart", async () => {
    const engine = await open({ families: [toy("one")], as: ADA });
    const one = engine.workflow("one:x");
    await one.start({}, { id: "begin" });
    const moved = await one.move("finish", {}, { id: "finish" });
    expect(moved).toMatchObject({ ok: true, state: "done" });
    expect(await one.move("finish")).toMatchObject({ ok: false });
    const again = (await open({ families: [toy("one")], as: ADA })).workflow("one:x");
    expect(await again.move("finish", {}, { id: "finish" })).toEqual(moved);
    expect(await again.start({}, { id: "begin" })).toMatchObject({ ok: true, state: "open" });
    expect(await again.move("finish", {}, { id: "a b" })).toMatchObject({
      error: { code: "usage" },
    });
  });

  test("what was edited by hand is taken in by any command, and by edits alone", async () => {
    const family = defineFamily(toy("one"), { views: [stateFile("STATE-{id}.md")] });
    const engine = await open({ families: [family], as: ADA });
    const one = engine.workflow("x");
    await one.start();
    const text = read("STATE-x.md");
    write("STATE-x.md", text.replace(/\bopen\b/, "done"));
    await one.edits();
    expect(await one.status()).toMatchObject({ state: "done" });
  });

  test("two hundred commands at once, on one workflow and on fifty: each once, and a subscriber sees it", async () => {
    const loop = defineProtocol({
      name: "loop",
      version: 1,
      title: "Loop",
      states: ["open", "done"],
      start: "open",
      ends: ["done"],
      moves: {
        again: { from: "open", to: "open" },
        finish: { from: "open", to: "done" },
      },
    });
    const family = defineFamily(loop, { views: [stateFile("LOOP.md")] });
    const engine = await open({ families: [family], as: ADA });
    const ids = Array.from({ length: 50 }, (_, index) => `w${index}`);
    for (const id of ["solo", ...ids]) await engine.workflow(id).start();
    const cursor = await engine.cursor();
    const all = Array.from({ length: 200 }, (_, index) => [
      engine.workflow("solo").move("again", {}, { id: `s${index}` }),
      engine.workflow(`w${index % 50}`).move("again", {}, { id: `f${index}` }),
    ]);
    const answers = await Promise.all(all.flat());
    expect(answers.filter((one) => !one.ok)).toEqual([]);
    const seen = new Map<string, number[]>();
    let left = 400;
    for await (const { workflow, seq } of engine.subscribe(cursor)) {
      seen.set(workflow, [...(seen.get(workflow) ?? []), seq]);
      left -= 1;
      if (left === 0) break;
    }
    const from2 = (count: number): readonly number[] =>
      Array.from({ length: count }, (_, index) => index + 2);
    expect(seen.get("solo")).toEqual(from2(200));
    for (const id of ids) expect(seen.get(id)).toEqual(from2(4));
  });

  test("works on any journal that keeps the promises", async () => {
    const engine = await open({
      families: [toy("one")],
      as: ADA,
      journal: async (fold) => createMemoryJournal(fold),
      clock: { now: () => "2031-02-03T04:05:06.000Z" },
    });
    await engine.workflow("x").start();
    const told = engine.subscribe();
    expect((await told.next()).value).toMatchObject({
      workflow: "x",
      at: "2031-02-03T04:05:06.000Z",
    });
    await told.return?.();
  });

  test("closing ends its subscriptions", async () => {
    const engine = await open({ families: [toy("one")] });
    const waiting = engine.subscribe(await engine.cursor()).next();
    await engine.close();
    opened.splice(0);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("an operation by name with input from outside is checked first", async () => {
    const engine = await open({ families: [toy("one")], as: ADA });
    expect(await engine.invoke("start", { workflow: "x", protocol: "one" })).toMatchObject({
      ok: true,
    });
    expect(await engine.invoke("status", { workflw: "x" })).toMatchObject({
      error: { code: "usage" },
    });
    expect(await engine.invoke("fly", {})).toMatchObject({ error: { code: "usage" } });
  });
});

describe("what cannot be opened is named, with a fix", () => {
  test("a journal of a newer version: nothing is changed", async () => {
    await open({ families: [toy("one")] });
    write(".holdpoint/format", "holdpoint 2\n");
    expect(await openEngine({ cwd })).toMatchObject({
      kind: "failed",
      code: "unknown-format",
      message: expect.stringContaining("holdpoint 2"),
      fix: expect.stringContaining("newer"),
    });
    expect(read(".holdpoint/format")).toBe("holdpoint 2\n");
  });

  test.each([
    ["no such directory", { cwd: "/nowhere/at/all" }, "no-directory"],
    ["a name nobody ships", { cwd: "", families: ["plugn-workflow"] }, "protocol-unknown"],
    ["one name twice", { cwd: "", families: [toy("one"), toy("one")] }, "protocol-twice"],
  ])("%s", async (_, options: EngineOptions, code) => {
    const failed = await openEngine({ ...options, cwd: options.cwd || cwd });
    expect(failed).toMatchObject({ kind: "failed", code });
  });
});

function toy(name: string): ReturnType<typeof defineProtocol> {
  return defineProtocol({
    name,
    version: 1,
    title: "Toy",
    states: ["open", "done"],
    start: "open",
    ends: ["done"],
    moves: { finish: { from: "open", to: "done" } },
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

function read(path: string): string {
  return readFileSync(join(cwd, path), "utf8");
}

async function open(options: Omit<EngineOptions, "cwd">): Promise<Engine> {
  const engine = await openEngine({ cwd, ...options });
  if (engine.kind === "failed") throw new Error(engine.message);
  opened.push(engine);
  return engine;
}
