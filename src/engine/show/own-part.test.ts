/** What of a file goes into a commit, read again before anybody sees it. */
import { describe, expect, test } from "vitest";
import type { Part, Rendered, View } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";
import { lostPart, ownPart } from "./own-part.ts";
import { renderView } from "./render.ts";

/** A shared file with one line for each owner, `owner: text`. */
function lines(owner: string, text: string, more: Partial<View> = {}): View {
  const own = `${owner}: ${text}`;
  const read = (of: string): readonly Part[] =>
    of
      .split("\n")
      .filter(Boolean)
      .map((line) => ({ owner: line.split(": ")[0] ?? "", text: line }));
  const put = (into: string): string =>
    [...into.split("\n").filter((line) => line !== "" && !line.startsWith(`${owner}: `)), own].join(
      "\n",
    );
  return {
    path: "ALL.md",
    shared: true,
    render: (of) => ({ kind: "text", text: put(of ?? "") }),
    drift: (of) => (of?.split("\n").includes(own) === true ? [] : [`${owner} is not ${text}`]),
    carry: (head) => put(head),
    reads: read,
    ...more,
  };
}

const SHOWN: Exclude<Rendered, { kind: "broken" }> = {
  kind: "text",
  text: "a: old\nb: half done\nx: new",
};

function git(head: string | Uint8Array | undefined): Parts {
  const asked: string[] = [];
  return {
    asked,
    git: {
      show: async (revision: string, path: string) => {
        asked.push(`${revision} ${path}`);
        return typeof head === "string" ? Buffer.from(head) : head;
      },
    },
  } as unknown as Parts;
}

describe("a part", () => {
  test("is ours on what was committed; another's half-done step stays out", async () => {
    const view = lines("x", "new");
    const carrying = { view, owner: "x", rendered: SHOWN, base: "c1" };
    expect(await ownPart(git("a: old\nb: old\nx: old"), carrying)).toEqual({
      kind: "part",
      text: "a: old\nb: old\nx: new",
    });
    expect(await ownPart(git(undefined), carrying)).toEqual({ kind: "part", text: "x: new" });
    const none = git("a: old");
    expect(await ownPart(none, { ...carrying, base: "" })).toEqual({
      kind: "part",
      text: "x: new",
    });
    expect(none).toMatchObject({ asked: [] });
  });

  test("of a file that is not shared is the whole file, whatever was committed", async () => {
    const { carry: _, reads: _reads, ...view } = lines("x", "new");
    const parts = git("old");
    const told = await ownPart(parts, { view, owner: "x", rendered: SHOWN, base: "c1" });
    expect(told).toEqual({ kind: "part", text: SHOWN.text });
    expect(parts).toMatchObject({ asked: [] });
  });

  test("of a file that is to be gone is its removal", async () => {
    const rendered = { kind: "absent" } as const;
    const told = await ownPart(git("x"), {
      view: lines("x", "new"),
      owner: "x",
      rendered,
      base: "c",
    });
    expect(told).toEqual({ kind: "part", text: null });
  });

  test("on a file that cannot be made anew is what is shown", async () => {
    const view = lines("x", "new", { render: () => ({ kind: "absent" }) });
    const told = await ownPart(git(undefined), { view, owner: "x", rendered: SHOWN, base: "" });
    expect(told).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("the part of a"),
    });
    const own = { kind: "text", text: "x: new" } as const;
    expect(await ownPart(git(undefined), { view, owner: "x", rendered: own, base: "" })).toEqual({
      kind: "part",
      text: "x: new",
    });
  });

  test("that does not say what was recorded, or changes somebody else's, is not committed", async () => {
    const told = async (view: View, head = "a: old\nx: old"): Promise<unknown> =>
      await ownPart(git(head), { view, owner: "x", rendered: SHOWN, base: "c" });
    expect(await told(lines("x", "new", { carry: (head) => head }))).toEqual({
      kind: "rejected",
      code: "read-back-failed",
      message: "ALL.md would not say what was recorded: x is not new",
      fix: "Mend ALL.md, so that every workflow has its part once, then try again.",
    });
    expect(await told(lines("x", "new", { carry: () => "a: other\nx: new" }))).toMatchObject({
      message: "ALL.md would not say what was recorded: the part of a is not what it was",
    });
  });

  test("on a commit that is no text is refused", async () => {
    const view = lines("x", "new");
    const told = await ownPart(git(Buffer.from([0xff, 0xfe])), {
      view,
      owner: "x",
      rendered: SHOWN,
      base: "c",
    });
    expect(told).toEqual({
      kind: "rejected",
      code: "read-back-failed",
      message: "ALL.md is not UTF-8 text as it was last committed",
      fix: "Commit ALL.md as UTF-8, then try again.",
    });
  });
});

