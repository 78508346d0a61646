/** Takeovers of effects: one taker each, whoever dies is followed, and nothing odd is believed. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Holders } from "../../ports/holders.ts";
import { createHolders } from "./holders.ts";

let dir = "";
let holders: Holders;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holders-"));
  holders = createHolders(join(dir, "h"), () => undefined);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("until somebody takes it over, it is whoever wanted it", async () => {
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-1");
});

test("one of two gets it, a dead taker is followed, and other effects are not touched", async () => {
  expect(await holders.take("w E-1 4", "p-1", "p-2")).toBe(true);
  expect(await holders.take("w E-1 4", "p-1", "p-3")).toBe(false);
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-2");
  expect(await holders.take("w E-1 4", "p-2", "p-3")).toBe(true);
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-3");
  expect(await holders.of("w E-1 9", "p-1")).toBe("p-1");
  expect(await holders.of("w E-2 4", "p-1")).toBe("p-1");
});

test("what an attempt saw is there for the next one, in another process too", async () => {
  expect(await holders.recall("w E-1 4")).toBeUndefined();
  await holders.keep("w E-1 4", { base: "one" });
  await holders.take("w E-1 4", "p-1", "p-2");
  await holders.keep("w E-1 4", { base: "two" });
  expect(await createHolders(join(dir, "h"), () => undefined).recall("w E-1 4")).toEqual({
    base: "two",
  });
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-2");
  await holders.forget("w E-1 4");
  expect(await holders.recall("w E-1 4")).toBeUndefined();
});

test("what is settled leaves nothing behind", async () => {
  await holders.take("w E-1 4", "p-1", "p-2");
  await holders.forget("w E-1 4");
  await holders.forget("w E-2 4");
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-1");
  expect(readdirSync(join(dir, "h"))).toEqual([]);
});

test("a circle, a link or a folder in the place of a name proves nothing", async () => {
  await holders.take("w E-1 4", "p-1", "p-2");
  await holders.take("w E-1 4", "p-2", "p-1");
  expect(await holders.of("w E-1 4", "p-1")).toBe("");
  for (const put of [
    (at: string) => symlinkSync("/etc/passwd", at),
    (at: string) => mkdirSync(at),
  ]) {
    await holders.forget("w E-1 4");
    await holders.take("w E-1 4", "p-1", "p-2");
    const [place = ""] = readdirSync(join(dir, "h"));
    const [name = ""] = readdirSync(join(dir, "h", place));
    rmSync(join(dir, "h", place, name));
    put(join(dir, "h", place, name));
    expect(await holders.of("w E-1 4", "p-1")).toBe("");
  }
});
