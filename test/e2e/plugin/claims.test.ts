/** Reports are claims: honest, partial, false, unreadable, late or from the wrong agent. */
import { expect, test } from "vitest";
import {
  NAME,
  UNTESTED,
  answer,
  codesOf,
  doWork,
  finish,
  finishAlone,
  giveReport,
  handoffOf,
  noteCodes,
  pluginAt,
  questionOf,
  reportText,
  subjects,
  writeHandoff,
  writeRegistry,
} from "../plugin.ts";
import type { Written } from "../plugin.ts";

const STAGE_3: Written = {
  stage: 3,
  nextAction: "invoke_gui_agent",
  registry: "🚧 Stage 3",
  tags: ["Stage 3"],
};

test("[PW-109][PW-112][PW-130][PW-286] an agent that wrote both files right is verified without a remark", () => {
  const scratch = pluginAt("p3");
  const reply = finishAlone(scratch, "3", STAGE_3);
  expect(reply).toMatchObject({ exit: 11, json: { ok: true, notes: [], warnings: [UNTESTED] } });
  expect(reply.json.commits).toHaveLength(1);
  expect(scratch.git("status", "--short")).toBe("");
  expect(scratch.read(handoffOf())).toContain("# Stage 3 Complete - As The Agent Sees It");
  expect(scratch.read("PLUGINS.md").match(/Stage 3\):\*\*/g)).toHaveLength(1);
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
  const { details } = scratch.hold(`status ${NAME}`).json;
  expect(details?.["state files"]).not.toContain("dsp-agent");
});

test("[PW-132][PW-133][PW-134][PW-140][PW-143][PW-268][PW-287] what an agent did not write is written for it", () => {
  const scratch = pluginAt("p3");
  const reply = finish(scratch, "3");
  expect(noteCodes(reply)).toEqual([
    "stateUpdated_false",
    "status_mismatch",
    "completed_missing",
    "plugins_md_not_updated",
    "timeline_missing",
  ]);
  expect(questionOf(reply)).toBe("stage-3-complete");
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
  expect(scratch.hold(`status ${NAME}`).json.details?.["state files"]).toBe(
    "written by Holdpoint for research-planning-agent (1x), foundation-shell-agent (1x), dsp-agent (1x)",
  );
});

test("[PW-065][PW-104][PW-117][PW-269] a missing or null stateUpdated counts as false", () => {
  for (const value of [undefined, null]) {
    const scratch = pluginAt("p3");
    doWork(scratch, "3");
    const reply = giveReport(scratch, reportText("3", { with: { stateUpdated: value } }));
    expect(noteCodes(reply)[0]).toBe("stateUpdated_false");
    expect(reply.json.state).toBe("🚧 Stage 3");
  }
});

test("[PW-105][PW-106][PW-108][PW-110][PW-114] a false claim is found out, and put right", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const lie = reportText("3", {
    outputs: { state_files_updated: [handoffOf(), "PLUGINS.md"] },
    with: { stateUpdated: true },
  });
  const reply = giveReport(scratch, lie);
  expect(noteCodes(reply)).toEqual([
    "status_mismatch",
    "completed_missing",
    "plugins_md_not_updated",
    "timeline_missing",
  ]);
  const other = pluginAt("p3");
  doWork(other, "3");
  const told = giveReport(
    other,
    reportText("3", { with: { stateUpdated: true, stateUpdateError: "disk full" } }),
  );
  expect(told.json.notes?.[0]).toMatchObject({
    code: "state_update_error",
    message: "the agent could not write the state: disk full",
  });
});

test("[PW-071] a contradicted claim is called a lie, an absent one is merely noted", () => {
  const lie = reportText("3", {
    outputs: { state_files_updated: [handoffOf(), "PLUGINS.md"] },
    with: { stateUpdated: true },
  });
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const told = scratch.say(["report", NAME, "-"], { stdin: lie }).stdout;
  expect(told).toContain("✗ The agent says it wrote the state, but:");
  expect(told).toContain("status_mismatch: status: found in_progress, expected");
  const silent = pluginAt("p3");
  doWork(silent, "3");
  const noted = silent.say(["report", NAME, "-"], { stdin: reportText("3") }).stdout;
  expect(noted).toContain("! The agent left the state files to Holdpoint, which wrote them.");
  expect(noted).not.toContain("✗");
});

