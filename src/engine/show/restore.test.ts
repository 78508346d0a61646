/** Sealed artifacts that are put back from their copies. */
import { describe, expect, test } from "vitest";
import { accepted, BOT, press, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { Accepted } from "../outcome.ts";

const DIGEST = `sha256:${sha256("text")}`;

async function restored(
  prepare: (it: Press) => void,
  options: PressOptions = {},
): Promise<{ readonly it: Press; readonly told: Accepted }> {
  const it = await written(options);
  prepare(it);
  return { it, told: accepted(await it.move("put-back")) };
}

describe("putting back", () => {
  test("brings what was changed or deleted back, and keeps what stood there", async () => {
    const { it, told } = await restored(({ files }) => files.set("x.md", "changed"));
    expect(it.files.get("x.md")).toBe("text");
    expect(it.blobs.get(sha256("changed"))).toBe("changed");
    expect(told.warnings).toEqual(["restored x.md"]);
    expect(Object.values(told.state.effects).at(-1)).toMatchObject({
      status: "done",
      detail: { restored: ["x.md"] },
    });
    expect(it.seen.size).toBe(0);
    const gone = await restored(({ files }) => files.delete("x.md"));
    expect(gone.it.files.get("x.md")).toBe("text");
  });

  test("leaves alone what is as it was sealed", async () => {
    const { told } = await restored(() => undefined);
    expect(told.warnings).toEqual([]);
    expect(Object.values(told.state.effects).at(-1)?.detail).toEqual({ restored: [] });
  });

  test("leaves alone what was sealed as absent", async () => {
    const it = await written();
    const { journal } = it.parts;
    const load: typeof journal.load = async (stream) => {
      const loaded = await journal.load(stream);
      const seals = Object.fromEntries(
        Object.entries(loaded.state.seals).map(([name, seal]) => [name, { ...seal, digest: null }]),
      );
      return { ...loaded, state: { ...loaded.state, seals } };
    };
    it.files.set("x.md", "new");
    const { act } = await import("../engine.ts");
    const move = { type: "unit.move", unit: ".", move: "put-back" } as const;
    const caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
    await act({ ...it.parts, journal: { ...journal, load } }, await it.found(), move, caller);
    expect(it.files.get("x.md")).toBe("new");
  });

  test("waits where the copy is not kept, the file cannot be read, or was changed meanwhile", async () => {
    const lost = await restored(({ files, blobs }) => {
      files.set("x.md", "changed");
      blobs.delete(sha256("text"));
    });
    expect(lost.told.pending).toEqual([
      {
        effect: "E-1",
        code: "seal-copy-missing",
        message: "The sealed x.md is not kept here",
        fix: `Restore it from git, so that its digest is ${DIGEST}.`,
      },
    ]);
    const link = { kind: "unreadable", code: "link", message: "a link", fix: "No." } as const;
    const odd = await restored(({ files }) => files.set("x.md", link));
    expect(odd.told.pending).toMatchObject([{ effect: "E-1", code: "link", message: "a link" }]);
    let changes = false;
    const busy = await restored(
      ({ files }) => {
        files.set("x.md", "changed");
        changes = true;
      },
      {
        parts: ({ workspace }) => ({
          workspace: {
            ...workspace,
            install: async (path, content, before) =>
              changes && path === "x.md"
                ? { kind: "changed" }
                : await workspace.install(path, content, before),
          },
        }),
      },
    );
    expect(busy.told.pending).toEqual([
      {
        effect: "E-1",
        code: "file-busy",
        message: "x.md changed while it was restored",
        fix: "Try again.",
      },
    ]);
    changes = false;
    // What an attempt has put back, or tried to, is in the record of the one that comes to its end.
    busy.it.files.set("x.md", "text");
    const again = accepted(await busy.it.move("put-back"));
    expect(again.state.effects["E-1"]?.detail).toEqual({ restored: ["x.md"] });
  });

  test("waits where the file cannot be written", async () => {
    const full = {
      kind: "failed",
      code: "disk-full",
      message: "no room",
      fix: "Make room.",
    } as const;
    let closed = false;
    const { told } = await restored(
      ({ files }) => {
        files.set("x.md", "changed");
        closed = true;
      },
      {
        parts: ({ workspace }) => ({
          workspace: {
            ...workspace,
            install: async (path, content, before) =>
              closed && path === "x.md" ? full : await workspace.install(path, content, before),
          },
        }),
      },
    );
    expect(told.pending).toMatchObject([{ effect: "E-1", code: "disk-full", message: "no room" }]);
  });
});

test.each([0, 3, 70])("the record that wanted a commit is found %i records back", async (notes) => {
  let open = false;
  const it = await press({
    files: { "x.md": "text" },
    repository: true,
    parts: ({ git }) => ({
      git: {
        ...git,
        commit: async (...args) =>
          open
            ? await git.commit(...args)
            : { kind: "blocked", code: "lock", message: "locked", fix: "" },
      },
    }),
  });
  await it.send();
  // The question waits for the commit: nobody is asked about what has not happened.
  expect(accepted(await it.report()).kind).toBe("done");
  const note = { type: "note.add", list: "timeline", tag: "", text: "" } as const;
  for (let count = 0; count < notes; count += 1) await it.give(note, BOT);
  open = true;
  expect((await it.give(note, BOT)).kind).toBe("held");
  expect(it.commits[0]?.record).toBe((await it.parts.journal.read("press:x"))[2]?.hash);
});
