/** Which workflow is meant, which step leads on, what files without a journal become, and what was answered before. */
import { describe, expect, test } from "vitest";
import {
  accepted,
  ADA,
  BOT,
  codesOf,
  press,
  pressAt,
  pressFamily,
  written,
} from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import type { Candidate } from "../../core/decide/next.ts";
import type { Protocol } from "../../core/table/protocol.ts";
import { step } from "../../core/table/remedy.ts";
import type { Adopted } from "../../ports/family.ts";
import type { Damage } from "../../ports/journal.ts";
import { start } from "../engine.ts";
import { openWorld } from "../parts.ts";
import { adoptOne, unadopted } from "./adopt.ts";
import type { Adoption } from "./adopt.ts";
import { attest } from "./attest.ts";
import { find, fixOf, unusableProtocols } from "./find.ts";
import { pickForward } from "./forward.ts";
import { answeredBefore } from "./repeated.ts";

const other = pressFamily({ table: { name: "other" } });

describe("a name", () => {
  test("is found in whichever protocol has it; where two have it, it is given with its protocol", async () => {
    const it = await press({ beside: [other] });
    const begin = async (id: string): Promise<void> =>
      void (await start(it.parts, other, { id, options: {}, caller: ADA }));
    await begin("y");
    expect(await find(it.parts, "y")).toMatchObject({ kind: "found", state: { id: "y" } });
    await begin("x");
    expect(await find(it.parts, "x")).toMatchObject({
      kind: "refused",
      refusals: [{ code: "workflow-ambiguous", message: "Two protocols have a workflow x" }],
    });
    const one = await find(it.parts, "other:x");
    expect(one.kind === "found" ? one.family.protocol.name : "").toBe("other");
  });

  test("that nothing has is unknown, with the nearest that something has", async () => {
    const it = await press();
    const message = async (id: string): Promise<string | undefined> => {
      const found = await find(it.parts, id);
      return found.kind === "refused" ? found.refusals[0]?.message : undefined;
    };
    expect(await message("something-else")).toBe('There is no workflow "something-else" here');
    await start(it.parts, it.family, { id: "chapter", options: {}, caller: ADA });
    expect(await message("chapte")).toBe(
      'There is no workflow "chapte" here; did you mean chapter?',
    );
  });

  test("of a damaged journal is named with the damage, and with what helps", async () => {
    const damage: Damage = { code: "journal-broken", offset: 0, line: 1, message: "odd" };
    const it = pressAt({
      parts: ({ journal }) => ({
        journal: { ...journal, load: async (of) => ({ ...(await journal.load(of)), damage }) },
      }),
    });
    expect(await find(it.parts, "x")).toEqual({
      kind: "refused",
      refusals: [
        {
          code: "journal-broken",
          message: "The journal of press:x is damaged: odd",
          fix: fixOf(damage),
          rule: "S5",
        },
      ],
    });
    expect(fixOf(damage)).toMatchObject({ operation: "verify", input: { all: true } });
    expect(fixOf({ ...damage, code: "journal-event" })).toMatchObject({
      says: expect.stringContaining("Use the version of Holdpoint that wrote it"),
    });
    expect(fixOf({ ...damage, code: "journal-unreadable" })).toBe(
      "Make the file readable and writable for this user, then try again.",
    );
  });

  test("whose protocol nobody knows any more is there, and says so", async () => {
    const it = await press();
    const { families } = it.parts;
    const problem = { code: "broken", message: "a file is odd", fix: "Mend it.", file: "p.yaml" };
    let problems: readonly (typeof problem)[] = [];
    const parts = {
      ...it.parts,
      families: {
        ...families,
        names: [],
        get: async () => undefined,
        problems: async () => problems,
      },
    };
    expect(await find(parts, "x")).toMatchObject({
      refusals: [
        {
          code: "protocol-missing",
          message: 'x follows "press", and no protocol of that name is known here',
        },
      ],
    });
    expect(await find(parts, "press:x")).toMatchObject({
      refusals: [{ code: "protocol-missing" }],
    });
    problems = [problem];
    expect(await find(parts, "x")).toEqual({
      kind: "refused",
      refusals: [{ code: "broken", message: "a file is odd", fix: "Mend it.", rule: "core" }],
    });
    expect(await unusableProtocols(parts.families)).toHaveLength(1);
  });

  test("is looked for in the list of journals only where protocols may be unknown", async () => {
    let listed = 0;
    const it = await press({
      parts: ({ journal }) => ({
        journal: {
          ...journal,
          streams: async () => {
            listed += 1;
            return await journal.streams();
          },
        },
      }),
    });
    listed = 0;
    await find(it.parts, "x");
    expect(listed).toBe(0);
    const own = { ...it.parts, families: { ...it.parts.families, hasOwn: true } };
    expect((await find(own, "x")).kind).toBe("found");
    expect(listed).toBe(1);
  });
});

