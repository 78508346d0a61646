import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { placeName } from "./place.ts";

let room: string;
beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), "holdpoint-place-"));
});
afterEach(() => rmSync(room, { recursive: true, force: true }));

const at = (top: string, readOnly = false, env = {}): string =>
  placeName({ dir: join(room, top, ".git/holdpoint"), readOnly, env });

test("a clone keeps its name; a copy of it, and another one, have others", () => {
  const one = at("one");
  expect(one).toContain(`:${join(room, "one")} (`);
  expect(at("one")).toBe(one);
  expect(at("one", true)).toBe(one);
  cpSync(join(room, "one"), join(room, "two"), { recursive: true });
  const id = (name: string): string => / \((\w{8})\)$/.exec(name)?.[1] ?? "";
  expect(new Set([one, at("two"), at("three")].map(id)).size).toBe(3);
  expect(readdirSync(join(room, "one/.git/holdpoint"))).toEqual(["clone"]);
});

test("a name that is given is never that of another clone", () => {
  const one = at("one");
  for (const faked of [one, `${one} `, `${one} (00000000)`])
    expect(at("two", true, { HOLDPOINT_PLACE: faked })).toBe(one.replace(/ \(\w{8}\)$/, ""));
  expect(at("two", true, { HOLDPOINT_PLACE: one.slice(one.indexOf("(")) })).toContain("two (");
});

test("whoever only looks makes no file", () => {
  at("one", true);
  expect(readdirSync(room)).toEqual([]);
});

test("a name that is given is one line and short; what lies in the place of the file is not followed", () => {
  expect(at("one", true, { HOLDPOINT_PLACE: `runner-7\n\u001b[2J${"x".repeat(999)}` })).toMatch(
    /^runner-7 ⏎ \\u001b\[2Jx{1,200}$/,
  );
  expect(at("one", true, { HOLDPOINT_PLACE: " " })).toContain("(");
  mkdirSync(join(room, "odd/.git/holdpoint/clone"), { recursive: true });
  expect(at("odd")).toContain("(");
  mkdirSync(join(room, "full/.git/holdpoint"), { recursive: true });
  writeFileSync(join(room, "full/.git/holdpoint/clone"), "\u0000\n");
  expect(at("full")).not.toContain("\n");
});
