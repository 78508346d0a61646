// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { release } from "../../../test/release.ts";
import { ENGINE, story } from "../../../test/story.ts";
import type { Story } from "../../../test/story.ts";
import { defineProtocol, machine } from "./define.ts";
import type { Json } from "../values/json.ts";
import { exists, finding, quiet, released, units } from "../guards/guards.ts";

const PEOPLE = {
  ada: { actor: { kind: "person", name: "ada" } },
  bob: { actor: { kind: "person", name: "bob" } },
} as const;

describe("the release checklist", () => {
  test("[C95] is walked from draft to published, with two people and a sealed file", () => {
    const told = drafted().send("write");
    told.report({ outcome: "success" }).expectRefused("work-not-measured");
    told.given({ ...changed("CHANGELOG.md"), "digest:CHANGELOG.md": "d2" });
    told.report({ outcome: "success" }).expectAccepted();
    expect(told.state.seals["CHANGELOG.md"]?.digest).toBe("d2");
    told.move("test").expectRefused("tests-red");
    tested(told, "passed").move("test").expectHeld("approve");
    told.move("approve").expectRefused("actor-not-allowed", "held");
    told.reply("approve", "yes", PEOPLE.ada).expectHeld("approve");
    told.reply("approve", "yes", PEOPLE.ada).expectHeld("approve");
    told.reply("approve", "yes", PEOPLE.bob).expectAccepted();
    expect(told.state.units["."]?.at).toBe("approved");
    told.move("publish", PEOPLE.bob).expectAccepted();
  });

  test("[C96] one may say no where two must say yes; the last word of each counts", () => {
    const told = frozen();
    tested(told, "passed").move("test").reply("approve", "yes", PEOPLE.ada);
    told.fork().reply("approve", "no", PEOPLE.ada).expectAccepted();
    told.reply("approve", "yes", PEOPLE.bob).expectAccepted();
    expect(Object.values(told.state.decisions)[0]).toMatchObject({
      joined: { "person:ada": "yes", "person:bob": "yes" },
      settled: { option: "yes", by: "person:bob" },
    });
  });

  test("[C97] a move hands work out, so many times; the answer begins the count anew", () => {
    const told = frozen();
    for (const _ of [1, 2, 3])
      told.move("red").expectAccepted().report({ outcome: "failure" }).expectAccepted();
    told.move("red").expectHeld("stuck");
    told.reply("stuck", "again").expectAccepted();
    expect(told.state.spent["repair/."]).toBe(1);
  });

  test("[C98] a role keeps to its paths", () => {
    const told = drafted().send("write");
    told.given({ ...changed("CHANGELOG.md", "src/a.ts"), "digest:CHANGELOG.md": "d2" });
    told.report({ outcome: "success" }).expectRefused("work-outside");
    expect(told.refusals[0]?.message).toContain("outside of CHANGELOG.md: src/a.ts");
  });

  test("[C110] what changed cannot be told: nothing is vouched for, and why is said", () => {
    const told = drafted().send("write");
    told.given({ "change:W-1": { unknown: "src/a.ts cannot be read (EACCES)" } });
    told.report({ outcome: "success" }).expectRefused("work-not-measured");
    expect(told.refusals[0]?.message).toContain("src/a.ts cannot be read (EACCES)");
  });

  test("[C111] what was measured is recorded beside what was claimed", () => {
    const told = frozen();
    expect(told.state.dispatches["W-1"]?.measured).toEqual(changed("CHANGELOG.md")["change:W-1"]);
  });
});

test("[C95] a machine may say how it begins, and which question stands at a state", () => {
  const shop = defineProtocol({
    name: "shop",
    version: 1,
    title: "Shop",
    states: ["open", "asking", "shut"],
    start: "open",
    ends: ["shut"],
    starts: [{ from: ["shut"], needs: [exists(["key"], { code: "no-key", fix: "Find it." })] }],
    gates: { asking: "close" },
    moves: { ask: { from: "open", to: "asking" }, close: { from: "asking", to: "shut", by: [] } },
    questions: { close: { prompt: "Close?", options: { yes: { label: "Yes", does: "close" } } } },
  });
  const start = { type: "workflow.start", workflow: "Toy", vars: {} } as const;
  story(shop, { facts: { "digest:key": null } })
    .when(start)
    .expectRefused("no-key");
  const told = story(shop, { facts: { "digest:key": "k" } })
    .when(start)
    .move("ask");
  told.expectHeld("close").reply("close", "yes").expectAccepted();
  told.when(start).expectAccepted();
  expect(told.state.units["."]?.at).toBe("open");
});

