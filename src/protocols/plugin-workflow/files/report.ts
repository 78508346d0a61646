import { canonicalJson, isJsonObject, type JsonObject } from "../../../core/values/json.ts";
import { readJson } from "../../../files/json/text.ts";
import { readMarkdown } from "../../../files/markdown.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { reader, type Reader } from "./report-reader.ts";

/**
 * The report of a stage agent: JSON, in a fenced block, between the outermost braces, or the whole
 * text (PW-073).
 *
 *   { "agent": "dsp-agent", "status": "success" | "failure",
 *     "outputs": { "stage_completed": 3, "phase_completed": "3.2", "files_modified": [],
 *                  "state_files_updated": [], "error_type": "", "error_message": "",
 *                  "failed_operation": "", "implementation_status": "", "state_status": "" },
 *     "issues": [], "ready_for_next_stage": true,
 *     "stateUpdated": true, "stateUpdateError": null }
 *
 * Read with tolerance: null is absent, known aliases are mapped, unknown keys are kept and warned
 * about. Types are strict: one wrong type and there is no report (PW-074).
 */
export interface PluginReport {
  readonly agent: string;
  readonly status: "success" | "failure";
  readonly outputs: ReportOutputs;
  readonly issues: readonly string[];
  readonly readyForNextStage: boolean;
  readonly stateUpdated: boolean;
  /** False if the report does not say, which counts as not updated (PW-065). */
  readonly stateUpdatedGiven: boolean;
  readonly stateUpdateError: string | undefined;
  /** Optional texts for the state files: what was completed, next steps, description. */
  readonly hints: ReportHints;
  /** Whether the work succeeded and whether the state was written are separate results (PW-068). */
  readonly implementation: "complete" | "failed";
  readonly state: "updated" | "not-updated";
  /** The object as it was received. */
  readonly raw: JsonObject;
}

export interface ReportOutputs {
  readonly pluginName: string | undefined;
  readonly stageCompleted: number | undefined;
  readonly phaseCompleted: string | undefined;
  readonly filesModified: readonly string[];
  readonly stateFilesUpdated: readonly string[];
  readonly errorType: string | undefined;
  readonly errorMessage: string | undefined;
  readonly failedOperation: string | undefined;
  readonly implementationStatus: string | undefined;
  readonly stateStatus: string | undefined;
}

export interface ReportHints {
  readonly completed: string | undefined;
  readonly nextSteps: readonly string[];
  readonly description: string | undefined;
}

/**
 * Undefined value as soon as one problem is an error. Codes: `report-unreadable`, `report-field`,
 * `report-unknown-key` (a warning).
 */
export function parseReport(
  text: string,
  expected: { readonly agent?: string; readonly plugin?: string } = {},
): Parsed<PluginReport> {
  const found = findObject(text);
  if (found.kind === "none") return { value: undefined, problems: [unreadable(found.message)] };
  if (found.kind === "several") return { value: undefined, problems: [ambiguous(found.count)] };
  const read = reader("", found.value);
  const value = readReport(read, found.value);
  checkExpected(read, value, expected);
  read.unknownKeys(KNOWN_KEYS);
  const { problems } = read;
  return {
    value: problems.some(({ severity }) => severity === "error") ? undefined : value,
    problems,
  };
}

function readReport(read: Reader, raw: JsonObject): PluginReport {
  const status = readStatus(read);
  const outputs = readOutputs(read.object("outputs", "PW-062"));
  const stateUpdated = read.flag(["stateUpdated", "state_updated"], { rule: "PW-065" });
  const onlyState =
    outputs.errorType === "state_update_failure" && outputs.implementationStatus === "complete";
  return {
    agent: read.text(["agent"], { rule: "PW-062", required: true }) ?? "",
    status,
    outputs,
    issues: read.texts(["issues"], { rule: "PW-064", required: true }),
    readyForNextStage:
      read.flag(["ready_for_next_stage", "readyForNextStage"], {
        rule: "PW-062",
        required: true,
      }) ?? false,
    stateUpdated: stateUpdated === true,
    stateUpdatedGiven: stateUpdated !== undefined,
    stateUpdateError: read.text(["stateUpdateError", "state_update_error"], { rule: "PW-065" }),
    hints: {
      completed: read.text(["completed", "completionStatement", "completion_statement"], {
        rule: "PW-074",
      }),
      nextSteps: read.texts(["nextSteps", "next_steps"], { rule: "PW-074" }),
      description: read.text(["description"], { rule: "PW-074" }),
    },
    implementation: status === "success" || onlyState ? "complete" : "failed",
    state: stateUpdated === true ? "updated" : "not-updated",
    raw,
  };
}

/** Agents also use `error` and `blocked` for a failure. */
function readStatus(read: Reader): PluginReport["status"] {
  const text = read.text(["status"], { rule: "PW-062", required: true });
  if (text === undefined || text === "success") return "success";
  if (!["failure", "error", "blocked"].includes(text)) {
    read.report(
      "status",
      `is ${JSON.stringify(text.slice(0, 80))}; it must be "success" or "failure"`,
      "PW-062",
    );
  }
  return "failure";
}

