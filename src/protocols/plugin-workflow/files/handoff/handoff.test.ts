import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ParsedHandoff, parseHandoff } from "./handoff.ts";

function fixture(name: string): string {
  return readFileSync(
    new URL(`../../../../../test/fixtures/plugin-workflow/${name}`, import.meta.url),
    "utf8",
  );
}

const CURRENT = fixture("handoff-current.md");

function parse(text: string): ParsedHandoff {
  return parseHandoff(text, { plugin: "EchoBox" });
}

/** The current fixture with one front-matter line replaced, or taken out. */
function withLine(key: string, line: string | undefined): string {
  return CURRENT.replace(new RegExp(`^${key}:.*\n`, "m"), line === undefined ? "" : `${line}\n`);
}

function errors(text: string): string[] {
  return parse(text)
    .problems.filter(({ severity }) => severity === "error")
    .map(({ rule }) => rule);
}

test("[PW-002] a sound handoff has no problem and all its fields", () => {
  const { value, kind, problems } = parse(CURRENT);
  expect([kind, problems]).toEqual(["current", []]);
  expect(value).toMatchObject({
    plugin: "EchoBox",
    stage: 3,
    phase: "3.10",
    status: "complete",
    lastUpdated: "2026-02-03",
    complexityScore: 4.5,
    phasedImplementation: true,
    orchestrationMode: true,
    guiType: "webview",
    nextAction: "continue_dsp_phase_3.11",
    nextPhase: "3.11",
    title: "Phase 3.10 Complete - Feedback Path",
    currentState: "Phase 3.10 Complete",
    completed: ["Stage 0", "Stage 2", "Stage 3.10"],
  });
  expect(value?.keys).toContain("mockup_version");
});

test.each([
  ["no second mark", "---\nplugin: EchoBox\n", 1],
  ["a tab", "---\nplugin: EchoBox\n\tstage: 2\n---\n", 3],
  ["an open quote", "---\nplugin: EchoBox\nstatus: 'complete\n---\n", 3],
  ["a key twice", "---\nplugin: EchoBox\nstage: 2\nstage: 3\n---\n", 4],
  ["a list", "---\n- a\n---\n", 2],
  ["nested pairs", "---\nplugin: a: b\n---\n", 2],
])("[PW-002] [PW-118] broken front matter names its line: %s", (_, text, line) => {
  const { value, kind, problems } = parse(text);
  expect([value, kind, problems[0]?.code, problems[0]?.line]).toEqual([
    undefined,
    "broken",
    "handoff-unparseable",
    line,
  ]);
});

test.each([
  ["PW-003", "plugin", "plugin: Other"],
  ["PW-003", "plugin", undefined],
  ["PW-004", "stage", "stage: foo"],
  ["PW-004", "stage", "stage: 7"],
  ["PW-004", "stage", "stage: -1"],
  ["PW-004", "stage", "stage: 2.5"],
  ["PW-004", "stage", 'stage: "3"'],
  ["PW-005", "phase", "phase: 3"],
  ["PW-005", "phase", "phase: a.b"],
  ["PW-005", "phase", 'phase: "4.1"'],
  ["PW-005", "phase", "phase: [3.1]"],
  ["PW-005", "phase", undefined],
  ["PW-007", "status", "status: done"],
  ["PW-007", "status", undefined],
  ["PW-008", "last_updated", "last_updated: 2026-13-40"],
  ["PW-008", "last_updated", "last_updated: 2026-02-30"],
  ["PW-008", "last_updated", undefined],
  ["PW-009", "complexity_score", "complexity_score: null"],
  ["PW-009", "complexity_score", "complexity_score: 0.4"],
  ["PW-009", "complexity_score", "complexity_score: 5.5"],
  ["PW-010", "phased_implementation", 'phased_implementation: "yes"'],
  ["PW-010", "phased_implementation", "phased_implementation: null"],
  ["PW-076", "phased_implementation", "phased_implementation: false"],
  ["PW-011", "orchestration_mode", "orchestration_mode: false"],
  ["PW-011", "orchestration_mode", undefined],
  ["PW-012", "next_phase", "next_phase: soon"],
  ["PW-013", "  plan", "  plan: sha256:xyz"],
  ["PW-013", "  plan", `  plan: md5:${"0".repeat(64)}`],
  ["PW-123", "  plan", undefined],
  ["PW-051", "  architecture", "  architecture: null"],
  ["PW-272", "mockup_version", "gui_type: qt"],
])("[%s] [PW-119] %s: `%s` is a problem of that field", (rule, key, line) => {
  const { problems } = parse(withLine(key, line));
  const found = problems.filter((problem) => problem.rule === rule);
  expect(found.map(({ code }) => code)).toEqual(["handoff-field"]);
  expect(found[0]?.message).toContain(line?.trim().split(":")[0] ?? key.trim());
});