/** Each mistake is refused by the compiler at its word, and named again when the table is defined. */
describe("[C76] planted mistakes", () => {
  const head = { name: "p", version: 1, title: "P" } as const;
  const told = { code: "c", fix: "f" } as const;
  const ab = { ...head, states: ["a", "b"], start: "a", ends: ["b"] } as const;

  test("a start that is no state", () => {
    expect(() =>
      defineProtocol({
        ...head,
        states: ["a", "b"],
        // @ts-expect-error c is no state
        start: "c",
        ends: ["b"],
        moves: { go: { from: "a", to: "b" } },
      }),
    ).toThrow('no state "c"');
  });

  test("a move to a state that does not exist", () => {
    expect(() =>
      defineProtocol({
        ...ab,
        // @ts-expect-error c is no state
        moves: { go: { from: "a", to: "c" } },
      }),
    ).toThrow('no state "c"');
  });

  test("an option that leads to a move nobody wrote", () => {
    expect(() =>
      defineProtocol({
        ...ab,
        moves: { go: { from: "a", to: "b", ask: "q" } },
        // @ts-expect-error gone is no move
        questions: { q: { prompt: "?", options: { yes: { label: "Yes", does: "gone" } } } },
      }),
    ).toThrow('no move "gone"');
  });

  test("a question nobody defined, in a row, in a guard and in a budget", () => {
    expect(() =>
      defineProtocol({
        ...ab,
        moves: {
          // @ts-expect-error r is no question
          go: { from: "a", to: "b", ask: "r" },
          // @ts-expect-error s is no question
          wait: { from: "a", to: "b", needs: [released("s", ["yes"], told)] },
          // @ts-expect-error t is no question
          hold: { from: "a", to: "b", needs: [quiet({ ...told, ask: "t" })] },
          // @ts-expect-error u is no question
          try: { from: "a", to: "b", within: { times: 1, else: "u" } },
        },
        questions: { q: { prompt: "?", by: ["agent"], options: { yes: { label: "Yes" } } } },
      }),
    ).toThrow(/no question "r".*no question "s".*no question "t".*no question "u"/);
  });

  test("arguments a guard does not take, and a guard that says nothing", () => {
    expect(() =>
      defineProtocol({
        ...ab,
        moves: {
          go: {
            from: "a",
            to: "b",
            needs: [
              // @ts-expect-error a list of paths, not an object
              exists({ path: ["x"] }, told),
              // @ts-expect-error without what is said when it fails it is a condition
              exists(["x"]),
              finding("tests").passed(told),
            ],
          },
        },
      }),
    ).toThrow(
      /no code and fix for guard "exists".*"paths" of guard "exists" must be a list of texts/,
    );
  });

  test("work nobody defined, and work whose success leads nowhere", () => {
    expect(() =>
      defineProtocol({
        ...ab,
        // @ts-expect-error paint is no work
        moves: { go: { from: "a", to: "b", send: "paint" } },
        work: {
          // @ts-expect-error gone is no move
          write: { role: "writer", done: "gone" },
        },
      }),
    ).toThrow(/no work "paint".*no move "gone"/);
  });

  test("a state of another kind", () => {
    expect(() =>
      defineProtocol({
        ...head,
        kinds: {
          job: machine({
            states: ["open", "shut"],
            start: "open",
            ends: ["shut"],
            moves: {
              shut: {
                from: "open",
                to: "shut",
                needs: [units("part", { in: ["open"] }, told)],
              },
            },
          }),
          part: machine({
            states: ["new", "made"],
            start: "new",
            ends: ["made"],
            // @ts-expect-error open is a state of the other kind
            moves: { make: { from: "new", to: "open" } },
          }),
        },
      }),
    ).toThrow(/job.shut: no state "open".*part.make: no state "open"/);
  });
});

function drafted(): Story {
  return story(release, {
    facts: {
      "digest:CHANGELOG.md": "d1",
      "changed:CHANGELOG.md": true,
      "files:.": "r1",
      tip: null,
      ...changed(),
      "tree:.": "t1",
    },
  }).when({ type: "workflow.start", workflow: "Toy", vars: {} });
}

/** The measured change of the first piece of work. */
function changed(...paths: readonly string[]): Readonly<Record<string, Json>> {
  const files = Object.fromEntries(paths.map((path) => [path, ["f 1", "f 2"]]));
  return { "change:W-1": { files, moved: {}, commits: [] } };
}

function frozen(): Story {
  const told = drafted().send("write");
  told.given({ ...changed("CHANGELOG.md"), "digest:CHANGELOG.md": "d2" });
  return told.report({ outcome: "success" }).expectAccepted();
}

function tested(told: Story, value: string): Story {
  const bound = { "tree:.": "t1", "command:tests": "as configured" };
  return told.when(
    { type: "finding.record", unit: ".", kind: "tests", by: "engine", value, bound },
    ENGINE,
  );
}
