/** The tutorial, done as its reader would: what the page says one sees is seen. */
import { readFileSync, symlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { follow, stepsOf } from "../page.ts";
import type { Step } from "../page.ts";
import { BIN, repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/how-to/write-a-protocol.md"), "utf8");
const steps = stepsOf(page);

describe("docs/how-to/write-a-protocol.md", () => {
  test("the protocol has at most 90 lines, and at most 60 in YAML", () => {
    expect(linesOf("release.js")).toBeGreaterThan(30);
    expect(linesOf("release.js")).toBeLessThanOrEqual(90);
    expect(linesOf("release.yaml")).toBeGreaterThan(30);
    expect(linesOf("release.yaml")).toBeLessThanOrEqual(60);
  });

  test("every file and command, from the first to the last", () => {
    const { scratch, env } = installed();
    expect(follow(steps, scratch.top, env)).toEqual([]);
    expect(steps.filter((step) => step.kind === "command").length).toBeGreaterThan(15);
  });

  test("the same with the protocol in YAML", () => {
    const { scratch, env } = installed();
    const table: Step = { kind: "file", name: "release.yaml", text: textOf("release.yaml") };
    const rest = steps.flatMap((step): readonly Step[] => {
      if (step.kind === "command") return [step];
      if (step.name === "release.js") return [];
      return [{ ...step, text: step.text.replace("./release.js", "./release.yaml") }];
    });
    expect(follow([table, ...rest], scratch.top, env)).toEqual([]);
    expect(scratch.has("release.js")).toBe(false);
  });

  test("the compiler has nothing to say about the table, and underlines a move that is not there", () => {
    const { scratch, env } = installed();
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const compile = `"${process.execPath}" "${tsc}" --noEmit --strict --module nodenext --types "" release.ts program.ts`;
    const written = (text: string): Step => ({ kind: "file", name: "release.ts", text });
    const program: Step = { kind: "file", name: "program.ts", text: PROGRAM };
    const fine: Step = {
      kind: "command",
      command: `${compile} && echo NOTHING SAID`,
      shows: ["NOTHING SAID"],
    };
    const wrong: Step = {
      kind: "command",
      command: compile,
      shows: ["release.ts(", `"reopn"' is not assignable`],
    };
    const table = textOf("release.js");
    const mistaken = table.replace('does: "reopen"', 'does: "reopn"');
    const module: Step = { kind: "file", name: "package.json", text: '{ "type": "module" }' };
    expect(
      follow([module, program, written(table), fine, written(mistaken), wrong], scratch.top, env),
    ).toEqual([]);
  });

  test("the reader would notice a line that is not printed", () => {
    const { scratch, env } = installed();
    const wrong: Step = { kind: "command", command: "holdpoint --version", shows: ["0.0.0-none"] };
    expect(follow([wrong], scratch.top, env)).toHaveLength(1);
  });
});

function textOf(name: string): string {
  const [file] = steps.filter((step) => step.kind === "file" && step.name === name);
  return file?.kind === "file" ? file.text : "";
}

function linesOf(name: string): number {
  return textOf(name).trimEnd().split("\n").length;
}

/** A repository with the package in it, and its program on the path, as `npm install` leaves them. */
function installed(): { scratch: Scratch; env: Readonly<Record<string, string>> } {
  const scratch = repository();
  scratch.write(".gitignore", "node_modules/\n");
  mkdirSync(join(scratch.top, "node_modules"));
  symlinkSync(dirname(dirname(BIN)), join(scratch.top, "node_modules/holdpoint"));
  const bin = join(scratch.top, "node_modules/.bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "holdpoint"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  });
  return { scratch, env: { ...scratch.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` } };
}

/** Brings in the types of everything a program can ask for. */
const PROGRAM = `import { openEngine } from "holdpoint";
const engine = await openEngine({ cwd: "." });
if (engine.kind === "open") await engine.workflow("v1.4.0").advance();
`;
