/** What a run of a check counts for: this tree, these checks, and nothing else. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { checkedProtocol } from "../src/core/table/define.ts";
import type { JsonObject } from "../src/core/values/json.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { defineFamily } from "../src/family/define.ts";
import type { CheckConfig, Family } from "../src/ports/family.ts";
import type { RunOptions, RunResult } from "../src/ports/runner.ts";

const CALLER = { actor: { kind: "person", name: "ada" }, session: "s-1" } as const;
const GREEN: RunResult = { kind: "exited", code: 0, output: "fine\n", ms: 7 };

const protocol = checkedProtocol({
  name: "checked",
  version: 1,
  title: "Checked",
  root: "job",
  lease: "dispatch",
  looks: ["files", "digest"],
  vars: {},
  guards: {},
  questions: {},
  work: {},
  kinds: {
    job: {
      states: ["open"],
      start: "open",
      ends: [],
      moves: ["all", "code"].map((check) => ({
        id: check,
        from: ["open"],
        to: "open",
        needs: [
          {
            guard: "passed",
            args: { check, binds: check === "all" ? ["files:src"] : ["digest:src/code.ts"] },
            code: "not-green",
            fix: "Mend it.",
            rule: "K-1",
          },
        ],
        rule: "K-1",
      })),
    },
  },
});

let dir = "";
let parts: Parts;
let own: readonly CheckConfig[] = [];
let tree: JsonObject = {};
let ran: { readonly command: string; readonly options: RunOptions }[] = [];
let result: (command: string) => RunResult = () => GREEN;

const family: Family = defineFamily(protocol, {
  looks: { files: async () => tree },
  checks: { own: async (_world, _state, name) => (name === "all" ? own : []), at: () => "src" },
});

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "checks-"));
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src/code.ts"), "1");
  [own, tree, ran, result] = [[check("a")], { "a.ts": "1" }, [], () => GREEN];
  const composed = await compose({ cwd: dir, families: [family], env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  parts = {
    ...composed.parts,
    runner: {
      run: async ([command = ""], options) => {
        ran.push({ command, options });
        return result(command);
      },
    },
  };
  await start(parts, family, { id: "x", options: {}, caller: CALLER });
});
afterEach(async () => {
  await parts.journal.close();
  rmSync(dir, { recursive: true, force: true });
});

describe("a run counts", () => {
  test("once for one tree, and not for another", async () => {
    expect(await move()).toMatchObject({ kind: "done" });
    expect(await move()).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a"]);
    tree = { "a.ts": "2" };
    expect(await move()).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a", "a"]);
    expect(ran[0]?.options).toEqual({ cwd: `${parts.workspace.root}/src`, msMax: 60_000 });
  });

  test("not for a check that was added since", async () => {
    await move();
    own = [check("a"), check("b")];
    result = (command) => (command === "b" ? { ...GREEN, code: 1 } : GREEN);
    expect(await move()).toMatchObject({ kind: "refused", refusals: [{ code: "not-green" }] });
    expect(commands()).toEqual(["a", "a", "b"]);
    result = () => GREEN;
    expect(await move()).toMatchObject({ kind: "done" });
    expect(await move()).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a", "a", "b", "a", "b"]);
    own = [check("b")];
    expect(await move()).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a", "a", "b", "a", "b", "b"]);
  });

  const NO_PROGRAM = "no such program";
  test.each<[string, RunResult, string, JsonObject]>([
    ["fails", { ...GREEN, code: 1 }, "failed", { ended: "exit 1", ms: 7 }],
    ["takes too long", { ...GREEN, kind: "timeout" }, "failed", { ended: "timeout", ms: 7 }],
    [
      "cannot start",
      { kind: "failed", message: NO_PROGRAM },
      "not-run",
      { ended: NO_PROGRAM, ms: 0 },
    ],
  ])("as no pass where it %s, and is then worth another", async (_, red, value, told) => {
    result = () => red;
    expect(await move()).toMatchObject({ kind: "refused", refusals: [{ code: "not-green" }] });
    expect(await finding()).toMatchObject({
      value,
      detail: { runs: [{ passed: false, ...told }] },
    });
    expect(await move()).toMatchObject({ kind: "refused" });
    expect(commands()).toEqual(["a", "a"]);
  });

  test("as red where one of several is, and all of them ran", async () => {
    own = [check("a"), check("b")];
    result = (command) => (command === "a" ? { ...GREEN, code: 2 } : GREEN);
    expect(await move()).toMatchObject({ kind: "refused" });
    expect(commands()).toEqual(["a", "b"]);
    expect((await finding())?.value).toBe("failed");
    result = (command) => (command === "a" ? { kind: "failed", message: NO_PROGRAM } : GREEN);
    expect(await move()).toMatchObject({ kind: "refused" });
    expect((await finding())?.value).toBe("not-run");
  });

  test("for its own kind alone", async () => {
    await move("all");
    expect(await move("code")).toMatchObject({
      refusals: [{ message: expect.stringMatching(/^code did not run/) }],
    });
  });

  test("only if there is one", async () => {
    own = [];
    expect(await move()).toMatchObject({ kind: "refused", refusals: [{ code: "not-green" }] });
    expect((await state()).findings).toEqual({});
    expect((await state()).notes).toEqual([]);
  });

  test("as the configuration has it, where the workflow brings none along", async () => {
    const config = { ...parts.config, checks: { all: { run: ["conf"], minutes: 2 } } };
    expect(await move("all", { ...parts, config })).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a"]);
    own = [];
    expect(await move("all", { ...parts, config })).toMatchObject({ kind: "done" });
    expect(commands()).toEqual(["a", "conf"]);
    expect(ran[1]?.options.msMax).toBe(120_000);
  });

  test("not where it was written to what it judges by digest", async () => {
    const config = { ...parts.config, checks: { code: { run: ["conf"], minutes: 1 } } };
    result = () => {
      writeFileSync(join(dir, "src/code.ts"), "2");
      return GREEN;
    };
    expect(await move("code", { ...parts, config })).toMatchObject({
      refusals: [{ message: expect.stringContaining("was written to while it ran") }],
    });
    const { findings } = await state();
    expect(findings[". code engine"]).toMatchObject({
      value: "void",
      detail: { runs: [{ passed: false, ended: "exit 0" }] },
    });
  });
});

describe("a run leaves", () => {
  test("its output as a blob, the end of it in the note, and less of it in the state", async () => {
    const output = `${"x".repeat(2_500)}the end\n`;
    result = () => ({ ...GREEN, output });
    await move();
    const { runs } = ((await finding())?.detail ?? {}) as { runs?: JsonObject[] };
    const blob = parts.sha256(output);
    expect(runs).toEqual([
      {
        name: "a",
        passed: true,
        ended: "exit 0",
        at: expect.any(String),
        ms: 7,
        output: blob,
        tail: output.slice(-500),
      },
    ]);
    expect((await parts.blobs.get(blob)).kind).toBe("found");
    const [note] = (await state()).notes;
    expect(note).toMatchObject({ list: "runs", tag: "all" });
    expect(note?.text).toBe(
      `a: exit 0 after 7 ms, output ${blob}\n${output.slice(-2_000).trimEnd()}`,
    );
  });

  test("no line where it printed nothing", async () => {
    result = () => ({ ...GREEN, output: "" });
    await move();
    expect((await state()).notes[0]?.text).toMatch(/^a: exit 0 after 7 ms, output [0-9a-f]{64}$/);
  });

  test("what it wrote and changed itself named, also by the runs after it", async () => {
    result = () => {
      tree = { "a.ts": "changed", "out.txt": "new" };
      return GREEN;
    };
    expect(await move()).toMatchObject({ kind: "refused" });
    expect((await finding())?.detail).toMatchObject({ wrote: ["out.txt"], changed: ["a.ts"] });
    result = () => GREEN;
    expect(await move()).toMatchObject({ kind: "done" });
    const { detail } = (await finding()) ?? {};
    expect(detail?.["wrote"]).toEqual(["out.txt", "a.ts"]);
    expect(detail).not.toHaveProperty("changed");
  });

  test("nothing named where it left the files alone", async () => {
    await move();
    expect(Object.keys((await finding())?.detail ?? {})).toEqual(["runs"]);
    expect(readFileSync(join(dir, "src/code.ts"), "utf8")).toBe("1");
  });
});

function check(command: string): CheckConfig {
  return { run: [command], minutes: 1 };
}

function commands(): readonly string[] {
  return ran.map((one) => one.command);
}

async function move(name = "all", using: Parts = parts): Promise<Outcome> {
  const found = await find(using, "x");
  if (found.kind === "refused") throw new Error("there is no x");
  return await act(using, found, { type: "unit.move", unit: ".", move: name }, CALLER);
}

async function state(): Promise<Workflow> {
  return (await parts.journal.load("checked:x")).state;
}

async function finding(): Promise<Workflow["findings"][string] | undefined> {
  return (await state()).findings[". all engine"];
}