test("[PW-137][PW-139] when only the registry was missed, the handoff keeps its bytes", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  writeHandoff(scratch, STAGE_3);
  const written = scratch.read(handoffOf());
  const reply = giveReport(scratch, reportText("3", { with: { stateUpdated: true } }));
  expect(noteCodes(reply)).toEqual(["plugins_md_not_updated", "timeline_missing"]);
  const testing = "- [ ] Audio passes and parameters respond\n";
  expect(scratch.read(handoffOf())).toBe(
    written.includes(testing)
      ? written
      : written.replace(/(\n\n## Context)/, `\n${testing.trimEnd()}$1`),
  );
  expect(scratch.read("PLUGINS.md")).toContain("| TapeDelay | 🚧 Stage 3 | ");
});

test("[PW-125][PW-126][PW-127][PW-137] when only the handoff was missed, the registry keeps its bytes", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  writeRegistry(scratch, STAGE_3);
  const written = scratch.read("PLUGINS.md");
  const reply = giveReport(scratch, reportText("3", { with: { stateUpdated: true } }));
  expect(noteCodes(reply)).toEqual(["status_mismatch", "completed_missing"]);
  expect(scratch.read("PLUGINS.md")).toBe(written);
  const half = pluginAt("p3");
  doWork(half, "3");
  writeHandoff(half, STAGE_3);
  half.edit("PLUGINS.md", (text) => text.replace("| 🚧 Stage 2 |", "| 🚧 Stage 3 |"));
  const drift = giveReport(half, reportText("3", { with: { stateUpdated: true } }));
  expect(noteCodes(drift)).toEqual([
    "plugins_md_not_updated",
    "registry_drift",
    "timeline_missing",
  ]);
  expect(half.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-107][PW-113][PW-115][PW-119][PW-122][PW-123][PW-124] each thing left out has its own name", () => {
  const broken: readonly (readonly [string, (text: string) => string])[] = [
    ["date_not_current", (text) => text.replace(/last_updated: .*/, "last_updated: 2020-01-01")],
    ["status_mismatch", (text) => text.replace("status: complete", "status: in_progress")],
    ["checksums_missing", (text) => text.replace(/ {2}plan: .*\n/, "")],
    ["sections_missing", (text) => text.replace(/## Testing Checklist[^]*?## /, "## ")],
    ["fields_missing", (text) => text.replace(/phased_implementation: .*\n/, "")],
    ["handoff_invalid", (text) => text.replace("stage: 3", "stage: [3")],
  ];
  for (const [code, change] of broken) {
    const scratch = pluginAt("p3");
    doWork(scratch, "3");
    writeHandoff(scratch, STAGE_3);
    writeRegistry(scratch, STAGE_3);
    scratch.edit(handoffOf(), change);
    const reply = giveReport(scratch, reportText("3", { with: { stateUpdated: true } }));
    expect(noteCodes(reply)).toEqual([code]);
    expect(scratch.read(handoffOf())).toMatch(/\nstage: 3\n[^]*status: complete\n/);
  }
  const gone = pluginAt("p3");
  doWork(gone, "3");
  gone.remove(handoffOf());
  const reply = giveReport(gone, reportText("3", { with: { stateUpdated: true } }));
  expect(noteCodes(reply)).toContain("handoff_missing");
  expect(gone.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-062][PW-063][PW-064][PW-074][PW-146] a report that lacks something is refused whole, naming the field", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["status", { status: "maybe" }],
    ["status", { status: undefined }],
    ["outputs", { outputs: [] }],
    ["ready_for_next_stage", { ready_for_next_stage: "yes" }],
    ["issues", { issues: "none" }],
    ["agent", { agent: undefined }],
  ];
  const before = scratch.hold(`status ${NAME}`).json.seq;
  for (const [field, change] of cases) {
    const reply = giveReport(scratch, reportText("3", { with: change }));
    expect(reply.exit).toBe(10);
    expect(reply.json.refusals?.[0]?.message).toContain(field);
  }
  const wrong = giveReport(scratch, reportText("3", { with: { agent: "gui-agent" } }));
  expect(wrong.exit).toBe(10);
  expect(wrong.json.refusals?.[0]).toMatchObject({ rule: "PW-063" });
  expect(wrong.json.refusals?.[0]?.message).toContain("dsp-agent");
  const stage = giveReport(scratch, reportText("3", { outputs: { stage_completed: 4 } }));
  expect(codesOf(stage)).toContain("stage-mismatch");
  expect(scratch.hold(`status ${NAME}`).json.seq).toBe(before);
  expect(scratch.say(`audit ${NAME}`).stdout).toMatch(/gui-agent[^]*was refused/);
});

test("[PW-066][PW-073][PW-076] a report is found in a fence, between braces, or as the whole text", () => {
  const report = reportText("2", { with: { next_phase: null, ready_for_next_phase: true } });
  for (const text of [
    `Done!\n\n\`\`\`json\n${report}\n\`\`\`\nBye`,
    `All is well: ${report} Bye`,
  ]) {
    const scratch = pluginAt("p2");
    doWork(scratch, "2");
    expect(giveReport(scratch, text).json.state).toBe("🚧 Stage 2");
  }
});

test("[PW-073] prose without a report opens a menu with the raw text", () => {
  const scratch = pluginAt("p2");
  const reply = giveReport(scratch, "I have done everything, trust me.");
  expect(reply.exit).toBe(11);
  expect(questionOf(reply)).toBe("report-unreadable");
  expect(reply.json.held?.[0]?.options.map((one) => one.id)).toEqual([
    "retry",
    "show",
    "report",
    "manual",
    "other",
  ]);
  expect(reply.json.held?.[0]?.about["message"]).toContain("trust me");
  expect(scratch.hold(["answer", NAME, "show"]).json.shown?.join("\n")).toContain("trust me");
  const again = answer(scratch, "retry");
  expect(again.json.order).toMatchObject({ role: "foundation-shell-agent" });
  expect(finish(scratch, "2").json.state).toBe("🚧 Stage 2");
});

test("[PW-069][PW-155][PW-220][PW-301] failed work completes nothing, whatever its state fields say", () => {
  const scratch = pluginAt("p3");
  const failed = reportText("3", {
    files: [],
    outputs: { error_type: "compilation_error", error_message: "undeclared identifier" },
    with: {
      status: "failure",
      issues: ["line 3"],
      stateUpdated: true,
      ready_for_next_stage: false,
    },
  });
  const reply = giveReport(scratch, failed);
  expect(reply.exit).toBe(11);
  expect(questionOf(reply)).toBe("stage-failed");
  expect(reply.json.commits).toEqual([]);
  expect(scratch.read(handoffOf())).toMatch(/stage: 3\n[^]*status: in_progress\n/);
  expect(scratch.read("PLUGINS.md")).toContain("| TapeDelay | 🚧 Stage 2 | ");
  const menu = scratch.say(`status ${NAME}`).stdout;
  expect(menu).toContain("undeclared identifier");
  expect(menu).toContain("What would you like to do?");
  expect(reply.json.held?.[0]?.options.map((one) => one.id)).toEqual([
    "retry",
    "investigate",
    "code",
    "output",
    "manual",
    "other",
  ]);
  expect(scratch.hold("verify --all").exit).toBe(0);
  expect(answer(scratch, "retry").json.order).toMatchObject({ role: "dsp-agent" });
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
});

test("[PW-070] work that is not ready for the next stage stops", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const reply = giveReport(scratch, reportText("3", { with: { ready_for_next_stage: false } }));
  expect(reply.exit).toBe(11);
  expect(questionOf(reply)).toBe("not-ready");
  expect(reply.json.state).toBe("🚧 Stage 2");
  expect(scratch.hold(`advance ${NAME}`).exit).toBe(11);
  expect(subjects(scratch)).toHaveLength(2);
});

