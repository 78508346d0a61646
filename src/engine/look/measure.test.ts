/** The work itself: what is there, and what changed since it was handed out. */
import { describe, expect, test } from "vitest";
import { accepted, BOT, press, pressAt } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { isJsonObject, showJson } from "../../core/values/json.ts";
import type { GitRecorded } from "../../ports/git.ts";
import { openWorld } from "../parts.ts";
import { lookUp } from "./look.ts";

const entry = (text: string): string => `f ${sha256(text)}`;

async function fact(it: Press, key: string): Promise<Json | undefined> {
  return (await lookUp(it.family, openWorld(it.parts), await it.state(), [key]))[key];
}

async function change(it: Press): Promise<JsonObject> {
  const found = await fact(it, "change:W-1");
  return isJsonObject(found) ? found : {};
}

describe("a tree", () => {
  test("is one digest of all below it, by path and content, without the state files", async () => {
    const it = await press({ files: { "src/a": "1", "src/b": "2", other: "3" } });
    const first = await fact(it, "tree:src");
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    it.files.set("other", "4");
    expect(await fact(it, "tree:src")).toBe(first);
    it.files.set("src/a", "changed");
    expect(await fact(it, "tree:src")).not.toBe(first);
    const whole = await fact(it, "tree:.");
    it.files.set("NEWS.md", "edited");
    expect(await fact(it, "tree:.")).toBe(whole);
    const files = await fact(it, "files:.");
    it.files.set("x.state.md", "edited");
    expect(await fact(it, "files:.")).toBe(files);
    it.files.set("new", "");
    expect(await fact(it, "tree:.")).not.toBe(whole);
    expect(await fact(it, "files:.")).not.toBe(files);
  });

  test("of which something cannot be read is unknown, unless it is a state file", async () => {
    const it = await press({ files: { "src/a": "1" } });
    const odd = { kind: "unreadable", code: "link", message: "", fix: "" } as const;
    it.files.set("NEWS.md", odd);
    expect(await fact(it, "tree:.")).toEqual(expect.any(String));
    expect(await fact(it, "files:.")).toEqual(expect.any(String));
    it.files.set("src/b", odd);
    const unknown = { unknown: "src/b cannot be read (link): mend it or take it away" };
    expect(await fact(it, "tree:.")).toEqual(unknown);
    expect(await fact(it, "files:.")).toEqual(unknown);
  });

  test("holds what git tracks although a rule leaves it out", async () => {
    const options = (repository: boolean, tracked: readonly string[]): PressOptions => ({
      repository,
      files: { ".gitignore": "hidden", hidden: "1" },
      parts: ({ git }) => ({ git: { ...git, tracked: async () => tracked } }),
    });
    const digest = async (text: string, given: PressOptions): Promise<Json | undefined> => {
      const it = await press(given);
      it.files.set("hidden", text);
      return await fact(it, "tree:.");
    };
    const tracked = options(true, ["hidden"]);
    expect(await digest("1", tracked)).not.toBe(await digest("2", tracked));
    const untracked = options(true, []);
    expect(await digest("1", untracked)).toBe(await digest("2", untracked));
    const outside = options(false, ["hidden"]);
    expect(await digest("1", outside)).toBe(await digest("2", outside));
  });
});

describe("a change", () => {
  test("is what was added, modified, deleted and moved since the order", async () => {
    const it = await press({ files: { same: "s", mod: "1", gone: "g", from: "moved" } });
    await it.send();
    it.files.set("mod", "2");
    it.files.delete("gone");
    it.files.delete("from");
    it.files.set("to", "moved");
    it.files.set("added", "a");
    it.files.set("NEWS.md", "edited");
    expect(await change(it)).toEqual({
      files: {
        mod: [entry("1"), entry("2")],
        gone: [entry("g"), null],
        from: [entry("moved"), null],
        to: [null, entry("moved")],
        added: [null, entry("a")],
      },
      moved: { to: "from" },
      commits: [],
    });
  });

  test("is recorded with the report", async () => {
    const it = await press({ files: { "x.md": "text" } });
    await it.send();
    it.files.set("x.md", "more");
    const told = accepted(await it.report());
    expect(told.state.dispatches["W-1"]?.measured).toEqual({
      files: { "x.md": [entry("text"), entry("more")] },
      moved: {},
      commits: [],
    });
  });

  test("is unknown where the reading from then is gone or odd, or something cannot be read now", async () => {
    const gone = { unknown: "the reading from when the work was handed out is not there" };
    const it = await press({ files: { a: "1" } });
    expect(await fact(it, "change:W-7")).toEqual(gone);
    await it.send();
    it.files.set("odd", { kind: "unreadable", code: "link", message: "", fix: "" });
    expect(await change(it)).toEqual({
      unknown: "odd cannot be read (link): mend it or take it away",
    });
    it.files.delete("odd");
    const key = showJson((await it.state()).dispatches["W-1"]?.baseline["files:."]);
    const kept = it.blobs.get(key) ?? "";
    it.blobs.set(key, '"text"');
    expect(await change(it)).toEqual(gone);
    it.blobs.delete(key);
    expect(await change(it)).toEqual(gone);
    it.blobs.set(key, kept);
    expect(await change(it)).toMatchObject({ files: {} });
  });

  test("of work that was handed out over something unreadable is unknown", async () => {
    const it = await press();
    it.files.set("odd", { kind: "unreadable", code: "link", message: "", fix: "" });
    await it.send();
    it.files.delete("odd");
    expect(await change(it)).toEqual({
      unknown: "the reading from when the work was handed out is not there",
    });
  });

  test("is not hidden by an ignore rule that came later", async () => {
    const seen: unknown[] = [];
    const it = await press({
      files: { ".gitignore": "log" },
      parts: ({ workspace }) => ({
        workspace: {
          ...workspace,
          measure: async (directory, options) => {
            if (options?.rules !== undefined) seen.push([...options.rules]);
            return await workspace.measure(directory, options);
          },
        },
      }),
    });
    await it.send();
    await change(it);
    expect(seen).toEqual([[[".gitignore", "log"]]]);
  });

  test("leaves out what Holdpoint itself has written for another workflow", async () => {
    const it = await press();
    await it.send();
    const { start } = await import("../engine.ts");
    const caller = { actor: { kind: "person", name: "ada" }, session: "s" } as const;
    await start(it.parts, it.family, { id: "y", options: {}, caller });
    const changed = async (): Promise<readonly string[]> => {
      const { files } = await change(it);
      return Object.keys(isJsonObject(files) ? files : {});
    };
    expect(it.files.has("y.state.md")).toBe(true);
    expect(await changed()).toEqual([]);
    // A state file that reads otherwise, and one that was shown as gone and is there.
    it.files.set("y.state.md", "something else");
    expect(await changed()).toEqual(["y.state.md"]);
    it.shown.set("press:y", { seq: 1, views: { "y.state.md": null } });
    expect(await changed()).toEqual(["y.state.md"]);
    it.files.delete("y.state.md");
    expect(await changed()).toEqual([]);
    // Anybody can write into that note that something else was shown.
    it.files.set("code.ts", "mine");
    it.shown.set("press:y", { seq: 1, views: { "code.ts": sha256("mine") } });
    expect(await changed()).toEqual(["code.ts"]);
  });

  test("leaves out only what was written since the order", async () => {
    const it = await press();
    const { start } = await import("../engine.ts");
    const caller = { actor: { kind: "person", name: "ada" }, session: "s" } as const;
    await start(it.parts, it.family, { id: "y", options: {}, caller });
    await it.send();
    it.shown.set("press:y", { seq: 1, views: { "old.md": sha256("o") } });
    it.files.set("old.md", "o");
    expect(await change(it)).toMatchObject({ files: { "old.md": [null, entry("o")] } });
  });
});

