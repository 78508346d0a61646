/** Everything wrong with what a worker of the team contract is given: the engine builds it, the tests look at it. */
import type { Json, JsonObject } from "../src/core/values/json.ts";
import { isJsonArray, isJsonObject } from "../src/core/values/json.ts";
import { texts } from "../src/core/values/json-read.ts";
import { checkSchema } from "../src/files/json/schema.ts";
import type { Problem } from "../src/files/problem.ts";
import { contextFilesFor } from "../src/protocols/team-contract/files/context-files.ts";
import { problem } from "../src/protocols/team-contract/files/json-problems.ts";
import { META } from "../src/protocols/team-contract/files/names.ts";
import type { Worker } from "../src/protocols/team-contract/files/names.ts";
import { inputSchema } from "../src/protocols/team-contract/files/schemas/messages.ts";

export interface InputContext {
  readonly agent: Worker;
  readonly session: string;
  readonly files: ReadonlySet<string>;
  /** Ids of tasks.yaml. */
  readonly tasks: readonly string[];
}

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