test("[PW-067][PW-068][PW-135][PW-148][PW-149][PW-288] work that is done but not written down is written down, if it is there", () => {
  const text = reportText("3", {
    outputs: {
      error_type: "state_update_failure",
      error_message: "Permission denied",
      failed_operation: "write_continue_here",
      implementation_status: "complete",
      state_status: "not_updated",
    },
    with: {
      status: "failure",
      issues: ["Permission denied"],
      ready_for_next_stage: false,
      stateUpdateError: "Permission denied",
    },
  });
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  const reply = giveReport(scratch, text);
  expect(reply.json.state).toBe("🚧 Stage 3");
  expect(noteCodes(reply)).toContain("state_update_error");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("ended: state-failure");
  const empty = pluginAt("p2");
  const refused = giveReport(
    empty,
    text
      .replace("dsp-agent", "foundation-shell-agent")
      .replace('"stage_completed":3', '"stage_completed":2'),
  );
  expect(codesOf(refused)).toContain("files-missing");
  expect(empty.read("PLUGINS.md")).toContain("| 🚧 Stage 0 |");
});

test("[PW-072] files that the report names must exist", () => {
  const scratch = pluginAt("p3");
  const reply = giveReport(
    scratch,
    reportText("3", { files: ["plugins/TapeDelay/Source/No.cpp"] }),
  );
  expect(codesOf(reply)).toEqual(["files-missing"]);
  expect(reply.json.refusals?.[0]?.message).toContain("plugins/TapeDelay/Source/No.cpp");
});

