/** A plugin to build in end-to-end tests: its plans and contracts, the agents that work on it, their reports. */
import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { commitFile, copyOf, preparedOnce, repository } from "./cli.ts";
import type { Reply, RunOptions, Scratch } from "./cli.ts";

export const NAME = "TapeDelay";

export function ideas(file: string, name: string = NAME): string {
  return `plugins/${name}/.ideas/${file}`;
}

export function handoffOf(name: string = NAME): string {
  return `plugins/${name}/.continue-here.md`;
}

export function planText(score: number | string, phases: readonly string[] = []): string {
  const sections = phases.map(
    (phase) =>
      `### Phase ${phase}: Part ${phase}\n\nDo the work of part ${phase}.\n\n- [ ] Part ${phase} works\n`,
  );
  return `# Plan\n\n**Complexity Score:** ${score}\n\n${sections.join("\n")}`;
}

export const PHASES: readonly string[] = ["3.1", "3.2", "3.3", "4.1", "4.2", "4.3"];

const AGENTS: Readonly<Record<string, string>> = {
  0: "research-planning-agent",
  2: "foundation-shell-agent",
  3: "dsp-agent",
  4: "gui-agent",
};

/** "2" or "3.1": the stage, and the phase if it is one. */
export type Step = string;

function stageOf(step: Step): string {
  return step.split(".")[0] ?? "";
}

export function agentOf(step: Step): string {
  return AGENTS[stageOf(step)] ?? "";
}

export interface ReportOptions {
  readonly name?: string;
  readonly files?: readonly string[];
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Top-level fields in place of the usual ones. */
  readonly with?: Readonly<Record<string, unknown>>;
}

/** The report an honest agent that writes no state gives. */
export function reportText(step: Step, options: ReportOptions = {}): string {
  const { name = NAME, files = filesOf(step, name), outputs = {} } = options;
  return JSON.stringify({
    agent: agentOf(step),
    status: "success",
    outputs: {
      plugin_name: name,
      stage_completed: Number(stageOf(step)),
      ...(step.includes(".") ? { phase_completed: step } : {}),
      files_modified: files,
      state_files_updated: [],
      ...outputs,
    },
    issues: [],
    ready_for_next_stage: true,
    stateUpdated: false,
    ...options.with,
  });
}

function filesOf(step: Step, name: string): readonly string[] {
  const home = `plugins/${name}`;
  const files: Readonly<Record<string, readonly string[]>> = {
    0: [ideas("architecture.md", name), ideas("plan.md", name)],
    2: [`${home}/CMakeLists.txt`, `${home}/Source/PluginProcessor.cpp`],
    3: [`${home}/Source/PluginProcessor.cpp`],
    4: [`${home}/Source/PluginEditor.cpp`, `${home}/ui/index.html`],
  };
  return files[stageOf(step)] ?? [];
}

/** What the agent of a step leaves in the tree. */
export function doWork(
  scratch: Scratch,
  step: Step,
  { name = NAME, plan = planText("1.2") }: { readonly name?: string; readonly plan?: string } = {},
): void {
  for (const file of filesOf(step, name)) {
    const old = scratch.has(file) ? scratch.read(file) : "";
    scratch.write(file, file.endsWith("plan.md") ? plan : `${old}work of ${step}\n`);
  }
}

export function giveReport(
  scratch: Scratch,
  text: string,
  options: RunOptions & { readonly name?: string; readonly dispatch?: string } = {},
): Reply {
  const { name = NAME, dispatch, ...rest } = options;
  const flags = dispatch === undefined ? [] : ["--dispatch", dispatch];
  return scratch.hold(["report", name, "-", ...flags], { ...rest, stdin: text });
}

/** Do the work of a step and report it, the agent writing no state. */
export function finish(
  scratch: Scratch,
  step: Step,
  options: ReportOptions & { readonly plan?: string } = {},
): Reply {
  doWork(scratch, step, options);
  return giveReport(
    scratch,
    reportText(step, options),
    options.name === undefined ? {} : { name: options.name },
  );
}

