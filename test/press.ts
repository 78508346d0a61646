/** A small family for tests of the engine: articles that are written, checked, committed, printed and put on a shelf. */
import { checkedProtocol } from "../src/core/table/define.ts";
import type { Protocol } from "../src/core/table/protocol.ts";
import type { Command } from "../src/core/state/commands.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Caller, Found } from "../src/engine/engine.ts";
import type { Accepted, Outcome } from "../src/engine/outcome.ts";
import { withDigest } from "../src/engine/intake/definition.ts";
import { defineFamily } from "../src/family/define.ts";
import { stateFile } from "../src/family/state-file.ts";
import type { Capabilities, Family, Performed } from "../src/ports/family.ts";
import { memoryParts, sha256 } from "./memory-parts.ts";
import type { Memory, MemoryOptions } from "./memory-parts.ts";

export const ADA: Caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" };
export const BOT: Caller = { actor: { kind: "agent", name: "bot" }, session: "s-1" };
export const OTHER: Caller = { actor: { kind: "agent", name: "other" }, session: "s-2" };

const TABLE: Protocol = {
  name: "press",
  version: 1,
  title: "Press",
  root: "article",
  lease: "dispatch",
  looks: ["digest", "git", "check", "command", "tree", "drift"],
  vars: { mood: "calm" },
  effects: ["commit", "restore", "deed"],
  guards: {},
  kinds: {
    article: {
      states: ["idea", "written", "printed", "shelved", "stopped"],
      start: "idea",
      ends: ["printed", "shelved"],
      moves: [
        {
          id: "written",
          from: ["idea"],
          to: "written",
          by: [],
          needs: [
            {
              guard: "exists",
              args: { paths: ["{id}.md"] },
              code: "article-missing",
              fix: "Write {id}.md.",
              rule: "P-1",
            },
          ],
          seals: ["{id}.md"],
          effects: [
            {
              kind: "commit",
              args: { subject: "Write\n {id} ", body: "By hand.", paths: ["{id}.md"] },
              when: [{ guard: "fact", args: { fact: "git", in: ["repository"] } }],
              otherwise: "No commit: git is not here",
              failed: "commit-failed",
            },
          ],
          ask: "publish",
          rule: "P-1",
        },
        {
          id: "publish",
          from: ["written"],
          to: "printed",
          by: [],
          needs: [
            {
              guard: "exists",
              args: { paths: ["ink.md"] },
              code: "no-ink",
              fix: "Buy ink.",
              rule: "P-2",
              when: [{ guard: "var", args: { name: "mood", in: ["strict"] } }],
            },
          ],
          rule: "P-2",
        },
        {
          id: "rewrite",
          from: ["written"],
          to: "idea",
          by: [],
          unseals: ["{id}.md"],
          rule: "P-3",
        },
        { id: "shelve", from: ["idea"], to: "shelved", by: ["person"], rule: "P-4" },
        {
          id: "check",
          from: ["idea"],
          to: "idea",
          needs: [
            {
              guard: "passed",
              args: { check: "tests", binds: ["tree:src"] },
              code: "untested",
              fix: "Mend it.",
              rule: "P-5",
            },
          ],
          optional: true,
          rule: "P-5",
        },
        {
          id: "do",
          from: ["idea"],
          to: "idea",
          effects: [{ kind: "deed", args: { what: "{id}" }, failed: "deed-failed" }],
          optional: true,
          rule: "P-6",
        },
        {
          id: "put-back",
          from: ["written"],
          to: "written",
          whileHeld: true,
          effects: [{ kind: "restore", args: {} }],
          optional: true,
          rule: "P-7",
        },
        {
          id: "stop",
          from: ["idea", "written", "printed"],
          to: "stopped",
          by: ["engine"],
          whileHeld: true,
          whileOut: true,
          rule: "P-8",
        },
        { id: "resume", from: ["stopped"], to: "idea", by: ["person"], rule: "P-9" },
      ],
    },
  },
  work: {
    write: {
      role: "writer",
      unit: "root",
      in: ["idea"],
      outcomes: { success: [{ move: "written" }], failure: [] },
      rule: "P-10",
    },
  },
  questions: {
    publish: {
      prompt: "Print {id}?",
      binds: ["digest:{id}.md"],
      options: [
        { id: "yes", label: "Print", does: [{ move: "publish" }] },
        { id: "no", label: "Again", does: [{ move: "rewrite" }] },
      ],
      rule: "P-11",
    },
    "commit-failed": {
      prompt: "The commit failed",
      options: [{ id: "again", label: "Again", does: [], report: "taken" }],
      rule: "P-12",
    },
    "deed-failed": {
      prompt: "The deed failed",
      options: [{ id: "fine", label: "Fine", does: [] }],
      rule: "P-13",
    },
    recovery: {
      prompt: "A file is in the way",
      by: ["person"],
      options: [{ id: "again", label: "Again", does: [], report: "taken" }],
      rule: "P-14",
    },
  },
};

