/** Where the plugin workflow's ledger decides otherwise than the published checks do, row by row. */
import type { Exception, Found } from "../agree.ts";
import type { Objection } from "../opinion.ts";
import type { Commits, PluginFiles } from "./files.ts";
import { placesOf, statusOf } from "./registry.ts";

function registryOf({ registry, name }: PluginFiles): string {
  return statusOf(placesOf(registry, name));
}

function handoffStatus({ handoff }: PluginFiles): string {
  return handoff?.fields["status"] ?? "";
}

function isOver(files: PluginFiles): boolean {
  return ["📦 Installed", "🚧 Improving"].includes(registryOf(files));
}

/** Validation is done, and nothing installed yet. */
function isWorking(files: PluginFiles): boolean {
  return registryOf(files) === "✅ Working" && handoffStatus(files) === "workflow_complete";
}

const STAGES = ["💡", "0", "2", "3", "4", "5"];

/** Work is out, or was handed back: the handoff is at what comes after the registry's stage. */
function isStepAhead(files: PluginFiles): boolean {
  const status = registryOf(files);
  const at = status.startsWith("💡") ? "💡" : (/^🚧 Stage (\d)/u.exec(status)?.[1] ?? "");
  const next = STAGES[STAGES.indexOf(at) + 1];
  return handoffStatus(files) === "in_progress" && files.handoff?.fields["stage"] === next;
}

/** What Holdpoint wrote is in the last commit; what was planted is not. */
function isCommitted({ registry }: Commits, why: string): boolean {
  return registry.split("\n").some((line) => line !== "" && why.includes(line));
}

export const EXCEPTIONS: readonly Exception<PluginFiles>[] = [
  {
    row: "C-05",
    because:
      "the last stage is over with workflow_complete, which the checks after a step leave out",
    drops: ({ check }, files) => check === "validity:status" && isWorking(files),
  },
  {
    row: "C-17",
    because: "`Stage 3.1` is not `Stage 3`, though the one text holds the other",
  },
  {
    row: "C-25",
    because: "the status may stand further down in its entry than in the first line",
    drops: ({ check }, { registry, name }) =>
      check === "integrity:stage" && registry.includes(`### ${name}\n\n**Status:**`),
  },
  {
    row: "C-26",
    because: "a finished plugin has no stage to compare, and is told from a stale one first",
    drops: ({ check }, files) => check === "integrity:stage" && (isWorking(files) || isOver(files)),
  },
  {
    row: "C-27",
    because: "the handoff goes when the plugin is installed, and is stale only from then on",
    drops: ({ check }, files) => check === "integrity:stale" && isWorking(files),
    adds: ({ code }, files) =>
      code === "handoff-stale" && isOver(files) ? "integrity:stale" : undefined,
  },
  {
    row: "C-29",
    because: "the checksums are those of the front matter, whatever looks like one further down",
    drops: ({ check }, { handoff }) =>
      check === "integrity:contract plan" && /^- see plan:/m.test(handoff?.text ?? ""),
  },
  {
    row: "C-31",
    because: "a draft of the parameters is enough to plan, and is not sealed in place of the spec",
    drops: ({ check }, { handoff, draft }) =>
      check === "validity:checksum parameter_spec" && draft && handoff?.fields["stage"] === "0",
  },
  {
    row: "C-42",
    because: "of the subjects that are in use, the one for a minimal editor is kept as it is",
    drops: ({ check }, { handoff, name, git }) =>
      check === "git:commit" &&
      handoff?.fields["gui_type"] === "headless" &&
      git.subjects.includes(`feat(${name}): Stage 4 - Minimal Editor (Headless)`),
  },
  {
    row: "C-44",
    because: "blanks around a cell do not matter",
    drops: ({ check }, { registry, name }) =>
      check === "registry:drift" && registry.includes(`|  ${name}  |`),
  },
  {
    row: "C-45",
    because: "an emoji and a dot make a difference",
    adds: ({ code, message }) =>
      ["registry-drift", "state-mismatch"].includes(code) && /✅ Stage|Stage 31/u.test(message)
        ? "registry:drift"
        : undefined,
  },
  {
    row: "C-66",
    because: "the handoff is made when planning begins, and work that runs is a step ahead",
    drops: ({ check }, files) =>
      (check === "integrity:no-handoff" && registryOf(files).startsWith("💡")) ||
      (check === "integrity:stage" && isStepAhead(files)),
  },
  {
    row: "C-80",
    because: "an improvement is a status of its own, which the list leaves out",
    drops: ({ check, why }) => check === "registry:status" && why.includes("Improving"),
  },
  {
    row: "C-82",
    because: "phase and status are compared too, not the stage alone",
    adds: ({ code, message }) =>
      code === "stage-mismatch" && /phase|workflow_complete/.test(message)
        ? "integrity:stage"
        : undefined,
  },
  {
    row: "C-90",
    because:
      "a plugin that is over has no handoff to miss; looking at all of them says nothing of it",
    drops: ({ check }, files) => check === "integrity:no-handoff" && isOver(files),
  },
  {
    row: "5.4",
    because: "the timelines that exist have other tags too, and a version is one of them",
    drops: ({ check, why }, { git }) =>
      check === "registry:line" && (/\(v\d+\.\d+\.\d+\)/.test(why) || !isCommitted(git, why)),
  },
];

/** Codes in which Holdpoint speaks of what a check is about. */
const CODES: readonly (readonly [check: RegExp, codes: RegExp])[] = [
  [/^handoff:yaml$/, /^handoff-unparseable$/],
  [/^handoff:title$/, /^handoff-field$/],
  [/^registry:drift$/, /^registry-/],
  [/^registry:(?:status|date|order)$/, /^registry-drift$/],
  [/^registry:line$/, /^state-mismatch$/],
  [/^integrity:no-handoff$/, /^handoff-missing$/],
  [/^integrity:stage$/, /^(?:stage-mismatch|registry-|handoff-unparseable)/],
  [/^integrity:stale$/, /^handoff-stale$/],
  [/^(?:git|history|validity):/, /^(?:state-mismatch|registry-missing)$/],
];

/** Whether a finding of Holdpoint is about what the sources object to. */
export function speaksOf({ code, file, message }: Found, { check }: Objection): boolean {
  const [, key] = /^integrity:contract (.*)$/.exec(check) ?? [];
  if (key !== undefined && code.startsWith("contract-"))
    return file.endsWith(`/${key.replace("_", "-")}.md`);
  const [, field = ""] = /^(?:handoff|integrity):(?:section |contract )?(.*)$/.exec(check) ?? [];
  if (code === "handoff-field" && field !== "title") return field !== "" && message.includes(field);
  return CODES.some(([one, codes]) => one.test(check) && codes.test(code));
}
