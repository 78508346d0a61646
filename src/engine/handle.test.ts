/** One command from end to end, in a world that is held in memory. */
import { describe, expect, test } from "vitest";
import {
  ADA,
  BOT,
  accepted,
  codesOf,
  DONE,
  OTHER,
  press,
  pressAt,
  written,
} from "../../test/press.ts";
import type { Press } from "../../test/press.ts";
import type { Unreadable } from "../../test/memory-parts.ts";
import { sha256 } from "../../test/memory-parts.ts";
import { handle, settle } from "./handle.ts";
import type { Request } from "./handle.ts";
import type { Outcome } from "./outcome.ts";
import { createTurns } from "./turns.ts";

const DENIED: Unreadable = {
  kind: "unreadable",
  code: "denied",
  message: "x.state.md may not be read",
  fix: "Give the right.",
};

describe("a command", () => {
  test("is recorded, then shown, in this order", async () => {
    const it = await press();
    it.steps.splice(0);
    const moved = accepted(await it.move("shelve"));
    expect(moved).toMatchObject({
      kind: "done",
      warnings: [],
      commits: [],
      pending: [],
      failed: [],
    });
    expect(moved.state.units["."]?.at).toBe("shelved");
    expect(it.steps).toEqual(["append", "appended", "show.own", "show.shared", "show.shown"]);
    expect(it.files.get("x.state.md")).toContain("- State: shelved");
    expect(it.files.get("NEWS.md")).toContain("- State: shelved");
    expect(it.shown.get("press:x")?.seq).toBe(moved.state.seq);
  });

  test("that is refused records and shows nothing, and is noted", async () => {
    const it = await press();
    const before = await it.state();
    expect(codesOf(await it.move("publish"))).toEqual(["transition-illegal"]);
    expect(await it.state()).toEqual(before);
    expect(it.refusals).toMatchObject([
      { stream: "press:x", command: "unit.move", step: "publish", actor: "person:ada", seq: 1 },
    ]);
  });

  test("is held where a person is asked", async () => {
    const it = await press({ files: { "x.md": "text" } });
    expect((await it.send()).kind).toBe("done");
    const told = accepted(await it.report());
    expect(told.kind).toBe("held");
    expect(told.warnings).toEqual(["No commit: git is not here"]);
    expect((await it.answer("yes")).kind).toBe("done");
  });

  test("that is overtaken takes what another process is just showing for nobody's edit", async () => {
    const { it, overtaken } = await overtaking();
    const told = accepted(await overtaken());
    expect(told.warnings).toEqual([]);
    expect(told.events.map((one) => one.type)).not.toContain("edit.refused");
    expect(it.shown.get("press:x")?.seq).toBe(told.state.seq);
  });

  test("that is overtaken still tells what somebody did write", async () => {
    const { it, overtaken } = await overtaking((text) => `${text}\n`.replace("idea", "heaven"));
    const told = accepted(await overtaken());
    expect(told.warnings).toEqual([expect.stringMatching(/heaven.*; it does not count/)]);
    expect(it.files.get("x.state.md")).toContain("State: idea");
  });

  test("that is overtaken again and again is told to try again", async () => {
    const { it, overtaken } = await overtaking(undefined, Infinity);
    expect(await overtaken()).toMatchObject({ kind: "failed", code: "busy" });
    // Each step of the other is two records: the move, and what came of its deed.
    expect((await it.state()).seq).toBe(1 + 2 * 32);
  });

  test("shows first what a process that died had recorded and not shown", async () => {
    const it = await press();
    it.shown.delete("press:x");
    it.files.clear();
    await it.move("do");
    expect(it.files.get("x.state.md")).toContain("- State: idea");
    const { steps } = it;
    expect(steps.indexOf("show.own")).toBeLessThan(steps.lastIndexOf("append"));
  });

  test("of a workflow whose journal is damaged fails", async () => {
    const it = await press({
      parts: ({ journal }) => ({
        journal: {
          ...journal,
          load: async (stream) => ({
            ...(await journal.load(stream)),
            ...(broken ? { damage } : {}),
          }),
        },
      }),
    });
    broken = true;
    const { family } = it;
    const request = { family, workflow: "x", command: NOTE, ...ADA };
    const failed = {
      kind: "failed",
      code: "journal-broken",
      message: "The journal of press:x is damaged: a line is odd",
    };
    expect(await handle(it.parts, request)).toMatchObject(failed);
    expect(await settle(it.parts, { family, workflow: "x", session: "s" })).toMatchObject(failed);
    broken = false;
  });
});

let broken = false;
const damage = { code: "journal-broken", offset: 1, line: 1, message: "a line is odd" } as const;
const NOTE = { type: "note.add", list: "timeline", tag: "", text: "hello" } as const;

