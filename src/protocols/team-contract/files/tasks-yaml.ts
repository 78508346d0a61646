import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from "yaml";
import { isJsonArray, isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { list, objects } from "../../../core/values/json-read.ts";
import { rememberTexts } from "../../../files/memo.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { type Line, lineAt, linesOf } from "../../../files/text.ts";
import { tooDeepLine } from "../../../files/yaml-depth.ts";
import { problem, warning } from "./json-problems.ts";
import { checkSchema } from "../../../files/json/schema.ts";
import { tasksSchema } from "./schemas/tasks.ts";
import { type Task, graphProblems, modeProblems, riskProblems, toTask } from "./tasks.ts";

/**
 * `tasks.yaml`:
 *
 *   tasks:
 *     - id: T-001
 *       status: not-started      # comments stay
 *       goal: Draw the button
 *       depends_on: []
 *       acceptance_checks: ["cmd: npm test", "manual: it looks right"]
 *
 * An unquoted `- cmd: npm test` is a map to YAML, not a text. It is read as the text that was meant,
 * and reported with the line as it should be.
 */
export interface TasksFile {
  readonly tasks: readonly Task[];
  /** The line at which the task with this number begins. */
  readonly lineOf: (index: number) => number;
  readonly raw: JsonObject;
}

export interface TasksContext {
  /** `full` also requires what the PLAN gate requires. */
  readonly mode?: "full" | "lean";
  /** A new plan, in which no task may have been started. */
  readonly fresh?: boolean;
}

const CHARS_MAX = 4 * 1024 * 1024;

/** Codes: `tasks-unreadable`, `tasks-field`, `check-unquoted` (warning), `tasks-graph`. */
export function parseTasks(text: string, context: TasksContext = {}): Parsed<TasksFile> {
  const { value, problems } = parseText(text, undefined);
  if (value === undefined) return { value, problems };
  const more = modeProblems(value.tasks, context).map(({ index, ...one }) => ({
    ...one,
    line: value.lineOf(index),
  }));
  return { value, problems: [...problems, ...more] };
}

const parseText = rememberTexts((text: string): Parsed<TasksFile> => {
  const source = readYaml(text);
  if (source.document === undefined) return { value: undefined, problems: source.problems };
  const traps: Problem[] = [];
  const json = normalise(toPlain(source.document), (index, check, key) => {
    traps.push(trap(source, index, check, key));
  });
  if (!isJsonObject(json)) {
    const message = "tasks.yaml is not a mapping with a list tasks";
    return { value: undefined, problems: [unreadable(1, message)] };
  }
  const fields = checkSchema(tasksSchema, json).map(({ path, message, fix, rule }) =>
    problem({ code: "tasks-field", line: lineOfPath(source, path), message, fix, rule }),
  );
  const tasks = objects(json["tasks"]).map(toTask);
  const lineOf = (index: number): number => lineOfPath(source, ["tasks", index]);
  const placed = [...graphProblems(tasks), ...riskProblems(tasks)].map(({ index, ...one }) => ({
    ...one,
    line: lineOf(index),
  }));
  const problems = [...source.problems, ...traps, ...fields, ...placed];
  return { value: { tasks, raw: json, lineOf }, problems };
});

export interface YamlSource {
  readonly text: string;
  readonly document: Document.Parsed | undefined;
  readonly lines: readonly Line[];
  readonly problems: readonly Problem[];
}

export function readYaml(text: string): YamlSource {
  return readSource(text, undefined);
}

const readSource = rememberTexts((text: string): YamlSource => {
  const lines = linesOf(text);
  const refuse = (line: number, message: string): YamlSource => ({
    text,
    document: undefined,
    lines,
    problems: [unreadable(line, message)],
  });
  if (text.length > CHARS_MAX)
    return refuse(1, `tasks.yaml is longer than ${CHARS_MAX} characters`);
  const deep = tooDeepLine(text);
  if (deep !== undefined) return refuse(deep, "tasks.yaml is nested too deeply");
  try {
    const document = parseDocument(text, {
      schema: "core",
      uniqueKeys: true,
      prettyErrors: false,
      // With "silent", the parser would not report a second document.
      logLevel: "error",
    });
    const errors = document.errors.slice(0, ERRORS_MAX);
    // After a duplicate key, the rest can still be read. After any other syntax error it cannot.
    const broken = errors.some((one) => one.code !== "DUPLICATE_KEY");
    const problems = errors.map(({ code, pos, message }) => {
      const line = lineAt(lines, pos[0]);
      if (code === "DUPLICATE_KEY") return twice(line, text.slice(pos[0]));
      if (code === "MULTIPLE_DOCS")
        return unreadable(line, "tasks.yaml holds a second YAML document, which nobody would read");
      return unreadable(line, `tasks.yaml is not YAML: ${message}`);
    });
    return { text, document: broken ? undefined : document, lines, problems };
  } catch (error) {
    return refuse(1, `tasks.yaml cannot be read: ${error instanceof Error ? error.message : "?"}`);
  }
});

const ERRORS_MAX = 50;

function twice(line: number, rest: string): Problem {
  const key = /^["']?([^\s"':]+)/.exec(rest)?.[1] ?? "";
  const message = `The key "${key}" is there twice`;
  const fix = "Keep one of the two.";
  return problem({ code: "tasks-field", line, message, fix, rule: "TC-135" });
}

function unreadable(line: number, message: string): Problem {
  const fix = "Make it a YAML mapping with a list tasks.";
  return problem({ code: "tasks-unreadable", line, message, fix, rule: "TC-135" });
}

/** Aliases could turn a small text into a huge value, so their number is limited. */
function toPlain(document: Document.Parsed): Json {
  try {
    return parseJson(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null)) ?? null;
  } catch {
    return null;
  }
}

/** Reads a one-key map `{cmd: …}` or `{manual: …}` as the text that was meant. */
function normalise(value: Json, onTrap: (task: number, check: number, key: string) => void): Json {
  if (!isJsonObject(value)) return value;
  const tasks = list(value["tasks"]).map((task, index) => {
    if (!isJsonObject(task) || !isJsonArray(task["acceptance_checks"])) return task;
    const acceptance_checks = task["acceptance_checks"].map((check, at) => {
      const meant = meantCheck(check);
      if (meant === undefined) return check;
      onTrap(index, at, meant);
      return meant;
    });
    return { ...task, acceptance_checks };
  });
  return isJsonArray(value["tasks"]) ? { ...value, tasks } : value;
}

function meantCheck(check: Json): string | undefined {
  if (!isJsonObject(check)) return undefined;
  const [entry, ...more] = Object.entries(check);
  if (entry === undefined || more.length > 0 || !["cmd", "manual"].includes(entry[0]))
    return undefined;
  const said = entry[1];
  return typeof said === "object" ? undefined : `${entry[0]}: ${String(said)}`;
}

function trap(source: YamlSource, task: number, check: number, meant: string): Problem {
  return warning({
    code: "check-unquoted",
    line: lineOfPath(source, ["tasks", task, "acceptance_checks", check]),
    message: `This check has no quotes, so YAML reads it as a map; it was taken as "${meant}"`,
    fix: `Write it as - ${JSON.stringify(meant)}`,
    rule: "TC-015",
  });
}

/** The line of what a path leads to, or of its nearest existing parent. */
function lineOfPath(source: YamlSource, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = source.document?.getIn(path.slice(0, length), true);
    const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
    if (range !== undefined && range !== null) return lineAt(source.lines, range[0]);
  }
  return 1;
}

/** The maps of all tasks by id, for editing. If two have one id, the first counts. */
export function taskMaps({ document }: YamlSource): ReadonlyMap<string, YAMLMap> {
  const tasks: unknown = document?.get("tasks", true);
  const maps = new Map<string, YAMLMap>();
  for (const item of isSeq(tasks) ? tasks.items : []) {
    const id: unknown = isMap(item) ? item.get("id") : undefined;
    if (isMap(item) && typeof id === "string" && !maps.has(id)) maps.set(id, item);
  }
  return maps;
}
