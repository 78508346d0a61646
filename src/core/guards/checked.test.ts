import { describe, expect, test } from "vitest";
import { ENGINE } from "../../../test/story.ts";
import { planned, withMoves } from "../../../test/toy.ts";
import type { Story } from "../../testing/story.ts";
import { checksIn, unchecked } from "./checked.ts";
import type { Event } from "../state/events.ts";
import { passed } from "./guards.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";

const says = { code: "untested", fix: "Test it.", rule: "T" };
const protocol = withMoves({
  id: "try",
  from: ["doing"],
  to: "doing",
  needs: [{ ...passed("tests", ["digest:{id}.md"]), ...says }],
  rule: "T",
});
const BOUND = { "digest:Toy.md": "t1", "command:tests": "c1" };

function told(check: Json = true): Story {
  return planned({ "check:tests": check, "command:tests": "c1", "digest:Toy.md": "t1" }, protocol);
}

function ran(value: string, detail: JsonObject = {}, bound: JsonObject = BOUND): Story {
  const finding = { unit: ".", kind: "tests", by: "engine", value, bound, detail };
  return told().when({ type: "finding.record", ...finding }, ENGINE);
}

function why(story: Story): string {
  return story.move("try").expectRefused("untested").refusals[0]?.message ?? "";
}

describe("a check that did not pass says which of four it was", () => {
  test("it did not run: nobody says what to run, nobody ran it, or it could not be started", () => {
    expect(why(told(false))).toMatch(/^tests did not run: the repository's configuration/);
    expect(why(told())).toBe("tests did not run on what is there now");
    const runs = [{ name: "npm test", passed: false, ended: "spawn npm ENOENT", tail: "" }];
    expect(why(ran("not-run", { runs }))).toBe("tests did not run (spawn npm ENOENT)");
  });

  test("it failed, with the end of what it printed", () => {
    const runs = [
      { name: "a", passed: true, ended: "exit 0", tail: "fine" },
      { name: "b", passed: false, ended: "exit 3", tail: "1 of 3 failed\n" },
    ];
    expect(why(ran("failed", { runs }))).toBe(
      "tests failed on what is there now (exit 3)\n1 of 3 failed",
    );
  });

  test("it is stale: other files, or another command", () => {
    const stale = /^tests is stale/;
    expect(why(ran("passed").given({ "digest:Toy.md": "t2" }))).toMatch(stale);
    expect(why(ran("passed").given({ "command:tests": "c2" }))).toMatch(stale);
    const old = ran("passed", {}, { "digest:Toy.md": "t1" });
    expect(why(old)).toBe("tests did not run on what is there now");
  });

  test("it wrote into what it judges", () => {
    const changed = ["a", "b", "c", "d", "e", "f", "g"];
    expect(why(ran("void", { changed }))).toBe(
      "tests counts for nothing: what it judges was written to while it ran (a, b, c, d, e and 2 more)",
    );
    expect(why(ran("void"))).toMatch(/while it ran$/);
  });
});

test("a pass counts, and so does a repository's word that it has none", () => {
  ran("passed").move("try").expectAccepted();
  told({ none: "a prototype" }).move("try").expectAccepted();
  expect(why(told({ none: 1 }))).toMatch(/did not run/);
});

test("the latest of two fresh runs speaks, but a pass stays a pass", () => {
  const detail = (ended: string): JsonObject => ({ runs: [{ passed: false, ended }] });
  const twice = ran("failed", detail("exit 1"));
  const by = { unit: ".", kind: "tests", by: "other", bound: BOUND };
  twice.when({ type: "finding.record", ...by, value: "failed", detail: detail("exit 2") }, ENGINE);
  expect(why(twice.fork())).toContain("exit 2");
  twice.when({ type: "finding.record", ...by, value: "passed" }, ENGINE);
  twice.move("try").expectAccepted();
});

test("a run counts for its own check, on the whole, and on all that it is bound to", () => {
  const odd = (more: JsonObject): Story => {
    const finding = { unit: ".", kind: "tests", by: "engine", value: "passed", bound: BOUND };
    const record = { type: "finding.record", ...finding, ...more } as const;
    return planned(
      { "check:tests": true, "command:tests": "c1", "digest:Toy.md": "t1" },
      protocol,
    ).when(record, ENGINE);
  };
  odd({}).move("try").expectAccepted();
  for (const more of [{ kind: "lint" }, { unit: "a" }, { bound: { "command:tests": "c1" } }])
    expect(why(odd(more))).toBe("tests did not run on what is there now");
});

test("a run can vouch for nothing that is not known", () => {
  const lost = { unknown: "src is too large" };
  expect(why(ran("passed").given({ "digest:Toy.md": lost }))).toBe(
    "tests can vouch for nothing here: src is too large",
  );
  expect(why(told().given({ "digest:Toy.md": lost }))).toBe(
    "tests did not run on what is there now",
  );
});

test("what is written is named up to five, and an end only where there is one", () => {
  const five = why(ran("void", { changed: ["a", "b", "c", "d", "e"] }));
  expect(five).toMatch(/\(a, b, c, d, e\)$/);
  expect(why(ran("failed"))).toBe("tests failed on what is there now");
});

describe("what did not run is on the record", () => {
  const moved = { type: "unit.moved" } as unknown as Event;
  const ended = { type: "dispatch.ended" } as unknown as Event;
  const noted = { type: "note.added" } as unknown as Event;
  const used = { "check:tests": { none: "a prototype" }, "check:lint": true, other: { none: "x" } };
  const warned = [
    {
      type: "warned",
      about: "check:tests",
      text: "tests did not run: none here (a prototype)",
    },
  ];

  test("where a gate was passed, and only there", () => {
    for (const events of [[moved], [ended], [noted, moved]])
      expect(unchecked(events, used)).toEqual(warned);
    expect(unchecked([noted], used)).toEqual([]);
    expect(unchecked([moved], { "check:tests": true })).toEqual([]);
  });

  test("every check that a protocol's rows want is found, once", () => {
    const needs = [
      { ...passed("tests", []), ...says },
      { guard: "quiet", ...says },
    ];
    const kinds = { job: { moves: [{ needs }, { needs }] } };
    const work = { w: { accepts: [{ any: [{ ...passed("build", []), ...says }] }] } };
    const questions = { q: { needs: [{ ...passed("lint", []), ...says }], by: null } };
    const table = { kinds, work, questions } as unknown as Protocol;
    expect(checksIn(table)).toEqual(["tests", "build", "lint"]);
  });
});
