import type { Field, FieldMap } from "../../../../files/front-matter.ts";
import type { ContractKey, Handoff, HandoffKind } from "./format.ts";
import { CONTRACT_KEYS, SECTIONS, pastStageZero, textOf } from "./format.ts";
import type { Problem } from "../../../../files/problem.ts";

/** Checks a handoff's fields: one small rule for each field, all problems at once. */
export function checkFields(subject: Subject): Problem[] {
  const rules = subject.kind === "pre-workflow" ? PRE_WORKFLOW_RULES : RULES;
  return rules.flatMap((rule) => rule(subject));
}

export interface Subject {
  readonly map: FieldMap;
  readonly value: Handoff;
  readonly kind: HandoffKind;
  readonly plugin: string;
}

type Rule = (subject: Subject) => readonly Problem[];

const RULES: readonly Rule[] = [
  checkPlugin,
  checkStage,
  checkPhase,
  checkStatus,
  checkDate,
  checkScore,
  checkPhased,
  checkOrchestration,
  checkGuiType,
  checkNext,
  checkChecksums,
  checkSections,
];

const PRE_WORKFLOW_RULES: readonly Rule[] = [checkPlugin, checkStage, checkDate];

function checkPlugin({ map, value, plugin }: Subject): Problem[] {
  if (value.plugin === plugin) return [];
  const fix = `Set \`plugin: ${plugin}\``;
  return [
    wrong(map, "plugin", { rule: "PW-003", wanted: `the directory name \`${plugin}\``, fix }),
  ];
}

function checkStage({ map, value, kind }: Subject): Problem[] {
  const { stage } = value;
  if (typeof stage === "number" && stage <= 6 && !quoted(map, "stage")) return [];
  const fix =
    kind === "pre-workflow"
      ? "Plan the plugin: that turns a handoff from before the workflow into one of Stage 0"
      : "Set `stage` to the number of the stage, without quotes";
  return [wrong(map, "stage", { rule: "PW-004", wanted: "an integer from 0 to 6", fix })];
}

function checkPhase({ map, value }: Subject): Problem[] {
  const { phase, stage } = value;
  if (phase === null) return [];
  const fix = 'Set `phase: null`, or the phase in quotes such as `phase: "3.1"`';
  if (phase === undefined || !PHASE.test(phase)) {
    return [wrong(map, "phase", { rule: "PW-005", wanted: "null or a phase N.M", fix })];
  }
  if (typeof stage !== "number") return [];
  if (!phase.startsWith(`${stage}.`)) {
    return [
      wrong(map, "phase", { rule: "PW-005", wanted: `null or a phase of stage ${stage}`, fix }),
    ];
  }
  if (![0, 2, 5].includes(stage)) return [];
  return [
    wrong(map, "phase", { rule: "PW-005", wanted: `null: stage ${stage} has no phases`, fix }),
  ];
}

function checkStatus({ map, value }: Subject): Problem[] {
  if (STATUSES.includes(value.status ?? "")) return [];
  const fix = "Set `status` to `in_progress`, `complete` or `workflow_complete`";
  const wanted = "`in_progress`, `complete` or `workflow_complete`";
  return [wrong(map, "status", { rule: "PW-007", wanted, fix })];
}

/** A time after the date is accepted when reading; writing drops it (PW-267). */
function checkDate({ map, value }: Subject): Problem[] {
  const text = textOf(fieldOf(map, "last_updated")?.value) ?? "";
  const about = {
    rule: "PW-008",
    wanted: "a date YYYY-MM-DD",
    fix: "Set `last_updated` to a date YYYY-MM-DD",
  };
  if (!isDate(value.lastUpdated)) return [wrong(map, "last_updated", about)];
  if (text === value.lastUpdated) return [];
  const timed = /^[T ]\d{2}:\d{2}/.test(text.slice(10));
  return [wrong(map, "last_updated", { ...about, severity: timed ? "warning" : "error" })];
}

function checkScore({ map, value }: Subject): Problem[] {
  const { complexityScore: score } = value;
  const absent = fieldOf(map, "complexity_score") === undefined || score === null;
  if (absent && !pastStageZero(value)) return [];
  if (typeof score === "number" && score >= 1 && score <= 5) return [];
  const fix = "Copy the complexity score of plan.md into `complexity_score`";
  return [
    wrong(map, "complexity_score", { rule: "PW-009", wanted: "a number from 1.0 to 5.0", fix }),
  ];
}

function checkPhased({ map, value }: Subject): Problem[] {
  const { phasedImplementation: phased, complexityScore: score } = value;
  const key = "phased_implementation";
  const absent = fieldOf(map, key) === undefined || phased === null;
  if (absent && !pastStageZero(value)) return [];
  const fix =
    "Set `phased_implementation` to true if the complexity score is 3 or more, else to false";
  if (typeof phased !== "boolean") {
    return [wrong(map, key, { rule: "PW-010", wanted: "true or false", fix })];
  }
  if (typeof score !== "number" || phased === score >= 3) return [];
  const wanted = `${score >= 3} for a complexity score of ${score}`;
  return [wrong(map, key, { rule: "PW-076", wanted, fix })];
}

