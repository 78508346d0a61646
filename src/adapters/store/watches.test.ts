/** What is held, as it is stored: one file, and the changes since as lines beside it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Place, Watch, WatchChange } from "../../watch/watch.ts";
import { createWatches, readWatch } from "./watches.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "watches-"));
  mkdirSync(join(dir, "journals"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const place = (from: string): Place => ({ from, root: "/r", git: "free", rules: [] });
const empty = (): Watch => ({
  format: 1,
  made: {},
  listed: 1,
  own: [dir],
  roles: ["writer"],
  cites: {},
  places: [],
});
const change = (file: string, size: number, ...places: readonly Place[]): WatchChange => ({
  file,
  size,
  root: "/r",
  listed: 2,
  roles: ["reader"],
  cites: { c: "R-1" },
  places,
});

test("changes are seen by whoever reads it next, the last about each journal", () => {
  const watches = createWatches(dir, undefined);
  watches.keep({ ...empty(), made: { a: { size: 1, root: "/r" } }, places: [place("a")] });
  watches.add(change("b", 5, place("b")));
  watches.add(change("a", 7));
  watches.add(change("b", 6, place("b")));
  for (const read of [readWatch(dir), watches.last(), createWatches(dir, undefined).last()])
    expect(read).toMatchObject({
      made: { b: { size: 6, root: "/r" } },
      silent: { a: 7 },
      listed: 2,
      roles: ["writer", "reader"],
      cites: { c: "R-1" },
      places: [place("b")],
    });
});

test("a change costs the same however much is held, and is written out now and then", () => {
  const watches = createWatches(dir, undefined);
  const many = Array.from({ length: 1_000 }, (_, index) => `w${index}`);
  watches.keep({
    ...empty(),
    made: Object.fromEntries(many.map((one) => [one, { size: 1, root: "/r" }])),
    places: many.map(place),
  });
  const before = statSync(join(dir, "watch.json"));
  watches.add(change("w1", 2, place("w1")));
  expect(statSync(join(dir, "watch.json")).ino).toBe(before.ino);
  expect(statSync(join(dir, "watch-more.jsonl")).size).toBeLessThan(300);
  for (let size = 3; size < 1_000; size += 1) watches.add(change("w1", size));
  expect(statSync(join(dir, "watch.json")).ino).not.toBe(before.ino);
  expect(watches.quiet()["w1"]).toBeGreaterThan(2);
  expect(watches.last()?.places).toHaveLength(999);
  expect(watches.last()?.silent).toEqual({ w1: 999 });
});

test("changes of another watch are not taken for changes of this one", () => {
  const watches = createWatches(dir, undefined);
  watches.keep(empty());
  const other = createWatches(dir, undefined);
  other.last();
  watches.add(change("a", 5, place("a")));
  const line = `${JSON.stringify({ of: "another", change: change("b", 5, place("b")) })}\n`;
  appendFileSync(join(dir, "watch-more.jsonl"), line);
  expect(watches.last()?.places).toEqual([place("a")]);
  watches.keep(empty());
  expect(other.last()?.places).toEqual([]);
});

test.each<readonly [string, (file: string) => void]>([
  ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ["a link", (file) => symlinkSync(join(dir, "elsewhere"), file)],
  ["a folder", (file) => void mkdirSync(file)],
])("%s in place of the changes is neither waited for nor followed, and goes", (_, put) => {
  const watches = createWatches(dir, undefined);
  watches.keep(empty());
  put(join(dir, "watch-more.jsonl"));
  expect(() => watches.add(change("a", 5, place("a")))).toThrow(/ENXIO|ELOOP|EISDIR/);
  expect(existsSync(join(dir, "elsewhere"))).toBe(false);
  watches.keep(empty());
  watches.add(change("a", 5, place("a")));
  expect(watches.last()?.places).toEqual([place("a")]);
});

test.each(["{", "[]", "{}", '{"change":{}}'])("after a torn line %s it is made anew", (line) => {
  const watches = createWatches(dir, undefined);
  watches.keep(empty());
  writeFileSync(join(dir, "watch-more.jsonl"), `${line}\n`);
  expect(watches.last()).toBeUndefined();
  watches.keep(empty());
  expect(watches.last()).toBeDefined();
});
