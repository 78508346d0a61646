/** The nine rules for `.continue-here.md` that the state contract lists, and the fields it calls required. */
import { type Objection, isDate, objection, unless } from "../opinion.ts";
import { CONTRACTS, type Handoff, type PluginFiles } from "./files.ts";

const STATUSES = ["in_progress", "complete", "workflow_complete"];

const SECTIONS: Readonly<Record<string, RegExp>> = {
  "Current State": /^Current State:/,
  "Completed So Far": /^Completed So Far$/,
  "Next Steps": /^Next Steps$/,
  "Build Artifacts": /^Build Artifacts$/,
  "Testing Checklist": /^Testing Checklist$/,
  "Context to Preserve": /^Context to Preserve$/,
};

export function judgeHandoff({ name, handoff }: PluginFiles): readonly Objection[] {
  if (handoff === undefined) return [];
  if (!handoff.readable) return [objection("handoff:yaml", "the front matter cannot be read")];
  return [
    ...judgeFields(name, handoff),
    ...judgeScore(handoff),
    ...judgeChecksums(handoff),
    ...judgeSections(handoff),
  ];
}

function judgeFields(name: string, { fields }: Handoff): readonly Objection[] {
  const { plugin, stage, phase, status, last_updated: date, orchestration_mode: mode } = fields;
  return [
    ...unless(plugin === name, "handoff:plugin", `it is about ${plugin}`),
    ...unless(/^[0-6]$/.test(stage ?? ""), "handoff:stage", `stage ${stage} is no number 0-6`),
    ...unless(
      phase === null || (phase !== undefined && /^\d+\.\d+$/.test(phase)),
      "handoff:phase",
      `phase ${phase} is neither null nor N.M`,
    ),
    ...unless(STATUSES.includes(status ?? ""), "handoff:status", `status ${status}`),
    ...unless(isDate(date ?? ""), "handoff:last_updated", `last_updated ${date}`),
    ...unless(mode === "true", "handoff:orchestration_mode", `orchestration_mode ${mode}`),
  ];
}

/** Both come from the plan, so both may be open only until planning is done; from 3 on it goes in phases. */
function judgeScore({ fields }: Handoff): readonly Objection[] {
  const { complexity_score: score, phased_implementation: phased } = fields;
  const open = fields["stage"] === "0" && fields["status"] === "in_progress";
  const number = Number(score ?? Number.NaN);
  return [
    ...unless(
      (score === null && open) || (number >= 1 && number <= 5),
      "handoff:complexity_score",
      `complexity_score ${score}`,
    ),
    ...unless(
      (phased === null && open) ||
        (Number.isNaN(number) ? isFlag(phased) : phased === String(number >= 3)),
      "handoff:phased_implementation",
      `phased_implementation ${phased}`,
    ),
  ];
}

function isFlag(value: string | null | undefined): boolean {
  return value === "true" || value === "false";
}

function judgeChecksums({ checksums }: Handoff): readonly Objection[] {
  if (checksums === undefined)
    return [objection("handoff:contract_checksums", "there are no checksums")];
  return Object.keys(CONTRACTS).flatMap((key) => {
    const sum = checksums[key];
    const fits = sum === null || (sum !== undefined && /^sha256:[0-9a-f]{64}$/.test(sum));
    return unless(fits, `handoff:contract_checksums.${key}`, `the checksum of ${key} is ${sum}`);
  });
}

function judgeSections({ sections }: Handoff): readonly Objection[] {
  const missing = Object.entries(SECTIONS).filter(
    ([, title]) => !sections.some((one) => one.level === 2 && title.test(one.title)),
  );
  return [
    ...unless(
      sections.some((one) => one.level === 1),
      "handoff:title",
      "it has no title",
    ),
    ...missing.map(([title]) => objection(`handoff:section ${title}`, `## ${title} is missing`)),
  ];
}

/** The body of a section, by the beginning of its title. */
export function sectionOf({ sections }: Handoff, title: string): readonly string[] {
  return sections.find((one) => one.level === 2 && one.title.startsWith(title))?.lines ?? [];
}
