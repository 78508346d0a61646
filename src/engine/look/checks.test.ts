/** Checks that the engine runs: what a result is bound to, what it says, and when it says nothing. */
import { describe, expect, test } from "vitest";
import { ADA, accepted, codesOf, press, pressAt } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { Finding } from "../../core/state/state.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { unknown } from "../../core/values/unknown.ts";

const TESTS = { run: ["npm", "test"], minutes: 2 };
const CHECKED: PressOptions = { files: { "src/a.ts": "a" }, config: { checks: { tests: TESTS } } };

async function finding(it: Press): Promise<Finding | undefined> {
  return Object.values((await it.state()).findings).find((one) => one.kind === "tests");
}

function detailOf(found: Finding | undefined): JsonObject {
  return found?.detail ?? {};
}

describe("a check", () => {
  test("that passes is recorded by the engine, with what it printed, for exactly this tree", async () => {
    const it = await press(CHECKED);
    it.results.set("npm", {
      kind: "exited",
      code: 0,
      output: "ok\n\n",
      ms: 7,
      program: "/bin/npm",
    });
    expect((await it.move("check")).kind).toBe("done");
    const found = await finding(it);
    expect(found).toMatchObject({ unit: ".", by: "engine", value: "passed" });
    expect(Object.keys(found?.bound ?? {}).toSorted()).toEqual(["command:tests", "tree:src"]);
    const [run] = detailOf(found)["runs"] as readonly JsonObject[];
    expect(run).toEqual({
      name: "npm test",
      passed: true,
      ended: "exit 0",
      at: expect.stringMatching(/^2026-/),
      ms: 7,
      output: sha256("ok\n\n"),
      tail: "ok\n\n",
      program: "/bin/npm",
    });
    expect(it.blobs.get(sha256("ok\n\n"))).toBe("ok\n\n");
    const notes = (await it.state()).notes.filter((one) => one.list === "runs");
    expect(notes).toMatchObject([
      {
        tag: "tests",
        text: `npm test (/bin/npm): exit 0 after 7 ms, output ${sha256("ok\n\n")}\nok`,
      },
    ]);
    const records = await it.parts.journal.read("press:x");
    const runs = records.filter((one) => one.body["session"] === "engine");
    expect(runs.map((one) => one.body["command"])).toEqual(["note.add", "finding.record"]);
  });

  test("that passed is not run again on the same tree; on another it is", async () => {
    const it = await press(CHECKED);
    await it.move("check");
    await it.move("check");
    expect(it.ran).toHaveLength(1);
    it.files.set("src/a.ts", "b");
    await it.move("check");
    expect(it.ran).toHaveLength(2);
    it.files.set("other.ts", "outside");
    await it.move("check");
    expect(it.ran).toHaveLength(2);
  });

  test("that failed is told with its output, and is run again each time", async () => {
    const it = await press(CHECKED);
    it.results.set("npm", { kind: "exited", code: 1, output: "red", ms: 1 });
    for (const times of [1, 2]) {
      const told = await it.move("check");
      expect(told).toMatchObject({ kind: "refused", refusals: [{ code: "untested" }] });
      expect(it.ran).toHaveLength(times);
    }
    expect((await finding(it))?.value).toBe("failed");
    expect(it.refusals.at(-1)?.refusals[0]?.message).toBe(
      "tests failed on what is there now (exit 1)\nred",
    );
  });

  test("that took too long has failed; one that could not begin did not run", async () => {
    const it = await press(CHECKED);
    it.results.set("npm", { kind: "timeout", output: "slow", ms: 9 });
    await it.move("check");
    expect(await finding(it)).toMatchObject({
      value: "failed",
      detail: { runs: [{ ended: "timeout", ms: 9, passed: false }] },
    });
    it.results.set("npm", { kind: "failed", message: "no such program" });
    await it.move("check");
    expect(await finding(it)).toMatchObject({
      value: "not-run",
      detail: { runs: [{ ended: "no such program", ms: 0, tail: "no such program" }] },
    });
  });

  test("of the workflow's own files is the contract: all run, also after one failed", async () => {
    const own = [
      { name: "first", run: ["one"], minutes: 1 },
      { run: ["two", "words"], minutes: 3 },
    ];
    const it = await press({
      ...CHECKED,
      family: { checks: { own: async () => own, at: () => "work/tree" } },
    });
    it.results.set("one", { kind: "exited", code: 2, output: "", ms: 1 });
    await it.move("check");
    expect(it.ran).toEqual([
      { command: ["one"], cwd: "/desk/work/tree", ms: 60_000 },
      { command: ["two", "words"], cwd: "/desk/work/tree", ms: 180_000 },
    ]);
    expect(await finding(it)).toMatchObject({
      value: "failed",
      detail: { runs: [{ name: "first" }, { name: "two words" }] },
    });
    // One that could not begin beside one that passed: nothing failed, and not all ran.
    it.results.set("one", { kind: "failed", message: "gone" });
    await it.move("check");
    expect((await finding(it))?.value).toBe("not-run");
  });

  test("that is not there is not run", async () => {
    const it = await press({ files: { "src/a.ts": "a" } });
    expect(codesOf(await it.move("check"))).toEqual(["untested"]);
    expect(it.ran).toEqual([]);
    expect(await finding(it)).toBeUndefined();
  });

  test("keeps of a long output the end: more in the note than in the finding", async () => {
    const it = await press(CHECKED);
    const output = `${"a".repeat(5000)}${"b".repeat(500)}`;
    it.results.set("npm", { kind: "exited", code: 0, output, ms: 1 });
    await it.move("check");
    const [run] = detailOf(await finding(it))["runs"] as readonly JsonObject[];
    expect(run?.["tail"]).toBe("b".repeat(500));
    const note = (await it.state()).notes.find((one) => one.list === "runs");
    expect(note?.text.split("\n")[1]).toHaveLength(2000);
  });

  test("that printed nothing is told in one line", async () => {
    const it = await press(CHECKED);
    it.results.set("npm", { kind: "exited", code: 0, output: " \n", ms: 1 });
    await it.move("check");
    const note = (await it.state()).notes.find((one) => one.list === "runs");
    expect(note?.text).toBe(`npm test: exit 0 after 1 ms, output ${sha256(" \n")}`);
  });

  test("that cannot be recorded fails the command", async () => {
    for (const command of ["note.add", "finding.record"]) {
      const it = await press({
        ...CHECKED,
        parts: ({ journal }) => ({
          journal: {
            ...journal,
            append: async (stream, head, entry) =>
              entry.body["command"] === command
                ? { kind: "failed", code: "disk", message: "full" }
                : await journal.append(stream, head, entry),
          },
        }),
      });
      expect(await it.move("check")).toMatchObject({ kind: "failed", code: "journal-disk" });
    }
  });
});