test("[PW-102] a report of a dispatch that was cancelled, or never made, changes nothing", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  expect(
    scratch.hold(["advance", NAME, "cancel", "--reason", "the agent hangs"]).json.refusals,
  ).toBeUndefined();
  const handed = scratch.hold(`advance ${NAME}`);
  expect(handed.json.order?.dispatch).toBe("W-4");
  const late = giveReport(scratch, reportText("3"), { dispatch: "W-3" });
  expect(late.exit).toBe(10);
  expect(late.json.refusals?.[0]?.message).toContain("W-3");
  expect(codesOf(giveReport(scratch, reportText("3"), { dispatch: "W-9" }))).toEqual([
    "dispatch-unknown",
  ]);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 2");
  doWork(scratch, "3");
  expect(giveReport(scratch, reportText("3"), { dispatch: "W-4" }).json.state).toBe("🚧 Stage 3");
  const twice = giveReport(scratch, reportText("3"), { dispatch: "W-4" });
  expect(twice.exit).toBeGreaterThanOrEqual(10);
  expect(subjects(scratch)).toHaveLength(3);
});

test("[PW-311] a validation agent advises and moves nothing", () => {
  const scratch = pluginAt("p3");
  const reply = giveReport(
    scratch,
    JSON.stringify({
      agent: "validation-agent",
      stage: 3,
      status: "FAIL",
      checks: [{ name: "noise", passed: false, message: "hiss", severity: "warning" }],
      recommendation: "listen to the tail",
      continue_to_next_stage: false,
    }),
  );
  expect(reply.json.refusals).toBeUndefined();
  expect(reply.json.state).toBe("🚧 Stage 2");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("listen to the tail");
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
});

test("[PW-102][PW-117] a report that contradicts what counted already is named, and stays on record", () => {
  const scratch = pluginAt("s2");
  const failure = reportText("2", { with: { status: "failure", ready_for_next_stage: false } });
  const late = giveReport(scratch, failure, { dispatch: "W-2" });
  expect(late.exit).toBe(10);
  expect(late.json.refusals?.[0]).toMatchObject({ code: "report-contradicts", rule: "PW-102" });
  expect(late.json.refusals?.[0]?.message).toContain("was reported as success");
  answer(scratch, "1");
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  expect(entries.flatMap(({ events }) => events).join("\n")).toContain("report-contradicts");
});
