/** A complex plugin: stages 3 and 4 in phases, each with its own dispatch, commit and menu. */
import { expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import { copyOf, preparedOnce, repository } from "../cli.ts";
import {
  NAME,
  UNTESTED,
  PHASES,
  answer,
  codesOf,
  doWork,
  finish,
  finishAlone,
  giveReport,
  handoffOf,
  ideas,
  noteCodes,
  planText,
  pluginAt,
  questionOf,
  reportText,
  sha256,
  steady,
  subjects,
  today,
  writeBuild,
  writeMockup,
  writeValidated,
} from "../plugin.ts";

/** Stage 2 done, the question of what is next still open. */
function phased(plan: string): Scratch {
  const prepared = preparedOnce(`phased-${sha256(plan).slice(7, 19)}`, () => {
    const scratch = pluginAt("p0");
    finish(scratch, "0", { plan });
    answer(scratch, "1");
    finish(scratch, "2");
    return scratch;
  });
  return copyOf(prepared);
}

const THREE = planText("4.0", ["3.1", "3.2", "3.3"]);

function field(scratch: Scratch, key: string): string | undefined {
  return new RegExp(`^${key}: (.*)$`, "m").exec(scratch.read(handoffOf()))?.[1];
}

function place(scratch: Scratch): readonly (string | undefined)[] {
  return [
    ...["stage", "phase", "status", "next_action", "next_phase"].map((key) => field(scratch, key)),
    /^\| TapeDelay \| ([^|]*) \|/m.exec(scratch.read("PLUGINS.md"))?.[1],
    /^\*\*Status:\*\* (.*)$/m.exec(scratch.read("PLUGINS.md"))?.[1],
  ];
}

test("what a person says after a phase is in the order for the next one, and not told a second time", () => {
  const scratch = phased(THREE);
  answer(scratch, "1");
  finish(scratch, "3.1");
  answer(scratch, "other: less noise in the next part");
  const second = answer(scratch, "1").json.order?.prompt ?? "";
  expect(second).toContain("less noise in the next part");
  expect(second).not.toContain("Build the audio engine");
  finish(scratch, "3.2");
  expect(answer(scratch, "1").json.order?.prompt).not.toContain("less noise");
});

test("[PW-061][PW-076][PW-079][PW-084][PW-085][PW-088][PW-229][PW-289][PW-300][PW-302] three phases each, to the end", async () => {
  const scratch = phased(planText("5.0", PHASES));
  expect(field(scratch, "phased_implementation")).toBe("true");
  expect(place(scratch)).toEqual([
    "2",
    "null",
    "complete",
    "invoke_dsp_agent",
    '"3.1"',
    "🚧 Stage 2",
    "🚧 Stage 2",
  ]);
  const first = answer(scratch, "1");
  expect(first.json.order).toMatchObject({ role: "dsp-agent", stage: 3, phase: "3.1" });
  expect(first.json.order?.prompt).toContain("Phase 3.1 (1 of 3): Part 3.1");
  expect(first.json.order?.prompt).toContain("Do the work of part 3.1.");
  expect(first.json.order?.prompt).not.toContain("part 3.2");
  expect(first.json.order?.prompt).toContain("do not ask the user");

  const one = finish(scratch, "3.1", { outputs: {}, with: { description: "core processing" } });
  expect(questionOf(one)).toBe("phase-complete");
  expect(one.json.headline).toBe("Audio engine: 1 of 3 phases done");
  expect(place(scratch)).toEqual([
    "3",
    '"3.1"',
    "complete",
    "continue_dsp_phase_3.2",
    '"3.2"',
    "🚧 Stage 3.1",
    "🚧 Stage 3.1",
  ]);
  await expect(steady(scratch.read(handoffOf()))).toMatchFileSnapshot("golden/3.1-handoff.txt");
  await expect(steady(scratch.read("PLUGINS.md"))).toMatchFileSnapshot("golden/3.1-registry.txt");
  const second = answer(scratch, "1");
  expect(second.json.order).toMatchObject({ phase: "3.2" });
  expect(second.json.order?.prompt).toContain("Done already: 3.1.");
  finish(scratch, "3.2");
  answer(scratch, "continue");
  const last = finish(scratch, "3.3");
  expect(questionOf(last)).toBe("stage-3-complete");
  expect(last.json.commits).toHaveLength(1);
  expect(place(scratch)).toEqual([
    "3",
    "null",
    "complete",
    "invoke_gui_agent",
    '"4.1"',
    "🚧 Stage 3",
    "🚧 Stage 3",
  ]);
  expect(scratch.read("PLUGINS.md")).toContain(`- **${today()} (Stage 3.3):** `);
  expect(scratch.read("PLUGINS.md")).toContain(`- **${today()} (Stage 3):** `);

  writeMockup(scratch);
  expect(answer(scratch, "1").json.order).toMatchObject({ role: "gui-agent", phase: "4.1" });
  finish(scratch, "4.1");
  expect(place(scratch)).toEqual([
    "4",
    '"4.1"',
    "complete",
    "continue_gui_phase_4.2",
    '"4.2"',
    "🚧 Stage 4.1",
    "🚧 Stage 4.1",
  ]);
  answer(scratch, "1");
  finish(scratch, "4.2");
  answer(scratch, "1");
  const end = finish(scratch, "4.3");
  expect(questionOf(end)).toBe("stage-4-complete");
  expect(place(scratch)).toEqual([
    "4",
    "null",
    "complete",
    "begin_stage_5",
    "null",
    "🚧 Stage 4",
    "🚧 Stage 4",
  ]);
  await expect(steady(scratch.read(handoffOf()))).toMatchFileSnapshot("golden/4.3-handoff.txt");
  await expect(steady(scratch.read("PLUGINS.md"))).toMatchFileSnapshot("golden/4.3-registry.txt");
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);

  answer(scratch, "1");
  writeValidated(scratch);
  writeBuild(scratch);
  scratch.hold(`advance ${NAME}`);
  answer(scratch, "1");
  expect(subjects(scratch)).toEqual([
    `feat: ${NAME} Stage 0 - research & planning complete`,
    `feat: ${NAME} Stage 2 - build system ready`,
    `feat: ${NAME} Stage 3.1 - core processing`,
    `feat: ${NAME} Stage 3.2 - Part 3.2`,
    `feat: ${NAME} Stage 3.3 - Part 3.3`,
    `feat: ${NAME} Stage 4.1 - Part 4.1`,
    `feat: ${NAME} Stage 4.2 - Part 4.2`,
    `feat: ${NAME} Stage 4.3 - Part 4.3`,
    `feat: ${NAME} Stage 5 - validation complete`,
    `feat: ${NAME} installed`,
  ]);
});