describe("while a check runs", () => {
  /** Something happens to the files in the middle of the run. */
  function during(what: (it: Press) => void, options: PressOptions = {}): PressOptions {
    return {
      ...CHECKED,
      ...options,
      parts: (parts, memory) => ({
        ...options.parts?.(parts, memory),
        runner: {
          run: async () => {
            what(memory as Press);
            return { kind: "exited", code: 0, output: "ok", ms: 1 };
          },
        },
      }),
    };
  }

  test("what it judges is written to: the result counts for nothing, and says what was touched", async () => {
    const it = await press(during(({ files }) => files.set("src/a.ts", "other")));
    const told = await it.move("check");
    expect(codesOf(told)).toEqual(["untested"]);
    expect(await finding(it)).toMatchObject({
      value: "void",
      detail: { changed: ["src/a.ts"], runs: [{ passed: false, ended: "exit 0" }] },
    });
    expect(it.refusals.at(-1)?.refusals[0]?.message).toBe(
      "tests counts for nothing: what it judges was written to while it ran (src/a.ts)",
    );
  });

  test("a file of it is deleted, or a new one comes: that is another tree", async () => {
    const gone = await press(during(({ files }) => files.delete("src/a.ts")));
    await gone.move("check");
    expect(detailOf(await finding(gone))["changed"]).toEqual(["src/a.ts"]);
    const added = await press(during(({ files }) => files.set("src/new.ts", "n")));
    await added.move("check");
    expect(await finding(added)).toMatchObject({
      value: "void",
      detail: { changed: ["src/new.ts"] },
    });
  });

  test("a file that is not its own is written to: nothing is wrong", async () => {
    const it = await press(during(({ files }) => files.set("log.txt", "l")));
    expect((await it.move("check")).kind).toBe("done");
    expect(detailOf(await finding(it))).not.toHaveProperty("changed");
  });

  test("a file is changed and changed back: its times tell, and the result counts for nothing", async () => {
    let stamp = "1";
    const it = await press(
      during(() => (stamp = "2"), {
        parts: ({ workspace }) => ({
          workspace: {
            ...workspace,
            stamp: async (path) => (path === "src/a.ts" ? stamp : await workspace.stamp(path)),
          },
        }),
      }),
    );
    expect(codesOf(await it.move("check"))).toEqual(["untested"]);
    expect(await finding(it)).toMatchObject({ value: "void", detail: { changed: ["src/a.ts"] } });
  });

  test("a file that was written a moment ago is looked at a moment later", async () => {
    let looks = 0;
    const it = await press({
      ...CHECKED,
      parts: ({ workspace }) => ({
        workspace: {
          ...workspace,
          stamp: async (path) => {
            if (path !== "src/a.ts") return await workspace.stamp(path);
            looks += 1;
            return looks === 1 ? undefined : "settled";
          },
        },
      }),
    });
    expect((await it.move("check")).kind).toBe("done");
    expect((await finding(it))?.value).toBe("passed");
  });

  test("the place where it runs is watched as a whole, but for the state files", async () => {
    const at = { checks: { at: () => "work" } };
    const files = { "src/a.ts": "a", "work/b.ts": "b" };
    const touched = await press(
      during((it) => it.files.set("work/b.ts", "c"), { files, family: at }),
    );
    await touched.move("check");
    expect((await finding(touched))?.value).toBe("void");
  });
});