function checkOrchestration({ map, value }: Subject): Problem[] {
  if (value.orchestrationMode === true) return [];
  const fix = "Set `orchestration_mode: true`";
  return [wrong(map, "orchestration_mode", { rule: "PW-011", wanted: "true", fix })];
}

function checkGuiType({ map }: Subject): Problem[] {
  const field = fieldOf(map, "gui_type");
  const text = textOf(field?.value);
  if (field === undefined || text === "headless" || text === "webview") return [];
  const fix = "Set `gui_type` to `headless` or `webview`, or remove the line";
  return [wrong(map, "gui_type", { rule: "PW-272", wanted: "`headless` or `webview`", fix })];
}

function checkNext({ map, value }: Subject): Problem[] {
  const problems: Problem[] = [];
  const about = { rule: "PW-012", fix: "Set it to null, or leave the line out" };
  if (value.nextAction === undefined && fieldOf(map, "next_action") !== undefined) {
    problems.push(wrong(map, "next_action", { ...about, wanted: "a text or null" }));
  }
  const phase = value.nextPhase;
  const wrongPhase =
    phase === undefined ? fieldOf(map, "next_phase") !== undefined : !PHASE.test(phase ?? "0.1");
  if (wrongPhase)
    problems.push(wrong(map, "next_phase", { ...about, wanted: "a phase N.M or null" }));
  return problems;
}

function checkChecksums({ map, value }: Subject): Problem[] {
  const field = fieldOf(map, "contract_checksums");
  const fix = "Store the SHA-256 sums of the four contracts under `contract_checksums`";
  if (field === undefined || field.value.kind !== "map") {
    const due = pastStageZero(value) || (field !== undefined && textOf(field.value) !== null);
    const wanted = "a map of the four contracts' checksums";
    return due ? [wrong(map, "contract_checksums", { rule: "PW-123", wanted, fix })] : [];
  }
  const sums = field.value.map;
  return CONTRACT_KEYS.flatMap((key) => checkChecksum(key, sums, value));
}

function checkChecksum(key: ContractKey, sums: FieldMap, value: Handoff): Problem[] {
  const sum = value.checksums?.[key];
  const name = `contract_checksums.${key}`;
  const fix = `Store \`sha256:\` and the SHA-256 sum of the contract under \`${name}\``;
  const present = fieldOf(sums, key) !== undefined;
  if (!present) {
    return pastStageZero(value)
      ? [wrong(sums, key, { name, rule: "PW-123", wanted: "a checksum", fix })]
      : [];
  }
  if (sum === null) {
    const wanted = "a checksum once Stage 0 is complete";
    return nullAllowed(key, value) ? [] : [wrong(sums, key, { name, rule: "PW-051", wanted, fix })];
  }
  if (sum !== undefined && CHECKSUM.test(sum)) return [];
  return [wrong(sums, key, { name, rule: "PW-013", wanted: "`sha256:` and 64 hex digits", fix })];
}

/** The plan may come late (PW-014), the parameter spec by Stage 2 (PW-056), the others with Stage 0. */
function nullAllowed(key: ContractKey, value: Handoff): boolean {
  if (key === "plan" || !pastStageZero(value)) return true;
  return key === "parameter_spec" && typeof value.stage === "number" && value.stage < 2;
}

function checkSections({ value }: Subject): Problem[] {
  const missing = SECTIONS.filter((section) => !value.sections.includes(section)).map(
    (one) => `## ${one}`,
  );
  if (value.title === undefined) missing.unshift("# <title>");
  return missing.map((heading) => ({
    code: "handoff-field",
    line: 0,
    message: `The heading \`${heading}\` is missing`,
    fix: `Add \`${heading}\`; the next write by the engine does it`,
    rule: "PW-015",
    severity: "warning",
  }));
}

const PHASE = /^\d\.[1-9]\d{0,3}$/;
const CHECKSUM = /^sha256:[0-9a-f]{64}$/i;
const STATUSES: readonly string[] = ["in_progress", "complete", "workflow_complete"];

export function isDate(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

interface About {
  readonly rule: string;
  readonly wanted: string;
  readonly fix: string;
  /** The field's name in messages, if it differs from the key. */
  readonly name?: string;
  readonly severity?: Problem["severity"];
}

function wrong(map: FieldMap, key: string, about: About): Problem {
  const field = fieldOf(map, key);
  const name = about.name ?? key;
  const message =
    field === undefined
      ? `The field \`${name}\` is missing; it must be ${about.wanted}`
      : `The field \`${name}\` is ${shown(field)}; it must be ${about.wanted}`;
  const { rule, fix, severity = "error" } = about;
  return { code: "handoff-field", line: field?.line ?? 1, message, fix, rule, severity };
}

function shown(field: Field): string {
  if (field.value.kind === "map") return "a map";
  if (field.value.kind === "other") return "a list or reference";
  const { text, quoted: inQuotes } = field.value;
  if (!inQuotes && text === "") return "empty";
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\`${inQuotes ? " in quotes" : ""}`;
}

function quoted(map: FieldMap, key: string): boolean {
  const value = fieldOf(map, key)?.value;
  return value?.kind === "text" && value.quoted;
}

function fieldOf(map: FieldMap, key: string): Field | undefined {
  return map.fields.find((field) => field.key === key);
}
