/** A protocol of one's own with nothing but a state file, on a real directory. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { checkedProtocol } from "../src/core/table/define.ts";
import { adoptOne } from "../src/engine/intake/adopt.ts";
import { audit } from "../src/engine/prove/audit.ts";
import { find, orderFor, act, start, takeInEdits } from "../src/engine/engine.ts";
import type { Caller, Found } from "../src/engine/engine.ts";
import type { Parts } from "../src/engine/parts.ts";
import { verifyAll } from "../src/engine/prove/verify.ts";
import { defineFamily } from "../src/family/define.ts";
import { stateFile } from "../src/family/state-file.ts";

const notes = checkedProtocol({
  name: "notes",
  version: 1,
  title: "Notes",
  root: "note",
  kinds: {
    note: {
      states: ["draft", "ready", "sent"],
      start: "draft",
      ends: ["sent"],
      moves: [
        {
          id: "finish",
          from: ["draft"],
          to: "ready",
          needs: [
            {
              guard: "exists",
              args: { paths: ["note.md"] },
              code: "no-note",
              fix: "Write note.md.",
              rule: "N-1",
            },
          ],
          rule: "N-1",
        },
        { id: "send", from: ["ready"], to: "sent", by: ["person"], rule: "N-2" },
        { id: "reopen", from: ["ready"], to: "draft", rule: "N-3" },
      ],
    },
  },
  questions: {},
  work: {
    write: {
      role: "writer",
      unit: "root",
      in: ["draft"],
      order: "Write {id} into note.md.",
      makes: ["note.md"],
      outcomes: { done: [{ move: "finish" }] },
      rule: "N-1",
    },
  },
  guards: {},
  vars: {},
  looks: [],
  lease: "dispatch",
});

const family = defineFamily(notes, { views: [stateFile("NOTES.md")] });
const caller: Caller = { actor: { kind: "person", name: "ada" }, session: "s-1" };

let dir: string;
let parts: Parts;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "own-"));
  const composed = await compose({ cwd: dir, families: [family], env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  ({ parts } = composed);
  await start(parts, family, { id: "n-1", options: {}, caller });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const shown = (): string => readFileSync(join(dir, "NOTES.md"), "utf8");
const write = (name: string, text: string): void => writeFileSync(join(dir, name), text);
const found = async (): Promise<Found> => {
  const one = await find(parts, "n-1");
  if (one.kind === "refused") throw new Error(one.refusals[0]?.message);
  return one;
};
const at = async (): Promise<string | undefined> => (await found()).state.units["."]?.at;

describe("a protocol and a state file are a working family", () => {
  test("an order, a report with its mistakes, a report that counts", async () => {
    await act(parts, await found(), { type: "dispatch.send", spec: "write", unit: "." }, caller);
    const { family: own, state } = await found();
    const dispatch = state.dispatches["W-1"];
    if (dispatch === undefined) throw new Error("nothing was handed out");
    const order = await orderFor(parts, { family: own, state }, dispatch);
    expect(order.prompt).toContain("Write n-1 into note.md.\nWrite nothing but: note.md.");
    expect(own.work.read('{"outcome":"sent"}', dispatch, state)).toMatchObject({
      refusals: [{ code: "report-field", fix: "Use one of done." }],
    });
    const read = own.work.read('{"outcome":"done","files":["note.md"]}', dispatch, state);
    if (read.kind !== "report") throw new Error(read.kind);
    const report = { type: "dispatch.report", dispatch: "W-1", claim: read.claim } as const;
    expect(await act(parts, await found(), report, caller)).toMatchObject({
      kind: "refused",
      refusals: [{ code: "no-note", rule: "N-1" }],
    });
    write("note.md", "hello\n");
    expect(await act(parts, await found(), report, caller)).toMatchObject({ kind: "done" });
    expect(shown()).toContain("- State: ready");
    expect(own.words.describe((await found()).state)).toMatchObject({
      headline: "Ready",
      finished: false,
    });
  });

  test("an edit of the state is taken in as the move, and words around it stay", async () => {
    write("note.md", "hello\n");
    write("NOTES.md", `My own words.\n\n${shown().replace("State: draft", "State: ready")}Bye.\n`);
    await takeInEdits(parts, await found(), caller);
    expect(await at()).toBe("ready");
    expect(shown()).toMatch(/^My own words\.\n\n# Notes[\s\S]*- State: ready[\s\S]*Bye\.\n$/);
    expect(await verifyAll(parts)).toEqual([
      { id: "n-1", protocol: "notes", exit: 0, findings: [] },
    ]);
  });

  test.each([
    ["whose evidence is missing", "ready", /note\.md/],
    ["that skips ahead", "sent", /says n-1 is "sent", the journal says draft/],
    ["that is no state", "perfect", /says n-1 is "perfect"/],
  ])("an edit %s is refused, kept, named and put right", async (_, state, why) => {
    const before = shown();
    const edited = `Mine.\n${before.replace("State: draft", `State: ${state}`)}`;
    write("NOTES.md", edited);
    const outcomes = await takeInEdits(parts, await found(), caller);
    expect(await at()).toBe("draft");
    expect(shown()).toBe(`Mine.\n${before}`);
    const warnings = outcomes.flatMap((one) => ("warnings" in one ? one.warnings : []));
    expect(warnings.join("\n")).toMatch(
      /it does not count \(the edited text is blob [0-9a-f]{64}\)/,
    );
    const { entries } = await audit(parts, await found());
    const refused = entries.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "edit.refused" ? [event] : [])),
    );
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reasons.map((one) => one.message).join("\n")).toMatch(why);
    const kept = await parts.blobs.get(refused[0]?.blob ?? "");
    expect(kept.kind === "found" && new TextDecoder().decode(kept.bytes)).toBe(edited);
    expect(await takeInEdits(parts, await found(), caller)).toEqual([]);
  });

  test("an old version of the file moves nothing back", async () => {
    const old = shown();
    write("note.md", "hello\n");
    await act(parts, await found(), { type: "unit.move", unit: ".", move: "finish" }, caller);
    write("NOTES.md", old);
    await takeInEdits(parts, await found(), caller);
    expect(await at()).toBe("ready");
    expect(shown()).toContain("- State: ready");
  });

  test("a name that is no path segment does not start; files without a journal are not adopted", async () => {
    const odd = await start(parts, family, { id: "../up", options: {}, caller });
    expect(odd).toMatchObject({ kind: "refused", refusals: [{ code: "name-illegal" }] });
    expect(await adoptOne(parts, { id: "n-2", options: {}, caller })).toMatchObject({
      kind: "refused",
    });
  });
});
