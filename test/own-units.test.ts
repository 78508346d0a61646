/** Units of a protocol of one's own: added by whoever works, through the door and the command line. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { units } from "../src/core/guards/guards.ts";
import { defineProtocol, machine } from "../src/core/table/define.ts";
import { openEngine } from "../src/door/engine.ts";
import type { Engine } from "../src/door/engine.ts";
import type { WorkflowHandle } from "../src/door/workflow.ts";

const language = machine({
  states: ["wanted", "done"],
  start: "wanted",
  ends: ["done"],
  starts: [{ from: ["open"] }],
  moves: { translated: { from: "wanted", to: "done" } },
});
const book = machine({
  states: ["open", "published"],
  start: "open",
  ends: ["published"],
  moves: {
    publish: {
      from: "open",
      to: "published",
      needs: [units("language", { in: ["done"], some: true }, { code: "missing", fix: "Wait." })],
    },
  },
});
const translation = defineProtocol({
  name: "translation",
  version: 1,
  title: "Translation",
  kinds: { book, language },
  work: {
    translate: {
      role: "translator {unit}",
      order: "Translate {id} to {unit}.",
      unit: "language",
      parallel: true,
      done: "translated",
    },
  },
});

let cwd = "";
let engine: Engine | undefined;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "units-"));
});
afterEach(async () => {
  await engine?.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("units of a protocol of one's own", () => {
  test("are added after the start, worked on side by side, and asked for", async () => {
    const manual = await begin(translation);
    expect(await manual.move("publish")).toMatchObject({ refusals: [{ code: "missing" }] });
    expect(await manual.add("french", {}, { id: "fr" })).toMatchObject({ ok: true });
    expect(await manual.add("french", {}, { id: "fr" })).toMatchObject({ ok: true });
    expect(await manual.add("german", { kind: "language", reason: "asked for" })).toMatchObject({
      ok: true,
    });
    const sent = await manual.advance({ far: true });
    expect(sent).toMatchObject({
      orders: [{ role: "translator french" }, { role: "translator german" }],
    });
    const [first, second] = "orders" in sent ? (sent.orders ?? []) : [];
    for (const one of [first, second])
      await manual.report({ outcome: "success" }, { dispatch: one?.dispatch ?? "" });
    expect(await engine?.invoke("units", { workflow: "manual" })).toEqual({
      ok: true,
      workflow: "manual",
      units: [
        { unit: "french", kind: "language", at: "done", working: null },
        { unit: "german", kind: "language", at: "done", working: null },
      ],
    });
    expect(await manual.move("publish")).toMatchObject({ ok: true, state: "published" });
  });

  test.each([
    ["french", "open-illegal"],
    [".", "open-illegal"],
    ["", "unit-name"],
    ["__proto__", "unit-name"],
    ["../up", "unit-name"],
    ["/top", "unit-name"],
    ["a/../../b", "unit-name"],
    ["a\nb", "unit-name"],
  ])("%j cannot be added: %s", async (name, code) => {
    const manual = await begin(translation);
    await manual.add("french");
    const { seq, units: there } = (await manual.status()) as never as { seq: number; units: [] };
    expect(await manual.add(name)).toMatchObject({ ok: false, refusals: [{ code }] });
    expect(await manual.status()).toMatchObject({ seq, units: there });
  });

  test("a kind that nobody may add says what its table lacks", async () => {
    const { starts: _, ...closed } = language;
    const manual = await begin(
      defineProtocol({ ...base, kinds: { book, language: machine(closed) } }),
    );
    expect(await manual.add("french")).toMatchObject({
      refusals: [{ code: "unit-kind", fix: expect.stringContaining("starts: [{ from:") }],
    });
    expect(await manual.add("french", { kind: "language" })).toMatchObject({
      refusals: [{ code: "open-illegal", fix: expect.stringContaining('from: ["open"]') }],
    });
    expect(await manual.add("french", { kind: "tongue" })).toMatchObject({
      refusals: [{ code: "unit-kind", message: expect.stringContaining('"tongue"') }],
    });
  });

  test("of two kinds one is named", async () => {
    const chapter = machine({ ...language });
    const manual = await begin(defineProtocol({ ...base, kinds: { book, language, chapter } }));
    expect(await manual.add("one")).toMatchObject({
      error: { code: "usage", fix: "Say which: language, chapter." },
    });
    expect(await manual.add("one", { kind: "chapter" })).toMatchObject({ ok: true });
  });

  test("a report cannot begin the workflow itself anew, nor a unit that is there", async () => {
    const naming = { role: "editor", done: [], outcomes: {} };
    const open = [{ open: "language", unit: "{claim.summary}" }] as const;
    const work = { ...naming, in: "open", outcomes: { named: open } } as const;
    const { done: _, ...plan } = work;
    const manual = await begin(
      defineProtocol({ ...base, kinds: { book, language }, work: { plan } }),
    );
    await manual.advance();
    for (const [name, code] of [
      [".", "unit-taken"],
      ["", "unit-name"],
    ] as const)
      expect(await manual.report({ outcome: "named", summary: name })).toMatchObject({
        ok: false,
        refusals: [{ code }],
      });
    expect(await manual.report({ outcome: "named", summary: "french" })).toMatchObject({
      ok: true,
    });
  });
});

const base = { name: "translation", version: 1, title: "Translation" } as const;

async function begin(protocol: typeof translation): Promise<WorkflowHandle> {
  const opened = await openEngine({ cwd, families: [protocol] });
  if (opened.kind === "failed") throw new Error(opened.message);
  engine = opened;
  const manual = opened.workflow("manual");
  await manual.start();
  return manual;
}
