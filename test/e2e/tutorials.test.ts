/** Every page with commands and what they show, done as its reader would do it. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { follow, stepsOf } from "../page.ts";
import { bareDirectory } from "./cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOCS = join(ROOT, "docs");

/** It imports the package, and has a test of its own. */
const ELSEWHERE = ["how-to/write-a-protocol.md"];

const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && !ELSEWHERE.includes(name))
  .filter((name) => readFileSync(join(DOCS, name), "utf8").includes("```console"));

test.each(pages)("%s does what it says", (name) => {
  const { top, env } = bareDirectory();
  const bin = join(top, "../bin");
  mkdirSync(bin);
  symlinkSync(join(ROOT, "bin/holdpoint.js"), join(bin, "holdpoint"));
  const steps = stepsOf(readFileSync(join(DOCS, name), "utf8"));
  expect(steps.length).toBeGreaterThan(6);
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  expect(follow(steps, top, { ...env, PATH: path }).join("\n")).toBe("");
});
