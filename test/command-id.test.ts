/** The same command id again answers what it answered before: whoever lost an answer may ask again. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { added, tallyFamily } from "./tally.ts";

const ADA = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;

let cwd = "";
const opened: Parts[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "again-"));
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("a command that is sent twice", () => {
  test("is recorded once and answers the same, at once, later, and after a restart", async () => {
    const parts = await open();
    await start(parts, tallyFamily, { id: "w", options: {}, caller: { ...ADA, id: "s" } });
    const both = await Promise.all([put(parts, "add one", "a"), put(parts, "add one", "a")]);
    await put(parts, "add two", "b");
    const late = await put(parts, "add one", "a");
    const other = await put(await open(), "add one", "a");
    for (const outcome of [...both, late, other]) expect(told(outcome)).toEqual(told(both[0]));
    expect(await names(parts)).toEqual(["one", "two"]);
  });

  test("answers the same although it would be refused now", async () => {
    const parts = await open();
    await start(parts, tallyFamily, { id: "w", options: {}, caller: ADA });
    await put(parts, "add one", "a");
    execFileSync("git", ["init", "-q"], { cwd });
    const closed = await put(parts, "close", "c");
    expect((await put(parts, "add two", "b")).kind).toBe("refused");
    expect(told(await put(parts, "close", "c"))).toEqual(told(closed));
    expect((await put(parts, "close", "d")).kind).toBe("refused");
  });

  test("starts a workflow once", async () => {
    const parts = await open();
    const request = { id: "w", options: {}, caller: { ...ADA, id: "s" } };
    const first = await start(parts, tallyFamily, request);
    await put(parts, "add one", "a");
    expect(told(await start(parts, tallyFamily, request))).toEqual(told(first));
    const again = await start(parts, tallyFamily, { ...request, caller: ADA });
    expect(again).toMatchObject({ kind: "refused", refusals: [{ code: "workflow-exists" }] });
  });

  test("is decided anew if it was refused: a refusal changed nothing", async () => {
    const parts = await open();
    await start(parts, tallyFamily, { id: "w", options: {}, caller: ADA });
    expect((await put(parts, "nonsense", "a")).kind).toBe("refused");
    expect((await put(parts, "add one", "a")).kind).toBe("done");
  });
});

/** What stays the same however often it is told. */
function told(outcome: Outcome | undefined): unknown {
  if (outcome === undefined || outcome.kind === "refused" || outcome.kind === "failed")
    return outcome;
  const { kind, state, events, notes } = outcome;
  return { kind, state, events, notes };
}

async function open(): Promise<Parts> {
  const composed = await compose({ cwd, env: {}, families: [tallyFamily] });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  return composed.parts;
}

async function put(parts: Parts, step: string, id: string): Promise<Outcome> {
  const found = await find(parts, "w");
  if (found.kind === "refused") throw new Error("there is no w");
  const [move = "", reason = ""] = step.split(" ");
  return await act(parts, found, { type: "unit.move", unit: ".", move, reason }, { ...ADA, id });
}

async function names(parts: Parts): Promise<readonly string[]> {
  const found = await find(parts, "w");
  return found.kind === "found" ? added(found.state) : [];
}
