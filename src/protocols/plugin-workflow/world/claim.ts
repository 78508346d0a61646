import type { Refusal } from "../../../core/decide/answer.ts";
import type { Claim } from "../../../core/state/commands.ts";
import { isJsonObject, parseJson, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { parseHandoff } from "../files/handoff/handoff.ts";
import type { Problem } from "../../../files/problem.ts";
import { parseReport } from "../files/report.ts";
import type { PluginReport } from "../files/report.ts";
import type { ReadReport, World } from "../../../ports/family.ts";
import { handoffOf } from "../table/paths.ts";

/** How much of an answer without a report is kept in the journal. */
const RAW_CHARS_MAX = 4_000;

/**
 * Reads an agent's answer into a claim. A malformed report is refused; prose without a report leads to a
 * question.
 */
export function readReport(text: string, dispatch: Dispatch, state: Workflow): ReadReport {
  const advice = readAdvice(text);
  if (advice !== undefined) return { kind: "advice", text: advice };
  const { value, problems } = parseReport(text, { plugin: state.id });
  const errors = problems.filter((one) => one.severity === "error");
  if (value !== undefined) {
    const warnings = problems.map((one) => one.message);
    return { kind: "report", claim: claimOf(value, dispatch, state), warnings };
  }
  if (errors.some((one) => one.code === "report-unreadable")) {
    const raw = text.slice(0, RAW_CHARS_MAX);
    return {
      kind: "report",
      claim: { agent: dispatch.role, outcome: "unreadable", raw, why: `It says:\n${raw}` },
      warnings: [],
      formless: true,
    };
  }
  return { kind: "refused", refusals: errors.map(refusalOf) };
}

function refusalOf({ code, message, fix, rule }: Problem): Refusal {
  return { code, message, fix, rule };
}

/** The validation agent only advises people. Its report moves nothing, and an unreadable one blocks nothing. */
function readAdvice(text: string): string | undefined {
  if (!text.includes("validation-agent")) return undefined;
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || parsed["agent"] !== "validation-agent") return undefined;
  const { status, recommendation } = parsed;
  return `${showJson(status)}: ${showJson(recommendation ?? "")}`.slice(0, RAW_CHARS_MAX);
}

function claimOf(report: PluginReport, dispatch: Dispatch, state: Workflow): Claim {
  const { outputs, hints, issues } = report;
  const outcome = outcomeOf(report);
  return {
    agent: report.agent,
    outcome,
    ...(FINISHING.includes(outcome) ? {} : { why: whyOf(report) }),
    stage: outputs.stageCompleted ?? null,
    phase: outputs.phaseCompleted ?? null,
    files: outputs.filesModified,
    stateFiles: outputs.stateFilesUpdated,
    stateUpdated: report.stateUpdated,
    stateError: report.stateUpdateError ?? null,
    implementation: report.implementation,
    issues,
    error: outputs.errorMessage ?? null,
    errorType: outputs.errorType ?? null,
    parameters: parameterCount(report.raw),
    description: hints.description ?? hints.completed ?? defaultDescription(dispatch, state),
  };
}

const FINISHING: readonly string[] = ["success", "state-failure"];

/** Shown to a person above the menu if the work did not end well. */
function whyOf({ outputs, issues, agent }: PluginReport): string {
  const said = [outputs.errorType, outputs.errorMessage, ...issues].filter(
    (one) => one !== undefined && one !== "",
  );
  return said.length === 0 ? `${agent} gave no reason` : `${agent}: ${said.join("; ")}`;
}

function outcomeOf(report: PluginReport): string {
  const { outputs } = report;
  if (report.status === "failure") {
    const stateOnly =
      outputs.errorType === "state_update_failure" && report.implementation === "complete";
    return stateOnly ? "state-failure" : "failure";
  }
  return report.readyForNextStage ? "success" : "not-ready";
}

function parameterCount(raw: JsonObject): Json {
  const outputs = raw["outputs"];
  const count = isJsonObject(outputs) ? outputs["parameter_count"] : undefined;
  return typeof count === "number" ? `${count} parameters implemented` : "parameters not counted";
}

/** The name of a step if the agent gives none: the phase's title, or who says that it is done. */
function defaultDescription(dispatch: Dispatch, state: Workflow): string {
  const title = state.units[dispatch.unit]?.data["title"];
  if (typeof title === "string" && title !== "") return title;
  return `reported by ${dispatch.role}`;
}

/** Claims only the position in the handoff; a person vouches for the rest. */
export async function claimOfFiles(
  { workspace }: World,
  state: Workflow,
  dispatch: Dispatch,
): Promise<Claim> {
  const file = await workspace.read(handoffOf(state.id));
  const handoff =
    file.kind === "text" ? parseHandoff(file.text, { plugin: state.id }).value : undefined;
  return {
    agent: dispatch.role,
    outcome: "success",
    stage: handoff?.stage ?? null,
    phase: handoff?.phase ?? null,
    files: [],
    stateUpdated: true,
    description: defaultDescription(dispatch, state),
  };
}
