/** Facts about the work itself, from a real directory: every change of a tree is another fact. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { checkedProtocol } from "../src/core/table/define.ts";
import type { Json, JsonObject } from "../src/core/values/json.ts";
import { act, find, start } from "../src/engine/engine.ts";
import { lookUp } from "../src/engine/look/look.ts";
import { openWorld } from "../src/engine/parts.ts";
import type { Parts } from "../src/engine/parts.ts";
import { defineFamily } from "../src/family/define.ts";
import { stateFile } from "../src/family/state-file.ts";
import { tallyFamily } from "./tally.ts";

const CALLER = { actor: { kind: "person", name: "ada" }, session: "s-1" } as const;

const family = defineFamily(
  checkedProtocol({
    name: "worked",
    version: 1,
    title: "Worked",
    root: "job",
    lease: "dispatch",
    looks: [],
    vars: {},
    guards: {},
    questions: {},
    work: {
      write: { role: "writer", unit: "root", in: ["open"], outcomes: { done: [] }, rule: "W-1" },
    },
    kinds: {
      job: {
        states: ["open"],
        start: "open",
        ends: [],
        moves: [{ id: "again", from: ["open"], to: "open", rule: "W-2" }],
      },
    },
  }),
  { views: [stateFile("STATE.md")] },
);

let dir = "";
let parts: Parts;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "measured-"));
  put("src/a.ts", "a");
  put("src/b.ts", "b");
  git("init", "-q", "-b", "main");
  commit("first");
  const composed = await compose({ cwd: dir, families: [family, tallyFamily], env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  ({ parts } = composed);
  await start(parts, family, { id: "x", options: {}, caller: CALLER });
});
afterEach(async () => {
  await parts.journal.close();
  rmSync(dir, { recursive: true, force: true });
});

describe("the digest of a tree", () => {
  const CHANGES: Readonly<Record<string, () => void>> = {
    "what a file holds": () => put("src/a.ts", "b"),
    "which file holds it": () => {
      put("src/a.ts", "b");
      put("src/b.ts", "a");
    },
    "a mode": () => chmodSync(join(dir, "src/a.ts"), 0o755),
    "a name": () => renameSync(join(dir, "src/a.ts"), join(dir, "src/c.ts")),
    "a new file": () => put("src/deep/c.ts", "c"),
    "a file that is gone": () => rmSync(join(dir, "src/a.ts")),
    "a link": () => symlinkSync("a.ts", join(dir, "src/link")),
  };

  test.each(Object.entries(CHANGES))("is another for %s", async (_, change) => {
    const before = await fact("tree:src");
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await fact("tree:src")).toBe(before);
    const files = await fact("files:.");
    change();
    expect(await fact("tree:src")).toMatch(/^[0-9a-f]{64}$/);
    expect(await fact("tree:src")).not.toBe(before);
    expect(await fact("files:.")).not.toBe(files);
  });

  test("is the same for what lies elsewhere, and for a state file of its own", async () => {
    const [before, whole] = [await fact("tree:src"), await fact("tree:.")];
    put("STATE.md", "edited\n");
    expect(await fact("tree:.")).toBe(whole);
    put("other.txt", "x");
    expect(await fact("tree:src")).toBe(before);
    expect(await fact("tree:.")).not.toBe(whole);
  });

  test("is unknown where something cannot be read in full", async () => {
    symlinkSync(tmpdir(), join(dir, "src/away"));
    const why = { unknown: expect.stringContaining("src/away") };
    expect(await fact("tree:src")).toEqual(why);
    expect(await fact("files:.")).toEqual(why);
    await send();
    expect(await fact("change:W-1")).toEqual({ unknown: expect.any(String) });
  });

  test("tells of what git tracks, although a rule leaves it out", async () => {
    put(".gitignore", "gen/\n");
    put("gen/a.ts", "a");
    put("gen/b.ts", "b");
    git("add", "-f", "gen/a.ts");
    commit("generated");
    const before = await fact("tree:.");
    put("gen/b.ts", "other");
    expect(await fact("tree:.")).toBe(before);
    put("gen/a.ts", "other");
    expect(await fact("tree:.")).not.toBe(before);
  });
});

describe("the change since an order", () => {
  test("is nothing where nothing changed, and what Holdpoint writes is nobody's", async () => {
    await send();
    await start(parts, tallyFamily, { id: "t", options: {}, caller: CALLER });
    expect(await change()).toEqual({ files: {}, moved: {}, commits: [] });
  });

  test("names what came, changed, went and moved, each with what it was and is", async () => {
    await send();
    put("src/a.ts", "changed");
    renameSync(join(dir, "src/b.ts"), join(dir, "src/moved.ts"));
    put("src/new.ts", "n");
    const { files, moved } = await change();
    const entry = (text: string): string => `f ${parts.sha256(text)}`;
    expect(files).toEqual({
      "src/a.ts": [entry("a"), entry("changed")],
      "src/b.ts": [entry("b"), null],
      "src/moved.ts": [null, entry("b")],
      "src/new.ts": [null, entry("n")],
    });
    expect(moved).toEqual({ "src/moved.ts": "src/b.ts" });
  });

  test("names a state file of somebody else that does not read as it was shown", async () => {
    await send();
    await start(parts, tallyFamily, { id: "t", options: {}, caller: CALLER });
    put("TALLY.md", "t 99\n");
    expect(Object.keys((await change()).files)).toEqual(["TALLY.md"]);
  });

  test("names commits that are no record's, also where they leave nothing behind", async () => {
    await send();
    put("src/a.ts", "changed");
    commit("by the agent");
    put("src/a.ts", "a");
    commit("put back");
    const { files, commits } = await change();
    expect(files).toEqual({});
    expect(commits).toEqual([
      expect.stringMatching(/^[0-9a-f]{12} /),
      expect.stringMatching(/^[0-9a-f]{12} /),
    ]);
    expect(commits.map((one) => one.slice(13)).sort()).toEqual(["by the agent", "put back"]);
  });

  test("a rule that was written meanwhile hides nothing", async () => {
    await send();
    put(".gitignore", "src/\n");
    put("src/hidden.ts", "h");
    expect(Object.keys((await change()).files)).toEqual([".gitignore", "src/hidden.ts"]);
  });

  test("is unknown for work that was never handed out, and without the first reading", async () => {
    const lost = { unknown: expect.stringContaining("handed out is not there") };
    expect(await fact("change:W-1")).toEqual(lost);
    await send();
    const blobs = { ...parts.blobs, get: async () => ({ kind: "absent" }) as const };
    expect(await fact("change:W-1", { ...parts, blobs })).toEqual(lost);
  });
});

interface Changed {
  readonly files: JsonObject;
  readonly moved: JsonObject;
  readonly commits: readonly string[];
}

async function change(): Promise<Changed> {
  return (await fact("change:W-1")) as unknown as Changed;
}

async function fact(key: string, using: Parts = parts): Promise<Json | undefined> {
  const { state } = await using.journal.load("worked:x");
  return (await lookUp(family, openWorld(using), state, [key]))[key];
}

async function send(): Promise<void> {
  const found = await find(parts, "x");
  if (found.kind === "refused") throw new Error("there is no x");
  const sent = await act(parts, found, { type: "dispatch.send", spec: "write", unit: "." }, CALLER);
  expect(sent.kind).toBe("done");
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function git(...args: readonly string[]): void {
  const as = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...as, ...args], { cwd: dir, stdio: "ignore" });
}

function commit(subject: string): void {
  git("add", "-A");
  git("commit", "-q", "-m", subject);
}
