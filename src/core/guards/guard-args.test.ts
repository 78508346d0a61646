/** The arguments of a guard, checked when a table is defined. */
import { expect, test } from "vitest";
import { toy } from "../../../test/toy.ts";
import type { Json } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import { argKinds, argMistakes } from "./guard-args.ts";

/** A guard that takes one argument of this kind. */
function taking(kind: string): Protocol {
  return { ...toy, guards: { odd: { check: () => undefined, args: { it: kind } } } } as Protocol;
}

function mistakes(kind: string, value: Json): readonly string[] {
  return argMistakes(taking(kind), "here", { guard: "odd", args: { it: value } });
}

test.each<[string, string, Json, Json]>([
  ["texts", "a list of texts", ["a"], ["a", 1]],
  ["facts", "a list of texts", [], "a"],
  ["states", "a list of texts", ["a"], { a: 1 }],
  ["questions", "a list of texts", ["a"], [null]],
  ["values", "a list", [1, "a"], "a"],
  ["number", "a number", 1, "1"],
  ["flag", "true or false", false, "true"],
  ["object", "an object", { a: 1 }, [1]],
  ["root", '"root"', "root", "part"],
  ["text", "a text", "a", 1],
  ["fact", "a text", "a", ["a"]],
  ["variable", "a text", "a", null],
  ["kind", "a text", "a", {}],
  ["state", "a text", "a", true],
  ["question", "a text", "a", 0],
])("%s must be %s", (kind, told, right, wrong) => {
  for (const optional of [kind, `${kind}?`]) {
    expect(mistakes(optional, right)).toEqual([]);
    expect(mistakes(optional, wrong)).toEqual([`here: "it" of guard "odd" must be ${told}`]);
  }
});

test("none is missing and none is unknown; what is optional may be left out", () => {
  const bare = (kind: string): readonly string[] =>
    argMistakes(taking(kind), "here", { guard: "odd" });
  expect(bare("text")).toEqual(['here: guard "odd" lacks "it"']);
  expect(bare("text?")).toEqual([]);
  const strange = { guard: "odd", args: { it: "a", toString: "b" } };
  expect(argMistakes(taking("text"), "here", strange)).toEqual([
    'here: guard "odd" takes no "toString"; it takes it',
  ]);
  const none = { ...toy, guards: { odd: { check: () => undefined, args: {} } } } as Protocol;
  expect(argMistakes(none, "here", { guard: "odd", args: { it: 1 } })).toEqual([
    'here: guard "odd" takes no "it"; it takes nothing',
  ]);
});

test("a guard that does not say what it takes takes anything", () => {
  const plain = { ...toy, guards: { odd: () => undefined } } as Protocol;
  expect(argKinds(plain, "odd")).toBeUndefined();
  expect(argMistakes(plain, "here", { guard: "odd", args: { any: 1 } })).toEqual([]);
  expect(argKinds(toy, "exists")).toHaveProperty("paths");
  expect(argKinds(toy, "nonesuch")).toBeUndefined();
});
