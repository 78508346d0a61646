/** Files that another process is just writing are nobody's edit. */
import { expect, test } from "vitest";
import { ADA, press } from "../../../test/press.ts";
import type { Press } from "../../../test/press.ts";
import { findGaps } from "../intake/reconcile.ts";
import { oneLook } from "../look/reading.ts";
import type { Parts } from "../parts.ts";
import { driftNow } from "./drift.ts";
import { driftOf } from "./show.ts";

/** Shelved, with what the files and the note of what was shown said before. */
async function shelved(): Promise<{
  readonly it: Press;
  readonly before: Awaited<ReturnType<Press["state"]>>;
  readonly rewind: () => () => void;
}> {
  const it = await press();
  const before = await it.state();
  const files = new Map(it.files);
  const shown = new Map(it.shown);
  await it.move("shelve", ADA);
  const put = <T>(to: Map<string, T>, from: ReadonlyMap<string, T>): void => {
    for (const [key, value] of from) to.set(key, value);
  };
  const rewind = (): (() => void) => {
    const [now, said] = [new Map(it.files), new Map(it.shown)];
    put(it.files, files);
    put(it.shown, shown);
    return () => {
      put(it.files, now);
      put(it.shown, said);
    };
  };
  return { it, before, rewind };
}

/** Counts the loads of the journal, and does something at one of them. */
function counting(
  { parts }: Press,
  at = 0,
  then?: () => void,
): Parts & { readonly loads: () => number } {
  let loads = 0;
  const load: Parts["journal"]["load"] = async (stream) => {
    loads += 1;
    if (loads === at) then?.();
    return await parts.journal.load(stream);
  };
  return { ...parts, journal: { ...parts.journal, load }, loads: () => loads };
}

test("files that show a newer record are compared with that one", async () => {
  const { it, before } = await shelved();
  expect(await driftOf(it.parts, it.family, before)).not.toEqual([]);
  const found = await driftNow(oneLook(it.parts), it.family, before);
  expect(found).toEqual({ state: await it.state(), drift: [] });
});

test("a record that is being shown is waited for, for a moment", async () => {
  const { it, rewind } = await shelved();
  const parts = counting(it, 3, rewind());
  expect((await driftNow(oneLook(parts), it.family, await it.state())).drift).toEqual([]);
  rewind();
  const never = counting(it);
  const { drift } = await driftNow(never, it.family, await it.state());
  expect(drift.join()).toContain("the journal says shelved");
  expect(never.loads()).toBeLessThan(20);
});

test("an edit of what was shown is told at once, and where nothing differs nothing is asked", async () => {
  const { it } = await shelved();
  const parts = counting(it);
  expect((await driftNow(parts, it.family, await it.state())).drift).toEqual([]);
  expect(parts.loads()).toBe(0);
  it.files.delete("x.state.md");
  expect((await driftNow(parts, it.family, await it.state())).drift).toEqual([
    "x.state.md is missing",
  ]);
  expect(parts.loads()).toBe(2);
});

test("gaps are those of the newest record, also where it comes while they are looked for", async () => {
  const it = await press();
  const found = await it.found();
  const { read } = it.parts.workspace;
  let moved: Promise<unknown> | undefined;
  const workspace: Parts["workspace"] = {
    ...it.parts.workspace,
    read: async (path) => {
      await (moved ??= it.move("shelve", ADA));
      return await read(path);
    },
  };
  const gaps = await findGaps({ ...it.parts, workspace }, found, ADA);
  expect(gaps).toEqual({ files: [], state: [], git: [], pending: [] });
  expect((await it.state()).units["."]?.at).toBe("shelved");
});