/** Answer the open menu; the answer must be taken. */
export function answer(scratch: Scratch, choice: string, name: string = NAME): Reply {
  const reply = scratch.hold(["answer", name, choice]);
  if (reply.json.refusals !== undefined)
    throw new Error(`"${choice}" was refused: ${reply.stdout}`);
  return reply;
}

export function writeIdeas(scratch: Scratch, name: string = NAME): void {
  scratch.write(ideas("creative-brief.md", name), "# Brief\n\nA warm tape delay.\n");
  scratch.write(ideas("parameter-spec.md", name), "# Parameters\n\n- TIME\n- FEEDBACK\n- MIX\n");
}

export function writeMockup(scratch: Scratch, name: string = NAME): void {
  scratch.write(ideas("mockups/v1-ui.html", name), "<main></main>\n");
}

/** What is said where the repository has no tests. */
export const UNTESTED = "tests did not run: none here (a test)";

/** Change a setting of the repository under a running plugin, as a person does: committed, and accepted. */
export function changeSetting(scratch: Scratch, path: string, value: unknown): void {
  commitFile(scratch, path, typeof value === "string" ? value : JSON.stringify(value));
  const reply = scratch.hold(["reconcile", NAME, "--settings", "--reason", "it is meant so"]);
  if (reply.json.refusals !== undefined) throw new Error(`It was refused: ${reply.stdout}`);
}

/** What validation is expected to leave. */
export function writeValidated(scratch: Scratch, name: string = NAME): void {
  scratch.write(`plugins/${name}/CHANGELOG.md`, "# Changelog\n\n## 1.0.0\n\n- First\n");
  scratch.write(`plugins/${name}/Presets/Default.xml`, "<preset/>\n");
}

/** A copy of the plugin as it is, where an improvement looks for it. */
export function writeBackup(scratch: Scratch, version: string, name: string = NAME): void {
  const to = join(scratch.top, `backups/${name}/v${version}`);
  cpSync(join(scratch.top, `plugins/${name}`), to, { recursive: true });
}

export function writeBuild(scratch: Scratch, name: string = NAME): void {
  scratch.write(`build/${name}/plugins/${name}/${name}_artefacts/VST3/${name}.vst3/lib`, "binary");
}

/** Where a prepared repository stands. "p0" has work handed out for stage 0, "p2" for stage 2 and so on. */
export type Stand =
  | "new"
  | "p0"
  | "s0"
  | "p2"
  | "s2"
  | "p3"
  | "s3"
  | "p4"
  | "s4"
  | "s5"
  | "working"
  | "installed";

/** In the order they are come to. */
export const STANDS: readonly Stand[] = [
  "new",
  "p0",
  "s0",
  "p2",
  "s2",
  "p3",
  "s3",
  "p4",
  "s4",
  "s5",
  "working",
  "installed",
];

/** A simple plugin (score 1.2, headless) as far as it should be, in a repository of its own. */
export function pluginAt(stand: Stand): Scratch {
  return copyOf(prepared(stand));
}

function prepared(stand: Stand): Scratch {
  return preparedOnce(`simple-${stand}`, () => {
    const before = STANDS[STANDS.indexOf(stand) - 1];
    const scratch = before === undefined ? repository() : copyOf(prepared(before));
    const reply = STEPS[stand](scratch);
    if (reply.json.ok !== true) throw new Error(`Cannot get to ${stand}: ${reply.stdout}`);
    return scratch;
  });
}

const STEPS: Readonly<Record<Stand, (scratch: Scratch) => Reply>> = {
  new: (scratch) => {
    const reply = scratch.hold([
      "start",
      NAME,
      "--brief",
      "A warm tape delay",
      "--protocol",
      "plugin-workflow",
    ]);
    writeIdeas(scratch);
    return reply;
  },
  p0: (scratch) => scratch.hold(`advance ${NAME}`),
  s0: (scratch) => finish(scratch, "0"),
  p2: (scratch) => answer(scratch, "1"),
  s2: (scratch) => finish(scratch, "2", { outputs: { parameter_count: 3 } }),
  p3: (scratch) => answer(scratch, "1"),
  s3: (scratch) => finish(scratch, "3"),
  p4: (scratch) => answer(scratch, "headless"),
  s4: (scratch) => finish(scratch, "4"),
  s5: (scratch) => answer(scratch, "1"),
  working: (scratch) => {
    writeValidated(scratch);
    return scratch.hold(`advance ${NAME}`);
  },
  installed: (scratch) => {
    writeBuild(scratch);
    return answer(scratch, "1");
  },
};

