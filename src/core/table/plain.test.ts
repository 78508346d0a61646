import { describe, expect, test } from "vitest";
import { defineProtocol, protocolMistakes } from "./define.ts";
import type { Definition } from "./authoring.ts";
import type { Protocol } from "./protocol.ts";

/** What a protocol in JavaScript can get wrong, and the compiler would have seen. */

const finish = { from: "open", to: "done" };
const yes = { label: "Yes", does: "finish" } as const;
const base: Definition<string, "finish" | "wait", "sure", "write"> = {
  name: "release",
  version: 1,
  title: "Release",
  states: ["open", "done"],
  start: "open",
  ends: ["done"],
  work: { write: { role: "writer", done: "finish" } },
  questions: { sure: { prompt: "Sure?", options: { yes } } },
  moves: { finish, wait: { from: "open", ask: "sure" } },
};
const move = (odd: unknown): unknown => ({ ...base, moves: { ...base.moves, finish: odd } });
const need = (odd: unknown): unknown => move({ ...finish, needs: [odd] });
const option = (odd: object): unknown => ({
  ...base,
  questions: { sure: { prompt: "Sure?", options: { yes: { ...yes, ...odd } } } },
});
const states = (...more: readonly string[]): unknown => ({
  ...base,
  states: [...(base.states ?? []), ...more],
});
const cycle: { self?: unknown } = {};
cycle.self = cycle;

describe("what has not its shape is named with its place and what to do", () => {
  test.each<[unknown, string]>([
    [null, "expected a protocol, found nothing"],
    [[], "expected a protocol, found a list"],
    [{ ...base, name: 3 }, "name: 3 is no text"],
    [{ ...base, version: "1" }, 'version: expected a whole number from 1 on, found "1"'],
    [{ ...base, version: Number.NaN }, "version: expected a whole number from 1 on, found NaN"],
    [{ ...base, title: undefined }, 'a protocol lacks "title" (add title)'],
    [{ ...base, states: "open" }, 'states: expected a list, found "open"'],
    [{ ...base, states: [1, "done"] }, "states[0]: 1 is no text"],
    [{ ...base, moves: [] }, "moves: expected names with values, found a list"],
    [
      { ...base, question: {} },
      'question: a protocol has no "question" (did you mean "questions"?)',
    ],
    [{ ...base, kinds: {} }, 'states: a protocol with kinds has no "states"'],
    [{ ...base, lease: "mine" }, 'lease: "mine" is not possible here'],
    [{ ...base, migrate: "later" }, 'migrate: expected a function, found "later"'],
    [{ ...base, guards: { odd: 1 } }, "guards.odd: expected a function, found 1"],
    [{ ...base, vars: { at: new Date(0) } }, "vars.at: an object of a class is no data"],
    [{ ...base, vars: { at: () => 1 } }, "vars.at: a function is no data"],
    [{ ...base, vars: cycle }, "something nested too deeply is no data"],
    [
      Object.defineProperty({ ...base }, "title", { enumerable: true, get: () => "Release" }),
      "title: expected a text, found something computed",
    ],
    [move(null), "moves.finish: expected a move, found nothing (write its fields: from)"],
    [move({ to: "done" }), 'moves.finish: a move lacks "from"'],
    [
      move({ ...finish, whileheld: true }),
      'moves.finish.whileheld: a move has no "whileheld" (did you mean "whileHeld"?)',
    ],
    [move({ ...finish, by: "person" }), 'moves.finish.by: expected a list, found "person"'],
    [move({ ...finish, by: ["persn"] }), 'moves.finish.by[0]: "persn" is not possible here'],
    [move({ ...finish, auto: "yes" }), 'moves.finish.auto: expected true or false, found "yes"'],
    [move({ ...finish, within: 3 }), "moves.finish.within: expected within, found 3"],
    [
      move({ ...finish, within: { times: -1, else: "sure" } }),
      "moves.finish.within.times: expected a whole number from 1 on, found -1",
    ],
    [need(() => true), "moves.finish.needs[0]: expected a guard, found a function"],
    [
      need({ guard: "exists", args: ["a"], code: "c", fix: "f" }),
      "moves.finish.needs[0].args: expected names with values, found a list",
    ],
    [
      need({ guard: "quiet", code: "c", fix: () => "f" }),
      "moves.finish.needs[0].fix: expected a text, found a function",
    ],
    [option({ does: [{ mve: "finish" }] }), 'does[0].mve: what follows has no "mve" (did you mean'],
    [option({ does: [{ set: { a: 1 } }] }), "does[0].set.a: expected a value, found 1"],
    [option({ people: "2" }), "options.yes.people: expected a whole number from 1 on"],
    [
      { ...base, work: { write: { role: "writer", makes: "a.md", done: "finish" } } },
      'work.write.makes: expected a list, found "a.md"',
    ],
  ])("%#: %o", (given, says) => {
    expect(() => defineProtocol(given as Definition)).toThrow(says);
    expect(() => defineProtocol(given as Definition)).toThrow("Cannot use protocol");
  });

  test("every one of them at once", () => {
    const odd = { ...base, version: "1", ends: "done" };
    expect(() => defineProtocol(odd as unknown as Definition)).toThrow(/version: .*; ends: /);
  });

  test.each<[unknown, string]>([
    [{}, 'a protocol lacks "root"'],
    [base, 'a protocol lacks "kinds"'],
    [
      { ...defineProtocol(base), kinds: { release: {} } },
      'kinds.release: a kind of unit lacks "st',
    ],
  ])("a table that was not made by defineProtocol: %#", (given, says) => {
    expect(protocolMistakes(given as Protocol).join("; ")).toContain(says);
  });
});

