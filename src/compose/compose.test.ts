import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compose } from "./compose.ts";
import { find, start } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";
import { GENESIS } from "../ports/journal.ts";

const cwd = mkdtempSync(join(tmpdir(), "compose-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe("an engine on the embedded default", () => {
  test("every family is found under the name of its protocol", async () => {
    const { families } = await open();
    const loaded = await Promise.all(families.names.map((name) => families.get(name)));
    expect(loaded.map((one) => one?.protocol.name)).toEqual(families.names);
    expect(await families.get("constructor")).toBeUndefined();
  });

  test("a name that two protocols have is asked for with the protocol, as the fix says", async () => {
    const parts = await open();
    for (const name of ["plugin-workflow", "task-protocol"])
      await parts.journal.append(`${name}:reverb`, GENESIS, {
        id: name,
        at: "2026-03-01T00:00:00.000Z",
        body: { events: [] },
      });
    expect(await find(parts, "reverb")).toMatchObject({
      kind: "refused",
      refusals: [{ code: "workflow-ambiguous" }],
    });
    expect(await find(parts, "task-protocol:reverb")).toMatchObject({
      kind: "found",
      family: { protocol: { name: "task-protocol" } },
    });
  });

  test("a name that differs only in capitals would share the files of the other", async () => {
    const parts = await open();
    const family = await parts.families.get("plugin-workflow");
    if (family === undefined) throw new Error("there is no plugin workflow");
    const begin = async (id: string) =>
      await start(parts, family, {
        id,
        options: {},
        caller: { actor: { kind: "person", name: "ada" }, session: "human:ada" },
      });
    expect((await begin("Chorus")).kind).toBe("done");
    expect(await begin("CHORUS")).toMatchObject({
      kind: "refused",
      refusals: [{ code: "name-taken" }],
    });
  });
});

describe("outside git", () => {
  test("a mark in a directory that everybody may write to rules nothing below it", async () => {
    const top = mkdtempSync(join(tmpdir(), "compose-open-"));
    const below = join(top, "work/deep");
    mkdirSync(below, { recursive: true });
    mkdirSync(join(top, ".holdpoint"));
    const storeOf = async (): Promise<string> => {
      const composed = await compose({ cwd: below, env: {} });
      return composed.kind === "failed" ? composed.message : composed.dir;
    };
    expect(await storeOf()).toBe(join(top, ".holdpoint"));
    chmodSync(top, 0o1777);
    expect(await storeOf()).toBe(join(below, ".holdpoint"));
    rmSync(top, { recursive: true, force: true });
  });

  test("what records nothing leaves no store behind", async () => {
    const top = mkdtempSync(join(tmpdir(), "compose-none-"));
    const composed = await compose({ cwd: top, env: {} });
    if (composed.kind === "failed") throw new Error(composed.message);
    expect(await find(composed.parts, "nobody")).toMatchObject({ kind: "refused" });
    await composed.parts.journal.close();
    expect(existsSync(join(top, ".holdpoint"))).toBe(false);
    rmSync(top, { recursive: true, force: true });
  });
});

async function open(): Promise<Parts> {
  const composed = await compose({ cwd, env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  return composed.parts;
}