describe("the step that leads on", () => {
  const candidate = (command: Candidate["command"], ...codes: readonly string[]): Candidate =>
    ({
      command,
      refusals: codes.map((code) => ({ code, message: "", fix: "", rule: "" })),
    }) as unknown as Candidate;
  const move = (name: string, ...codes: readonly string[]): Candidate =>
    candidate({ type: "unit.move", unit: ".", move: name }, ...codes);
  const send = (spec = "write", ...codes: readonly string[]): Candidate =>
    candidate({ type: "dispatch.send", spec, unit: "." }, ...codes);
  const row = (id: string, more: object = {}): object => ({
    id,
    from: ["idea"],
    to: "written",
    rule: "R",
    ...more,
  });

  async function picked(
    candidates: readonly Candidate[],
    {
      moves = [],
      work = {},
      unneeded,
    }: { moves?: readonly object[]; work?: object; unneeded?: () => boolean } = {},
  ): Promise<Candidate | undefined> {
    const it = await press();
    const found = await it.found();
    const article = { ...found.family.protocol.kinds["article"], moves };
    const protocol = {
      ...found.family.protocol,
      kinds: { article },
      work,
    } as unknown as Protocol;
    const orders = { ...found.family.work, ...(unneeded === undefined ? {} : { unneeded }) };
    const family = { ...found.family, protocol, work: orders };
    return pickForward({ ...found, family }, candidates);
  }

  test("is the first that is allowed and needs neither a person, a reason nor a name", async () => {
    const moves = [
      row("why", { why: true }),
      row("by", { by: ["person"] }),
      row("maybe", { optional: true }),
      row("go"),
    ];
    const all = [move("why"), move("by"), move("maybe"), move("go")];
    expect(await picked(all, { moves })).toBe(all[3]);
    const aside = candidate({ type: "unit.move", unit: "part", move: "go" });
    expect(await picked([aside], { moves })).toBeUndefined();
    const answer = candidate({ type: "lease.release" });
    expect(await picked([answer], { moves })).toBe(answer);
    expect(await picked([], { moves })).toBeUndefined();
  });

  test("is one that leads elsewhere rather than one that ends where it began", async () => {
    const moves = [row("stay", { to: "idea" }), row("go")];
    const both = [move("stay"), move("go")];
    expect(await picked(both, { moves })).toBe(both[1]);
    expect(await picked([both[0] as Candidate], { moves })).toBe(both[0]);
    // Taken once more, it would not give the other what that lacks.
    const lacking = [move("stay"), move("go", "lacks")];
    expect(await picked(lacking, { moves })).toBe(lacking[1]);
    const fix = { operation: "advance", input: { step: "stay" } };
    const wants = { ...move("go"), refusals: [{ code: "lacks", message: "", fix, rule: "" }] };
    const lacked = [move("stay"), wants];
    expect(await picked(lacked, { moves })).toBe(lacked[0]);
  });

  test("is what another step lacks before all else, and before work that could be handed out", async () => {
    const moves = [row("mend", { to: "idea", by: ["engine", "agent", "person"] }), row("go")];
    const mend = { code: "red", message: "", fix: step("mend", "Mend it first"), rule: "" };
    const other = { code: "lacks", message: "", fix: "", rule: "" };
    const lacking = (...refusals: readonly object[]): Candidate =>
      ({ ...move("go"), refusals }) as unknown as Candidate;
    const all = [send(), lacking(mend, other), move("mend")];
    expect(await picked(all, { moves })).toBe(all[2]);
    // Lacked beside something else that comes first, or not to be had: the work goes on.
    for (const rest of [
      [lacking(other, mend), move("mend")],
      [lacking(mend), move("mend", "no")],
    ]) {
      const work = send();
      expect(await picked([work, ...rest], { moves })).toBe(work);
    }
  });

  test("is not what another way lacks, where no work waits to be handed out", async () => {
    const moves = [
      row("close", { to: "idea", by: ["engine", "agent", "person"] }),
      row("short"),
      row("go"),
    ];
    const fix = step("close", "Make it one commit");
    const short = { ...move("short"), refusals: [{ code: "open", message: "", fix, rule: "" }] };
    const all = [move("close"), short as unknown as Candidate, move("go")];
    expect(await picked(all, { moves })).toBe(all[2]);
  });

  test("is an optional step, where the one that leads on is refused for want of it alone", async () => {
    const moves = [row("close", { to: "idea", optional: true }), row("present")];
    const fix = step("close", "Close it in the same commit");
    const open = { code: "open", message: "", fix, rule: "" };
    const lacking = (...refusals: readonly object[]): Candidate =>
      ({ ...move("present"), refusals }) as unknown as Candidate;
    const all = [move("close"), lacking(open)];
    expect(await picked(all, { moves })).toBe(all[0]);
    const later = [move("close"), lacking({ ...open, fix: "Mend it." }, open)];
    expect(await picked(later, { moves })).toBe(later[1]);
  });

  test("that lacks something is one whose check would be run on the way, or else the first", async () => {
    const needs = [{ guard: "passed", args: {}, code: "c", fix: "", rule: "" }];
    const moves = [
      row("first"),
      row("runs", { runs: [] }),
      row("guarded", { needs }),
      row("other", { needs: [{ guard: "exists" }] }),
    ];
    const lacks = (...names: readonly string[]): readonly Candidate[] =>
      names.map((one) => move(one, "lacks"));
    const a = lacks("first", "runs");
    expect(await picked(a, { moves })).toBe(a[1]);
    const b = lacks("first", "guarded");
    expect(await picked(b, { moves })).toBe(b[1]);
    const c = lacks("first", "other");
    expect(await picked(c, { moves })).toBe(c[0]);
    const work = [send("write", "lacks"), ...lacks("runs")];
    expect(await picked(work, { moves })).toBe(work[1]);
  });

  test("is work that leads on, and is needed", async () => {
    const ends = (name: string, on?: string): object => ({
      write: {
        outcomes: { success: [{ move: name, ...(on === undefined ? {} : { on }) }] },
      },
    });
    const moves = [
      row("go"),
      row("stay", { to: "idea" }),
      row("late", { from: ["written"], to: "idea" }),
    ];
    const work = send();
    expect(await picked([work], { moves, work: ends("go") })).toBe(work);
    expect(await picked([work], { moves, work: ends("stay") })).toBeUndefined();
    expect(await picked([work], { moves, work: ends("stay", "unit") })).toBe(work);
    expect(await picked([work], { moves, work: ends("late") })).toBe(work);
    expect(await picked([work], { moves })).toBe(work);
    const unneeded = (): boolean => true;
    expect(await picked([work], { moves, work: ends("go"), unneeded })).toBeUndefined();
  });
});

