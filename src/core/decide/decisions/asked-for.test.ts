/** What a command asks a person's word for, how it is asked again with more to prove it, and whose it is to ask. */
import { describe, expect, test } from "vitest";
import { scopeFor } from "../../../../test/scope.ts";
import { againWith, askedFor, GATES } from "./asked-for.ts";
import type { AskedFor } from "./asked-for.ts";
import { readStatement, statementText } from "./statement.ts";
import type { Statement } from "./statement.ts";
import { whoseStep } from "../whose.ts";
import type { Command } from "../../state/commands.ts";
import type { Protocol } from "../../table/protocol.ts";
import { showJson } from "../../values/json.ts";
import type { JsonObject } from "../../values/json.ts";

const OPTIONS = [
  { id: "yes", label: "Publish" },
  { id: "no", label: "Back" },
];
const PROTOCOL = {
  questions: {
    publish: { options: OPTIONS },
    talk: { options: [{ id: "map", label: "Draw", words: ["draw*"], why: "words" }] },
  },
} as unknown as Protocol;
const { workflow } = scopeFor({
  decisions: {
    "D-1": { question: "publish", options: OPTIONS },
    "D-2": { question: "gone", options: [] },
    "D-3": { question: "talk", options: [{ id: "map", label: "Draw" }] as never },
  },
});

const word = (gate: string, choice: string, more: Partial<AskedFor> = {}): AskedFor => ({
  gate,
  choice,
  hold: "",
  reason: "",
  ...more,
});
const IMPORT = { at: "draft", why: "begun by hand" };

/** A command, what it asks for, and how it is asked again. */
const COMMANDS: readonly (readonly [JsonObject, AskedFor, string, JsonObject])[] = [
  [
    { type: "decision.answer", decision: "D-1", text: " 1 " },
    word("publish", "yes", { hold: "D-1" }),
    "answer",
    { choice: " 1 " },
  ],
  [
    { type: "decision.answer", decision: "D-1", text: "yes", reason: "why" },
    word("publish", "yes", { hold: "D-1", reason: "why" }),
    "answer",
    { choice: "yes", reason: "why" },
  ],
  [
    { type: "decision.answer", decision: "D-1", text: "something else " },
    word("publish", "something else", { hold: "D-1" }),
    "answer",
    { choice: "something else " },
  ],
  [
    { type: "decision.answer", decision: "D-3", text: " draw a map " },
    word("talk", "map: draw a map", { hold: "D-3" }),
    "answer",
    { choice: " draw a map " },
  ],
  [
    { type: "decision.answer", decision: "D-2", text: " yes ", reason: "" },
    word("gone", "yes", { hold: "D-2" }),
    "answer",
    { choice: " yes " },
  ],
  [
    { type: "decision.answer", decision: "D-9", text: "1" },
    word("", "1", { hold: "D-9" }),
    "answer",
    { choice: "1" },
  ],
  [
    { type: "answer.keep", decision: "D-1", text: "no" },
    word("publish", "no", { hold: "D-1" }),
    "next",
    {},
  ],
  [
    { type: "unit.move", move: "publish", unit: "." },
    word("publish", "publish"),
    "advance",
    { step: "publish" },
  ],
  [
    { type: "unit.move", move: "publish", unit: "T-1", input: { a: 1 }, reason: "why" },
    word("publish", 'publish of T-1 {"a":1}', { reason: "why" }),
    "advance",
    { step: "publish", unit: "T-1", input: { a: 1 }, reason: "why" },
  ],
  [
    { type: "gate.waive", gate: "review", unit: "T-1", reason: "why" },
    word("waive", "review of T-1", { reason: "why" }),
    "approve",
    { what: "review", waive: true, reason: "why" },
  ],
  [
    { type: "finding.record", kind: "seen", unit: ".", value: "fine" },
    word("attest", "seen fine"),
    "approve",
    { what: "seen" },
  ],
  [
    { type: "artifact.reseal", artifacts: ["a", "b"], reason: "why" },
    word("reseal", "a, b", { reason: "why" }),
    "next",
    {},
  ],
  [
    { type: "definition.accept", reason: "why" },
    word("accept", "settings", { reason: "why" }),
    "reconcile",
    { settings: true, reason: "why" },
  ],
  [
    { type: "lease.break", reason: "why" },
    word("lease", "break", { reason: "why" }),
    "lock",
    { break: true, reason: "why" },
  ],
  [
    { type: "lease.take", why: "gone" },
    word("lease", "take", { reason: "gone" }),
    "advance",
    { take: true },
  ],
  [
    { type: "workflow.adopt", workflow: "x", import: IMPORT },
    word("adopt", "x", { reason: IMPORT.why }),
    "adopt",
    { at: "draft", yes: true },
  ],
  [
    { type: "effect.settle", effect: "E-1", detail: { reason: "why" } },
    word("skip", "E-1"),
    "reconcile",
    { skip: true, reason: "why" },
  ],
  [
    { type: "effect.settle", effect: "E-1", detail: {} },
    word("skip", "E-1"),
    "reconcile",
    { skip: true, reason: "..." },
  ],
  [
    { type: "vars.set", name: "mood", value: "calm" },
    word("set", "mood calm"),
    "advance",
    { set: { mood: "calm" } },
  ],
  [{ type: "workflow.start", vars: { mood: "calm" } }, word("set", '{"mood":"calm"}'), "next", {}],
  [{ type: "lease.release" }, word("lease.release", "lease.release"), "next", {}],
];

