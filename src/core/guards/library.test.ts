/** The guards that every protocol may name, one by one: what passes, what is refused, and with which words. */
import { describe, expect, test } from "vitest";
import { says } from "../../../test/says.ts";
import type { Asked } from "../../../test/says.ts";
import { planned } from "../../../test/toy.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { trimMeasured, tellMeasured, tellPaths } from "../values/measured.ts";
import type { Decision, Dispatch, Finding, Seal, Workflow } from "../state/state.ts";
import { unknown } from "../values/unknown.ts";

describe("files", () => {
  test("exist and can be read, or each is named", () => {
    const exists = (facts: JsonObject): string | undefined =>
      says("exists", { paths: ["{id}.md", "b"] }, { facts });
    expect(exists({ "digest:Toy.md": "1", "digest:b": "2" })).toBeUndefined();
    expect(exists({})).toBeUndefined();
    expect(exists({ "digest:Toy.md": null, "digest:b": "2" })).toBe("Toy.md does not exist");
    expect(exists({ "digest:Toy.md": null, "digest:b": null })).toBe("Toy.md, b do not exist");
    expect(exists({ "digest:Toy.md": null, "digest:b": unknown("is a link") })).toBe(
      "Toy.md does not exist; b is a link",
    );
  });

  test("have changed; where nobody can tell, they have not", () => {
    const changed = (value?: Json): string | undefined =>
      says(
        "changed",
        { paths: ["a"] },
        value === undefined ? {} : { facts: { "changed:a": value } },
      );
    expect(changed(true)).toBeUndefined();
    expect(changed()).toBeUndefined();
    for (const value of [false, null, unknown("no git"), "true"])
      expect(changed(value)).toBe("a did not change");
  });

  test("that are sealed read as they were sealed, those named and no others", () => {
    const seal = (artifact: string, digest: string | null): Seal => ({ artifact, digest }) as Seal;
    const seals = { a: seal("a", "1"), b: seal("b", "1"), c: seal("c", null) };
    const sealed = (facts: JsonObject, ...paths: string[]): string | undefined =>
      says("sealed", paths.length === 0 ? {} : { paths }, { facts, has: { seals } });
    const same = { "digest:a": "1", "digest:b": "1", "digest:c": null };
    expect(sealed(same)).toBeUndefined();
    expect(sealed({})).toBeUndefined();
    expect(sealed({ ...same, "digest:b": "2" })).toBe("b changed since it was sealed");
    expect(sealed({ ...same, "digest:b": "2" }, "a")).toBeUndefined();
    expect(sealed({ ...same, "digest:a": "2" }, "a")).toBe("a changed since it was sealed");
    expect(sealed({ ...same, "digest:a": null })).toBe("a is gone since it was sealed");
    expect(sealed({ ...same, "digest:a": unknown("is a link") })).toBe(
      "a is a link since it was sealed",
    );
    expect(sealed({ ...same, "digest:c": "1" })).toBe("c was sealed as absent, and is there now");
    expect(sealed(same, "a", "x")).toBe("x is not sealed");
    expect(sealed(same, "c", "x")).toBe("c, x are not sealed");
  });
});

describe("facts, variables, claims and texts", () => {
  test("a fact is one of several; its own sentence is told, or why it is unknown", () => {
    const fact = (value: Json, more: JsonObject = {}): string | undefined =>
      says("fact", { fact: "odd", in: [1, 2], ...more }, { facts: { odd: value } });
    expect(fact(2)).toBeUndefined();
    expect(fact(3)).toBe("odd is 3");
    const words = { says: "{id} is odd" };
    expect(fact(3, words)).toBe("Toy is odd");
    expect(fact({ why: "because" }, words)).toBe("Toy is odd: because");
    expect(fact(unknown("unread"), words)).toBe("Toy is odd: unread");
    expect(fact({ why: 3 }, words)).toBe("Toy is odd");
    expect(fact(null, words)).toBe("Toy is odd");
  });

  test("a variable and a claim are one of several", () => {
    expect(says("var", { name: "colour", in: ["blue", "red"] })).toBeUndefined();
    expect(says("var", { name: "colour", in: ["blue"] })).toBe('colour is "red"');
    expect(says("var", { name: "nobody", in: [null] })).toBeUndefined();
    const claim = { size: "Toy" };
    expect(says("claim", { field: "size", in: ["x", "{id}"] }, { claim })).toBeUndefined();
    expect(says("claim", { field: "size", in: ["x", 1] }, { claim })).toBe(
      'the report says size is "Toy", expected "x" or 1',
    );
  });

  test("a text is one of several, or not empty", () => {
    expect(says("is", { text: "{id}", in: ["a", "Toy"] })).toBeUndefined();
    expect(says("is", { text: "{id}", in: ["a", "b"] })).toBe('id is "Toy", expected a or b');
    expect(says("is", { text: "", in: ["a"] })).toBe(" is not given, expected a");
    expect(says("is", { text: "{id}" })).toBeUndefined();
    expect(says("is", { text: "" })).toBe(" is not given");
  });
});

