import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../../core/values/json.ts";
import { readJson } from "../../../files/json/text.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";

/**
 * The menus `decision-menus.json` (PW-231): one menu a key (`stage_2_complete`, `build_failure`, …).
 *
 *   { "stage_2_complete": {
 *       "milestone": "…",                 optional
 *       "completion_statement": "…",
 *       "context": "…",                   optional
 *       "options": [ { "label": "…", "description": "…", "recommended": true,
 *                      "action": "…", "discovery": "…" } ] } }     all but label optional
 *
 * Texts may hold placeholders such as `{milestone}`.
 */
export interface Menu {
  readonly completionStatement: string;
  readonly milestone: string | undefined;
  readonly context: string | undefined;
  readonly options: readonly MenuOption[];
}

export interface MenuOption {
  readonly label: string;
  readonly description: string | undefined;
  readonly recommended: boolean;
  readonly action: string | undefined;
  readonly discovery: string | undefined;
}

/** Undefined value as soon as there is one problem. Codes: `menus-unreadable`, `menus-field`. */
export function parseMenus(text: string): Parsed<ReadonlyMap<string, Menu>> {
  const read = readJson(text);
  if (!read.ok)
    return {
      value: undefined,
      problems: [problem("menus-unreadable", `The menus are not JSON: ${read.message}`)],
    };
  if (!isJsonObject(read.value)) {
    return {
      value: undefined,
      problems: [problem("menus-unreadable", "The menus are not a JSON object")],
    };
  }
  const problems: Problem[] = [];
  const menus = Object.entries(read.value).map(
    ([key, menu]) => [key, readMenu(key, menu, problems)] as const,
  );
  return { value: problems.length > 0 ? undefined : new Map(menus), problems };
}

/** Replaces `{milestone}` and others by their values; a placeholder without a value stays. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z_]{1,40})\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

function readMenu(key: string, menu: Json, problems: Problem[]): Menu {
  const object = isJsonObject(menu) ? menu : {};
  if (!isJsonObject(menu)) problems.push(wrong(key, "an object"));
  const options = object["options"];
  if (!isJsonArray(options) || options.length === 0)
    problems.push(wrong(`${key}.options`, "a list of at least one option"));
  const list = isJsonArray(options) ? options : [];
  return {
    completionStatement: requiredText(object, "completion_statement", key, problems),
    milestone: optionalText(object, "milestone", key, problems),
    context: optionalText(object, "context", key, problems),
    options: list.map((option, index) => readOption(option, `${key}.options[${index}]`, problems)),
  };
}

function readOption(option: Json, path: string, problems: Problem[]): MenuOption {
  const object = isJsonObject(option) ? option : {};
  const recommended = object["recommended"];
  if (recommended !== undefined && typeof recommended !== "boolean") {
    problems.push(wrong(`${path}.recommended`, "true or false"));
  }
  return {
    label: requiredText(object, "label", path, problems),
    description: optionalText(object, "description", path, problems),
    recommended: recommended === true,
    action: optionalText(object, "action", path, problems),
    discovery: optionalText(object, "discovery", path, problems),
  };
}

function requiredText(object: JsonObject, key: string, path: string, problems: Problem[]): string {
  const value = object[key];
  if (typeof value === "string" && value.trim() !== "") return value;
  problems.push(wrong(`${path}.${key}`, "a text"));
  return "";
}

function optionalText(
  object: JsonObject,
  key: string,
  path: string,
  problems: Problem[],
): string | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  problems.push(wrong(`${path}.${key}`, "a text, or left out"));
  return undefined;
}

function wrong(path: string, wanted: string): Problem {
  return problem("menus-field", `\`${path.slice(0, 120)}\` must be ${wanted}`);
}

function problem(code: string, message: string): Problem {
  const fix = "Correct the file; the shipped decision-menus.json shows the form";
  return { code, line: 0, message, fix, rule: "PW-231", severity: "error" };
}
