/** What a program hands over that does not fit: named with its place and what to do, never thrown. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineProtocol } from "../core/table/define.ts";
import { defineFamily } from "../family/define.ts";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import type { WorkflowHandle } from "./workflow.ts";

const toy = defineProtocol({
  name: "toy",
  version: 1,
  title: "Toy",
  states: ["open", "done"],
  start: "open",
  ends: ["done"],
  work: { write: { role: "writer", done: "finish" } },
  moves: { finish: { from: "open", to: "done" } },
});

let cwd = "";
let engine: Engine;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "misfits-"));
  const opened = await openEngine({ cwd, families: [toy] });
  if (opened.kind === "failed") throw new Error(opened.message);
  engine = opened;
  await engine.workflow("x").start();
  await engine.workflow("x").advance();
});
afterAll(async () => {
  await engine.close();
  rmSync(cwd, { recursive: true, force: true });
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
/** Whatever a program without a compiler may say. */
const odd = (value: unknown): never => value as never;

describe("a command that makes no sense is answered, and nothing happens", () => {
  test.each<[string, (one: WorkflowHandle) => Promise<unknown>, string]>([
    ["options that are none", (one) => one.start(odd({ option: {} })), "no input option"],
    ["options of another kind", (one) => one.start(odd({ options: "x" })), "$.options is string"],
    [
      "a protocol of another kind",
      (one) => one.start(odd({ protocol: 3 })),
      "$.protocol is number",
    ],
    [
      "a text for an input",
      (one) => one.advance(odd("far")),
      'expected names with values, found "fa',
    ],
    [
      "a list for an input",
      (one) => one.advance(odd([])),
      "expected names with values, found a list",
    ],
    ["no step", (one) => one.move(odd(undefined)), "$.step is null"],
    ["a number for a step", (one) => one.move(odd(3)), "$.step is number"],
    ["no choice", (one) => one.answer(odd(undefined)), "answer needs choice"],
    ["no question", (one) => one.ask(odd(undefined)), "ask needs question"],
    ["no unit", (one) => one.add(odd(undefined)), "$.add is null"],
    [
      "a function within",
      (one) => one.advance({ input: odd({ f: () => 1 }) }),
      "input.f: a function",
    ],
    ["no report", (one) => one.report(odd(undefined)), "report needs text"],
    ["a number for a report", (one) => one.report(odd(3)), "$.text is number"],
    ["a report without an end", (one) => one.report(odd(cycle)), "something nested too deeply"],
    [
      "a report with a function",
      (one) => one.report(odd({ outcome: () => 1 })),
      "a function is no data",
    ],
    [
      "a dispatch of another kind",
      (one) => one.report({}, odd({ dispatch: 1 })),
      "dispatch: 1 is no text",
    ],
    ["nothing beside it", (one) => one.advance({}, odd(null)), "expected options, found nothing"],
    ["a misspelt option", (one) => one.advance({}, odd({ ids: "x" })), 'did you mean "id"'],
    ["a caller who is nobody", (one) => one.advance({}, odd({ as: {} })), 'a caller lacks "actor"'],
    [
      "a caller of an unknown kind",
      (one) => one.next(odd({ as: { actor: { kind: "robot", name: "r" }, session: "s" } })),
      'as.actor.kind: "robot" is not possible here',
    ],
    ["an id of another kind", (one) => one.move("finish", {}, odd({ id: 7 })), "id: 7 is no text"],
    ["nothing beside edits", (one) => one.edits(odd(null)), "expected options, found nothing"],
  ])("%s", async (_, call, says) => {
    const one = engine.workflow("x");
    const answer = await call(one);
    expect(answer).toMatchObject({ ok: false, error: { code: "usage" } });
    expect(JSON.stringify(answer)).toContain(JSON.stringify(says).slice(1, -1));
    expect(await one.status()).toMatchObject({ ok: true, seq: 2, state: "open" });
  });

  test.each([undefined, 3, null, {}])("a workflow called %j", async (id) => {
    const one = engine.workflow(odd(id));
    for (const answer of [one.start(), one.status(), one.next(), one.move("finish"), one.audit()])
      expect(await answer).toMatchObject({ ok: false });
  });

  test.each<[string, unknown, unknown]>([
    ["start", 3, undefined],
    ["start", { workflow: "y", options: { f: () => 1 } }, undefined],
    ["status", { workflow: "x" }, { actor: "ada" }],
  ])("%s by its name with %o", async (name, input, as) => {
    expect(await engine.invoke(name, odd(input), odd(as))).toMatchObject({
      ok: false,
      error: { code: "usage" },
    });
  });
});

describe("an engine that cannot be opened as asked for says what is wrong", () => {
  test.each<[unknown, string, string]>([
    [undefined, "usage", "takes an object"],
    [{}, "usage", "cwd:"],
    [{ cwd: 3 }, "usage", "cwd:"],
    [{ cwd: ".", family: [] }, "usage", 'no option "family"'],
    [{ cwd: ".", families: toy }, "usage", "families: it is a list"],
    [{ cwd: ".", families: [{}] }, "protocol-unusable", "families[0]: it is no protocol"],
    [{ cwd: ".", families: [toy, null] }, "protocol-unusable", "families[1]: it is no protocol"],
    [{ cwd: ".", families: [{ protocol: toy, views: [] }] }, "protocol-unusable", "families[0]"],
    [
      { cwd: ".", families: [{ ...toy, kinds: { toy: { states: "open" } } }] },
      "protocol-unusable",
      'kinds.toy: a kind of unit lacks "start"',
    ],
    [{ cwd: ".", journal: {} }, "usage", "journal: it is a function"],
    [{ cwd: ".", clock: {} }, "usage", "clock:"],
    [{ cwd: ".", as: { actor: {} } }, "usage", 'a caller lacks "session"'],
  ])("%o", async (options, code, says) => {
    const failed = await openEngine(odd(options));
    expect(failed).toMatchObject({ kind: "failed", code, fix: expect.stringMatching(/./) });
    expect(failed.kind === "failed" ? failed.message : "").toContain(says);
  });
});

test.each<[string, () => unknown, string]>([
  ["that is none", () => ({}), "has no load, append"],
  ["that is nothing", () => undefined, "has no load, append"],
  ["that cannot be opened", () => Promise.reject(new Error("full")), "cannot be opened: full"],
])("a journal %s", async (_, journal, says) => {
  expect(await openEngine({ cwd, families: [toy], journal: odd(journal) })).toMatchObject({
    kind: "failed",
    code: "journal-unusable",
    message: expect.stringContaining(says),
  });
});

describe("a family with parts that do not fit", () => {
  test.each<[unknown, unknown, string]>([
    [{}, {}, "hand it what defineProtocol answers"],
    [undefined, {}, "hand it what defineProtocol answers"],
    [toy, { view: [] }, 'view: a family has no "view" (did you mean "views"?)'],
    [
      toy,
      { names: { chek: () => undefined } },
      'names.chek: "names" has no "chek" (did you mean "check"?)',
    ],
    [toy, { looks: { size: 3 } }, "looks.size: expected a function, found 3"],
    [toy, { views: {} }, "views: expected a list, found names with values"],
  ])("%#", (protocol, parts, says) => {
    expect(() => defineFamily(odd(protocol), odd(parts))).toThrow(says);
  });
});
