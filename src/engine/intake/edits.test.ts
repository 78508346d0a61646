/** What people and agents write into state files by hand: taken in, refused, kept and told. */
import { describe, expect, test } from "vitest";
import { accepted, ADA, BOT, press, written } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import { sha256 } from "../../../test/memory-parts.ts";
import { stateFile } from "../../family/state-file.ts";
import type { View } from "../../ports/family.ts";
import type { Outcome } from "../outcome.ts";
import { fileActor } from "../caller.ts";
import { editActor, takeInClaims } from "./claims.ts";
import { keepLeftAside, overwrittenIn, recordedWith } from "./edits.ts";
import { findGaps, restoreViews } from "./reconcile.ts";

function edit(it: Press, path: string, from: string, to: string): string {
  const text = it.text(path).replace(from, to);
  it.files.set(path, text);
  return text;
}

async function claimed(it: Press): Promise<readonly Outcome[]> {
  return await takeInClaims(it.parts, await it.found(), BOT);
}

describe("a line that claims a step", () => {
  test("is taken as that step, as the deed of the file", async () => {
    const it = await press({ table: moreMoves() });
    edit(it, "NEWS.md", "State: idea", "State: stopped");
    // What the step itself adds to the file, its number above all, nobody could have written.
    const [told, ...more] = await claimed(it);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ kind: "done", state: { units: { ".": { at: "stopped" } } } });
    const record = (await it.parts.journal.read("press:x")).at(-1);
    expect(record?.body).toMatchObject({ actor: "agent:file:NEWS.md", session: "s-1" });
  });

  test("is refused where the step is: the text is kept, named, recorded and put right", async () => {
    const it = await press({ table: { rules: { "state-mismatch": "P-99" } } });
    const text = edit(it, "NEWS.md", "State: idea", "State: shelved");
    const outcomes = await claimed(it);
    expect(outcomes.map((one) => one.kind)).toEqual(["refused", "done"]);
    const last = (await it.parts.journal.read("press:x")).at(-1);
    expect(last?.body).toMatchObject({
      command: "edit.refuse",
      actor: "agent:file:NEWS.md",
      events: [
        {
          type: "edit.refused",
          view: "NEWS.md",
          blob: sha256(text),
          reasons: [
            { code: expect.any(String) },
            {
              code: "state-mismatch",
              message: 'NEWS.md says x is "shelved", the journal says idea',
              rule: "P-99",
            },
          ],
        },
      ],
    });
    expect(it.blobs.get(sha256(text))).toBe(text);
    expect(it.files.get("NEWS.md")).toContain("State: idea");
    const [, told] = outcomes;
    expect(told === undefined ? [] : accepted(told).warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/^NEWS\.md: /)]),
    );
  });

  test("that no row makes true is refused without a command", async () => {
    const it = await press();
    edit(it, "NEWS.md", "State: idea", "State: heaven");
    const outcomes = await claimed(it);
    expect(outcomes.map((one) => one.kind)).toEqual(["done"]);
    expect(accepted(outcomes[0] as Outcome).events).toMatchObject([
      { type: "edit.refused", reasons: [{ code: "state-mismatch" }] },
    ]);
  });

  test("is not looked for where nothing differs, the file is gone, or is not shown", async () => {
    const it = await press();
    expect(await claimed(it)).toEqual([]);
    it.files.delete("NEWS.md");
    expect(await claimed(it)).toEqual([]);
    const other = await press();
    edit(other, "NEWS.md", "State: idea", "State: heaven");
    other.shown.delete("press:x");
    expect(await claimed(other)).toEqual([]);
  });

  test("is left alone in a file that reads no claims", async () => {
    const plain = (...args: Parameters<ReturnType<typeof stateFile>>): View => {
      const { claims: _, ...view } = stateFile("NEWS.md")(...args) as View;
      return view;
    };
    const it = await press({ family: { views: [plain] } });
    edit(it, "NEWS.md", "State: idea", "State: heaven");
    expect(await claimed(it)).toEqual([]);
  });

  test("ends where the record cannot be made", async () => {
    const { it, fill } = await filling();
    edit(it, "NEWS.md", "State: idea", "State: heaven");
    fill();
    expect(await claimed(it)).toMatchObject([{ kind: "failed", code: "journal-disk" }]);
  });

  test("is told once, where the step it claimed has recorded the rest of the edit", async () => {
    const it = await press({ table: moreMoves() });
    const text = edit(it, "NEWS.md", "- State: idea", "- State: stopped\n- Mine: all");
    const outcomes = await claimed(it);
    expect(outcomes.map((one) => one.kind)).toEqual(["done"]);
    expect(accepted(outcomes[0] as Outcome).events).toMatchObject([
      { type: "unit.moved" },
      { type: "edit.refused", view: "NEWS.md", blob: sha256(text) },
    ]);
  });
});