describe("what people and checks have said", () => {
  const finding = (more: Partial<Finding>): Partial<Workflow> => {
    const one = { unit: ".", kind: "k", by: "ci", value: "passed", bound: {}, seq: 99, ...more };
    return { findings: { x: one as Finding } };
  };

  test("a finding counts for its kind, its unit and its time, and while it is fresh", () => {
    const found = (more: Partial<Finding>, args: JsonObject = {}, unit = "."): boolean =>
      says(
        "finding",
        { kind: "k", in: ["ok", "passed"], ...args },
        { has: finding(more), unit },
      ) === undefined;
    expect(found({})).toBe(true);
    expect(found({ kind: "other" })).toBe(false);
    expect(found({ value: "failed" })).toBe(false);
    expect(found({ unit: "a" })).toBe(false);
    expect(found({ unit: "a" }, {}, "a")).toBe(true);
    expect(found({}, {}, "a")).toBe(false);
    expect(found({}, { on: "root" }, "a")).toBe(true);
    expect(found({ bound: { f: 1 } })).toBe(false);
    const since = planned().state.units["."]?.entered["doing"] ?? 0;
    expect(found({ seq: since }, { since: "doing" })).toBe(false);
    expect(found({ seq: since + 1 }, { since: "doing" })).toBe(true);
  });

  const decided = (more: JsonObject): Partial<Workflow> => {
    const settled = { option: "yes", by: "person:ada" };
    const one = { id: "D", question: "q", unit: ".", status: "answered", bound: {}, settled };
    return { decisions: { D: { ...one, ...more } as unknown as Decision } };
  };

  test("a release counts for its question, its unit and its option, and while it is fresh", () => {
    const released = (more: JsonObject, unit = ".", on: JsonObject = {}): boolean =>
      says("released", { question: "q", options: ["yes"], ...on }, { has: decided(more), unit }) ===
      undefined;
    expect(released({})).toBe(true);
    expect(released({ question: "other" })).toBe(false);
    expect(released({ unit: "a" })).toBe(false);
    expect(released({ unit: "a" }, "a")).toBe(true);
    expect(released({}, "a")).toBe(false);
    expect(released({}, "a", { on: "root" })).toBe(true);
    expect(released({ status: "void" })).toBe(false);
    expect(released({ settled: { option: "no", by: "person:ada" } })).toBe(false);
    expect(released({ bound: { f: 1 } })).toBe(false);
  });

  test("so many different people, of these questions, each for what is there now", () => {
    const people = (more: JsonObject, args: JsonObject = {}): string | undefined =>
      says(
        "people",
        { count: 2, ...args },
        { has: decided({ joined: { "person:eve": 1 }, ...more }) },
      );
    expect(people({})).toBeUndefined();
    expect(people({}, { count: 3 })).toBe("2 of 3 different people have decided");
    expect(people({}, { questions: ["q"] })).toBeUndefined();
    expect(people({}, { questions: ["other"] })).toMatch(/^0 of 2/);
    expect(people({ status: "void" })).toMatch(/^0 of 2/);
    expect(people({ bound: { f: 1 } })).toMatch(/^0 of 2/);
    expect(people({ joined: {} })).toMatch(/^1 of 2/);
    expect(people({ joined: { "person:ada": 1 } })).toMatch(/^1 of 2/);
    expect(people({ joined: { "agent:eve": 1 } })).toMatch(/^1 of 2/);
    expect(people({ settled: null })).toMatch(/^1 of 2/);
  });

  test("quiet is where no question waits", () => {
    expect(says("quiet", {}, { has: decided({}) })).toBeUndefined();
    expect(says("quiet", {}, { has: decided({ status: "open" }) })).toBe("D waits for an answer");
  });
});