describe("facts with a list of files", () => {
  /** `tree:src` as a list, which says what a change of each file means. */
  function listed(what: (files: Press["files"]) => void): PressOptions {
    return {
      files: { "src/a.ts": "a", "src/b.ts": "b" },
      config: { checks: { tests: TESTS } },
      family: {
        looks: {
          tree: async ({ workspace }) => {
            const { files } = await workspace.measure("src");
            return Object.fromEntries(files);
          },
        },
      },
      parts: (_, { files }) => ({
        runner: {
          run: async () => {
            what(files);
            return { kind: "exited", code: 0, output: "ok", ms: 1 };
          },
        },
      }),
    };
  }

  test("tell what a run left behind: new files, and ones that it changed", async () => {
    const it = await press(
      listed((files) => {
        files.set("src/made.ts", "m");
        files.set("src/a.ts", "changed");
      }),
    );
    await it.move("check");
    expect(await finding(it)).toMatchObject({
      value: "passed",
      detail: { wrote: ["src/made.ts"], changed: ["src/a.ts"] },
    });
    expect((await finding(it))?.bound["tree:src"]).toEqual({
      "src/a.ts": `f ${sha256("a")}`,
      "src/b.ts": `f ${sha256("b")}`,
    });
  });

  test("remember what an earlier run left behind, and tell nothing where nothing is left", async () => {
    let round = 0;
    const it = await press(
      listed((files) => {
        round += 1;
        if (round === 1) files.set("src/made.ts", "m");
      }),
    );
    await it.move("check");
    await it.move("check");
    expect(round).toBe(2);
    expect(detailOf(await finding(it))["wrote"]).toEqual(["src/made.ts"]);
    const clean = await press(listed(() => undefined));
    await clean.move("check");
    expect(Object.keys(detailOf(await finding(clean)))).toEqual(["runs"]);
  });

  test("a file that goes is one that was changed", async () => {
    const it = await press(listed((files) => files.delete("src/b.ts")));
    await it.move("check");
    expect(detailOf(await finding(it))).toMatchObject({ changed: ["src/b.ts"] });
  });
});

test("a pass for a tree that cannot be read vouches for nothing, and is run again", async () => {
  const it = await press({
    ...CHECKED,
    family: { looks: { tree: async () => unknown("src/a.ts is too large") } },
  });
  expect(codesOf(await it.move("check"))).toEqual(["untested"]);
  expect(codesOf(await it.move("check"))).toEqual(["untested"]);
  expect(it.ran).toHaveLength(2);
});

test("a pass that was not bound to all that is asked now is run again", async () => {
  const it = await press(CHECKED);
  const record = {
    type: "finding.record",
    unit: ".",
    kind: "tests",
    by: "engine",
    value: "passed",
    bound: {},
  } as const;
  accepted(await it.give(record, { ...ADA, actor: { kind: "engine", name: "holdpoint" } }));
  await it.move("check");
  expect(it.ran).toHaveLength(1);
  const other = pressAt({ config: { checks: { tests: { run: ["make"], minutes: 1 } } } }, it);
  await other.move("check");
  expect(it.ran).toHaveLength(2);
});