test("[PW-109][PW-138][PW-270][PW-286] agents that keep the state themselves are believed, byte for byte", () => {
  const scratch = phased(planText("3.4", ["3.1", "3.2"]));
  answer(scratch, "1");
  const first = finishAlone(scratch, "3.1", {
    stage: 3,
    phase: "3.1",
    nextAction: "continue_dsp_phase_3.2",
    nextPhase: "3.2",
    registry: "🚧 Stage 3.1",
    tags: ["Stage 3.1"],
  });
  expect(first).toMatchObject({ exit: 11, json: { notes: [], warnings: [UNTESTED], pending: [] } });
  const committed = scratch.git("show", `HEAD:${handoffOf()}`);
  expect(`${committed}\n`).toBe(scratch.read(handoffOf()));
  expect(scratch.read(handoffOf())).toContain("All done in the agent's words");
  answer(scratch, "1");
  const last = {
    stage: 3,
    nextAction: "invoke_gui_agent",
    registry: "🚧 Stage 3",
    tags: ["Stage 3.2", "Stage 3"],
  };
  const rolled = finishAlone(scratch, "3.2", last);
  expect(rolled.json.notes).toEqual([]);
  const text = scratch.read(handoffOf());
  expect(text.match(/in the agent's words/g)).toHaveLength(3);
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  const ended = entries.flatMap((one) => one.events).filter((event) => / ended: /.test(event));
  expect(ended.filter((event) => event.startsWith("W-")).at(-1)).toMatch(
    /ended: success; measured: /,
  );
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-006][PW-023][PW-084][PW-245] phase 3.10 is not phase 3.1", () => {
  const phases = Array.from({ length: 11 }, (_, index) => `3.${index + 1}`);
  const scratch = pluginAt("s2");
  scratch.remove(".git/holdpoint");
  scratch.write(ideas("plan.md"), planText("5.0", phases));
  scratch.edit(handoffOf(), (text) =>
    text
      .replace("stage: 2", "stage: 3")
      .replace("phase: null", 'phase: "3.9"')
      .replace("complexity_score: 1.2", "complexity_score: 5.0")
      .replace("phased_implementation: false", "phased_implementation: true")
      .replace(/contract_checksums:[^]*?\n---/, "---"),
  );
  scratch.edit("PLUGINS.md", (text) => text.replaceAll("🚧 Stage 2", "🚧 Stage 3.9"));
  // Its timeline and its commits tell of stage 2.
  const adopted = scratch.hold(`adopt ${NAME} --at s2 --phase 3.9`);
  expect(adopted.json.workflows?.[0]?.summary?.[0]).toBe("stands at Stage 2, 9 of 11 phases done");
  // Nobody has answered the checkpoint after 3.9 in this journal: adoption opens it again.
  expect(answer(scratch, "1").json.order).toMatchObject({ phase: "3.10" });
  finish(scratch, "3.10");
  expect(place(scratch).slice(0, 6)).toEqual([
    "3",
    '"3.10"',
    "complete",
    "continue_dsp_phase_3.11",
    '"3.11"',
    "🚧 Stage 3.10",
  ]);
  const bullets = scratch.read(handoffOf()).match(/^- \*\*Stage 3[.\d]*:\*\*/gm);
  expect(bullets).toEqual(["- **Stage 3.10:**"]);
  answer(scratch, "1");
  expect(questionOf(finish(scratch, "3.11"))).toBe("stage-3-complete");
});

test("[PW-218] with a person's grant the phases follow each other, and the grant is on record", () => {
  const scratch = phased(THREE);
  const agent = { env: { HOLDPOINT_ACTOR: "agent:dsp-agent" } };
  const asked = scratch.hold(["advance", NAME, "--set", "auto_phase=true"], agent);
  expect(asked.exit).toBe(10);
  answer(scratch, "1");
  const waits = finish(scratch, "3.1");
  expect(waits).toMatchObject({ exit: 11 });
  expect(waits.json.held?.[0]?.options[0]).toMatchObject({ recommended: true });
  scratch.hold(["advance", NAME, "--set", "auto_phase=true"]);
  answer(scratch, "1");
  const goes = finish(scratch, "3.2");
  expect(goes).toMatchObject({ exit: 0, json: { order: { phase: "3.3" } } });
  const told = scratch.say(`audit ${NAME} --all`).stdout;
  expect(told).toMatch(/set auto_phase=true/);
  expect(told).toMatch(/D-\d+ \w+ by .*(grant|auto_phase)/);
});

test("[PW-010][PW-082][PW-086][PW-299] phases come from plan.md alone", () => {
  const none = phased(planText("4.2"));
  expect(answer(none, "1").json.order).toMatchObject({ role: "dsp-agent", phase: null });
  const only3 = phased(planText("3.0", ["3.1"]));
  answer(only3, "1");
  expect(questionOf(finish(only3, "3.1"))).toBe("stage-3-complete");
  expect(field(only3, "next_phase")).toBe("null");
  const low = phased(planText("2.9", ["3.1", "3.2"]));
  expect(field(low, "phased_implementation")).toBe("false");
  expect(answer(low, "1").json.order).toMatchObject({ phase: null });
  doWork(low, "3");
  const refused = giveReport(low, reportText("3", { outputs: { phase_completed: "3.1" } }));
  expect(codesOf(refused)).toContain("stage-mismatch");
});

test("[PW-093][PW-096][PW-111][PW-301] a report for another phase, or for none of the plan, is refused", () => {
  const scratch = phased(THREE);
  answer(scratch, "1");
  doWork(scratch, "3.1");
  const unknown = giveReport(scratch, reportText("3.7"));
  expect(unknown.exit).toBe(10);
  expect(unknown.json.refusals?.find((one) => one.code === "phase-unknown")?.message).toBe(
    "phase 3.7 is not in plan.md, which has 3.1, 3.2, 3.3",
  );
  expect(codesOf(giveReport(scratch, reportText("3.2")))).toContain("stage-mismatch");
  expect(codesOf(giveReport(scratch, reportText("3")))).toContain("stage-mismatch");
  giveReport(scratch, reportText("3.1"));
  answer(scratch, "1");
  // The same day, the same stage, files that were not touched: only the phase tells.
  doWork(scratch, "3.2");
  const lied = giveReport(scratch, reportText("3.2", { with: { stateUpdated: true } }));
  expect(noteCodes(lied)).toEqual(
    expect.arrayContaining(["status_mismatch", "plugins_md_not_updated", "timeline_missing"]),
  );
  answer(scratch, "1");
  const failed = giveReport(
    scratch,
    reportText("3.3", { with: { status: "failure", issues: ["no sound"] } }),
  );
  expect(questionOf(failed)).toBe("stage-failed");
  expect(field(scratch, "status")).toBe("in_progress");
  expect(scratch.hold(`status ${NAME}`).json.dispatches).toEqual([]);
});

test("[PW-219][PW-245] a pause at a phase resumes with the next one", () => {
  const scratch = phased(planText("3.4", ["3.1", "3.2"]));
  answer(scratch, "1");
  finish(scratch, "3.1");
  expect(answer(scratch, "pause").json.held).toEqual([]);
  expect(field(scratch, "next_phase")).toBe('"3.2"');
  const asked = scratch.hold(`advance ${NAME}`);
  expect(questionOf(asked)).toBe("resume");
  expect(answer(scratch, "1").json.order).toMatchObject({ role: "dsp-agent", phase: "3.2" });
});

test("[PW-056][PW-157] a draft of the parameters is enough to plan, not to build", () => {
  const scratch = repository();
  scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  const early = scratch.hold(`advance ${NAME} plan`);
  expect(early.json.refusals?.map((one) => one.rule)).toEqual(
    expect.arrayContaining(["PW-157", "PW-056"]),
  );
  scratch.write(ideas("creative-brief.md"), "brief\n");
  scratch.write(ideas("parameter-spec-draft.md"), "draft\n");
  expect(scratch.hold(`advance ${NAME} draft`).json.state).toBe("💡 Ideated (Draft Params)");
  expect(scratch.hold(`advance ${NAME} plan`).exit).toBe(0);
  finish(scratch, "0");
  const built = scratch.hold(["answer", NAME, "1"]);
  expect(built.json.refusals?.[0]).toMatchObject({ code: "contract-missing" });
  expect(built.json.refusals?.[0]?.message).toContain("parameter-spec.md");
  scratch.write(ideas("parameter-spec.md"), "spec\n");
  expect(answer(scratch, "1").json.order?.role).toBe("foundation-shell-agent");
  finish(scratch, "2");
  expect(scratch.read(handoffOf())).toMatch(/parameter_spec: sha256:/);
});
