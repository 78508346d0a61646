import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBlobs } from "./blobs.ts";
import { systemClock } from "../process/clock.ts";
import { randomIds } from "../process/ids.ts";

describe("blobs", () => {
  test("a text comes back byte for byte under its sha256; a second put adds no file", async () => {
    const dir = scratch();
    const blobs = createBlobs(dir);
    const text = "ä\r\n\0";
    const hex = await blobs.put(text);
    expect(hex).toBe(createHash("sha256").update(text).digest("hex"));
    expect(await blobs.put(Buffer.from(text))).toBe(hex);
    const read = await blobs.get(hex);
    expect(read.kind === "found" && Buffer.from(read.bytes).toString()).toBe(text);
    expect(readdirSync(join(dir, hex.slice(0, 2)))).toEqual([hex]);
  });

  test("ten puts of one text at once leave one whole file", async () => {
    const dir = scratch();
    const blobs = createBlobs(dir);
    const text = "x".repeat(100_000);
    const [hex = ""] = await Promise.all(Array.from({ length: 10 }, () => blobs.put(text)));
    expect(readdirSync(join(dir, hex.slice(0, 2)))).toEqual([hex]);
    expect((await blobs.get(hex)).kind).toBe("found");
  });

  test("different texts put at once are all there, and where one cannot be kept none is promised", async () => {
    const dir = scratch();
    const blobs = createBlobs(dir);
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const names = await Promise.all(texts.map((text) => blobs.put(text)));
    for (const [index, hex] of names.entries()) {
      const read = await blobs.get(hex);
      expect(read.kind === "found" && Buffer.from(read.bytes).toString()).toBe(texts[index]);
    }
    const hex = createHash("sha256").update("barred").digest("hex");
    rmSync(join(dir, hex.slice(0, 2)), { recursive: true, force: true });
    writeFileSync(join(dir, hex.slice(0, 2)), "no directory");
    const both = await Promise.allSettled([blobs.put("barred"), blobs.put("another")]);
    expect(both.map((one) => one.status)).toEqual(["rejected", "rejected"]);
    expect((await blobs.get(await blobs.put("another"))).kind).toBe("found");
  });

  test("changed bytes are named, and putting the text again heals them", async () => {
    const dir = scratch();
    const blobs = createBlobs(dir);
    const hex = await blobs.put("precious");
    const file = join(dir, hex.slice(0, 2), hex);
    chmodSync(file, 0o644);
    writeFileSync(file, "Precious");
    expect(await blobs.get(hex)).toMatchObject({ kind: "damaged" });
    await blobs.put("precious");
    expect((await blobs.get(hex)).kind).toBe("found");
  });

  test("a shelf that is a link is neither read through nor written to", async () => {
    const dir = scratch();
    const blobs = createBlobs(dir);
    const hex = await blobs.put("precious");
    const elsewhere = scratch();
    renameSync(join(dir, hex.slice(0, 2)), join(elsewhere, "shelf"));
    symlinkSync(join(elsewhere, "shelf"), join(dir, hex.slice(0, 2)));
    expect(await blobs.get(hex)).toMatchObject({ kind: "damaged" });
    await expect(blobs.put("precious")).rejects.toThrow(/ELOOP|ENOTDIR/);
  });

  test("an unknown name and a name that is no digest are absent", async () => {
    const blobs = createBlobs(scratch());
    expect(await blobs.get("0".repeat(64))).toEqual({ kind: "absent" });
    expect(await blobs.get("../../etc/passwd")).toEqual({ kind: "absent" });
  });
});

test("ids are 25 characters that no shell, URL or case-blind file system mistakes", () => {
  const ids = Array.from({ length: 1_000 }, () => randomIds.next());
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{25}$/);
});

test("the clock gives UTC, a monotonic number, and the boot where the system tells", () => {
  expect(systemClock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const first = systemClock.monotonicMs();
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
  const known = process.platform === "linux" ? /^[0-9a-f-]{36}$/ : /^$/;
  expect(systemClock.bootId() ?? "").toMatch(known);
});

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), "holdpoint-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