/** The press whose `stop` anybody may ask for. */
function moreMoves(): PressOptions["table"] & object {
  const { protocol } = pressOf();
  const { article } = protocol.kinds;
  if (article === undefined) throw new Error("no article");
  const moves = article.moves.map((one) => {
    const { by: _, ...free } = one;
    return one.id === "stop" ? free : one;
  });
  return { kinds: { article: { ...article, moves } } };
}

function pressOf(): Press["family"] {
  return pressFamilyOnce;
}
const pressFamilyOnce = (await press()).family;

test("an edit is the file's deed, and speaks for the agent that has the work", async () => {
  expect(fileActor("a.md")).toEqual({ kind: "agent", name: "file:a.md" });
  const it = await press();
  await it.send();
  const actor = { kind: "agent", name: "bot", agent: "c:s" } as const;
  await it.give({ type: "dispatch.take", dispatch: "W-1", agent: "c:s" }, { ...BOT, actor });
  const state = await it.state();
  const claim = { agent: "writer", outcome: "success" };
  const report = { type: "dispatch.report", dispatch: "W-1", claim } as const;
  expect(editActor(state, report)).toEqual({ kind: "agent", name: "file:edit", agent: "c:s" });
  expect(editActor(state, { ...report, dispatch: "W-9" })).toEqual(fileActor("edit"));
  expect(editActor(state, { type: "lease.release" })).toEqual(fileActor("edit"));
});

describe("what a step overwrites", () => {
  test("is kept and recorded with the step, but not what the step made true", async () => {
    const it = await press();
    const text = edit(it, "NEWS.md", "- State: idea", "- State: idea\n- Mine: line");
    const told = accepted(await it.move("do"));
    expect(told.events).toContainEqual({
      type: "edit.refused",
      view: "NEWS.md",
      blob: sha256(text),
      reasons: [
        {
          code: "state-mismatch",
          message: 'NEWS.md: the journal does not say "- Mine: line" of x',
          rule: "core",
        },
      ],
    });
    expect(told.warnings).toEqual([
      `NEWS.md: the journal does not say "- Mine: line" of x; it does not count (the edited text is blob ${sha256(text)})`,
    ]);
    const other = await press();
    edit(other, "NEWS.md", "State: idea", "State: shelved");
    expect(accepted(await other.move("shelve")).events.map((one) => one.type)).toContain(
      "unit.moved",
    );
  });

  test("of a line outside its part is nothing: it stays", async () => {
    const it = await press();
    it.files.set("NEWS.md", `${it.text("NEWS.md")}\nMy own line\n`);
    const told = accepted(await it.move("do"));
    expect(told.events.map((one) => one.type)).not.toContain("edit.refused");
    expect(it.files.get("NEWS.md")).toContain("My own line");
  });

  test("is not looked for where nothing was shown yet, nothing happens, or the edit itself is refused", async () => {
    const it = await press();
    edit(it, "NEWS.md", "- State: idea", "- State: idea\n- Mine: line");
    const state = await it.state();
    const command = { type: "lease.release" } as const;
    const request = { family: it.family, command };
    const at = state.updatedAt;
    expect(await recordedWith(it.parts, request, state, { events: [], at })).toEqual([]);
    const warned = { type: "warned", about: "", text: "" } as const;
    const events = [warned];
    const found = await recordedWith(it.parts, request, state, { events, at });
    expect(found.map((one) => one.type)).toEqual(["warned", "edit.refused"]);
    const refuse = { type: "edit.refuse", view: "", blob: "", reasons: [] } as const;
    const told = await recordedWith(it.parts, { ...request, command: refuse }, state, {
      events,
      at,
    });
    expect(told).toEqual(events);
    const young = { ...state, seq: 0 };
    expect(await recordedWith(it.parts, request, young, { events, at })).toEqual(events);
    it.shown.clear();
    expect(await recordedWith(it.parts, request, state, { events, at })).toEqual(events);
  });
});

