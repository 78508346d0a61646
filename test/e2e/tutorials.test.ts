/** Every tutorial, done as its reader would do it. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { follow, stepsOf } from "../page.ts";
import { bareDirectory } from "./cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = join(ROOT, "docs/tutorial");

test.each(readdirSync(PAGES))("%s does what it says", (name) => {
  const { top, env } = bareDirectory();
  const bin = join(top, "../bin");
  mkdirSync(bin);
  symlinkSync(join(ROOT, "bin/holdpoint.js"), join(bin, "holdpoint"));
  const steps = stepsOf(readFileSync(join(PAGES, name), "utf8"));
  expect(steps.length).toBeGreaterThan(10);
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  expect(follow(steps, top, { ...env, PATH: path }).join("\n")).toBe("");
});