describe("adopting", () => {
  const READY: Adopted = {
    kind: "ready",
    import: { at: "idea", vars: {}, units: [], notes: [], seals: {}, from: {}, why: "files" },
    summary: ["x is an idea"],
    confirm: false,
  };
  const adopting = (adopted: Adopted, names: readonly string[] = ["x"]): PressOptions => ({
    family: { adopt: { discover: async () => names, read: async () => adopted } },
  });
  const adopt = async (
    it: Press,
    options: Record<string, boolean | string> = {},
    id = "x",
  ): Promise<Adoption> => await adoptOne(it.parts, { id, options, caller: ADA });
  const refusal = { code: "odd", message: "odd", fix: "", rule: "core" };

  test("finds the names that the files show, each once", async () => {
    const beside = [pressFamily({ table: { name: "other" }, ...adopting(READY, ["x", "z"]) })];
    const it = pressAt({ ...adopting(READY, ["x", "y"]), beside });
    expect(await unadopted(it.parts)).toEqual(["x", "y", "z"]);
  });

  test("refuses what the files do not show, an odd name, and what its family refuses", async () => {
    const it = pressAt(adopting({ kind: "refused", refusals: [refusal] }, ["x", "../y"]));
    expect(await adopt(it, {}, "w")).toMatchObject({
      kind: "refused",
      id: "w",
      summary: [],
      refusals: [
        { code: "workflow-unknown", message: 'The files here do not show "w"', rule: "core" },
      ],
    });
    expect((await adopt(it, {}, "../y")).refusals).toHaveLength(1);
    expect(await adopt(it)).toMatchObject({ kind: "refused", refusals: [refusal] });
    expect(await it.parts.journal.list()).toEqual([]);
  });

  test("shows what would come of it, asks where it is unsure, and leaves alone what has a journal", async () => {
    const it = pressAt(adopting({ ...READY, confirm: true }));
    const summary = ["x is an idea"];
    const would = await adopt(it, { dryRun: true });
    expect(would).toMatchObject({ kind: "preview", id: "x", summary, refusals: [] });
    expect(would.changes?.map((one) => one.file)).toEqual(["x.state.md", "NEWS.md"]);
    expect(await adopt(it, { dryRun: true, at: "heaven" })).toMatchObject({
      kind: "refused",
      refusals: [
        {
          code: "state-unknown",
          message: 'There is no state "heaven"',
          fix: "Use one of idea, written, printed, shelved, stopped.",
        },
      ],
    });
    expect(await adopt(it)).toMatchObject({ kind: "unsure", id: "x", summary, refusals: [] });
    expect(await it.parts.journal.list()).toEqual([]);
    expect(await adopt(it, { yes: true, at: "shelved" })).toMatchObject({
      kind: "adopted",
      summary,
    });
    expect((await it.state()).units["."]?.at).toBe("shelved");
    const begun = await press(adopting(READY));
    expect(await adopt(begun)).toEqual({ kind: "already", id: "x", summary: [], refusals: [] });
  });

  test("tells a journal that takes nothing as what refuses it", async () => {
    const it = pressAt({
      ...adopting(READY),
      parts: ({ journal }) => ({
        journal: {
          ...journal,
          append: async () => ({ kind: "failed", code: "disk", message: "full" }),
        },
      }),
    });
    const told = await adopt(it);
    expect(told).toMatchObject({
      kind: "refused",
      refusals: [{ code: "journal-disk", message: "full", rule: "core" }],
    });
  });
});

