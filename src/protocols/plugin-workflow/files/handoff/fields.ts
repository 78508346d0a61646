import { type FieldMap, readFrontMatter } from "../../../../files/front-matter.ts";
import { type Setting, setFields } from "../../../../files/front-matter-edit.ts";
import { CONTRACT_KEYS, type Checksums, type ContractKey, type GuiType } from "./format.ts";
import { isDate } from "./rules.ts";
import { checkPluginName } from "../plugins-md/plugins-md.ts";
import type { Problem } from "../../../../files/problem.ts";
import { type Edit, eolOf } from "../../../../files/text.ts";

/** Absent fields stay as they are; null is written as `null`. */
export interface HandoffFields {
  readonly plugin?: string;
  readonly stage?: number;
  readonly phase?: string | null;
  readonly status?: "in_progress" | "complete" | "workflow_complete";
  /** `YYYY-MM-DD`. */
  readonly lastUpdated?: string;
  readonly complexityScore?: number | null;
  readonly phasedImplementation?: boolean | null;
  readonly orchestrationMode?: true;
  readonly guiType?: GuiType;
  readonly nextAction?: string | null;
  readonly nextPhase?: string | null;
  /** Only the keys given are set. */
  readonly checksums?: Checksums;
}

export const REQUIRED_FIELDS: readonly string[] = [
  "plugin",
  "stage",
  "phase",
  "status",
  "last_updated",
  "complexity_score",
  "phased_implementation",
  "orchestration_mode",
];

/** The documented order of keys (PW-016). */
export const FIELD_ORDER: readonly string[] = [
  ...REQUIRED_FIELDS,
  "gui_type",
  "next_action",
  "next_phase",
  "contract_checksums",
];

/** The edits that set `fields`, or what is wrong with them. */
export function fieldEdits(
  text: string,
  fields: HandoffFields,
): { edits: Edit[]; problems: Problem[] } {
  const problems = checkValues(fields);
  const read = readFrontMatter(text);
  if (problems.length > 0 || read.state !== "read") return { edits: [], problems };
  const { map } = read.frontMatter;
  const settings = scalarSettings(fields);
  const sums = fields.checksums;
  const held = map.fields.find((field) => field.key === "contract_checksums");
  if (sums === undefined) return { edits: setFields(text, map, settings, FIELD_ORDER), problems };
  if (held?.value.kind === "map" && held.value.map.fields.length > 0) {
    const nested = setFields(text, held.value.map, checksumSettings(sums), CONTRACT_KEYS);
    return { edits: [...setFields(text, map, settings, FIELD_ORDER), ...nested], problems };
  }
  const whole = { key: "contract_checksums", yaml: checksumMap(sums, map, eolOf(text)) };
  return { edits: setFields(text, map, [...settings, whole], FIELD_ORDER), problems };
}

function scalarSettings(fields: HandoffFields): Setting[] {
  return [
    ...setting("plugin", fields.plugin, word),
    ...setting("stage", fields.stage, String),
    ...setting("phase", fields.phase, inQuotes),
    ...setting("status", fields.status, String),
    ...setting("last_updated", fields.lastUpdated, String),
    ...setting("complexity_score", fields.complexityScore, decimal),
    ...setting("phased_implementation", fields.phasedImplementation, String),
    ...setting("orchestration_mode", fields.orchestrationMode, String),
    ...setting("gui_type", fields.guiType, String),
    ...setting("next_action", fields.nextAction, word),
    ...setting("next_phase", fields.nextPhase, inQuotes),
  ];
}

function setting<T>(
  key: string,
  value: T | null | undefined,
  yaml: (value: T) => string,
): Setting[] {
  return value === undefined ? [] : [{ key, yaml: value === null ? "null" : yaml(value) }];
}

function inQuotes(phase: string): string {
  return `"${phase}"`;
}

function checksumSettings(sums: Checksums): Setting[] {
  return CONTRACT_KEYS.flatMap((key) => setting(key, sums[key], String));
}

function checksumMap(sums: Checksums, map: FieldMap, eol: string): string {
  const lines = checksumSettings(sums).map(({ key, yaml }) => `${key}: ${yaml}`);
  if (map.flow || lines.length === 0) return `{${lines.join(", ")}}`;
  return lines.map((line) => `${eol}${map.indent}  ${line}`).join("");
}

/** A text as a YAML value: plain if YAML can only read it as text, otherwise in double quotes. */
function word(text: string): string {
  const safe = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(text);
  return safe && !/^(?:null|true|false|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

function decimal(score: number): string {
  return Number.isInteger(score) ? score.toFixed(1) : String(score);
}

function checkValues(fields: HandoffFields): Problem[] {
  const { plugin, stage, lastUpdated, complexityScore: score, checksums = {} } = fields;
  const bad: [string, string, boolean][] = [
    ["plugin", "PW-168", plugin !== undefined && checkPluginName(plugin) !== undefined],
    ["stage", "PW-004", stage !== undefined && ![0, 1, 2, 3, 4, 5, 6].includes(stage)],
    ["phase", "PW-005", !isPhase(fields.phase)],
    ["last_updated", "PW-008", lastUpdated !== undefined && !isDate(lastUpdated)],
    ["complexity_score", "PW-009", typeof score === "number" && !(score >= 1 && score <= 5)],
    ["next_phase", "PW-012", !isPhase(fields.nextPhase)],
    ...CONTRACT_KEYS.map((key): [string, string, boolean] => [
      `contract_checksums.${key}`,
      "PW-013",
      !isSum(checksums, key),
    ]),
  ];
  return bad
    .filter(([, , wrong]) => wrong)
    .map(([field, rule]) => ({
      code: "handoff-field",
      line: 0,
      message: `Cannot write the field \`${field}\`: the value is not legal`,
      fix: "Give a value of the documented form",
      rule,
      severity: "error",
    }));
}

function isPhase(phase: string | null | undefined): boolean {
  return phase === null || phase === undefined || /^\d\.[1-9]\d{0,3}$/.test(phase);
}

function isSum(sums: Checksums, key: ContractKey): boolean {
  const sum = sums[key];
  return sum === null || sum === undefined || /^sha256:[0-9a-f]{64}$/i.test(sum);
}
