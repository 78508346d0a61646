/** State files that are brought up to the journal, whatever somebody does to them meanwhile. */
import { describe, expect, test } from "vitest";
import { accepted, press, pressAt } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { View } from "../../ports/family.ts";
import { driftOf, isShown, show } from "./show.ts";

/** Show the article with something in the place of a part, from where nothing is shown yet. */
async function shown(
  it: Press,
  options: PressOptions = {},
): Promise<{ readonly told: Awaited<ReturnType<typeof show>>; readonly it: Press }> {
  const again = pressAt(options, it);
  return { told: await show(again.parts, again.family, await it.state()), it: again };
}

/** Show the article from where nothing is written yet, with something in the place of installing a file. */
async function installing(
  it: Press,
  install: (one: Installing) => ReturnType<Install>,
): ReturnType<typeof shown> {
  it.files.clear();
  return await shown(it, {
    parts: ({ workspace }, { files }) => ({
      workspace: {
        ...workspace,
        install: async (path, content, before) =>
          await install({
            path,
            content,
            files,
            install: async () => await workspace.install(path, content, before),
          }),
      },
    }),
  });
}

type Install = Press["parts"]["workspace"]["install"];
interface Installing {
  readonly path: string;
  readonly content: Parameters<Install>[1];
  readonly files: Press["files"];
  readonly install: () => ReturnType<Install>;
}