describe("effects", () => {
  test("are carried out after the record, and recorded once", async () => {
    const it = await press();
    const told = accepted(await it.move("do"));
    expect(told.state.effects["E-1"]).toMatchObject({ status: "done", by: { process: "p-1" } });
    const records = await it.parts.journal.read("press:x");
    expect(records.at(-1)).toMatchObject({
      id: `x.${told.state.startedAt}.E-1.done`,
      body: { command: "effect.settle", actor: "engine:holdpoint" },
    });
    expect(it.holders.size).toBe(0);
  });

  test("that wait are told, and tried again by the next command", async () => {
    let tries = 0;
    const pending = { effect: "E-1", code: "busy", message: "not now", fix: "Wait." };
    const it = await press({
      deed: async () =>
        ++tries < 3 ? { kind: "pending", pending } : { ...DONE, warnings: ["at last"] },
    });
    const first = accepted(await it.move("do"));
    expect(first).toMatchObject({ pending: [pending], failed: [] });
    expect(first.state.effects["E-1"]?.status).toBe("wanted");
    // Nobody is at it any more: who comes next need not prove that this process is dead.
    expect([...it.holders.values()]).toEqual([expect.stringMatching(/^- id-/)]);
    const refused = await it.move("shelve");
    expect(codesOf(refused)).toEqual(["effect-pending"]);
    const third = accepted(await it.move("shelve"));
    expect(third).toMatchObject({ warnings: ["at last"], pending: [] });
    expect(third.state.effects["E-1"]?.status).toBe("done");
    expect(tries).toBe(3);
  });

  test("that fail are told, and the protocol asks", async () => {
    const it = await press({
      deed: async () => ({ kind: "failed", code: "broke", message: "It broke.", fix: "Mend it." }),
    });
    const told = accepted(await it.move("do"));
    expect(told.kind).toBe("held");
    expect(told.warnings).toEqual(["It broke. Mend it."]);
    expect(told.failed).toEqual([
      { effect: "E-1", code: "broke", message: "It broke.", fix: "Mend it." },
    ]);
    expect(told.state.effects["E-1"]).toMatchObject({
      status: "failed",
      detail: { code: "broke", message: "It broke.", fix: "Mend it." },
    });
    const later = accepted(await it.answer("fine"));
    expect(later.failed).toEqual([]);
  });

  test("that nobody knows are skipped with a warning", async () => {
    const it = await press({
      deed: async () => ({ kind: "skipped", code: "odd", message: "It is odd.", fix: "" }),
    });
    const told = accepted(await it.move("do"));
    expect(told.warnings).toEqual(["It is odd."]);
    expect(told.state.effects["E-1"]?.status).toBe("skipped");
  });

  test("bring their warnings and commits along", async () => {
    const commit = { oid: "abc", short: "ab" };
    const it = await press({
      deed: async () => ({ kind: "done", detail: { oid: "abc" }, commit, warnings: ["slow"] }),
    });
    expect(accepted(await it.move("do"))).toMatchObject({ warnings: ["slow"], commits: [commit] });
  });

  test("that cannot be recorded as done are a failure that says so", async () => {
    const it = await press({
      parts: ({ journal }) => ({
        journal: {
          ...journal,
          append: async (stream, head, entry) =>
            entry.id.endsWith(".done")
              ? { kind: "failed", code: "disk", message: "the disk is full" }
              : await journal.append(stream, head, entry),
        },
      }),
    });
    expect(await it.move("do")).toMatchObject({
      kind: "failed",
      code: "journal-disk",
      message: "the disk is full",
      fix: "Make room or make the directory writable, then try again; nothing was recorded.",
    });
  });

  test("that somebody else has done meanwhile are not done again, and are no failure", async () => {
    const it = await press({
      deed: async () => {
        const { state } = await it.parts.journal.load("press:x");
        const command = {
          type: "effect.settle",
          effect: "E-1",
          status: "done",
          detail: {},
        } as const;
        const { submit } = await import("./submit.ts");
        const actor = { kind: "engine", name: "holdpoint" } as const;
        await submit(it.parts, {
          family: it.family,
          workflow: state.id,
          command,
          actor,
          session: "",
        });
        return DONE;
      },
    });
    const told = accepted(await it.move("do"));
    expect(told.state.effects["E-1"]?.status).toBe("done");
  });

  test("are left to the process that wanted them while it lives; the command is refused", async () => {
    const it = await press({ deed: async () => await Promise.reject(new Error("died")) });
    await expect(it.move("do", BOT)).rejects.toThrow("died");
    it.fates.set("p-1", { kind: "unknown", why: "on another machine" });
    const second = pressAt({ self: "p-2" }, it);
    const told = await second.move("shelve", ADA);
    expect(codesOf(told)).toEqual(["effect-held"]);
    expect(told).toMatchObject({ state: { seq: 2 } });
    const note = await second.give({ ...NOTE }, { ...ADA, actor: { kind: "engine", name: "x" } });
    expect(accepted(note).warnings).toEqual([expect.stringContaining("on another machine")]);
    it.fates.set("p-1", { kind: "dead", why: "gone" });
    expect((await second.move("shelve", { ...ADA, session: "s-1" })).kind).toBe("done");
  });

  test("never end: the engine stops after a while and says so", async () => {
    const more = { effect: { kind: "deed", args: {} } } as const;
    const it = await press({
      table: {
        questions: {
          ...pressAt().family.protocol.questions,
        },
      },
      parts: ({ journal }) => ({
        journal: {
          ...journal,
          load: async (stream) => {
            const loaded = await journal.load(stream);
            const effect = loaded.state.effects["E-1"];
            if (effect === undefined) return loaded;
            const effects = { "E-1": { ...effect, status: "wanted" as const } };
            return { ...loaded, state: { ...loaded.state, effects } };
          },
        },
      }),
    });
    expect(more.effect.kind).toBe("deed");
    await expect(it.move("do")).rejects.toThrow(
      'Cannot settle "x": its effects never come to an end',
    );
  });
});