/** Dates and hashes differ from run to run; nothing else may. */
export function steady(text: string): string {
  return text
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, "<date>")
    .replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:<hash>");
}

export function sha256(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function codesOf(reply: Reply): readonly string[] {
  return (reply.json.refusals ?? []).map((one) => one.code);
}

export function noteCodes(reply: Reply): readonly string[] {
  return (reply.json.notes ?? []).map((one) => one.code);
}

/** The only question that is open. */
export function questionOf(reply: Reply): string | undefined {
  return reply.json.held?.[0]?.question;
}

export function subjects(scratch: Scratch): readonly string[] {
  return scratch.git("log", "--format=%s", "--reverse").split("\n").slice(1);
}

/** What an agent that keeps the state itself writes after a step. */
export interface Written {
  readonly stage: number;
  readonly phase?: string;
  readonly nextAction: string;
  readonly nextPhase?: string;
  readonly registry: string;
  /** The steps it finished: a last phase finishes its stage too. */
  readonly tags: readonly string[];
}

/** Write the handoff as a careful agent does, in its own words. */
export function writeHandoff(scratch: Scratch, written: Written, name: string = NAME): void {
  const { stage, phase, nextAction, nextPhase, tags } = written;
  const quoted = (value: string | undefined): string =>
    value === undefined ? "null" : `"${value}"`;
  const field = (text: string, key: string, value: string): string =>
    text.replace(new RegExp(`^${key}:.*$`, "m"), `${key}: ${value}`);
  const bullets = tags.map((tag) => `- **${tag}:** All done in the agent's words\n`).join("");
  scratch.edit(handoffOf(name), (text) =>
    [
      ["stage", String(stage)],
      ["phase", quoted(phase)],
      ["status", "complete"],
      ["last_updated", today()],
      ["next_action", nextAction],
      ["next_phase", quoted(nextPhase)],
    ]
      .reduce((now, [key = "", value = ""]) => field(now, key, value), text)
      .replace(/^# .*$/m, `# Stage ${phase ?? stage} Complete - As The Agent Sees It`)
      .replace(/^## Current State: .*$/m, "## Current State: Done, Says The Agent")
      .replace(/(?<=## Next Steps\n\n)(?:\d+\. .*\n)+/, "1. Go on, says the agent\n")
      .replace(/\n+## Next Steps/, `\n${bullets}\n## Next Steps`),
  );
}

/** Write row, entry and timeline of the registry as a careful agent does. */
export function writeRegistry(
  scratch: Scratch,
  { registry, tags }: Pick<Written, "registry" | "tags">,
  name: string = NAME,
): void {
  const lines = tags.map((tag) => `- **${today()} (${tag}):** Done in the agent's words\n`);
  scratch.edit("PLUGINS.md", (text) =>
    text
      .replace(new RegExp(`^\\| ${name} \\| [^|]* \\|`, "m"), `| ${name} | ${registry} |`)
      .replace(
        new RegExp(`(^### ${name}\\n\\*\\*Status:\\*\\* )[^\\n]*`, "m"),
        (_, head: string) => `${head}${registry}`,
      )
      .replace(
        new RegExp(`(^### ${name}\\n[^]*?)\\n\\n(\\*\\*Last Updated:\\*\\*)`, "m"),
        (_, entry: string, last: string) => `${entry}\n${lines.join("")}\n${last}`,
      ),
  );
}

/** An agent that did everything: the work, both state files, and a report that says so. */
export function finishAlone(scratch: Scratch, step: Step, written: Written): Reply {
  doWork(scratch, step);
  writeHandoff(scratch, written);
  writeRegistry(scratch, written);
  const text = reportText(step, {
    outputs: { state_files_updated: [handoffOf(), "PLUGINS.md"] },
    with: { stateUpdated: true, stateUpdateError: null },
  });
  return giveReport(scratch, text);
}
