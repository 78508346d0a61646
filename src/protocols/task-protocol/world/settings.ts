import type { JsonObject } from "../../../core/values/json.ts";
import type { Refusal } from "../../../core/decide/answer.ts";
import type { Config } from "../../../ports/family.ts";
import { object, text, texts } from "../../../core/values/json-read.ts";
import { DEFAULT_PATTERNS } from "../table/risk.ts";
import type { RiskPatterns } from "../table/risk.ts";
import { VARS } from "../table/vars.ts";

/** `settings.task` of the repository's configuration: every path and limit, and the risk patterns. */
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

/** Paths of the configuration that cannot be used: said before the task begins, not when all is merged. */
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

/** Which paths can be used is said when a task begins. */
const PATH: JsonObject = { type: "string" };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const TEXTS: JsonObject = { type: "array", items: { type: "string", pattern: "\\S" } };

/** What `task` in the configuration may say, so that a typing mistake there is not a default here. */
export const TASK_SETTINGS: JsonObject = {
  type: "object",
  properties: {
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
  },
  additionalProperties: false,
};

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