describe("files that cannot be shown", () => {
  test("keep a step from being taken: nothing goes on from what nobody can read", async () => {
    const it = await press();
    it.files.set("x.state.md", DENIED);
    it.shown.delete("press:x");
    const told = await it.move("shelve");
    expect(told).toMatchObject({
      kind: "refused",
      refusals: [{ code: "view-denied", message: DENIED.message, fix: DENIED.fix, rule: "core" }],
    });
    expect(codesOf(await it.send())).toEqual(["view-denied"]);
    it.files.delete("x.state.md");
    expect((await it.move("shelve")).kind).toBe("done");
  });

  test("keep an answer, which counts once they can be written; the workflow is stopped meanwhile", async () => {
    const it = await written({ family: { edits: { unshown: "stop" } } });
    it.files.set("x.state.md", DENIED);
    const kept = accepted(await it.answer("yes"));
    expect(kept.state.decisions["D-1"]).toMatchObject({ status: "open", kept: { text: "yes" } });
    expect(kept.state.units["."]?.at).toBe("stopped");
    expect(kept.pending).toMatchObject([{ effect: "show", code: "denied" }]);
    const [stop] = (await it.parts.journal.read("press:x")).slice(kept.state.seq - 1);
    const reason = "x.state.md may not be read Give the right.";
    expect(stop?.body).toMatchObject({
      actor: "engine:holdpoint",
      events: expect.arrayContaining([expect.objectContaining({ reason })]),
    });
    // While it is stopped the answer waits, and it is stopped once.
    const again = await it.answer("no");
    expect(codesOf(again).length + Number(again.kind !== "refused")).toBe(1);
    it.files.delete("x.state.md");
    expect((await it.state()).units["."]?.at).toBe("stopped");
  });

  test("keep an answer without a stop where the family knows none, and it is given again by itself", async () => {
    const it = await written();
    it.files.set("x.state.md", DENIED);
    const kept = accepted(await it.answer("yes"));
    expect(kept.state.units["."]?.at).toBe("written");
    it.files.delete("x.state.md");
    const settled = await settle(it.parts, { family: it.family, workflow: "x", session: "s-9" });
    expect(settled).toMatchObject({
      kind: "settled",
      state: { units: { ".": { at: "printed" } } },
    });
    const given = (await it.parts.journal.read("press:x")).at(-1);
    const { nonce } = kept.state.decisions["D-1"] ?? {};
    expect(given).toMatchObject({ id: `x.${nonce}.kept`, body: { actor: "person:ada" } });
  });

  test("ask anew where what the kept answer was about has changed", async () => {
    const it = await written();
    it.files.set("x.state.md", DENIED);
    await it.answer("yes");
    it.files.delete("x.state.md");
    it.files.set("x.md", "changed");
    await settle(it.parts, { family: it.family, workflow: "x", session: "s-9" });
    const { decisions, units } = await it.state();
    expect(decisions).toMatchObject({ "D-1": { status: "void" }, "D-2": { status: "open" } });
    expect(units["."]?.at).toBe("written");
  });

  test("drop a kept answer that is refused when it is given again", async () => {
    const files = { "x.md": "text", "ink.md": "black" };
    const it = await written({ files, table: { vars: { mood: "strict" } } });
    it.files.set("x.state.md", DENIED);
    await it.answer("yes");
    it.files.delete("x.state.md");
    it.files.delete("ink.md");
    await settle(it.parts, { family: it.family, workflow: "x", session: "s-9" });
    expect((await it.state()).decisions["D-1"]).not.toHaveProperty("kept");
    expect((await it.parts.journal.read("press:x")).at(-1)).toMatchObject({
      body: {
        command: "answer.drop",
        actor: "person:ada",
        events: [{ type: "answer.dropped", decision: "D-1", why: "ink.md does not exist" }],
      },
    });
  });

  test("a store that takes nothing more is told as what waits, and an error of the program is one", async () => {
    const full = Object.assign(new Error("ENOSPC"), { syscall: "write" });
    let error: Error | undefined;
    const it = await press({
      parts: ({ holders }) => ({
        holders: {
          ...holders,
          of: (effect, by) => {
            if (error !== undefined) throw error;
            return holders.of(effect, by);
          },
        },
      }),
    });
    error = full;
    const told = accepted(await it.move("do"));
    expect(told.pending).toEqual([
      {
        effect: "settle",
        code: "store-unwritable",
        message: "What is recorded cannot be carried out: ENOSPC",
        fix: "Free some space or make the store writable, then reconcile.",
      },
    ]);
    error = undefined;
    await it.move("do");
    error = new Error("odd");
    await expect(it.move("do")).rejects.toThrow("odd");
  });
});