test.each([
  ["PW-005", "phase", 'phase: "3.2"'],
  ["PW-007", "status", "status: in_progress"],
  ["PW-012", "next_action", undefined],
  ["PW-012", "next_phase", "next_phase: null"],
  ["PW-014", "  plan", "  plan: null"],
  ["PW-014", "  plan", '  plan: "null"'],
  ["PW-272", "mockup_version", "gui_type: headless"],
])("[%s] %s: `%s` is in order", (_, key, line) => {
  expect(parse(withLine(key, line)).problems).toEqual([]);
});

test("[PW-006] 3.10 without quotes is not 3.1", () => {
  expect(parse(CURRENT).value?.phase).toBe("3.10");
});

test("[PW-009] [PW-010] score and flag may be null while Stage 0 is not complete", () => {
  const text =
    "---\nplugin: EchoBox\nstage: 0\nphase: null\nstatus: in_progress\nlast_updated: 2026-01-01\n" +
    "complexity_score: null\nphased_implementation: null\norchestration_mode: true\n---\n";
  expect(errors(text)).toEqual([]);
  expect(errors(text.replace("in_progress", "complete"))).toEqual(["PW-009", "PW-010", "PW-123"]);
});

test("[PW-014] both spellings of null are the same", () => {
  const plans = ["  plan: null", '  plan: "null"', "  plan: ~", "  plan:"].map(
    (line) => parse(withLine("  plan", line)).value?.checksums?.plan,
  );
  expect(plans).toEqual([null, null, null, null]);
});

test("[PW-015] [PW-124] a missing heading is named, as a warning", () => {
  const { problems } = parse(CURRENT.replace("## Testing Checklist", "**Testing Checklist**"));
  expect(problems.map(({ message, severity }) => [message, severity])).toEqual([
    ["The heading `## Testing Checklist` is missing", "warning"],
  ]);
});

test("[PW-130] three broken things are three problems", () => {
  const text = CURRENT.replace("stage: 3", "stage: x9")
    .replace("status: complete", "status: done")
    .replace("4.5", "9");
  expect(errors(text)).toEqual(["PW-004", "PW-007", "PW-009"]);
});

test("[PW-189] checksums are read from the front matter only", () => {
  expect(parse(CURRENT).value?.checksums?.plan).toBe(`sha256:${"4".repeat(64)}`);
});

test("[PW-256] front matter without checksums is an old handoff", () => {
  const { kind, value } = parseHandoff(fixture("handoff-old.md"), { plugin: "HatBox" });
  expect([kind, value?.completed]).toEqual(["old", ["Stage 0", "Stage 2"]]);
});

test("[PW-264] [PW-267] in an old handoff a time and missing sections are warnings", () => {
  const { value, problems } = parseHandoff(fixture("handoff-old.md"), { plugin: "HatBox" });
  expect(value?.lastUpdated).toBe("2026-01-12");
  const warnings = problems
    .filter(({ severity }) => severity === "warning")
    .map(({ rule }) => rule);
  expect(warnings).toEqual(["PW-008", "PW-015", "PW-015", "PW-015", "PW-015"]);
});

test("[PW-265] files from before the workflow, and prose, are told apart", () => {
  const kinds = ["handoff-ideation.md", "handoff-prose.md"].map((name) =>
    parseHandoff(fixture(name), { plugin: "KnobOne" }),
  );
  expect(
    kinds.map(({ kind, problems }) => [
      kind,
      problems.filter((one) => one.severity === "error").map(({ rule }) => rule),
    ]),
  ).toEqual([
    ["pre-workflow", ["PW-004"]],
    ["prose", ["PW-002"]],
  ]);
});

test("[PW-271] a missing gui_type reads as webview", () => {
  expect(parse(CURRENT).value?.guiType).toBe("webview");
  expect(parse(withLine("mockup_version", "gui_type: headless")).value?.guiType).toBe("headless");
});

test("a byte order mark and CRLF change nothing", () => {
  const { value, problems } = parse(`\uFEFF${CURRENT.replaceAll("\n", "\r\n")}`);
  expect([value, problems]).toEqual([parse(CURRENT).value, []]);
});