describe("what is wrong about an edited file", () => {
  const view: View = {
    path: "v.md",
    shared: true,
    render: () => ({ kind: "text", text: "keep\nstate" }),
    drift: () => [],
  };
  const parts = {
    blobs: {
      put: async () => "",
      get: async (hex: string) =>
        hex === "last"
          ? ({ kind: "found", bytes: Buffer.from("keep,\nold") } as const)
          : ({ kind: "absent" } as const),
    },
  };
  const file = (text: string): { kind: "text"; text: string; digest: string } => ({
    kind: "text",
    text,
    digest: `sha256:${sha256(text)}`,
  });
  const told = async (
    text: string,
    more: Partial<View> = {},
    last: string | null | undefined = "last",
    was?: View,
  ): Promise<readonly string[]> =>
    (await overwrittenIn(parts, { ...view, ...more }, { file: file(text), last, was })).map(
      (one) => one.message,
    );

  test("is the lines that go, where the file has no word for it", async () => {
    expect(await told("keep\n mine, \r\nyours\rold")).toEqual([
      'v.md said "mine"',
      'v.md said "yours"',
    ]);
    expect(await told("keep\nold")).toEqual([]);
    expect(await told("state\nold")).toEqual([]);
    expect(await told("mine", {}, null)).toEqual(['v.md said "mine"']);
    const never = { file: file("mine"), last: undefined };
    expect(await overwrittenIn(parts, view, never)).toEqual([]);
    expect(await told("mine", {}, "lost")).toEqual(['v.md said "mine"']);
    const many = Array.from({ length: 9 }, (_, at) => `line ${String(at)}`).join("\n");
    expect(await told(many)).toHaveLength(5);
    const long = "l".repeat(121);
    expect(await told(long)).toEqual([`v.md said "${"l".repeat(120)}…"`]);
    expect(await told("l".repeat(120))).toEqual([`v.md said "${"l".repeat(120)}"`]);
  });

  test("is nothing of a file that is as it was shown, or is not there", async () => {
    const text = "mine";
    expect(await told(text, {}, sha256(text))).toEqual([]);
    const absent = { file: { kind: "absent" }, last: "last" } as const;
    expect(await overwrittenIn(parts, view, absent)).toEqual([]);
  });

  test("is what the file says wrongly now, and did not when it was last shown", async () => {
    const drift = (text: string | null): readonly string[] =>
      text?.includes("mine") === true ? ["mine is wrong", "old is wrong"] : ["old is wrong"];
    expect(await told("keep\nmine", { drift })).toEqual(["mine is wrong"]);
    // Nothing goes and nothing is put back: what is wrong was wrong before.
    expect(await told("keep\nold", { drift })).toEqual([]);
    const was = { ...view, drift: () => ["old is wrong"] };
    expect(await told("keep\nold", { drift }, "last", was)).toEqual(["old is wrong"]);
    const gone = {
      ...view,
      drift: (text: string | null) => (text === "state" ? ["keep is gone"] : []),
    };
    expect(await told("state", gone)).toEqual(["keep is gone"]);
  });

  test("is all of it where the file is to be gone", async () => {
    const render = (): { kind: "absent" } => ({ kind: "absent" });
    expect(await told("keep\nmine", { render })).toEqual(['v.md said "mine"']);
  });
});

