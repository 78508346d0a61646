import { describe, expect, test } from "vitest";
import { countPeople, lastWords } from "./voices.ts";
import type { Voice } from "./voices.ts";

const voice = (name: string, key?: string, names?: readonly string[]): Voice => ({
  by: `person:${name}`,
  key,
  names,
});

describe("people who have said the same", () => {
  test.each<[number, string, readonly Voice[]]>([
    [0, "nobody", []],
    [2, "two names without keys", [voice("ada"), voice("bob")]],
    [1, "one name twice, with two keys", [voice("ada", "1"), voice("ada", "2")]],
    [1, "two names with one key", [voice("ada", "1"), voice("bob", "1")]],
    [
      1,
      "two names, the key of one counts under both",
      [voice("ada", "1", ["ada", "ada@home"]), voice("ada@home", "2", ["ada@home"])],
    ],
    [1, "the same, the other way round", [voice("a@b.c", "2"), voice("ada", "1", ["*@B.c"])]],
    [
      2,
      "two keys that also count under a role",
      [voice("ada", "1", ["ada", "release"]), voice("bob", "2", ["bob", "release"])],
    ],
    [
      1,
      "three words that hang together",
      [voice("ada", "1"), voice("bob", "2"), voice("bob", "1")],
    ],
    [
      2,
      "two words of one, and one of another",
      [voice("ada", "1"), voice("bob", "2"), voice("bob", "3")],
    ],
  ])("are %i: %s", (count, _, voices) => {
    expect(countPeople(voices)).toBe(count);
    expect(countPeople(voices.toReversed())).toBe(count);
  });

  test("stand by what each of them said last", () => {
    const [first, other, last] = [voice("ada", "1"), voice("bob", "2"), voice("ada", "3")];
    expect(lastWords([first, other, last])).toEqual([other, last]);
  });
});
