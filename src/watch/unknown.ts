/** Unknown tools, judged by their names and inputs. */
import { isJsonArray, isJsonObject, parseJson, showJson } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";
import type { ToolUse } from "./call.ts";
import type { Deed } from "./deeds.ts";

type Unknown = Extract<ToolUse, { kind: "mcp" | "unknown" }>;

export type UnknownDeed =
  | Extract<Deed, { kind: "git" }>
  | Extract<ToolUse, { kind: "shell" }>
  | { readonly kind: "write"; readonly path: string };

/** Our own tools, or those whose name says that they only read. */
function isHarmless(tool: Unknown): boolean {
  if (tool.kind === "mcp" && tool.server.toLowerCase() === "holdpoint") return true;
  const name = nameOf(tool);
  return READS.test(name) && !ALSO_WRITES.test(name);
}

/** The input except commands, which are judged by what they do. Everything named there may be written. */
export function namedIn(tool: Unknown): string {
  const parsed = parseJson(tool.input);
  if (isHarmless(tool)) return "";
  if (!isJsonObject(parsed)) return tool.input;
  return JSON.stringify(parsed, (key, value: unknown) => (COMMAND_KEY.test(key) ? "" : value));
}

/** What it would do, as far as the names of its inputs tell. */
export function readUnknown(tool: Unknown, cwd: string): readonly UnknownDeed[] {
  if (isHarmless(tool)) return [];
  const name = nameOf(tool);
  const parsed = parseJson(tool.input);
  const given = Object.entries(isJsonObject(parsed) ? parsed : {});
  const [, verb] = /^git[_-](\w+)$/.exec(name) ?? [];
  if (verb !== undefined) return [gitDeed(verb, given, cwd)];
  return given.flatMap(([key, value]): readonly UnknownDeed[] => {
    if (COMMAND_KEY.test(key)) return [{ kind: "shell", name, command: typed(value) }];
    return PATH_KEY.test(key) ? textsIn(value).map((path) => ({ kind: "write", path })) : [];
  });
}

function nameOf(tool: Unknown): string {
  return tool.kind === "mcp" ? tool.tool : tool.name;
}

/** A tool of a git server is judged as the git command it stands for. */
function gitDeed(
  verb: string,
  given: readonly (readonly [string, Json])[],
  cwd: string,
): Extract<Deed, { kind: "git" }> {
  const at = given.find(([key]) => PLACE_KEY.test(key))?.[1];
  const words = given.flatMap(([key, value]) => (PLACE_KEY.test(key) ? [] : textsIn(value)));
  const args = [verb.replaceAll("_", "-"), ...words];
  return { kind: "git", args, cwd: typeof at === "string" ? at : cwd, env: [] };
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return isJsonArray(value) ? value.flatMap(textsIn) : [];
}

/** Every path it is told to write, including those of several edits. */
export function pathsGiven(input: Json, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  if (isJsonArray(input)) return input.flatMap((one) => pathsGiven(one, depth + 1));
  return Object.entries(isJsonObject(input) ? input : {}).flatMap(([key, value]) =>
    PATH_KEY.test(key) ? textsIn(value) : pathsGiven(value, depth + 1),
  );
}

const DEPTH_MAX = 4;

/** As one would type it: a list is a program with its arguments. */
export function typed(value: Json): string {
  if (!isJsonArray(value)) return showJson(value);
  return value.map((one) => `'${showJson(one).replaceAll("'", "'\\''")}'`).join(" ");
}

const COMMAND_KEY = /^(?:command|cmd|script|shell|command_?line|argv)$/i;
const PLACE_KEY = /^(?:repo(?:_?path|sitory)?|cwd|working_?dir\w*)$/i;

/** Input names under which tools are told a file. */
const PATH_KEY =
  /^(?:(?:target_?|abs(?:olute)?_?|relative_?|notebook_?)?(?:file_?)?paths?|(?:target_?)?file(?:_?name)?|source|destination)$/i;

const READS =
  /^(?:read|get|list|search|find|view|show|fetch|query|describe|status|stat|glob|grep|browser|navigate|screenshot|take_s|think|todo|plan)/i;

/** `find_and_replace` only starts like a tool that reads. */
const ALSO_WRITES =
  /(?:^|[_-]|(?<=[a-z])(?=[A-Z]))(?:write|replace|edit|delete|remove|move|rename|create|update|insert|append|apply|patch|put|save|execute|exec|run|modify|change|set|overwrite|truncate|store|copy|reset|restore|revert|checkout|download|export|dump|install)(?:$|[_-]|(?=[A-Z]))/i;