describe("the owner's workflow", () => {
  test("is not shown, mended or done by another agent", async () => {
    const it = await press({ table: { lease: "owner" }, self: "p-1" });
    it.shown.delete("press:x");
    it.files.clear();
    expect(codesOf(await it.move("do", OTHER))).toEqual(["lease-held"]);
    expect(it.files.size).toBe(0);
    expect((await it.move("do", ADA)).kind).toBe("done");
    expect(it.files.size).toBe(2);
  });
});

describe("checks that deciding asks for", () => {
  const config = { checks: { tests: { run: ["npm", "test"], minutes: 2 } } };

  test("are run outside the turn, once, and it is decided anew", async () => {
    const it = await press({ files: { "src/a.ts": "a" }, config });
    const told = accepted(await it.move("check"));
    expect(told.kind).toBe("done");
    expect(it.ran).toEqual([{ command: ["npm", "test"], cwd: "/desk", ms: 120_000 }]);
    expect(Object.values(told.state.findings)).toMatchObject([{ kind: "tests", value: "passed" }]);
  });

  test("without somebody to run them count as not run", async () => {
    const it = await press({ files: { "src/a.ts": "a" }, config });
    const command = { type: "unit.move", unit: ".", move: "check" } as const;
    const told = await handle(it.parts, { family: it.family, workflow: "x", command, ...ADA });
    expect(codesOf(told)).toEqual(["untested"]);
    expect(it.ran).toEqual([]);
  });

  test("that cannot be recorded fail the command", async () => {
    const it = await press({ files: { "src/a.ts": "a" }, config });
    const command = { type: "unit.move", unit: ".", move: "check" } as const;
    const failed = { kind: "failed", code: "odd", message: "", fix: "" } as const;
    const request = { family: it.family, workflow: "x", command, ...ADA };
    expect(await handle(it.parts, { ...request, run: async () => failed })).toBe(failed);
    const asked: string[] = [];
    const run: Request["run"] = async (_, runs) => {
      asked.push(...runs.map((one) => one.check));
      return { kind: "ran", warnings: [] };
    };
    expect(codesOf(await handle(it.parts, { ...request, run }))).toEqual(["untested"]);
    expect(asked).toEqual(["tests"]);
  });
});

test("a second command of the same id answers what the first one did", async () => {
  const it = await press();
  const once = { ...ADA, id: "once" };
  const first = accepted(await it.move("do", once));
  const again = accepted(await it.move("do", once));
  expect(again).toMatchObject({ kind: "done", repeated: true, state: { seq: first.state.seq } });
  expect(again.pending).toEqual([]);
  expect((await it.state()).seq).toBe(first.state.seq);
  expect(sha256("")).toHaveLength(64);
});

/** Right before its append another process takes the same step; the files already show it, but it has not said so yet. */
async function overtaking(
  edit: (text: string) => string = (text) => text,
  times = 1,
): Promise<{ readonly it: Press; readonly overtaken: () => Promise<Outcome> }> {
  const it = await press();
  const command = { type: "unit.move", unit: ".", move: "do" } as const;
  const step = { family: it.family, workflow: "x", command } as const;
  const shown = { ...it.parts.shown, write: async () => undefined };
  const showing = { ...it.parts, turns: createTurns(), shown };
  const { journal } = it.parts;
  let left = times;
  const append: typeof journal.append = async (...args) => {
    if (left > 0) {
      left -= 1;
      await handle(showing, { ...step, ...BOT });
      it.files.set("x.state.md", edit(it.text("x.state.md")));
    }
    return await journal.append(...args);
  };
  const parts = { ...it.parts, journal: { ...journal, append } };
  return { it, overtaken: async () => await handle(parts, { ...step, ...ADA }) };
}
