/** What an outsider can read of one session. */
import { parse } from "yaml";
import { type Fields, fieldsOf, isFields, isText, listOf, readJson } from "../opinion.ts";

/** A tree with session folders in it. */
export interface Tree {
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string;
}

export interface SessionFiles {
  readonly id: string;
  /** The files of the folder that have a meaning, as text; absent ones are undefined. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** status.json, or undefined where it is no JSON object. */
  readonly status: Fields | undefined;
  readonly decisions: readonly Fields[];
  /** The tasks of tasks.yaml, or undefined where it cannot be read. */
  readonly tasks: readonly Fields[] | undefined;
  /** No design, no gates: one task and its review. */
  readonly lean: boolean;
}

export const FILES = [
  "status.json",
  "spec.md",
  "acceptance.json",
  "architecture.md",
  "tasks.yaml",
  "report.md",
  "approve-design-history.jsonl",
] as const;

export function readSession(tree: Tree, id: string): SessionFiles {
  const texts = Object.fromEntries(
    FILES.map((file) => {
      const path = `.agents-work/${id}/${file}`;
      return [file, tree.has(path) ? tree.read(path) : undefined];
    }),
  );
  const status = readJson(texts["status.json"]);
  const known = isFields(status) ? status : undefined;
  return {
    id,
    texts,
    status: known,
    decisions: listOf(known?.["user_decisions"]).map((one) => fieldsOf(one)),
    tasks: readTasks(texts["tasks.yaml"]),
    lean: known?.["mode"] === "lean",
  };
}

function readTasks(text: string | undefined): readonly Fields[] | undefined {
  if (text === undefined) return undefined;
  try {
    const { tasks } = fieldsOf(parse(text));
    return Array.isArray(tasks) ? tasks.map((one) => fieldsOf(one)) : undefined;
  } catch {
    return undefined;
  }
}

export function stateOf({ status }: SessionFiles): string {
  const state = status?.["current_state"];
  return isText(state) ? state : "";
}

export function decisionOf({ decisions }: SessionFiles, id: string): Fields | undefined {
  return decisions.find((one) => one["decision_id"] === id);
}
