import type { Json, JsonObject } from "../../../core/values/json.ts";
import { compareTexts, isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import { texts } from "../../../core/values/json-read.ts";
import type { Problem } from "../../../files/problem.ts";
import { contextFilesFor } from "./context-files.ts";
import { problem } from "./json-problems.ts";
import { META, type ProjectType, type Worker } from "./names.ts";
import { inputSchema } from "./schema-messages.ts";
import { checkSchema } from "../../../files/json-schema.ts";
import { SESSIONS } from "./session-name.ts";
import type { Task } from "./tasks.ts";

/** What a worker is given: one JSON object, built by the engine, checked before anybody is started. */
export interface ChangedFile {
  readonly path: string;
  readonly change_type: "added" | "modified" | "deleted" | "renamed";
  readonly old_path?: string;
}

export interface InputParts {
  readonly agent: Worker;
  readonly session: string;
  /** Undefined for work that is not tied to one task. */
  readonly task: Task | undefined;
  readonly title: string;
  readonly goal: string;
  /** All files of the session folder. */
  readonly files: ReadonlySet<string>;
  /** Files that are to be corrected, by their paths; they are context too. */
  readonly corrects?: readonly string[];
  /** From git; undefined when it cannot be told. Only the Reviewer is given it. */
  readonly changed: readonly ChangedFile[] | undefined;
  readonly constraints: readonly string[];
  readonly projectType: ProjectType;
  readonly repo: { readonly branch: string; readonly ci: string; readonly failed: string | null };
  readonly tools: readonly string[];
  readonly lean: boolean;
  readonly researchQuestion?: string;
}

export function buildInput(parts: InputParts): JsonObject {
  const { agent, task, repo } = parts;
  const { required } = contextFilesFor(agent, parts.session, parts.files);
  const own = agent === "SpecAgent" ? [] : (task?.contextFiles ?? []);
  const reviewed =
    agent === "Reviewer" ? { session_changed_files: changedFiles(parts.changed) } : {};
  return {
    task: {
      id: task?.id ?? META,
      title: parts.title,
      goal: parts.goal,
      non_goals: task?.nonGoals ?? [],
      context_files: [...new Set([...required, ...(parts.corrects ?? []), ...own])],
      ...reviewed,
      constraints: parts.constraints,
      acceptance_checks: task?.checks ?? [],
      risk_flags: task === undefined || task.risks.length === 0 ? ["none"] : task.risks,
    },
    project_type: parts.projectType,
    repo_state: { branch: repo.branch, ci_status: repo.ci, last_failed_step: repo.failed },
    tools_available: parts.tools,
    artifact_list: [...parts.files].sort().map((file) => `${SESSIONS}/${parts.session}/${file}`),
    ...(parts.lean && agent === "SpecAgent" ? { lean: true } : {}),
    ...(parts.researchQuestion === undefined ? {} : { research_question: parts.researchQuestion }),
  };
}

/** Session files are context, not changes; what git says about them is left out. */
function changedFiles(changed: readonly ChangedFile[] = []): readonly JsonObject[] {
  return changed
    .filter(({ path }) => !path.startsWith(`${SESSIONS}/`))
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .map(({ path, change_type, old_path }) => ({
      path,
      change_type,
      ...(old_path === undefined ? {} : { old_path }),
    }));
}

export interface InputContext {
  readonly agent: Worker;
  readonly session: string;
  readonly files: ReadonlySet<string>;
  /** Ids of tasks.yaml. */
  readonly tasks: readonly string[];
}

/** Everything wrong with an input, before it is sent. Codes: `input-field`, `context-missing`. */
export function checkInput(input: Json, context: InputContext): readonly Problem[] {
  const fields = checkSchema(inputSchema, input).map(({ message, fix, rule }) =>
    problem({ code: "input-field", line: 0, message, fix, rule }),
  );
  const task = isJsonObject(input) ? input["task"] : undefined;
  if (!isJsonObject(task)) return fields;
  return [
    ...fields,
    ...idProblems(task, context),
    ...contextProblems(task, context),
    ...changedProblems(task, context),
    ...riskProblems(task),
  ];
}

function idProblems(task: JsonObject, { tasks }: InputContext): readonly Problem[] {
  const { id } = task;
  if (typeof id !== "string" || id === META || tasks.includes(id)) return [];
  return [said(`task.id ${id} is not in tasks.yaml`, "Use one of its ids, or meta.", "TC-008")];
}

function contextProblems(task: JsonObject, context: InputContext): readonly Problem[] {
  const listed = texts(task["context_files"]);
  const { required, missing } = contextFilesFor(context.agent, context.session, context.files);
  const absent = required.filter((path) => !listed.includes(path) && !missing.includes(path));
  const placeholders = listed.filter((path) => /[<{]\s*session\s*[>}]/i.test(path));
  return [
    ...missing.map((path) =>
      problem({
        code: "context-missing",
        line: 0,
        message: `${context.agent} needs ${path}, which does not exist`,
        fix: "Let the agent that makes it run first.",
        rule: "TC-035",
      }),
    ),
    ...absent.map((path) =>
      said(`context_files lacks ${path}`, `List ${path}.`, ruleOfContext(path)),
    ),
    ...placeholders.map((path) =>
      said(
        `context_files holds the placeholder ${path}`,
        "Write the session's real name.",
        "TC-036",
      ),
    ),
    ...(listed.length === 0 && context.agent !== "SpecAgent"
      ? [said("context_files is empty", "Only SpecAgent starts from nothing.", "TC-031")]
      : []),
  ];
}

function ruleOfContext(path: string): string {
  return path.includes("/design-specs/")
    ? "TC-033"
    : /\/(?:research\/|architecture)/.test(path)
      ? "TC-032"
      : "TC-030";
}

function changedProblems(task: JsonObject, { agent }: InputContext): readonly Problem[] {
  const changed = task["session_changed_files"];
  if (agent === "Reviewer")
    return isJsonArray(changed)
      ? []
      : [said("session_changed_files is missing", "The Reviewer is told what changed.", "TC-009")];
  const empty = changed === undefined || (isJsonArray(changed) && changed.length === 0);
  return empty
    ? []
    : [said(`session_changed_files is not for ${agent}`, "Only the Reviewer gets it.", "TC-009")];
}

function riskProblems(task: JsonObject): readonly Problem[] {
  const flags = texts(task["risk_flags"]);
  if (!flags.includes("none") || flags.length === 1) return [];
  return [said("risk_flags has none beside other flags", "none stands alone.", "TC-015")];
}

function said(message: string, fix: string, rule: string): Problem {
  return problem({ code: "input-field", line: 0, message, fix, rule });
}
