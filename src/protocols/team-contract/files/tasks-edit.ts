import { isScalar, type YAMLMap } from "yaml";
import { type Edit, applyEdits, insertLines, lineAt } from "../../../files/text.ts";
import type { Edited } from "../../../files/edited.ts";
import { problem } from "./json-problems.ts";
import type { TaskStatus } from "./names.ts";
import { type YamlSource, readYaml, taskMaps } from "./tasks-yaml.ts";

/** Sets the status of single tasks. Only one line changes for each; comments, order and quotes stay. */
export function editTaskStatuses(
  text: string,
  statuses: Readonly<Record<string, TaskStatus>>,
): Edited {
  const source = readYaml(text);
  if (source.problems.length > 0) return { text, problems: source.problems };
  const maps = taskMaps(source);
  const edits: Edit[] = [];
  for (const [id, status] of Object.entries(statuses)) {
    const edit = statusEdit(source, maps.get(id), status);
    if (edit === undefined) {
      const message = `tasks.yaml has no task ${id} whose status could be set`;
      const fix = "Put the task back, or plan again.";
      return {
        text,
        problems: [problem({ code: "tasks-field", line: 1, message, fix, rule: "TC-120" })],
      };
    }
    if (text.slice(edit.start, edit.end) !== edit.text) edits.push(edit);
  }
  return { text: applyEdits(text, edits), problems: [] };
}

function statusEdit(
  source: YamlSource,
  map: YAMLMap | undefined,
  status: TaskStatus,
): Edit | undefined {
  const value: unknown = map?.get("status", true);
  if (isScalar(value) && value.range !== undefined && value.range !== null) {
    const [start, end] = value.range;
    const quote = /^["']/.exec(source.text.charAt(start))?.[0] ?? "";
    return { start, end, text: `${quote}${status}${quote}` };
  }
  if (map === undefined || map.has("status") || map.flow === true) return undefined;
  return insertStatus(source, map, status);
}

/** A task without a status gets one on the line below its id. */
function insertStatus(source: YamlSource, map: YAMLMap, status: TaskStatus): Edit | undefined {
  const key: unknown = map.get("id", true);
  if (!isScalar(key) || key.range === undefined || key.range === null) return undefined;
  const line = source.lines[lineAt(source.lines, key.range[0]) - 1];
  if (line === undefined) return undefined;
  const head = /^[ \t]*(?:-[ \t]+)?/.exec(source.text.slice(line.start, line.end))?.[0] ?? "";
  return insertLines(source.text, line.next, [`${head.replace("-", " ")}status: ${status}`]);
}