export const DONE: Performed = { kind: "done", detail: {}, warnings: [] };

export interface PressOptions extends Omit<MemoryOptions, "families"> {
  readonly table?: Partial<Protocol>;
  readonly family?: Capabilities;
  readonly deed?: () => Promise<Performed>;
  /** Further families beside it. */
  readonly beside?: readonly Family[];
}

export function pressFamily({ table, family, deed }: PressOptions = {}): Family {
  return defineFamily(checkedProtocol({ ...TABLE, ...table }), {
    views: [stateFile("{id}.state.md"), stateFile("NEWS.md")],
    effects: { deed: { perform: deed ?? (async () => DONE) } },
    ...family,
  });
}

export interface Press extends Memory {
  readonly family: Family;
  readonly found: () => Promise<Found>;
  readonly state: () => Promise<Workflow>;
  readonly give: (command: Command, as?: Caller) => Promise<Outcome>;
  readonly move: (move: string, as?: Caller) => Promise<Outcome>;
  readonly send: (as?: Caller) => Promise<Outcome>;
  readonly report: (outcome?: string, as?: Caller) => Promise<Outcome>;
  readonly answer: (text: string, as?: Caller) => Promise<Outcome>;
}

/** A press with the article `x` begun, in the memory of one process. */
export async function press(options: PressOptions = {}): Promise<Press> {
  const made = pressAt(options);
  const begun = await start(made.parts, made.family, { id: "x", options: {}, caller: ADA });
  if (begun.kind !== "done") throw new Error(JSON.stringify(begun));
  return made;
}

/** The same before anything has begun, or as another process opens it. */
export function pressAt(options: PressOptions = {}, shared?: Memory): Press {
  const { beside = [], ...rest } = options;
  // As the engine meets it: with the digest of its definition.
  const given = withDigest(pressFamily(options), { isOwn: true, sha256 });
  const memory = memoryParts({ ...rest, families: [given, ...beside] }, shared);
  const stream = "press:x";
  const found = async (): Promise<Found> => {
    const one = await find(memory.parts, stream);
    if (one.kind === "refused") throw new Error(JSON.stringify(one.refusals));
    return one;
  };
  const give = async (command: Command, as: Caller = ADA): Promise<Outcome> =>
    await act(memory.parts, await found(), command, as);
  const state = async (): Promise<Workflow> => (await memory.parts.journal.load(stream)).state;
  return {
    ...memory,
    family: given,
    found,
    state,
    give,
    move: async (move, as) => await give({ type: "unit.move", unit: ".", move }, as),
    send: async (as) => await give({ type: "dispatch.send", spec: "write", unit: "." }, as),
    report: async (outcome = "success", as = BOT) => {
      const out = Object.values((await state()).dispatches).findLast(
        (one) => one.status === "open",
      );
      const claim = { agent: "writer", outcome };
      return await give({ type: "dispatch.report", dispatch: out?.id ?? "", claim }, as);
    },
    answer: async (text, as) => {
      const open = Object.values((await state()).decisions).find((one) => one.status === "open");
      const { id = "", nonce = "" } = open ?? {};
      return await give({ type: "decision.answer", decision: id, nonce, text }, as);
    },
  };
}

/** The article is written, and a person is asked whether to print it. */
export async function written(options: PressOptions = {}): Promise<Press> {
  const made = await press({ files: { "x.md": "text" }, ...options });
  await made.send();
  const told = await made.report();
  if (told.kind !== "held") throw new Error(JSON.stringify(told));
  return made;
}

export function accepted(outcome: Outcome): Accepted {
  if (outcome.kind === "done" || outcome.kind === "held") return outcome;
  throw new Error(JSON.stringify(outcome));
}

export function codesOf(outcome: Outcome): readonly string[] {
  if (outcome.kind === "refused") return outcome.refusals.map((one) => one.code);
  return outcome.kind === "failed" ? [outcome.code] : [];
}