describe("a command", () => {
  test.each(COMMANDS)(
    "%j asks for a word at its gate, and is asked again with more",
    (command, asked, operation, input) => {
      const given = command as unknown as Command;
      expect(askedFor(PROTOCOL, workflow, given)).toEqual(asked);
      expect(againWith("w", given, { sign: true }, "Sign it")).toEqual({
        operation,
        input: { workflow: "w", ...input, sign: true },
        says: "Sign it",
      });
    },
  );

  test("that is no question and no move has one of the gates that a policy can name", () => {
    const own = COMMANDS.filter(
      ([{ type }]) => !/^(?:decision|answer|unit|lease\.release)/.test(showJson(type)),
    );
    expect(new Set(own.map(([, { gate }]) => gate))).toEqual(new Set(GATES));
  });
});

describe("a statement", () => {
  const WHOLE: Statement = {
    holdpoint: "release/1",
    protocol: "p",
    workflow: "w",
    hold: "",
    gate: "g",
    choice: "c",
    reason: "",
    card: "",
    head: "h",
    seq: 1,
    nonce: "n",
    at: "now",
    expires: "then",
    by: "ada",
  };
  const read = (value: object): Statement | undefined =>
    readStatement(statementText(value as Statement));

  test("is read from its one spelling", () => {
    expect(read(WHOLE)).toEqual(WHOLE);
    expect(readStatement(JSON.stringify(WHOLE))).toBeUndefined();
    expect(readStatement(`${statementText(WHOLE)} `)).toBeUndefined();
    for (const text of ["", "[]", "null", "{}"]) expect(readStatement(text)).toBeUndefined();
  });

  test.each(Object.keys(WHOLE))("has a %s, and nothing beside", (name) => {
    const { [name]: _, ...rest } = WHOLE;
    expect(read(rest)).toBeUndefined();
    expect(read({ ...rest, more: "" })).toBeUndefined();
    expect(read({ ...WHOLE, [name]: name === "seq" ? 1.5 : 7 })).toBeUndefined();
    expect(read({ ...WHOLE, more: "" })).toBeUndefined();
  });
});

describe("a step", () => {
  const move = (id: string, from: readonly string[], by?: readonly string[]): object => ({
    id,
    from,
    to: "x",
    by,
  });
  const protocol = {
    kinds: {
      book: {
        moves: [
          move("print", ["draft"], ["person"]),
          move("print", ["late"], ["role:printer", "role:editor"]),
          move("write", ["draft"]),
          move("check", ["draft"], ["role:editor"]),
          move("burn", ["late"], ["person", "agent"]),
          move("publish", ["late"], ["engine"]),
        ],
      },
    },
    questions: { ask: { by: ["person"] }, talk: {}, print: { by: ["agent"] } },
  } as unknown as Protocol;
  const { workflow: book } = scopeFor({
    units: {
      ".": { kind: "book", at: "draft" },
      late: { kind: "book", at: "late" },
      odd: { kind: "none", at: "" },
    },
  });
  const agent = { kind: "agent", name: "a" } as const;
  test.each([
    ["print", undefined, agent, "person"],
    ["print", undefined, { kind: "person", name: "p" } as const, undefined],
    ["print", "late", agent, "printer"],
    ["print", "late", { ...agent, role: "editor" }, undefined],
    ["print", "odd", agent, undefined],
    ["write", undefined, agent, undefined],
    ["check", undefined, agent, "editor"],
    ["check", "late", agent, "editor"],
    ["burn", "late", agent, undefined],
    ["publish", "late", agent, undefined],
    ["ask", undefined, agent, "person"],
    ["talk", undefined, agent, undefined],
    ["nothing", undefined, agent, undefined],
    ["write", "gone", agent, undefined],
  ])("%s of %s by %j is for %s", (step, unit, actor, whose) => {
    expect(
      whoseStep(protocol, book, actor, { step, ...(unit === undefined ? {} : { unit }) }),
    ).toBe(whose);
  });
});