describe("showing", () => {
  test("writes what the journal says, keeps it as a blob, and remembers which record it was", async () => {
    const it = await press();
    it.shown.clear();
    it.files.clear();
    const { told } = await shown(it);
    expect(told).toEqual({ pending: [], warnings: [] });
    const text = it.text("x.state.md");
    expect(text).toContain("- State: idea");
    const { head } = await it.parts.journal.load("press:x");
    expect(it.shown.get("press:x")).toEqual({
      seq: 1,
      hash: head.hash,
      views: { "x.state.md": sha256(text), "NEWS.md": sha256(it.text("NEWS.md")) },
    });
    expect(it.blobs.get(sha256(text))).toBe(text);
    expect(await isShown(it.parts, it.family, await it.state())).toBe(true);
    expect(await isShown(it.parts, it.family, { ...(await it.state()), seq: 2 })).toBe(false);
  });

  test("again writes nothing more", async () => {
    const it = await press();
    const installed: string[] = [];
    const { told } = await shown(it, {
      parts: ({ workspace, blobs }) => ({
        workspace: {
          ...workspace,
          install: async (path, content, before) => {
            installed.push(path);
            return await workspace.install(path, content, before);
          },
        },
        blobs: { ...blobs, put: async () => await Promise.reject(new Error("kept again")) },
      }),
    });
    expect(told).toEqual({ pending: [], warnings: [] });
    expect(installed).toEqual([]);
  });

  test("leaves every byte that is not its own, and keeps and tells what it takes away", async () => {
    const it = await press();
    const edited = `${it.text("x.state.md").replace("idea", "printed")}My line\n`;
    it.files.set("x.state.md", edited);
    const { told } = await shown(it);
    expect(it.files.get("x.state.md")).toContain("My line");
    expect(it.files.get("x.state.md")).toContain("State: idea");
    expect(told.warnings).toEqual([
      `x.state.md says x is "printed", the journal says idea; it does not count (the edited text is blob ${sha256(edited)})`,
    ]);
    expect(it.blobs.get(sha256(edited))).toBe(edited);
  });

  test("replaces a text nobody can read by what was last shown, and keeps it", async () => {
    const it = await press();
    const last = `${it.text("x.state.md")}My line\n`;
    it.files.set("x.state.md", last);
    await shown(it);
    it.files.set("x.state.md", "<!-- holdpoint:x#1 --> and no end");
    const { told } = await shown(it);
    expect(told.warnings).toEqual([
      `x.state.md could not be read; the text that was there is kept as blob ${sha256("<!-- holdpoint:x#1 --> and no end")}`,
    ]);
    expect(it.files.get("x.state.md")).toBe(last);
  });

  test("says nothing of a text that was there before anything was shown", async () => {
    const it = await press();
    it.shown.clear();
    it.files.set("NEWS.md", "# Ours\n");
    const { told } = await shown(it);
    expect(told.warnings).toEqual([]);
    expect(it.files.get("NEWS.md")).toMatch(/^# Ours\n/);
    expect(it.blobs.get(sha256("# Ours\n"))).toBe("# Ours\n");
  });

  test("removes a file that is to be gone", async () => {
    const view: View = {
      path: "gone.md",
      shared: false,
      render: () => ({ kind: "absent" }),
      drift: (text) => (text === null ? [] : ["gone.md should be gone"]),
    };
    const it = await press({ family: { views: [() => view] } });
    expect(it.shown.get("press:x")?.views).toEqual({ "gone.md": null });
    it.files.set("gone.md", "here again");
    const { told } = await shown(it, { family: { views: [() => view] } });
    expect(it.files.has("gone.md")).toBe(false);
    expect(told.warnings).toEqual([
      expect.stringContaining("gone.md should be gone; it does not count"),
    ]);
  });

  test("puts back a file of its own that was deleted, as it was last shown", async () => {
    const it = await press();
    const last = `${it.text("x.state.md")}My line\n`;
    it.files.set("x.state.md", last);
    await shown(it);
    it.files.delete("x.state.md");
    it.files.delete("NEWS.md");
    await shown(it);
    expect(it.files.get("x.state.md")).toBe(last);
    // Of a shared file the rest is everybody's, and may have been taken away on purpose.
    expect(it.files.get("NEWS.md")).toContain("- State: idea");
  });
});

describe("a file that", () => {
  const failing = { code: "disk-full", message: "no room", fix: "Make room." } as const;

  test("cannot be read waits, and is not called shown", async () => {
    const it = await press();
    it.shown.delete("press:x");
    it.files.set("x.state.md", { kind: "unreadable", code: "link", message: "a link", fix: "No." });
    const { told } = await shown(it);
    expect(told.pending).toMatchObject([
      { effect: "show", code: "link", message: "a link", fix: "No." },
    ]);
    expect(it.shown.has("press:x")).toBe(false);
    expect(it.files.get("NEWS.md")).toContain("- State: idea");
  });

  test("cannot be written is tried four times", async () => {
    const it = await press();
    let tries = 0;
    const { told } = await installing(it, async ({ path, install }) => {
      if (path !== "x.state.md") return await install();
      tries += 1;
      return { kind: "failed", ...failing };
    });
    expect(told.pending).toEqual([{ effect: "show", ...failing }]);
    expect(tries).toBe(4);
  });

  test("is written by somebody else at the same moment is read again", async () => {
    const it = await press();
    let first = true;
    const { told } = await installing(it, async ({ path, install, files }) => {
      if (first && path === "NEWS.md") files.set(path, "# Theirs\n");
      first = first && path !== "NEWS.md";
      return await install();
    });
    expect(told.pending).toEqual([]);
    expect(it.files.get("NEWS.md")).toMatch(/^# Theirs\n/);
  });

  test("read as another process had left it for a moment was edited by nobody", async () => {
    const it = await press();
    const [text, state] = [it.text("x.state.md"), await it.state()];
    const install: Install = async (path, ...how) => {
      it.files.set("x.state.md", text);
      return await it.parts.workspace.install(path, ...how);
    };
    const parts = { ...it.parts, workspace: { ...it.parts.workspace, install } };
    it.files.set("x.state.md", text.replace("idea", "heaven"));
    expect(await show(parts, it.family, state)).toEqual({ pending: [], warnings: [] });
  });

  test("is rewritten all the time is given up", async () => {
    const it = await press();
    let tries = 0;
    const { told } = await installing(it, async ({ path, install }) => {
      if (path !== "NEWS.md") return await install();
      tries += 1;
      return { kind: "changed" };
    });
    expect(tries).toBe(64);
    expect(told.pending).toEqual([
      {
        effect: "show",
        code: "view-busy",
        message: "NEWS.md is being rewritten all the time",
        fix: "Stop the program that writes it, then reconcile.",
      },
    ]);
  });

  test("does not hold what was written is written again, then told", async () => {
    const it = await press();
    const { told } = await installing(it, async ({ path, install, files }) => {
      const done = await install();
      if (path === "x.state.md") files.set(path, "something else");
      return done;
    });
    expect(told.pending).toEqual([
      {
        effect: "show",
        code: "view-not-kept",
        message:
          "x.state.md does not hold what was just written: x.state.md has no block of x any more",
        fix: "Stop the program that changes it, then reconcile.",
      },
    ]);
  });

  test("was added to at once is left with the addition", async () => {
    const it = await press();
    let first = true;
    const { told } = await installing(it, async ({ path, install, files, content }) => {
      const done = await install();
      if (first) files.set(path, `${String(content)}and mine\n`);
      first = false;
      return done;
    });
    expect(told).toEqual({ pending: [], warnings: [] });
    const text = it.text("x.state.md");
    expect(text).toMatch(/and mine\n$/);
    expect(it.shown.get("press:x")?.views["x.state.md"]).toBe(sha256(text));
  });

  test("cannot be read back is told as what cannot be read", async () => {
    const it = await press();
    it.files.clear();
    const odd = { kind: "unreadable", code: "io", message: "odd", fix: "?" } as const;
    const { told } = await installing(it, async ({ path, install, files }) => {
      const done = await install();
      if (path === "x.state.md") files.set(path, odd);
      return done;
    });
    expect(told.pending).toMatchObject([{ effect: "show", code: "io", message: "odd" }]);
  });
});

describe("a newer record", () => {
  test("is shown instead, by whoever comes late", async () => {
    const it = await press();
    const old = await it.state();
    const moved = accepted(await it.move("shelve"));
    it.files.clear();
    const told = await show(it.parts, it.family, old);
    expect(told).toEqual({ pending: [], warnings: [] });
    expect(it.files.get("x.state.md")).toContain("- State: shelved");
    expect(it.shown.get("press:x")?.seq).toBe(moved.state.seq);
  });

  test("that comes again and again is left to whoever writes it", async () => {
    const it = await press();
    it.files.clear();
    const { journal } = it.parts;
    let loads = 0;
    const parts = {
      ...it.parts,
      journal: {
        ...journal,
        load: async (stream: string) => {
          const loaded = await journal.load(stream);
          loads += 1;
          return { ...loaded, head: { ...loaded.head, seq: loads + 100 } };
        },
      },
    };
    expect(await show(parts, it.family, await it.state())).toEqual({ pending: [], warnings: [] });
    expect(loads).toBe(16);
    expect(it.files.size).toBe(0);
  });

  test("that came after the files were written is what is said to be shown", async () => {
    const it = await press();
    const old = await it.state();
    it.shown.clear();
    const parts = {
      ...it.parts,
      onStep: (step: string) => {
        if (step === "show.shown" && it.shown.size === 0) newer = it.move("do");
      },
      journal: { ...it.parts.journal, load: async (key: string) => (await newer, await load(key)) },
    };
    let newer: Promise<unknown> = Promise.resolve();
    const { load } = it.parts.journal;
    await show(parts, it.family, old);
    const { state, head } = await load("press:x");
    expect(state.seq).toBeGreaterThan(old.seq);
    expect(it.shown.get("press:x")).toMatchObject({ seq: state.seq, hash: head.hash });
  });
});

test("a store that takes nothing more waits; an error of the program is thrown", async () => {
  const it = await press();
  it.files.clear();
  let error: Error = Object.assign(new Error("ENOSPC"), { syscall: "write" });
  const options: PressOptions = {
    parts: ({ blobs }) => ({
      blobs: { ...blobs, put: async () => await Promise.reject(error) },
    }),
  };
  const { told } = await shown(it, options);
  expect(told).toEqual({
    warnings: [],
    pending: [
      {
        effect: "show",
        code: "store-unwritable",
        message: "What was shown cannot be kept: ENOSPC",
        fix: "Free some space or make the store writable, then reconcile.",
      },
    ],
  });
  error = new Error("odd");
  await expect(shown(it, options)).rejects.toThrow("odd");
});

test("where the files say something else than the journal is told, file by file", async () => {
  const it = await press();
  const drift = async (): Promise<readonly string[]> =>
    await driftOf(it.parts, it.family, await it.state());
  expect(await drift()).toEqual([]);
  it.files.delete("x.state.md");
  it.files.set("NEWS.md", { kind: "unreadable", code: "link", message: "a link", fix: "" });
  expect(await drift()).toEqual(["x.state.md is missing", "a link"]);
});
