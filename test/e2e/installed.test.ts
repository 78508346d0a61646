/** The README's way onto the PATH, as its reader types it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareDirectory, scratchDirectory } from "./cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const npm = process.platform === "win32" ? "npm.cmd" : "npm";

test("what is installed globally runs in any repository", () => {
  expect(README).toContain("npm install --global .");
  const prefix = scratchDirectory();
  // The scripts would build again what the other tests are running.
  const words = ["install", "--global", "--ignore-scripts", "--offline", "--prefix", prefix, "."];
  execFileSync(npm, words, { cwd: ROOT, stdio: "ignore" });
  const { top, env } = bareDirectory();
  const path = `${join(prefix, "bin")}:${process.env["PATH"] ?? ""}`;
  const run = (line: string): string =>
    execFileSync("sh", ["-c", line], { cwd: top, env: { ...env, PATH: path }, encoding: "utf8" });
  expect(run("holdpoint --version").trim()).toBe(version);
  expect(run("holdpoint list")).toContain("No workflows here yet");
});

test("what it costs reads the same on every page that says it", () => {
  const page = readFileSync(join(ROOT, "docs/how-to/use-with-agents.md"), "utf8");
  const [, own = "", low = "", high = ""] =
    /model ([\d,]+ to [\d,]+) tokens for a whole\s+workflow, and ([\d,]+) to ([\d,]+) with/.exec(
      README,
    ) ?? [];
  expect(page).toContain(`${own} tokens`);
  const [, ofClients = ""] = /around a call: ([^]*?)\n\n/.exec(page) ?? [];
  const figures = [...ofClients.matchAll(/\b(\d,\d{3}|\d{3})\b(?! there)/g)].map(([one]) =>
    Number(one.replace(",", "")),
  );
  expect(Math.min(...figures)).toBe(Number(low.replace(",", "")));
  expect(Math.max(...figures)).toBe(Number(high.replace(",", "")));
});
