import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseReport } from "./report.ts";

const FENCED = readFileSync(
  new URL("../../../../test/fixtures/plugin-workflow/report.txt", import.meta.url),
  "utf8",
);
const REPORT = {
  agent: "dsp-agent",
  status: "success",
  outputs: {
    stage_completed: 3,
    phase_completed: "3.10",
    files_modified: ["a.cpp"],
    state_files_updated: ["PLUGINS.md"],
  },
  issues: [],
  ready_for_next_stage: true,
  stateUpdated: true,
  stateUpdateError: null,
};

function paths(report: unknown): string[] {
  return parseReport(JSON.stringify(report)).problems.map(
    ({ rule, message }) => `${rule} ${message.split("`")[1]}`,
  );
}

function fenced(...reports: readonly unknown[]): string {
  return reports.map((one) => `Text.\n\n\`\`\`json\n${JSON.stringify(one)}\n\`\`\`\n`).join("\n");
}

test("[PW-073] reports that contradict each other are none, wherever they stand", () => {
  const failure = { ...REPORT, status: "failure", ready_for_next_stage: false };
  const far = Array.from({ length: 40 }, () => ({ example: true }));
  for (const all of [
    [REPORT, failure],
    [failure, REPORT],
    [REPORT, ...far, failure],
  ]) {
    const { value, problems } = parseReport(fenced(...all));
    expect(value).toBeUndefined();
    expect(problems.map(({ code }) => code)).toEqual(["report-ambiguous"]);
    expect(problems[0]?.message).toContain("2 reports that differ");
  }
});

test("[PW-073] an example beside the report, and the same report twice, are no contradiction", () => {
  for (const all of [
    [{ example: true }, REPORT],
    [REPORT, { example: true }],
    [REPORT, REPORT],
  ])
    expect(parseReport(fenced(...all)).value?.agent).toBe("dsp-agent");
});

test.each([
  ["a fenced block", FENCED],
  ["a second fenced block", `\`\`\`json\n{ broken\n\`\`\`\n${FENCED}`],
  ["the outermost braces", `Here it is: ${JSON.stringify(REPORT)} and that is all.`],
  ["the whole text", JSON.stringify(REPORT, null, 2)],
])("[PW-073] a report is found in %s", (_, text) => {
  const { value, problems } = parseReport(text);
  expect([value?.agent, value?.outputs.phaseCompleted, problems]).toEqual([
    "dsp-agent",
    "3.10",
    [],
  ]);
});

test.each([
  ["no braces at all"],
  ["{ not json }"],
  ["[1, 2]"],
  ["{".repeat(5000)],
  ['{"a":'.repeat(2000)],
  [""],
])("[PW-073] %#: what holds no report is unreadable", (text) => {
  const { value, problems } = parseReport(text);
  expect([value, problems.map(({ code }) => code)]).toEqual([undefined, ["report-unreadable"]]);
});

test("[PW-066] a phased report carries its four outputs", () => {
  expect(parseReport(JSON.stringify(REPORT)).value?.outputs).toMatchObject({
    stageCompleted: 3,
    phaseCompleted: "3.10",
    filesModified: ["a.cpp"],
    stateFilesUpdated: ["PLUGINS.md"],
  });
});

test.each([
  ["PW-062", "agent", { agent: undefined }],
  ["PW-062", "agent", { agent: 7 }],
  ["PW-062", "status", { status: undefined }],
  ["PW-062", "status", { status: "fine" }],
  ["PW-062", "outputs", { outputs: undefined }],
  ["PW-062", "outputs", { outputs: [] }],
  ["PW-062", "ready_for_next_stage", { ready_for_next_stage: "yes" }],
  ["PW-064", "issues", { issues: "none" }],
  ["PW-064", "issues", { issues: [1] }],
  ["PW-065", "stateUpdated", { stateUpdated: "true" }],
  ["PW-065", "stateUpdateError", { stateUpdateError: {} }],
  ["PW-066", "outputs.stage_completed", { outputs: { stage_completed: "3" } }],
  ["PW-066", "outputs.phase_completed", { outputs: { phase_completed: 3.1 } }],
  ["PW-066", "outputs.phase_completed", { outputs: { phase_completed: "three" } }],
  ["PW-066", "outputs.files_modified", { outputs: { files_modified: "a.cpp" } }],
  ["PW-067", "outputs.error_type", { outputs: { error_type: 1 } }],
])("[%s] [PW-074] a wrong %s blocks the whole report", (rule, path, change) => {
  const report = { ...REPORT, ...change };
  expect(paths(report)).toEqual([`${rule} ${path}`]);
  expect(parseReport(JSON.stringify(report)).value).toBeUndefined();
});

test("[PW-062] all problems come at once", () => {
  expect(paths({ status: 1, outputs: { files_modified: 2 }, issues: [] })).toEqual([
    "PW-062 status",
    "PW-066 outputs.files_modified",
    "PW-062 agent",
    "PW-062 ready_for_next_stage",
  ]);
});

test("[PW-063] a report from another agent is refused", () => {
  const { value, problems } = parseReport(JSON.stringify(REPORT), { agent: "gui-agent" });
  expect([value, problems.map(({ rule }) => rule)]).toEqual([undefined, ["PW-063"]]);
});

test("[PW-065] a report that says nothing about the state counts as not updated", () => {
  const { stateUpdated: _, ...old } = REPORT;
  expect(parseReport(JSON.stringify(old)).value).toMatchObject({
    stateUpdated: false,
    stateUpdatedGiven: false,
    state: "not-updated",
  });
});

test("[PW-067] [PW-068] work done but state not written are two results", () => {
  const outputs = {
    error_type: "state_update_failure",
    error_message: "EACCES",
    failed_operation: "write_continue_here",
    implementation_status: "complete",
    state_status: "not_updated",
  };
  const failed = {
    ...REPORT,
    status: "failure",
    outputs,
    issues: ["x"],
    ready_for_next_stage: false,
    stateUpdated: false,
  };
  expect(parseReport(JSON.stringify(failed)).value).toMatchObject({
    implementation: "complete",
    state: "not-updated",
  });
  const broken = { ...failed, outputs: { ...outputs, error_type: "compilation_error" } };
  expect(parseReport(JSON.stringify(broken)).value).toMatchObject({
    implementation: "failed",
    state: "not-updated",
  });
});

test("[PW-074] unknown keys are kept with a warning, aliases and nulls are understood", () => {
  const report = {
    ...REPORT,
    status: "blocked",
    mood: "good",
    completionStatement: "All done",
    description: null,
  };
  const { value, problems } = parseReport(JSON.stringify(report));
  expect(value).toMatchObject({
    status: "failure",
    hints: { completed: "All done", description: undefined },
    raw: { mood: "good" },
  });
  expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
    ["report-unknown-key", "warning"],
  ]);
});

test("a member named __proto__ is only a member", () => {
  const { value } = parseReport(
    JSON.stringify(REPORT).replace('"outputs":{', '"outputs":{"__proto__":{"plugin_name":"X"},'),
  );
  expect(value?.outputs.pluginName).toBeUndefined();
});

test("any JSON value is read or refused", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const { value, problems } = parseReport(text);
      expect([value, problems.length > 0]).toEqual([undefined, true]);
    }),
  );
});