describe("commits since the order", () => {
  let tip: string | undefined;
  const commits = (
    list: readonly GitRecorded[] | undefined,
    asked: string[] = [],
  ): PressOptions => ({
    repository: true,
    files: { "x.md": "text" },
    parts: ({ git }) => ({
      git: {
        ...git,
        resolve: async () => tip,
        commitsSince: async (base) => {
          asked.push(base);
          return list;
        },
      },
    }),
  });
  const commit = (oid: string, more: Partial<GitRecorded> = {}): GitRecorded => ({
    oid,
    subject: "by hand",
    record: "",
    paths: [],
    ...more,
  });

  test("are named that no record led to, with what they changed and nobody sees any more", async () => {
    tip = "c1";
    const asked: string[] = [];
    const list: GitRecorded[] = [];
    const it = await press(commits(list, asked));
    await it.send();
    expect(await change(it)).toEqual({ files: {}, moved: {}, commits: [] });
    expect(asked).toEqual(["c1"]);
    const paths = ["z.md", "b.md", "x.md", "NEWS.md", "b.md"];
    list.push(commit("0123456789abcdef", { paths }), commit("1", { record: "none" }));
    it.files.set("x.md", "changed");
    expect(await change(it)).toMatchObject({
      commits: ["0123456789ab by hand", "1 by hand"],
      committed: ["b.md", "z.md"],
    });
    list.splice(0, 2, commit("1", { paths: ["x.md"] }));
    expect(await change(it)).not.toHaveProperty("committed");
  });

  test("are ours where the record that is named says that it made them", async () => {
    tip = "c1";
    const list: GitRecorded[] = [];
    const it = await press(commits(list));
    await it.send();
    await it.report();
    await it.answer("no");
    const { "W-1": first } = (await it.state()).dispatches;
    expect(first?.status).toBe("ended");
    const records = await it.parts.journal.read("press:x");
    const [made] = it.commits;
    const oid = sha256("commit 1").slice(0, 40);
    expect(records.map((one) => one.hash)).toContain(made?.record);
    list.push(commit(oid, { record: made?.record ?? "" }));
    expect((await change(it))["commits"]).toEqual([]);
    list.push(commit("2", { record: made?.record ?? "" }));
    expect((await change(it))["commits"]).toEqual(["2 by hand"]);
    list.splice(0, 2, commit(oid, { record: "none" }));
    expect((await change(it))["commits"]).toEqual([`${oid.slice(0, 12)} by hand`]);
  });

  test("are none where there was and is no commit; where git cannot say, that is said", async () => {
    tip = undefined;
    const asked: string[] = [];
    const it = await press(commits([commit("1")], asked));
    await it.send();
    expect((await change(it))["commits"]).toEqual([]);
    expect(asked).toEqual([]);
    tip = "c2";
    expect((await change(it))["commits"]).toEqual(["1 by hand"]);
    expect(asked).toEqual([""]);
    const mute = pressAt(commits(undefined), it);
    expect((await change(mute))["commits"]).toEqual(["git cannot say what was committed since"]);
  });

  test("are not asked for where the work is done elsewhere", async () => {
    tip = "c1";
    const asked: string[] = [];
    const it = await press({
      ...commits([commit("1")], asked),
      files: { "work/a": "1", b: "2" },
      family: { checks: { at: () => "work" } },
    });
    await it.send(BOT);
    tip = "c2";
    it.files.set("work/a", "2");
    it.files.set("b", "3");
    expect(await change(it)).toEqual({
      files: { "work/a": [entry("1"), entry("2")] },
      moved: {},
      commits: [],
    });
    expect(asked).toEqual([]);
  });
});
