import { describe, expect, test } from "vitest";
import { ruleOf, weakerGates } from "./policy.ts";
import type { Policy } from "./policy.ts";

const signed: Policy = { strength: "signed", gates: {} };
const word: Policy = { gates: {} };

describe("a rule", () => {
  test("is that of the closest entry, and what it leaves open is as for the whole repository", () => {
    const policy: Policy = {
      strength: "presence",
      people: 2,
      gates: { "a/*": { strength: "word" }, "a/b": { strength: "signed" }, "*/c": { people: 3 } },
    };
    const asks = (protocol: string, gate: string): readonly unknown[] => {
      const { strength, people } = ruleOf([policy], protocol, gate);
      return [strength, people];
    };
    expect(asks("a", "b")).toEqual(["signed", 2]);
    expect(asks("a", "x")).toEqual(["word", 2]);
    expect(asks("z", "c")).toEqual(["presence", 3]);
    expect(asks("z", "x")).toEqual(["presence", 2]);
  });

  test("of several policies asks for all of them at once", () => {
    const one: Policy = { strength: "presence", minutes: 5, by: ["ada", "bob"], gates: {} };
    const other: Policy = { strength: "signed", people: 2, hardware: true, by: ["bob"], gates: {} };
    expect(ruleOf([one, other], "p", "g")).toEqual({
      strength: "signed",
      people: 2,
      notAuthor: false,
      minutes: 5,
      hardware: true,
      by: ["bob"],
    });
  });

  test("that cannot be read asks for the most", () => {
    expect(ruleOf([{ strength: "strong", gates: {} }], "p", "g").strength).toBe("signed");
  });
});

describe("a policy is weaker", () => {
  test.each<[string, Policy, Policy]>([
    ["less strength", word, signed],
    ["fewer people", { ...signed, people: 1 }, { ...signed, people: 2 }],
    ["longer", { ...signed, minutes: 60 }, signed],
    ["authors too", signed, { ...signed, notAuthor: true }],
    ["more names", { ...signed, by: ["a", "b"] }, { ...signed, by: ["a"] }],
    ["anybody", signed, { ...signed, by: ["a"] }],
    ["files too", signed, { ...signed, hardware: true }],
    ["at one gate", { ...signed, gates: { "a/b": { strength: "word" } } }, signed],
    [
      "at a gate that another entry was for",
      { gates: { "*/waive": { strength: "signed" }, "a/*": { strength: "word" } } },
      { gates: { "*/waive": { strength: "signed" } } },
    ],
    ["where an entry is gone", word, { gates: { "a/b": { strength: "signed" } } }],
  ])("%s", (_, now, before) => {
    expect(weakerGates(now, before)).not.toEqual([]);
    expect(weakerGates(before, before)).toEqual([]);
  });

  test("only where it asks for less", () => {
    expect(weakerGates(signed, word)).toEqual([]);
    expect(weakerGates({ ...signed, gates: { "a/b": { people: 2 } } }, signed)).toEqual([]);
  });
});
