/** The twelve points that make a finished step's update valid, and what each step says comes next. */
import { type Objection, objection, today, unless } from "../opinion.ts";
import { CONTRACTS, type Handoff, type PluginFiles } from "./files.ts";
import { sectionOf } from "./handoff.ts";
import { isSameStatus, placesOf, statusOf, timelineOf } from "./registry.ts";

/** A step that is done: `3`, or `3.1` for a phase of it. */
export interface Done {
  readonly stage: string;
  readonly phase: string | null;
  readonly status: string;
}

/** Which step a registry status says is done; none while validation runs, and none before and after the stages. */
export function doneAt(status: string): Done | undefined {
  if (status === "✅ Working") return { stage: "5", phase: null, status };
  const [, stage, phase] = /^🚧 Stage ([0234])(\.\d+)?$/u.exec(status) ?? [];
  if (stage === undefined) return undefined;
  return { stage, phase: phase === undefined ? null : `${stage}${phase}`, status };
}

export function judgeValidity(files: PluginFiles, done: Done, since: string): readonly Objection[] {
  const { handoff } = files;
  if (handoff === undefined) return [objection("validity:exists", "there is no handoff")];
  if (!handoff.readable) return [objection("validity:yaml", "the handoff cannot be read")];
  return [
    ...judgeStep(handoff, done, since),
    ...judgeSums(handoff),
    ...judgePlaces(files, done),
    ...judgeNext(files, handoff, done),
  ];
}

function judgeStep({ fields }: Handoff, done: Done, since: string): readonly Objection[] {
  const { stage, phase, status, last_updated: date = "" } = fields;
  return [
    ...unless(stage === done.stage, "validity:stage", `stage ${stage}, expected ${done.stage}`),
    ...unless(phase === done.phase, "validity:phase", `phase ${phase}, expected ${done.phase}`),
    ...unless(status === "complete", "validity:status", `status ${status}`),
    ...unless(
      date !== null && date >= since && date <= today(),
      "validity:date",
      `last updated ${date}`,
    ),
  ];
}

function judgeSums({ checksums = {} }: Handoff): readonly Objection[] {
  return Object.keys(CONTRACTS).flatMap((key) =>
    unless(
      checksums[key]?.startsWith("sha256:") === true,
      `validity:checksum ${key}`,
      `there is no checksum of ${key}`,
    ),
  );
}

function judgePlaces(files: PluginFiles, { stage, phase, status }: Done): readonly Objection[] {
  const places = placesOf(files.registry, files.name);
  const tag = `Stage ${phase ?? stage}`;
  const completed = files.handoff === undefined ? [] : sectionOf(files.handoff, "Completed So Far");
  return [
    ...unless(
      isSameStatus(places.rows[0]?.[1] ?? "", status),
      "validity:row",
      `the row is not at ${status}`,
    ),
    ...unless(
      isSameStatus(statusOf(places), status),
      "validity:entry",
      `the entry is not at ${status}`,
    ),
    ...unless(
      timelineOf(places).some((line) => line.tag === tag),
      "validity:timeline",
      `the timeline has no ${tag}`,
    ),
    ...unless(
      completed.some((line) => line.startsWith(`- **${tag}:**`)),
      "validity:completed",
      `Completed So Far has no ${tag}`,
    ),
  ];
}

const AGENTS: Readonly<Record<string, string>> = { "3": "dsp", "4": "gui" };
const AFTER: Readonly<Record<string, readonly (string | null)[]>> = {
  "0": ["invoke_foundation_shell_agent"],
  "2": ["invoke_dsp_agent"],
  "3": ["invoke_gui_agent"],
  "4": ["begin_stage_5", "invoke_validation", "run_validation"],
  "5": [null, "install", "improve"],
};

/** A phase leads to the next one, a stage to the agent of the one after it. */
function judgeNext(files: PluginFiles, { fields }: Handoff, done: Done): readonly Objection[] {
  const { next_action: action = null, next_phase: next = null } = fields;
  const { stage, phase } = done;
  const [, following] = phase === null ? [] : (/\.(\d+)$/.exec(phase) ?? []);
  if (following !== undefined) {
    const wanted = `${stage}.${Number(following) + 1}`;
    const agent = AGENTS[stage] ?? "";
    return unless(
      action === `continue_${agent}_phase_${wanted}` && next === wanted,
      "validity:next",
      `after ${phase} it says ${action} and ${next}`,
    );
  }
  const phased = Number(fields["complexity_score"] ?? 0) >= 3;
  const first = `${Number(stage) + 1}.1`;
  const wanted = phased && ["2", "3"].includes(stage) && hasPhase(files, first) ? first : null;
  return unless(
    (AFTER[stage] ?? []).includes(action) && next === wanted,
    "validity:next",
    `after stage ${stage} it says ${action} and ${next}`,
  );
}

function hasPhase({ plan }: PluginFiles, phase: string): boolean {
  return plan.includes(`Phase ${phase}`);
}