describe("the work itself", () => {
  const CHANGE = {
    files: { "src/a.ts": ["f 1", "f 2"], "to.ts": [null, "f 3"], "from.ts": ["f 3", null] },
    moved: { "to.ts": "from.ts" },
    commits: ["0123 mine"],
  };
  const NOTHING = { files: {}, moved: {}, commits: [] };

  function work(
    guard: string,
    args: JsonObject,
    world: Asked & { readonly change?: Json },
  ): string | undefined {
    const { change = CHANGE, ...rest } = world;
    const out = { id: "W-1", unit: ".", baseline: { "files:.": "r" } } as unknown as Dispatch;
    const has = { dispatches: { "W-1": out }, ...rest.has };
    return says(guard, args, { facts: { "change:W-1": change }, dispatch: "W-1", ...rest, has });
  }

  const GUARDS: readonly (readonly [string, JsonObject])[] = [
    ["worked", { paths: ["src/**"] }],
    ["kept", { paths: ["**"] }],
    ["claimed-changed", { field: "files" }],
    ["changed-claimed", { field: "files", paths: [] }],
    ["uncommitted", {}],
  ];

  test.each(GUARDS)("%s: what was not measured, or not in full, passes nothing", (guard, args) => {
    const none = "it cannot be told what changed: nobody measured it when the work was handed out";
    expect(work(guard, args, { dispatch: "W-2" })).toBe(none);
    const old = { id: "W-1", unit: ".", baseline: {} } as unknown as Dispatch;
    expect(work(guard, args, { has: { dispatches: { "W-1": old } } })).toBe(none);
    expect(work(guard, args, { change: unknown("x is odd") })).toBe(
      "it cannot be told what changed: x is odd",
    );
    expect(work(guard, args, { change: null })).toBe(
      "it cannot be told what changed: nobody has measured what changed",
    );
    expect(work(guard, args, { facts: {} })).toBeUndefined();
  });

  test("worked: something changed in these paths", () => {
    expect(work("worked", { paths: ["{id}/**", "src/**"] }, {})).toBeUndefined();
    expect(work("worked", { paths: ["{id}/**", "lib/**"] }, {})).toBe(
      "nothing changed in Toy/**, lib/** since the work was handed out",
    );
  });

  test("kept: nothing changed outside of these paths", () => {
    expect(work("kept", { paths: ["src/**", "*.ts"] }, {})).toBeUndefined();
    expect(work("kept", { paths: ["src/**"] }, {})).toBe(
      "changed outside of src/**: to.ts, from.ts",
    );
    expect(work("kept", { paths: [] }, {})).toBe(
      "this work changes nothing, but these changed: src/a.ts, to.ts, from.ts",
    );
    expect(work("kept", { paths: [] }, { change: NOTHING })).toBeUndefined();
  });

  test("unhidden: nothing written in these paths is left out by a rule that came with it", () => {
    const change = { files: {}, hidden: ["Toy/a", "lib/b"] };
    expect(work("unhidden", { paths: ["{id}/**"] }, { change })).toBe(
      "left out by a new ignore rule, and so in no tree that was checked: Toy/a",
    );
    expect(work("unhidden", { paths: ["src/**"] }, { change })).toBeUndefined();
    expect(work("unhidden", { paths: ["**"] }, { change: NOTHING })).toBeUndefined();
  });

  test("what is claimed has changed, and what changed is claimed", () => {
    const claimed = (files: Json, change: Json = CHANGE): string | undefined =>
      work("claimed-changed", { field: "files" }, { claim: { files }, change });
    expect(claimed(["./src/a.ts", "from.ts"])).toBeUndefined();
    expect(claimed(["src/a.ts", "b.ts"])).toBe("named, but not changed: b.ts");
    expect(claimed(["old.ts"], { ...NOTHING, moved: { "new.ts": "old.ts" } })).toBeUndefined();
    const told = (files: Json): string | undefined =>
      work("changed-claimed", { field: "files", paths: ["src/**", "to.ts"] }, { claim: { files } });
    expect(told(["src//a.ts", "to.ts"])).toBeUndefined();
    expect(told(["to.ts"])).toBe("changed, but not named: src/a.ts");
  });

  test("uncommitted: nobody else has committed", () => {
    expect(work("uncommitted", {}, { change: NOTHING })).toBeUndefined();
    expect(work("uncommitted", {}, {})).toBe("committed meanwhile: 0123 mine");
  });

  test("a change of another shape has nothing in it", () => {
    for (const odd of [{}, { files: [], moved: "x", commits: {} }, { files: 1, commits: 2 }])
      expect(tellMeasured(odd)).toBe("nothing changed");
    expect(tellMeasured({ files: { a: [1, 2], b: "x" } })).toBe("added a, b");
    expect(tellMeasured({ files: {}, more: "3" })).toBe("nothing changed");
    expect(tellMeasured(null)).toBe("what changed is not known: nobody has measured what changed");
    expect(trimMeasured(null)).toBeNull();
    expect(trimMeasured({ files: 1 })).toEqual({ files: 1 });
  });

  test("up to a hundred files are carried along, and twenty paths are named", () => {
    const some = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `f${index}`);
    const files = (count: number): JsonObject =>
      Object.fromEntries(some(count).map((path) => [path, [null, "f 1"]]));
    expect(trimMeasured({ files: files(100) })).toEqual({ files: files(100) });
    expect(trimMeasured({ files: files(101), moved: { a: "b" } })).toEqual({
      files: files(100),
      moved: {},
      more: 1,
    });
    expect(tellPaths(some(20))).toBe(some(20).join(", "));
    expect(tellPaths(some(21))).toBe(`${some(20).join(", ")} and 1 more`);
  });
});
