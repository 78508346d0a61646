import type { JsonObject } from "../../../core/values/json.ts";
import type { Refusal } from "../../../core/decide/answer.ts";
import type { Config } from "../../../ports/family.ts";
import { object, text, texts } from "../../../core/values/json-read.ts";
import { DEFAULT_PATTERNS } from "../table/risk.ts";
import type { RiskPatterns } from "../table/risk.ts";
import { VARS } from "../table/vars.ts";

/** `settings.task` of the configuration: every path and limit, and the risk patterns. */
export function settingsOf({ settings }: Config): JsonObject {
  const given = object(settings["task"]);
  const legal = object(TASK_SETTINGS["properties"]);
  const known = Object.entries(given).filter(
    ([name, value]) =>
      Object.hasOwn(legal, name) && Object.hasOwn(VARS, name) && typeof value === typeof VARS[name],
  );
  const root = text(given["root"]) || text(VARS["root"]);
  return { archive: `${root}/.archive`, ...Object.fromEntries(known) };
}

/** Unusable paths in the configuration. Reported before the task begins, not after everything is merged. */
export function badPaths(config: Config): readonly Refusal[] {
  const given = settingsOf(config);
  return ["root", "todo", "changelog", "archive"].flatMap((name) => {
    const path = given[name];
    if (path === undefined || (typeof path === "string" && isInside(path))) return [];
    return {
      code: "setting-outside",
      message: `task.${name} in holdpoint.config.json is ${JSON.stringify(path)}, which is no path inside the repository`,
      fix: `Write a path relative to the repository's top, without "..", such as "${text(VARS[name])}".`,
      rule: "core",
    };
  });
}

function isInside(path: string): boolean {
  const parts = path.split("/");
  const isOdd = parts.some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));
  return !isOdd && !/\p{Cc}/u.test(path);
}

/** Whether a path is usable is checked when a task begins. */
const PATH: JsonObject = { type: "string" };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const TEXTS: JsonObject = { type: "array", items: { type: "string", pattern: "\\S" } };

/** What each setting is for, in the words of the reference. */
const ABOUT: Readonly<Record<string, string>> = {
  root: "where tasks and their worktrees lie",
  todo: "the list of tasks",
  changelog: "where a closed task is noted",
  archive: "where the files of a task that is over are kept",
  main: "the branch that tasks are merged to",
  completion: "whether a closed task is taken out of the list or marked in it",
  merge_policy:
    "whether the released commit alone may be merged, or also the same patch on top of a newer main",
  retry_effects: "whether what git could not do is tried again by the next command",
  report_bytes_min: "the least size of a requirements report",
  retries_max: "how often an agent that failed is asked again",
  rounds_max: "how often a task may go back before a person is asked",
  orders_max: "how often one agent may be handed work in a task",
  fixes_max: "how many different fixes the coordinator may make while validating",
  status_minutes_max: "after how many minutes a report on its state is old",
  stale_minutes_max: "after how many minutes without a word an agent is called silent",
  wait_minutes_max: "how many minutes agents are waited for in all",
  effort_ratio_max: "from how many times the planned effort on the scope is negotiated",
  scope_rejections_min: "how many agents must see it so",
  patterns: "paths of HIGH, MEDIUM and LOW risk; what matches none is HIGH",
  unsafe: "reasons for which no task of this repository is LOW",
  sources: "what counts as source that may refer to a document",
};

/** What `task` in the configuration may contain, so that a typing mistake does not silently become a default. */
export const TASK_SETTINGS: JsonObject = {
  type: "object",
  properties: described({
    root: PATH,
    todo: PATH,
    changelog: PATH,
    archive: PATH,
    main: { type: "string", pattern: "^\\S+$" },
    completion: { enum: ["remove+changelog", "mark"] },
    merge_policy: { enum: ["exact", "same-patch"] },
    retry_effects: { type: "boolean" },
    ...Object.fromEntries(
      Object.entries(VARS).flatMap(([name, value]) =>
        typeof value === "number" ? [[name, COUNT]] : [],
      ),
    ),
    patterns: {
      type: "object",
      properties: { HIGH: TEXTS, MEDIUM: TEXTS, LOW: TEXTS },
      additionalProperties: false,
    },
    unsafe: TEXTS,
    sources: TEXTS,
  }),
  additionalProperties: false,
};

function described(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  const rows = Object.entries(properties).map(([name, property]) => {
    const value = VARS[name];
    const isDefault = value !== undefined && value !== null && name in ABOUT;
    const description = ABOUT[name] ?? "";
    return [name, { ...property, description, ...(isDefault ? { default: value } : {}) }] as const;
  });
  return Object.fromEntries(rows);
}

export function patternsOf({ settings }: Config): RiskPatterns {
  const given = object(object(settings["task"])["patterns"]);
  if (Object.keys(given).length === 0) return DEFAULT_PATTERNS;
  return { HIGH: texts(given["HIGH"]), MEDIUM: texts(given["MEDIUM"]), LOW: texts(given["LOW"]) };
}

/** The task list and the changelog, which closing a task changes. */
export function listsOf(vars: JsonObject): readonly string[] {
  return [text(vars["todo"]), text(vars["changelog"])];
}

export function rootDir(vars: JsonObject, config: Config): string {
  return text(vars["root"]) || text(settingsOf(config)["root"]) || text(VARS["root"]);
}
