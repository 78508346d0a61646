/**
 * The scripted agents of the demo, each run as a process: `agent.js <behaviour> <plugin>`. They work in the
 * current directory and print a report, as a real agent would.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [behaviour = "", plugin = ""] = process.argv.slice(2);
const home = join("plugins", plugin);

/** What each agent does before it reports. */
const BEHAVIOURS: Readonly<Record<string, () => void>> = {
  plan: () => {
    write(
      ".ideas/architecture.md",
      `# Architecture of ${plugin}\n\nDelay line, feedback filter, saturation.\n`,
    );
    write(
      ".ideas/plan.md",
      "# Plan\n\n**Complexity Score:** 3.4\n\n### Phase 3.1: Core processing\n\nDelay line and mix.\n\n### Phase 3.2: Modulation\n\nWow and flutter.\n",
    );
    report(
      "research-planning-agent",
      {
        stage_completed: 0,
        files_modified: [path(".ideas/architecture.md"), path(".ideas/plan.md")],
      },
      false,
    );
  },
  // Claims to have written both state files, but has written neither.
  lie: () => {
    write("CMakeLists.txt", `project(${plugin})\n`);
    write("Source/PluginProcessor.cpp", "// five parameters\n");
    const state = { state_files_updated: [path(".continue-here.md"), "PLUGINS.md"] };
    report(
      "foundation-shell-agent",
      {
        stage_completed: 2,
        files_modified: [path("CMakeLists.txt"), path("Source/PluginProcessor.cpp")],
        parameter_count: 5,
        ...state,
      },
      true,
    );
  },
  // Claims a file that it never wrote.
  boast: () => {
    reportDelayLine();
  },
  // Does the work, but lowers the requirements in a sealed contract on the way.
  tamper: () => {
    write("Source/DelayLine.cpp", "// delay line\n");
    appendFileSync(join(home, ".ideas/plan.md"), "\nPhase 3.1 does not need tests after all.\n");
    reportDelayLine();
  },
  // Dies in the middle of its work, leaving half a file and no report.
  die: () => {
    write("Source/Modulation.cpp", "// wow and fl");
    process.kill(process.pid, "SIGKILL");
  },
  modulate: () => {
    write("Source/Modulation.cpp", "// wow and flutter\n");
    report(
      "dsp-agent",
      {
        stage_completed: 3,
        phase_completed: "3.2",
        files_modified: [path("Source/Modulation.cpp")],
      },
      false,
    );
  },
  editor: () => {
    write("Source/PluginEditor.cpp", "// minimal editor\n");
    write("CHANGELOG.md", "# Changelog\n\n## 1.0.0\n\nFirst version.\n");
    write("Presets/Warm.xml", "<preset/>\n");
    const built = join(
      "build",
      plugin,
      "plugins",
      plugin,
      `${plugin}_artefacts`,
      "VST3",
      `${plugin}.vst3`,
    );
    mkdirSync(dirname(built), { recursive: true });
    writeFileSync(built, "built\n");
    report(
      "gui-agent",
      {
        stage_completed: 4,
        files_modified: [
          path("Source/PluginEditor.cpp"),
          path("CHANGELOG.md"),
          path("Presets/Warm.xml"),
        ],
      },
      false,
    );
  },
};

function path(name: string): string {
  return `plugins/${plugin}/${name}`;
}

function write(name: string, text: string): void {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function reportDelayLine(): void {
  const files_modified = [path("Source/DelayLine.cpp")];
  report("dsp-agent", { stage_completed: 3, phase_completed: "3.1", files_modified }, false);
}

function report(
  agent: string,
  outputs: Readonly<Record<string, unknown>>,
  stateUpdated: boolean,
): void {
  process.stdout.write(
    JSON.stringify({
      agent,
      status: "success",
      outputs,
      issues: [],
      ready_for_next_stage: true,
      stateUpdated,
    }),
  );
}

BEHAVIOURS[behaviour]?.();