test("a part is lost that is gone, changed, moved or added", () => {
  const view = lines("x", "new");
  const lost = (head: string | null, text: string): string | undefined =>
    lostPart(view, { owner: "x", head, text });
  expect(lost("a: 1\nx: 1\nb: 1", "a: 1\nb: 1\nx: 2")).toBeUndefined();
  expect(lost("a: 1\nb: 1", "a: 1")).toBe("the part of b is not what it was");
  expect(lost("a: 1\nb: 1", "a: 2\nb: 1")).toBe("the part of a is not what it was");
  expect(lost("a: 1\nb: 1", "b: 1\na: 1")).toBe("the part of a is not what it was");
  expect(lost("a: 1", "a: 1\nc: 1")).toBe("the part of c is not what it was");
  expect(lost(null, "x: 1")).toBeUndefined();
  expect(lost(null, "c: 1")).toBe("the part of c is not what it was");
  const { reads: _, ...plain } = view;
  expect(lostPart(plain, { owner: "x", head: "a: 1", text: "" })).toBeUndefined();
});

describe("rendering", () => {
  const blobs = {
    blobs: {
      put: async () => "",
      get: async (hex: string) =>
        hex === "last"
          ? ({ kind: "found", bytes: Buffer.from("last") } as const)
          : ({ kind: "absent" } as const),
    },
  };
  /** Renders `text+`; nothing can be made of "odd", nor of nothing. */
  const own: View = {
    path: "own.md",
    shared: false,
    drift: () => [],
    render: (text) => {
      if (text === "odd") return { kind: "broken", message: "it is odd" };
      return text === "gone" ? { kind: "absent" } : { kind: "text", text: `${text ?? "fresh"}+` };
    },
  };

  test("is done on the text that is there", async () => {
    expect(await renderView(blobs, own, "now", "last")).toEqual({ kind: "text", text: "now+" });
    expect(await renderView(blobs, own, "gone", "last")).toEqual({ kind: "absent" });
  });

  test("is done on what was last shown where the text is odd, or the file is its own and gone", async () => {
    const last = { kind: "text", text: "last+" };
    expect(await renderView(blobs, own, "odd", "last")).toEqual(last);
    expect(await renderView(blobs, own, null, "last")).toEqual(last);
    const fresh = { kind: "text", text: "fresh+" };
    expect(await renderView(blobs, { ...own, shared: true }, null, "last")).toEqual(fresh);
    expect(await renderView(blobs, own, null, undefined)).toEqual(fresh);
    expect(await renderView(blobs, own, null, null)).toEqual(fresh);
    expect(await renderView(blobs, own, "odd", "lost")).toEqual(fresh);
  });

  test("leaves a text where it is of which nothing could be written anew", async () => {
    const view: View = {
      ...own,
      render: (text) => (text === "odd" ? { kind: "broken", message: "" } : { kind: "absent" }),
    };
    expect(await renderView(blobs, view, "odd", undefined)).toEqual({ kind: "text", text: "odd" });
    expect(await renderView(blobs, view, null, undefined)).toEqual({ kind: "absent" });
    const never: View = { ...own, render: () => ({ kind: "broken", message: "never" }) };
    await expect(renderView(blobs, never, "x", "last")).rejects.toThrow(
      "Cannot render own.md: never",
    );
  });

  test("begins anew where even what was last shown is odd", async () => {
    const view: View = {
      ...own,
      render: (text) =>
        text === null ? { kind: "text", text: "fresh" } : { kind: "broken", message: "" },
    };
    expect(await renderView(blobs, view, "odd", "last")).toEqual({ kind: "text", text: "fresh" });
  });
});