function readOutputs(read: Reader): ReportOutputs {
  const phase = read.text(["phase_completed"], { rule: "PW-066" });
  if (phase !== undefined && !/^\d\.[1-9]\d*$/.test(phase)) {
    read.report("phase_completed", 'must be a text such as "3.2"', "PW-066");
  }
  const text = (key: string): string | undefined => read.text([key], { rule: "PW-067" });
  return {
    pluginName: read.text(["plugin_name"], { rule: "PW-074" }),
    stageCompleted: read.integer(["stage_completed"], { rule: "PW-066" }),
    phaseCompleted: phase,
    filesModified: read.texts(
      ["files_modified", "filesModified", "filesCreated", "files_created"],
      { rule: "PW-066" },
    ),
    stateFilesUpdated: read.texts(["state_files_updated"], { rule: "PW-066" }),
    errorType: text("error_type"),
    errorMessage: text("error_message"),
    failedOperation: text("failed_operation"),
    implementationStatus: text("implementation_status"),
    stateStatus: text("state_status"),
  };
}

function checkExpected(
  read: Reader,
  value: PluginReport,
  expected: { readonly agent?: string; readonly plugin?: string },
): void {
  const { agent, plugin } = expected;
  if (agent !== undefined && value.agent !== "" && value.agent !== agent) {
    read.report(
      "agent",
      `is ${JSON.stringify(value.agent.slice(0, 80))}; the stage was given to "${agent}"`,
      "PW-063",
    );
  }
  const named = value.outputs.pluginName;
  if (plugin !== undefined && named !== undefined && named !== plugin) {
    read.report(
      "outputs.plugin_name",
      `is ${JSON.stringify(named.slice(0, 80))}; the work is on "${plugin}"`,
      "PW-074",
    );
  }
}

const KNOWN_KEYS: readonly string[] = [
  "agent",
  "status",
  "outputs",
  "issues",
  "ready_for_next_stage",
  "readyForNextStage",
  "ready_for_next_phase",
  "next_phase",
  "stateUpdated",
  "state_updated",
  "stateUpdateError",
  "state_update_error",
  "completed",
  "completionStatement",
  "completion_statement",
  "nextSteps",
  "next_steps",
  "description",
];

type FoundObject =
  | { readonly kind: "one"; readonly value: JsonObject }
  | { readonly kind: "several"; readonly count: number }
  | { readonly kind: "none"; readonly message: string };

/**
 * The first object, or the one of several that is a report. If two different ones could be, it is unknown which
 * is meant.
 */
function findObject(text: string): FoundObject {
  if (text.length > REPORT_MAX)
    return { kind: "none", message: `it is longer than ${REPORT_MAX} characters` };
  const braces = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
  let message = "it holds no JSON object";
  for (const candidates of [fencedBlocks(text), [braces], [text]]) {
    const objects: JsonObject[] = [];
    for (const candidate of candidates.filter((one) => one.trim() !== "")) {
      const read = readJson(candidate);
      if (read.ok && isJsonObject(read.value)) objects.push(read.value);
      if (!read.ok && candidate.includes("{")) message = `its JSON is broken: ${read.message}`;
    }
    const reports = objects.filter((one) => "status" in one);
    const count = new Set(reports.map(canonicalJson)).size;
    if (count > 1) return { kind: "several", count };
    const [value] = [...reports, ...objects];
    if (value !== undefined) return { kind: "one", value };
  }
  return { kind: "none", message };
}

const REPORT_MAX = 1024 * 1024;

/** Contents of the fenced blocks marked `json`. */
function fencedBlocks(text: string): string[] {
  const { lines, kinds } = readMarkdown(text);
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (kinds[at] !== "fence") continue;
    const line = lines[at];
    const opener = text.slice(line?.start, line?.end).trim();
    const mark = opener.charAt(0);
    let end = at + 1;
    while (kinds[end] === "fence" && !closes(text.slice(lines[end]?.start, lines[end]?.end), mark))
      end += 1;
    if (/^(?:`{3,}|~{3,})\s*json\b/i.test(opener))
      blocks.push(text.slice(line?.next, lines[end]?.start ?? text.length));
    at = end;
  }
  return blocks;
}

function closes(line: string, mark: string): boolean {
  const words = line.trim();
  return words.length >= 3 && words === mark.repeat(words.length);
}

function ambiguous(count: number): Problem {
  return {
    code: "report-ambiguous",
    line: 0,
    message: `The answer holds ${count} reports that differ`,
    fix: "Give the one that counts, and only that",
    rule: "PW-073",
    severity: "error",
  };
}

function unreadable(message: string): Problem {
  const fix = "Answer with one JSON object in a fenced json block";
  return {
    code: "report-unreadable",
    line: 0,
    message: `The report cannot be read: ${message}`,
    fix,
    rule: "PW-073",
    severity: "error",
  };
}
