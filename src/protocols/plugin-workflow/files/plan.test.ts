import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fillPlaceholders, parseMenus } from "./menus-json.ts";
import { parsePlan } from "./plan.ts";

function fixture(name: string): string {
  return readFileSync(
    new URL(`../../../../test/fixtures/plugin-workflow/${name}`, import.meta.url),
    "utf8",
  );
}

test("[PW-299] score and phases come out of the plan, fences are named, and lists left out", () => {
  const { score, phases, phased, problems } = parsePlan(fixture("plan.md"));
  expect([score, phased]).toEqual([4.5, true]);
  expect(phases.map(({ stage, phase, title, line }) => [stage, phase, title, line])).toEqual([
    [3, "3.1", "Delay line", 8],
    [3, "3.2", "Filter ✓", 13],
    [3, "3.10", "Feedback path", 12],
    [4, "4.1", "Layout", 14],
  ]);
  expect(problems.map(({ message }) => message)).toEqual([
    "Phase 3.10 comes where 3.3 should be",
    '"### Phase 4.2: inside a fence" looks like a phase, and is not counted as one',
  ]);
});

test.each([
  ["**Complexity Score:** 4.0\n", false],
  ["**Complexity Score:** 2.9\n### Phase 3.1: a\n", false],
  ["**Complexity Score:** 3.0\n### Phase 3.1: a\n", true],
  ["**Complexity Score:** 5.0 / 5.0 (Complex)\n# Phase 3.1: a\n", true],
])("[PW-299] [PW-076] %j is phased: %s", (text, phased) => {
  expect(parsePlan(text).phased).toBe(phased);
});

test.each([
  ["none"],
  ["**Complexity Score:** high"],
  ["**Complexity Score:** 1.2.3"],
  ["**Complexity Score:** 50"],
  ["```\n**Complexity Score:** 4\n```"],
])("[PW-299] %j has no score, and says so", (text) => {
  const { score, problems } = parsePlan(text);
  expect([score, problems.map(({ code }) => code)]).toEqual([undefined, ["plan-score"]]);
});

test("[PW-299] a phase with two headings is a problem", () => {
  const { phases, problems } = parsePlan(
    "**Complexity Score:** 4\n# Phase 3.1: a\n# Phase 3.1: b\n",
  );
  expect([phases.map(({ title }) => title), problems.map(({ line }) => line)]).toEqual([
    ["a"],
    [3],
  ]);
});

test.each([
  ["### Phase 3 .2: b"],
  ["### Phase 3.2 - b"],
  ["### Phase 3.2"],
  ["### Phase 3.02: b"],
  ["### Phase 3.2.1: b"],
  ["### Phase 3,2: b"],
  ["### Phase\u00A03.2: b"],
  ["### Phase ３.２: b"],
  ["### Phase III: b"],
  ["### Stage 3 – Phase 2: b"],
  ["**Phase 3.2: b**"],
  ["- **Phase 3.2:** b"],
  ["2. Phase 3.2: b"],
  ["- [ ] Phase 3 . 2: b"],
  ["> Phase 3.2: b"],
  ["| Phase 3.2 | b |"],
  ["Phase 3.2: b\n------"],
  ["```\n### Phase 3.2: b\n```"],
  ["    ### Phase 3.2: b"],
  ["<!--\n### Phase 3.2: b\n-->"],
])("[PW-299] %j is a phase to a reader and none here: it is named", (line) => {
  const plan = `**Complexity Score:** 4\n\n### Phase 3.1: a\n\n${line}\n`;
  const { phases, problems } = parsePlan(plan);
  expect(phases.map(({ phase }) => phase)).toEqual(["3.1"]);
  expect(problems).toMatchObject([{ code: "plan-phase", line: /^[`<]/.test(line) ? 6 : 5 }]);
  expect(problems[0]?.message).toContain("looks like a phase");
});

test("[PW-299] what speaks of a phase that has a heading is no phase more", () => {
  const plan = [
    "**Complexity Score:** 4",
    "## Phases",
    "- Phase 3.1: a, then Phase 3.2",
    "| Phase 3.1 | a |",
    "Phase 3.1 takes a week. Phases of stage 4: none.",
    "### Phase 3.1: a",
    "Phased work is dear; phase inversion is not meant.",
    "## Phase-locked loop",
    "```\n### Phase 3.1: as written here\n```",
  ];
  expect(parsePlan(plan.join("\n\n")).problems).toEqual([]);
});

test("[PW-231] menus are read with their options", () => {
  const { value, problems } = parseMenus(fixture("decision-menus.json"));
  expect(problems).toEqual([]);
  expect([...(value?.keys() ?? [])]).toEqual(["stage_2_complete", "build_failure"]);
  expect(value?.get("stage_2_complete")?.options[0]).toEqual({
    label: "Go on",
    description: "With the sound",
    recommended: true,
    action: "next_stage",
    discovery: undefined,
  });
});

test.each([
  ["a.completion_statement", '{"a":{"options":[{"label":"x"}]}}'],
  ["a.options", '{"a":{"completion_statement":"x","options":[]}}'],
  ["a.options[0].label", '{"a":{"completion_statement":"x","options":[{}]}}'],
  [
    "a.options[0].recommended",
    '{"a":{"completion_statement":"x","options":[{"label":"x","recommended":1}]}}',
  ],
  ["a.milestone", '{"a":{"completion_statement":"x","milestone":1,"options":[{"label":"x"}]}}'],
])("[PW-231] a wrong %s is named", (path, text) => {
  const { value, problems } = parseMenus(text);
  expect([value, problems.map(({ message }) => message.split("`")[1])]).toEqual([
    undefined,
    [path],
  ]);
});

test.each([["{"], ["[]"], ["null"]])("[PW-231] %s is not a file of menus", (text) => {
  expect(parseMenus(text).problems.map(({ code }) => code)).toEqual(["menus-unreadable"]);
});

test("[PW-231] placeholders are filled, unknown ones stay", () => {
  const values = { milestone: "$& Foundation" };
  expect(fillPlaceholders("at {milestone}, {count} left, {toString}", values)).toBe(
    "at $& Foundation, {count} left, {toString}",
  );
});