test("ten thousand states are refused before they are compared", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
  const before = performance.now();
  expect(() => defineProtocol(states(...many) as Definition)).toThrow(
    "it has 10002 states, and 1000 is the limit",
  );
  expect(performance.now() - before).toBeLessThan(5_000);
});

test("what is defined is a copy: who changes the object later changes no protocol", () => {
  const given = { ...base, states: ["open", "done"] };
  const protocol = defineProtocol(given);
  given.states.push("lost");
  expect(protocol.kinds["release"]?.states).toEqual(["open", "done"]);
});

describe("names that cannot be seen, typed or told apart", () => {
  test.each<[unknown, string]>([
    [{ ...base, name: "" }, 'name: "" is no name for a protocol'],
    [{ ...base, name: "Release 1" }, 'name: "Release 1" is no name for a protocol'],
    [states(""), 'release states: "" is no name'],
    [states("a\u202eb"), '"a\\u{202e}b" is no name'],
    [states("a\nb"), "is no name"],
    [states(" open"), '" open" is no name'],
    [states("x".repeat(65)), "is no name"],
    [states("оpen"), '"open" and "\\u{43e}pen" look the same'],
    [states("Open"), '"open" and "Open" look the same'],
    [states("open", "open"), 'state "open" occurs twice'],
    [{ ...base, vars: { ["__proto__"]: 1 } }, 'vars: "__proto__" is no name'],
    [
      { ...base, moves: { ...base.moves, ["__proto__"]: finish } },
      'release moves: "__proto__" is no name',
    ],
    [{ ...base, stateFile: "../up.md" }, 'stateFile: "../up.md" is no file of the repository'],
  ])("%#", (given, says) => {
    expect(() => defineProtocol(given as Definition)).toThrow(says);
  });

  test("words of any language, and names that objects inherit, are names", () => {
    const { kinds } = defineProtocol({
      name: "odd",
      version: 1,
      title: "Odd",
      states: ["öffnen", "constructor"],
      start: "öffnen",
      ends: ["constructor"],
      moves: { toString: { from: "öffnen", to: "constructor" } },
    });
    expect(kinds["odd"]?.moves[0]?.id).toBe("toString");
  });
});
