/** A simple plugin from idea to installed, one call after another, as its user sees it. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { repository } from "../cli.ts";
import {
  NAME,
  answer,
  doWork,
  finish,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  sha256,
  steady,
  subjects,
  today,
  writeBuild,
  writeIdeas,
  writeValidated,
} from "../plugin.ts";

const SECTIONS = [
  "## Current State:",
  "## Completed So Far",
  "## Next Steps",
  "## Build Artifacts",
  "## Testing Checklist",
  "## Context to Preserve",
];

function frontMatter(text: string): Record<string, unknown> {
  const [, block = ""] = /^---\n([^]*?)\n---\n/.exec(text) ?? [];
  const fields: Record<string, unknown> = parse(block);
  return fields;
}

test("[PW-026][PW-034][PW-035][PW-036][PW-290] start gives a plugin its row and entry, once", () => {
  const scratch = repository();
  const made = scratch.hold([
    "start",
    "Clap",
    "--type",
    "MIDI Instrument",
    "--brief",
    "Claps",
    "--protocol",
    "plugin-workflow",
  ]);
  expect(made).toMatchObject({ exit: 0, json: { ok: true, state: "💡 Ideated" } });
  const registry = scratch.read("PLUGINS.md");
  expect(registry).toMatch(/^\| Clap \| 💡 Ideated \| - \| \d{4}-\d\d-\d\d \|$/m);
  expect(registry).toContain(
    `### Clap\n**Status:** 💡 Ideated\n**Version:** -\n**Created:** ${today()}\n**Type:** MIDI Instrument\n`,
  );
  expect(registry).toContain(`- **${today()}:** Creative brief created\n`);
  const again = scratch.hold("start Clap --protocol plugin-workflow");
  expect(again.exit).toBe(10);
  expect(again.json.refusals?.[0]?.message).toContain("Clap");
  expect(scratch.read("PLUGINS.md")).toBe(registry);
  const odd = scratch.hold([
    "start",
    "Other",
    "--type",
    "Toaster",
    "--protocol",
    "plugin-workflow",
  ]);
  expect(odd.json.refusals?.[0]).toMatchObject({ code: "type-unknown", rule: "PW-036" });
  expect(scratch.say("verify Clap").exit).toBe(0);
});

test("[PW-001][PW-011][PW-020][PW-193] planning begins with a handoff that can be resumed", () => {
  const scratch = pluginAt("p0");
  expect(scratch.has(handoffOf())).toBe(true);
  expect(scratch.has(ideas(".continue-here.md"))).toBe(false);
  expect(frontMatter(scratch.read(handoffOf()))).toEqual({
    plugin: NAME,
    stage: 0,
    phase: null,
    status: "in_progress",
    last_updated: today(),
    complexity_score: null,
    phased_implementation: null,
    orchestration_mode: true,
    next_action: null,
    next_phase: null,
    contract_checksums: {
      creative_brief: null,
      parameter_spec: null,
      architecture: null,
      plan: null,
    },
  });
  expect(subjects(scratch)).toEqual([]);
});

const STAGES = [
  ["s0", { stage: 0, status: "complete", next: "invoke_foundation_shell_agent" }, "🚧 Stage 0"],
  ["s2", { stage: 2, status: "complete", next: "invoke_dsp_agent" }, "🚧 Stage 2"],
  ["s3", { stage: 3, status: "complete", next: "invoke_gui_agent" }, "🚧 Stage 3"],
  ["s4", { stage: 4, status: "complete", next: "run_validation" }, "🚧 Stage 4"],
  ["s5", { stage: 5, status: "in_progress", next: "begin_stage_5" }, "🚧 Stage 5"],
  ["working", { stage: 5, status: "workflow_complete", next: null }, "✅ Working"],
] as const;

for (const [stand, expected, registry] of STAGES) {
  test(`[PW-008][PW-011][PW-012][PW-015][PW-016][PW-018][PW-075][PW-078][PW-079][PW-081][PW-083][PW-090][PW-094] the files at ${stand}`, async () => {
    const scratch = pluginAt(stand);
    const handoff = scratch.read(handoffOf());
    await expect(steady(handoff)).toMatchFileSnapshot(`golden/${stand}-handoff.txt`);
    await expect(steady(scratch.read("PLUGINS.md"))).toMatchFileSnapshot(
      `golden/${stand}-registry.txt`,
    );
    const fields = frontMatter(handoff);
    expect(fields).toMatchObject({
      plugin: NAME,
      stage: expected.stage,
      phase: null,
      status: expected.status,
      last_updated: today(),
      next_action: expected.next,
      next_phase: null,
      orchestration_mode: true,
    });
    const places = SECTIONS.map((section) => handoff.indexOf(section));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(scratch.read("PLUGINS.md")).toContain(`| ${NAME} | ${registry} | `);
    expect(scratch.read("PLUGINS.md")).toContain(`**Status:** ${registry}\n`);
  });
}

test("[PW-049][PW-050][PW-051][PW-052] the handoff holds the digests of the four contracts", () => {
  for (const stand of ["s0", "s2", "s3", "s4"] as const) {
    const scratch = pluginAt(stand);
    expect(frontMatter(scratch.read(handoffOf()))["contract_checksums"]).toEqual({
      creative_brief: sha256(scratch.read(ideas("creative-brief.md"))),
      parameter_spec: sha256(scratch.read(ideas("parameter-spec.md"))),
      architecture: sha256(scratch.read(ideas("architecture.md"))),
      plan: sha256(scratch.read(ideas("plan.md"))),
    });
  }
});

test("[PW-022][PW-030][PW-031][PW-077][PW-080] each stage adds its bullet and its line, in order", () => {
  const scratch = pluginAt("working");
  const completed = /## Completed So Far\n([^]*?)## Next Steps/.exec(
    scratch.read(handoffOf()),
  )?.[1];
  expect(completed?.trim().split("\n")).toEqual([
    "- **Stage 0:** Research complete - DSP architecture documented",
    "- **Stage 2:** Foundation complete - Build system operational, 3 parameters implemented",
    "- **Stage 3:** Audio engine complete - reported by dsp-agent",
    "- **Stage 4:** GUI complete - Minimal editor (headless, uses DAW controls)",
    "- **Stage 5:** Validation complete - CHANGELOG created, ready to install",
  ]);
  const timeline = scratch
    .read("PLUGINS.md")
    .split("\n")
    .filter((line) => line.startsWith("- **"));
  expect(timeline).toEqual([
    `- **${today()}:** Creative brief created`,
    `- **${today()} (Stage 0):** Research & Planning complete - Complexity 1.2`,
    `- **${today()} (Stage 2):** Foundation complete - Build system operational`,
    `- **${today()} (Stage 3):** Audio engine complete - reported by dsp-agent`,
    `- **${today()} (Stage 4):** GUI complete - Minimal editor (headless, uses DAW controls)`,
    `- **${today()} (Stage 5):** Validation complete - ready for installation`,
  ]);
});

test("[PW-024][PW-025][PW-092][PW-289] an installed plugin has no handoff, and its removal is on record", () => {
  const scratch = pluginAt("installed");
  expect(scratch.has(handoffOf())).toBe(false);
  expect(scratch.read("PLUGINS.md")).toContain(`| ${NAME} | 📦 Installed | 1.0.0 | `);
  expect(scratch.read("PLUGINS.md")).toContain(`(v1.0.0):** Installed`);
  expect(scratch.git("show", "--stat", "--format=%s", "HEAD")).toContain(".continue-here.md");
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  const installed = entries.find((one) => one.events.some((event) => event.includes("installed")));
  expect(installed?.actor).toMatch(/^person:/);
  expect(scratch.hold(`status ${NAME}`).json).toMatchObject({ finished: true, drift: [] });
});

test("[PW-195][PW-196][PW-197][PW-200][PW-209] one commit per checkpoint, with code and state together", () => {
  const scratch = pluginAt("installed");
  expect(subjects(scratch)).toEqual([
    `feat: ${NAME} Stage 0 - research & planning complete`,
    `feat: ${NAME} Stage 2 - build system ready`,
    `feat: ${NAME} Stage 3 - audio engine working`,
    `feat(${NAME}): Stage 4 - Minimal Editor (Headless)`,
    `feat: ${NAME} Stage 5 - validation complete`,
    `feat: ${NAME} installed`,
  ]);
  const files = (commit: string): readonly string[] =>
    scratch.git("show", "--name-only", "--format=", commit).split("\n").sort();
  expect(files("HEAD~4")).toEqual([
    "PLUGINS.md",
    handoffOf(),
    `plugins/${NAME}/CMakeLists.txt`,
    `plugins/${NAME}/Source/PluginProcessor.cpp`,
  ]);
  expect(files("HEAD~1")).toContain(`plugins/${NAME}/CHANGELOG.md`);
  expect(files("HEAD~1")).toContain(`plugins/${NAME}/Presets/Default.xml`);
  expect(scratch.git("show", `HEAD~4:${handoffOf()}`)).toContain("\nstage: 2\n");
  expect(scratch.git("status", "--short")).toBe("");
  const body = scratch.git("log", "-1", "--format=%b", "HEAD~4");
  expect(body).toMatch(
    /^\[ATOMIC\] Code \+ state files committed together\n\n🤖 Generated with Claude Code\n\nCo-Authored-By: Claude <noreply@anthropic\.com>\nHoldpoint-Journal: plugin-workflow%3ATapeDelay \S+ \d+\nHoldpoint-Record: [0-9a-f]{64}$/,
  );
});

test("[PW-206] commits of the way are sound by themselves", () => {
  const scratch = pluginAt("installed");
  // A fresh clone has no journal of its own; where there is one, it knows that more has happened.
  const env = { HOLDPOINT_STORE: "embedded" };
  const clone = join(scratch.top, "../clone");
  scratch.git("clone", "--quiet", scratch.top, clone);
  const exits = [];
  for (const back of [5, 3, 1, 0]) {
    scratch.git("checkout", "--quiet", `main~${back}`);
    scratch.git("-C", clone, "checkout", "--quiet", `origin/main~${back}`);
    const there = scratch.hold("verify --all", { cwd: clone, env }).exit;
    exits.push([there, scratch.hold("verify --all").exit]);
  }
  expect(exits).toEqual([
    [0, 2],
    [0, 2],
    [0, 2],
    [0, 0],
  ]);
});

test("[PW-202][PW-211][PW-224] a checkpoint says what was done, what was committed and what can follow", () => {
  const scratch = pluginAt("p2");
  finish(scratch, "2");
  const shown = scratch.say(`status ${NAME}`).stdout;
  expect(shown).toContain(
    [
      "✓ Build system ready",
      "",
      "What's next?",
      "1. Build the audio engine (recommended)",
      "2. Review the code so far",
      "3. Pause here",
      "4. Other",
      "",
      "Choose (1-4): _",
    ].join("\n"),
  );
  const third = pluginAt("p3");
  third.write(`plugins/${NAME}/Source/PluginProcessor.cpp`, "more\n");
  const told = third.say(["report", NAME, "-"], {
    stdin: JSON.stringify({
      agent: "dsp-agent",
      status: "success",
      outputs: { stage_completed: 3, files_modified: [] },
      issues: [],
      ready_for_next_stage: true,
    }),
  });
  const short = third.git("rev-parse", "--short=7", "HEAD");
  expect(told.stdout).toContain(`✓ Committed: ${short} - 🚧 Stage 3 (atomic)`);
  expect(told.stdout).toContain("✓ Audio engine working");
});

test("[PW-178][PW-210][PW-216][PW-217] every stage ends at a menu that speaks of milestones, not numbers", () => {
  for (const stand of ["s0", "s2", "s3", "s4", "working"] as const) {
    const [menu, ...more] = pluginAt(stand).hold(`status ${NAME}`).json.held ?? [];
    expect(more).toEqual([]);
    expect(menu?.question).toMatch(/^stage-\d-complete$/);
    expect([menu?.prompt, ...(menu?.options ?? []).map((one) => one.label)].join("\n")).not.toMatch(
      /Stage \d/,
    );
    expect(menu?.options.at(-1)?.label).toBe("Other");
  }
});

test("[PW-100][PW-214][PW-215][PW-222] nothing goes on before a person has answered", () => {
  const scratch = pluginAt("s2");
  const before = scratch.git("rev-parse", "HEAD");
  const agent = { env: { HOLDPOINT_ACTOR: "agent:dsp-agent" } };
  expect(scratch.hold(`advance ${NAME}`, agent).exit).toBe(11);
  expect(scratch.hold(`advance ${NAME} dsp`, agent).exit).toBeGreaterThanOrEqual(10);
  expect(scratch.hold(["report", NAME, "-"], { ...agent, stdin: "{}" }).exit).toBe(10);
  const status = scratch.hold(`status ${NAME}`).json;
  expect(status.dispatches).toEqual([]);
  expect(status.held?.[0]?.question).toBe("stage-2-complete");
  expect(scratch.git("rev-parse", "HEAD")).toBe(before);
});

test("[PW-072][PW-198][PW-213] a stage whose code is in the last commit already is still committed with its state", () => {
  const scratch = repository();
  scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  writeIdeas(scratch);
  scratch.hold(`advance ${NAME}`);
  scratch.write(ideas("architecture.md"), "a\n");
  scratch.write(ideas("plan.md"), "**Complexity Score:** 2.0\n");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "an eager agent");
  const reply = finish(scratch, "0", { plan: "**Complexity Score:** 2.0\n" });
  expect(reply.json.commits).toHaveLength(1);
  expect(reply.json.notes?.map((one) => one.code)).toContain("agent-committed");
  expect(subjects(scratch).at(-1)).toBe(`feat: ${NAME} Stage 0 - research & planning complete`);
});

test("[PW-091][PW-212] validation needs its changelog and presets", () => {
  const scratch = pluginAt("s5");
  const refused = scratch.hold(`advance ${NAME}`);
  expect(refused).toMatchObject({ exit: 10 });
  expect(refused.json.refusals?.[0]).toMatchObject({
    code: "validation-incomplete",
    rule: "PW-091",
  });
  expect(refused.json.refusals?.[0]?.message).toMatch(/CHANGELOG\.md.*Presets/);
});

test("[PW-309] installing needs a build", () => {
  const scratch = pluginAt("working");
  const refused = scratch.hold(["answer", NAME, "1"]);
  expect(refused.json.refusals?.[0]).toMatchObject({ code: "build-missing", rule: "PW-309" });
  expect(scratch.has(handoffOf())).toBe(true);
  expect(questionOf(scratch.hold(`status ${NAME}`))).toBe("stage-5-complete");
  expect(answer(scratch, "test").exit).toBe(11);
});

test("[PW-095][PW-103][PW-159][PW-210] a report is checked and recorded, then committed, then asked about", () => {
  const scratch = pluginAt("s2");
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  const record = entries.find((one) => one.events.includes("s0 → s2"));
  const ended = record?.events.findIndex((event) => event.startsWith("W-2 ended: success ("));
  const wanted = record?.events.findIndex((event) => event.startsWith("commit wanted"));
  expect(record?.command).toBe("dispatch.report");
  expect(ended).toBeGreaterThan(0);
  expect(wanted).toBeGreaterThan(ended ?? 0);
  const after = entries.find((one) => one.seq === (record?.seq ?? 0) + 1);
  expect(after?.events).toEqual([
    expect.stringMatching(/^E-2 done [0-9a-f]{7}$/),
    "D-2 asked: Build system ready",
  ]);
});

test("[PW-080][PW-098][PW-164] what was built is listed, what is done is ticked, and nothing lies around", () => {
  const scratch = pluginAt("p2");
  writeBuild(scratch);
  finish(scratch, "2");
  const text = scratch.read(handoffOf());
  const section = (title: string): string =>
    new RegExp(`## ${title}\\n\\n([^]*?)\\n\\n## `).exec(`${text}\n\n## `)?.[1] ?? "";
  expect(section("Build Artifacts")).toBe(
    `- VST3: build/${NAME}/plugins/${NAME}/${NAME}_artefacts/VST3/${NAME}.vst3`,
  );
  expect(section("Next Steps")).toBe("1. Stage 3: build the audio engine");
  expect(section("Testing Checklist")).toBe(
    "- [x] Architecture and plan written\n- [ ] Plugin builds and loads",
  );
  const registries = readdirSync(scratch.top).filter((name) => name.startsWith("PLUGINS.md"));
  expect(registries).toEqual(["PLUGINS.md"]);
});

test("[PW-284][PW-285] what a checkpoint prints stays under the tokens its stage may cost", () => {
  const targets = [
    ["p2", "2", 1_000],
    ["p3", "3", 1_500],
  ] as const;
  for (const [stand, step, target] of targets) {
    const scratch = pluginAt(stand);
    doWork(scratch, step);
    const told = scratch.say(["report", NAME, "-"], { stdin: reportText(step) }).stdout;
    expect(told.length / 4).toBeLessThan(target);
  }
  const last = pluginAt("s5");
  writeValidated(last);
  expect(last.say(`advance ${NAME}`).stdout.length / 4).toBeLessThan(300);
});
