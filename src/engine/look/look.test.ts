/** Facts as the engine looks them up. */
import { describe, expect, test } from "vitest";
import { ADA, press, pressAt, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import type { Json } from "../../core/values/json.ts";
import { openWorld } from "../parts.ts";
import { detailsOf } from "./details.ts";
import { decideWithLooks, lookUp, untilKnown } from "./look.ts";
import { lookQuietly } from "./quiet.ts";

async function fact(it: Press, key: string): Promise<Json | undefined> {
  return (await lookUp(it.family, openWorld(it.parts), await it.state(), [key]))[key];
}

describe("a fact", () => {
  test("digest: the bytes of a file, a directory, nothing, or what cannot be read", async () => {
    const it = await press({ files: { "a/b.md": "b" } });
    expect(await fact(it, "digest:a/b.md")).toBe(`sha256:${sha256("b")}`);
    expect(await fact(it, "digest:a/../a/./b.md")).toBe(`sha256:${sha256("b")}`);
    expect(await fact(it, "digest:/desk/a/b.md")).toBe(`sha256:${sha256("b")}`);
    expect(await fact(it, "digest:a")).toBe("directory");
    expect(await fact(it, "digest:none.md")).toBeNull();
    for (const root of ["", ".", "..", "/"]) expect(await fact(it, `digest:${root}`)).toBeNull();
    it.files.set("odd", { kind: "unreadable", code: "link", message: "odd is a link", fix: "" });
    expect(await fact(it, "digest:odd")).toEqual({ unknown: "odd is a link" });
    it.files.set("pipe", { kind: "unreadable", code: "not-a-file", message: "a pipe", fix: "" });
    expect(await fact(it, "digest:pipe")).toBeNull();
  });

  test("git: whether there is a repository, or why not; tip: the commit that is checked out", async () => {
    const it = await press();
    expect(await fact(it, "git")).toBe("no-repository");
    expect(await fact(it, "tip")).toBeNull();
    const within = await written({ repository: true });
    expect(await fact(within, "git")).toBe("repository");
    expect(await fact(within, "tip")).toBe(sha256("commit 1").slice(0, 40));
  });

  test("check and command: what is run, and that somebody says there is none", async () => {
    const check = { run: ["npm", "test"], minutes: 1 };
    const none = { docs: "a sketch" };
    const it = await press({ config: { checks: { tests: check }, none } });
    expect(await fact(it, "check:tests")).toBe(true);
    expect(await fact(it, "check:docs")).toEqual({ none: "a sketch" });
    expect(await fact(it, "check:toString")).toBe(false);
    expect(await fact(it, "command:odd")).toBeNull();
    const one = await fact(it, "command:tests");
    const other = await press({ config: { checks: { tests: { ...check, minutes: 2 } } } });
    expect(await fact(other, "command:tests")).not.toBe(one);
    const own = await press({
      config: { checks: { tests: check } },
      family: { checks: { own: async () => [{ run: ["make"], minutes: 1 }] } },
    });
    expect(await fact(own, "command:tests")).not.toBe(one);
    const bare = await press();
    expect(await fact(bare, "check:tests")).toBe(false);
  });

  test("drift: where the files say something else", async () => {
    const it = await press();
    expect(await fact(it, "drift")).toBeNull();
    it.files.delete("x.state.md");
    expect(await fact(it, "drift")).toEqual(["x.state.md is missing"]);
  });

  test("changed: whether a file differs from the last commit, where there is one", async () => {
    const told = async (options: PressOptions): Promise<Json | undefined> =>
      await fact(await press(options), "changed:a.md");
    expect(await told({})).toEqual({ unknown: "cannot be compared: There is no repository." });
    expect(await told({ repository: true })).toEqual({ unknown: "has no commit to compare with" });
    const with_ = (count: number): PressOptions => ({
      repository: true,
      parts: ({ git }) => ({
        git: {
          ...git,
          resolve: async () => "c1",
          changes: async (paths) =>
            paths.slice(0, count).map((path) => ({ path, change: "modified" }) as const),
        },
      }),
    });
    expect(await told(with_(1))).toBe(true);
    expect(await told(with_(0))).toBe(false);
  });

  test("of the family's own comes first, with what stands behind the colon", async () => {
    const looks = { digest: async (_: unknown, of: string) => `mine ${of}` };
    const it = await press({ family: { looks } });
    expect(await fact(it, "digest:a:b")).toBe("mine a:b");
    expect(await fact(it, "digest")).toBe("mine ");
    await expect(fact(it, "toString:x")).rejects.toThrow(
      'Cannot look up "toString:x": no look is called "toString"',
    );
  });
});

describe("deciding with looks", () => {
  test("looks up what is needed, and stops asking after a while", async () => {
    const it = await press({ files: { "a.md": "a" } });
    const state = await it.state();
    const world = openWorld(it.parts);
    let rounds = 0;
    const told = await untilKnown(it.family, world, state, (evidence) => {
      rounds += 1;
      return rounds === 3 ? { answer: Object.keys(evidence) } : { needs: [`digest:${rounds}`] };
    });
    expect(told).toEqual(["digest:1", "digest:2"]);
    rounds = 0;
    const never = untilKnown(it.family, world, state, () => {
      rounds += 1;
      return { needs: ["tip"] };
    });
    await expect(never).rejects.toThrow(
      "Cannot judge x: its protocol never stops asking for facts",
    );
    expect(rounds).toBe(8);
    const envelope = { id: "c", at: world.now, actor: ADA.actor, session: "s" };
    const command = { type: "unit.move", unit: ".", move: "check" } as const;
    const answer = await decideWithLooks(it.family, world, { state, envelope, command });
    expect(answer).toMatchObject({ kind: "refused", refusals: [{ code: "untested" }] });
  });
});

describe("looking quietly", () => {
  test("sees the files only while they show the last record, and nobody has made another", async () => {
    const it = await press();
    const look = async (): Promise<string> => "seen";
    const of = { family: it.family, id: "x" };
    expect(await lookQuietly(it.parts, of, look)).toMatchObject({
      seen: "seen",
      state: { seq: 1 },
    });
    const busy = async (): Promise<string> => {
      await it.move("do");
      return "seen";
    };
    expect(await lookQuietly(it.parts, of, busy)).toBeUndefined();
    it.shown.delete("press:x");
    expect(await lookQuietly(it.parts, of, look)).toBeUndefined();
  });
});

describe("details", () => {
  test("tell the latest report, commit and run, and all advice", async () => {
    const it = await press({ files: { "x.md": "text" }, repository: true });
    expect(detailsOf(await it.state())).toEqual([]);
    await it.send();
    expect(detailsOf(await it.state())).toEqual([]);
    const claim = {
      agent: "writer",
      outcome: "success",
      description: "wrote\nit",
      files: ["a", "b"],
      error: null,
      odd: "not told",
    };
    await it.give({ type: "dispatch.report", dispatch: "W-1", claim });
    const engine = { ...ADA, actor: { kind: "engine", name: "holdpoint" } } as const;
    const note = (list: "runs" | "advice", tag: string): Promise<unknown> =>
      it.give({ type: "note.add", list, tag, text: "line 1\nline 2" }, engine);
    await note("runs", "old");
    await note("runs", "tests");
    await note("advice", "style");
    const { oid } = { oid: sha256("commit 1").slice(0, 40) };
    expect(detailsOf(await it.state())).toEqual([
      "Report of writer (W-1)",
      "  outcome: success",
      "  description: wrote\n  it",
      "  files: a, b",
      `Commit ${oid}`,
      "Run of tests",
      "  line 1\n  line 2",
      "Advice on style: line 1\nline 2",
    ]);
    const all = { outcome: 1, errorType: 2, issues: 3, stateError: 4, raw: 5, error: 6 };
    const state = await it.state();
    const { "W-1": out } = state.dispatches;
    if (out === undefined) throw new Error("nothing was out");
    const dispatches = { "W-1": { ...out, claim: all } };
    expect(detailsOf({ ...state, dispatches, effects: {}, notes: [] })).toEqual([
      "Report of writer (W-1)",
      "  outcome: 1",
      "  errorType: 2",
      "  error: 6",
      "  issues: 3",
      "  stateError: 4",
      "  raw: 5",
    ]);
    expect(pressAt().family.protocol.name).toBe("press");
  });
});