test("texts that an interrupted write left aside are kept, named and removed", async () => {
  const forgotten: string[] = [];
  const it = await press({
    parts: ({ workspace }) => ({
      workspace: {
        ...workspace,
        recover: async () => [
          { kind: "restored", path: "a.md" },
          { kind: "edited", path: "b.md", aside: "aside/1" },
          { kind: "edited", path: "c.md", aside: "aside/2" },
          { kind: "edited", path: "d.md", aside: "aside/3" },
        ],
        forget: async (path) => void forgotten.push(path),
      },
    }),
  });
  it.files.set("aside/1", "older");
  it.files.set("aside/3", { kind: "unreadable", code: "link", message: "", fix: "" });
  expect(await keepLeftAside(it.parts)).toEqual([
    `an edit of an older b.md is kept as blob ${sha256("older")}`,
    "aside/3 is no older d.md: look at it, and remove it (link)",
  ]);
  expect(forgotten).toEqual(["aside/1"]);
});

describe("reconciling", () => {
  test("tells what keeps the workflow, its files and git apart", async () => {
    const pending = { effect: "E-1", code: "busy", message: "not now", fix: "" };
    const it = await press({
      repository: true,
      deed: async () => ({ kind: "pending", pending }),
      parts: ({ git }) => ({
        git: {
          ...git,
          changes: async (paths) => paths.map((path) => ({ path, change: "modified" }) as const),
        },
      }),
    });
    await it.move("do");
    it.files.delete("x.state.md");
    edit(it, "NEWS.md", "State: idea", "State: heaven");
    expect(await findGaps(it.parts, await it.found(), ADA)).toEqual({
      files: ["x.state.md is missing"],
      state: ['NEWS.md says x is "heaven", the journal says idea'],
      git: [
        "the deed of E-1 is not done yet",
        "x.state.md is modified since the last commit",
        "NEWS.md is modified since the last commit",
      ],
      pending: [pending],
    });
    const outside = await press();
    expect(await findGaps(outside.parts, await outside.found(), ADA)).toEqual({
      files: [],
      state: [],
      git: [],
      pending: [],
    });
  });

  test("tells of a damaged journal what the state that was found says", async () => {
    const it = await press();
    const found = await it.found();
    const damage = { code: "journal-broken", offset: 0, line: 1, message: "odd" } as const;
    const { journal } = it.parts;
    const load = async (of: string): ReturnType<typeof journal.load> => ({
      ...(await journal.load(of)),
      damage,
    });
    const parts = { ...it.parts, journal: { ...journal, load } };
    it.files.delete("x.state.md");
    expect(await findGaps(parts, found, ADA)).toMatchObject({
      files: ["x.state.md is missing"],
      pending: [],
    });
  });

  test("puts the journal's version back, and keeps and names what stood there", async () => {
    const it = await written();
    const text = edit(it, "NEWS.md", "State: written", "State: printed");
    it.files.delete("x.state.md");
    const told = accepted(await restoreViews(it.parts, await it.found(), ADA));
    expect(told).toMatchObject({ kind: "done", events: [], notes: [], commits: [], pending: [] });
    expect(told.warnings).toEqual([`what NEWS.md said is kept as blob ${sha256(text)}`]);
    expect(it.files.get("NEWS.md")).toContain("State: written");
    expect(it.files.get("x.state.md")).toContain("State: written");
    expect((await it.parts.journal.read("press:x")).at(-1)?.body).toMatchObject({
      command: "edit.refuse",
      actor: "person:ada",
    });
    const quiet = accepted(await restoreViews(it.parts, await it.found(), ADA));
    expect(quiet.warnings).toEqual([]);
  });

  test("ends where the edit cannot be recorded", async () => {
    const { it, fill } = await filling();
    edit(it, "NEWS.md", "State: idea", "State: printed");
    fill();
    expect(await restoreViews(it.parts, await it.found(), ADA)).toMatchObject({ kind: "failed" });
    expect(it.files.get("NEWS.md")).toContain("State: printed");
  });
});

/** A disk that is full from the moment it is filled. */
async function filling() {
  let full = false;
  const it = await press({
    parts: ({ journal }) => ({
      journal: {
        ...journal,
        append: async (...args) =>
          full ? { kind: "failed", code: "disk", message: "full" } : await journal.append(...args),
      },
    }),
  });
  return { it, fill: () => void (full = true) };
}