describe("attesting", () => {
  test("records a person's word under their name, for what is there now", async () => {
    const it = await press({
      files: { "src/a": "1" },
      table: { signs: { look: ["person"] } },
      family: {
        attest: {
          finding: async (_, __, what) => ({
            kind: "finding",
            name: `look:${what}`,
            binds: ["tree:src"],
          }),
        },
      },
    });
    const told = accepted(await attest(it.parts, await it.found(), "it", ADA));
    expect(Object.values(told.state.findings)).toMatchObject([
      {
        unit: ".",
        kind: "look:it",
        by: "person:ada",
        value: "passed",
        bound: { "tree:src": expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
    const plain = await press();
    expect(codesOf(await attest(plain.parts, await plain.found(), "it", ADA))).toEqual([
      "nothing-to-attest",
    ]);
  });
});

describe("an id that was given before", () => {
  test("answers what it answered then, with the commits that came of it", async () => {
    const it = await press({ files: { "x.md": "text" }, repository: true });
    await it.send();
    const once = { ...BOT, id: "report-1" };
    const first = accepted(await it.report("success", once));
    await it.answer("no");
    const again = await answeredBefore(it.parts, "press:x", "report-1");
    expect(again).toMatchObject({
      kind: "held",
      state: { seq: first.state.seq, units: { ".": { at: "written" } } },
      commits: first.commits,
      warnings: [],
      pending: [],
      notes: [],
      repeated: true,
    });
    expect(first.commits).toHaveLength(1);
    expect(again?.events).toEqual(first.events);
    expect(await answeredBefore(it.parts, "press:x", "never")).toBeUndefined();
  });

  test("tells what had come of it so far, where an effect was not done yet", async () => {
    let ready = false;
    const pending = { effect: "E-1", code: "busy", message: "", fix: "" };
    const it = await press({
      deed: async () =>
        ready ? { kind: "done", detail: { oid: 7 }, warnings: [] } : { kind: "pending", pending },
    });
    const note = { type: "note.add", list: "timeline", tag: "", text: "" } as const;
    await it.move("do", { ...ADA, id: "do-1" });
    await it.give(note);
    ready = true;
    await it.give(note);
    const told = await answeredBefore(it.parts, "press:x", "do-1");
    const seqs = (await it.parts.journal.read("press:x")).map((one) => [
      one.seq,
      one.body["command"],
    ]);
    const settled = seqs.find(([, command]) => command === "effect.settle")?.[0];
    expect(told?.state.seq).toBe(settled);
    expect(told?.commits).toEqual([]);
  });

  test("tells the remarks of a report", async () => {
    const it = await written();
    const records = await it.parts.journal.read("press:x");
    const told = await answeredBefore(it.parts, "press:x", records[2]?.id ?? "");
    expect(told?.notes).toEqual([]);
    expect(told?.events.map((one) => one.type)).toContain("dispatch.ended");
    expect(openWorld(it.parts).now).toMatch(/^2026/);
  });
});
