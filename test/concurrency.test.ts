/** Many commands at once, in one process and in several: each is recorded once, and none is turned away. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { added, tallyFamily } from "./tally.ts";

const CROWD = 200;
const WRITER = fileURLToPath(new URL("./fixtures/tally-writer.ts", import.meta.url));

let cwd = "";
const opened: Parts[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "crowd-"));
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("two hundred commands at once in one process", () => {
  test.each([
    ["one session", () => "s"],
    ["a session each", (index: number) => `s${index}`],
  ])("on one workflow, with %s", async (_, sessionOf) => {
    const parts = await open();
    await begin(parts, "solo");
    const outcomes = await Promise.all(
      range(CROWD).map((index) => add(parts, "solo", `n${index}`, callerOf(sessionOf(index)))),
    );
    expectAllTaken(outcomes);
    expect((await names(parts, "solo")).toSorted()).toEqual(range(CROWD).map(nameOf).toSorted());
    expect(read("tally/solo.txt")).toBe(`${CROWD}\n`);
  });

  test("on fifty workflows that share a file", async () => {
    const parts = await open();
    const ids = range(50).map((index) => `w${index}`);
    expectAllTaken(await Promise.all(ids.map((id) => begin(parts, id))));
    const outcomes = await Promise.all(
      range(CROWD).map((index) => add(parts, `w${index % 50}`, `n${index}`, callerOf("s"))),
    );
    expectAllTaken(outcomes);
    for (const id of ids) expect(await names(parts, id)).toHaveLength(4);
    expect(read("TALLY.md").trim().split("\n").toSorted()).toEqual(
      ids.map((id) => `${id} 4`).toSorted(),
    );
  });

  test("ten workflows that commit: a commit each, and none waits", async () => {
    const git = (...args: readonly string[]): string =>
      execFileSync("git", [...args], { cwd, encoding: "utf8" }).trim();
    git("init", "-q");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.com");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const parts = await open();
    const ids = range(10).map((index) => `w${index}`);
    expectAllTaken(await Promise.all(ids.map((id) => begin(parts, id))));
    const outcomes = await Promise.all(ids.map((id) => put(parts, id, "close", callerOf("s"))));
    expectAllTaken(outcomes);
    expect(git("log", "--format=%s").split("\n").toSorted()).toEqual(
      ["first", ...ids.map((id) => `close ${id}`)].toSorted(),
    );
    expect(git("status", "--porcelain")).toBe("");
  });

  test("through two engines on one directory", async () => {
    const engines = [await open(), await open()];
    await begin(await open(), "solo");
    const outcomes = await Promise.all(
      range(CROWD).map((index) => {
        const parts = engines[index % 2];
        if (parts === undefined) throw new Error("there is no engine");
        return add(parts, "solo", `n${index}`, callerOf(`s${index % 2}`));
      }),
    );
    expectAllTaken(outcomes);
    expect((await names(await open(), "solo")).toSorted()).toEqual(
      range(CROWD).map(nameOf).toSorted(),
    );
  });
});

describe("four processes with fifty commands each", () => {
  test("on one workflow: every command is recorded once, none is turned away", async () => {
    await begin(await open(), "solo");
    const run = promisify(execFile);
    const told = await Promise.all(
      range(4).map((index) =>
        run(process.execPath, ["--import", "tsx", WRITER, cwd, `p${index}`, "50"], {
          timeout: 170_000,
        }),
      ),
    );
    expect(told.map(({ stdout }) => stdout.trim())).toEqual(range(4).map(() => "50 done"));
    const parts = await open();
    const wanted = range(4).flatMap((index) => range(50).map((one) => `p${index}.${one}`));
    expect((await names(parts, "solo")).toSorted()).toEqual(wanted.toSorted());
    expect((await parts.journal.verify("tally:solo")).damage).toBeUndefined();
    expect(read("tally/solo.txt")).toBe(`${CROWD}\n`);
  });
});

async function open(): Promise<Parts> {
  const composed = await compose({ cwd, env: {}, families: [tallyFamily] });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  return composed.parts;
}

async function begin(parts: Parts, id: string): Promise<Outcome> {
  return await start(parts, tallyFamily, { id, options: {}, caller: callerOf("s") });
}

async function add(parts: Parts, id: string, name: string, caller: Caller): Promise<Outcome> {
  return await put(parts, id, `add ${name}`, caller);
}

async function put(parts: Parts, id: string, step: string, caller: Caller): Promise<Outcome> {
  const found = await find(parts, id);
  if (found.kind === "refused") throw new Error(`there is no ${id}`);
  const [move = "", reason = ""] = step.split(" ");
  return await act(parts, found, { type: "unit.move", unit: ".", move, reason }, caller);
}

async function names(parts: Parts, id: string): Promise<readonly string[]> {
  const found = await find(parts, id);
  return found.kind === "found" ? added(found.state) : [];
}

function expectAllTaken(outcomes: readonly Outcome[]): void {
  const bad = outcomes.filter((one) => one.kind !== "done" || one.pending.length > 0);
  expect(bad).toEqual([]);
}

function callerOf(session: string): Caller {
  return { actor: { kind: "person", name: "ada" }, session };
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function nameOf(index: number): string {
  return `n${index}`;
}

function read(path: string): string {
  return readFileSync(join(cwd, path), "utf8");
}
