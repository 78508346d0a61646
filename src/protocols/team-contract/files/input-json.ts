import type { JsonObject } from "../../../core/values/json.ts";
import { compareTexts } from "../../../core/values/json.ts";
import { contextFilesFor } from "./context-files.ts";
import { META, type ProjectType, type Worker } from "./names.ts";
import { SESSIONS } from "./session-name.ts";
import type { Task } from "./tasks.ts";

/** A worker's input: one JSON object, built by the engine. */
export interface ChangedFile {
  readonly path: string;
  readonly change_type: "added" | "modified" | "deleted" | "renamed";
  readonly old_path?: string;
}

export interface InputParts {
  readonly agent: Worker;
  readonly session: string;
  /** Undefined for work that does not concern a single task. */
  readonly task: Task | undefined;
  readonly title: string;
  readonly goal: string;
  /** All files in the session's folder. */
  readonly files: ReadonlySet<string>;
  /** Paths of files that are to be corrected, which the worker needs as context too. */
  readonly corrects?: readonly string[];
  /** From git; undefined if that is unknown. Only for the Reviewer. */
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

/** Session files are context and not changes, so git's entries for them are left out. */
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
