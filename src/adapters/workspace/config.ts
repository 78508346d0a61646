/**
 * `holdpoint.config.json`: the repository's checks and settings. A broken one is an error, never a default: a key with
 * a typing mistake would leave out a gate and nobody would see it.
 *
 *     { "checks": { "tests": { "run": ["npm", "test"], "minutes": 10 },
 *                   "build": { "none": "nothing is built here" } },
 *       "protocols": ["./release.yaml"], "task": { ... }, "team": { ... }, "settings": { ... },
 *       "protected": ["main"], "policy": { "strength": "signed", "signers": "allowed_signers" },
 *       "store": { "postgres": "postgresql://..." } }
 */
import type { JsonObject } from "../../core/values/json.ts";
import { isJsonObject } from "../../core/values/json.ts";
import { policyIn } from "../../core/state/policy.ts";
import { nearest } from "../../core/values/nearest.ts";
import { object, text, texts } from "../../core/values/json-read.ts";
import { checkSchema, showPath } from "../../files/json/schema.ts";
import type { Violation } from "../../files/json/schema.ts";
import { lineOf, readJsonText, toJson } from "../../files/json/source.ts";
import { lineAt } from "../../files/text.ts";
import type { CheckConfig, Config } from "../../ports/family.ts";
import { POLICY_SCHEMA } from "./policy-schema.ts";

export const CONFIG_FILE = "holdpoint.config.json";

export const NO_CONFIG: Config = { checks: {}, settings: {} };

const CHECK_MINUTES = 10;

export type ReadConfig =
  | { readonly kind: "read"; readonly config: Config }
  | { readonly kind: "broken"; readonly message: string; readonly fix: string };

/** Reads it, with the schema of each family's settings by key. */
export function readConfig(
  source: string,
  families: Readonly<Record<string, JsonObject>>,
): ReadConfig {
  const json = readJsonText(source);
  const [wrong] = json.problems;
  if (wrong !== undefined || json.root === undefined)
    return broken(wrong?.message ?? "It is empty", lineAt(json.lines, wrong?.at ?? 0), FORM);
  const value = toJson(json.root);
  const schema = configSchema(families);
  const [first] = checkSchema(schema, value);
  if (first !== undefined)
    return broken(first.message, lineOf(json, first.path), fixOf(schema, first));
  const config = configOf(object(value));
  if (config.store !== undefined && hasPassword(config.store.postgres))
    return broken("store.postgres holds a password", lineOf(json, ["store", "postgres"]), SECRET);
  const blank = Object.entries(config.checks).find(([, { run }]) => run[0]?.trim() === "");
  if (blank === undefined) return { kind: "read", config };
  const path = ["checks", blank[0], "run", 0];
  return broken(`${showPath(path)} is no program`, lineOf(json, path), RUN);
}

function configOf(value: JsonObject): Config {
  const { checks, protocols, path, hookSeconds, coAuthor, protected: branches, ...rest } = value;
  const { policy: _, store, ...settings } = rest;
  const policy = policyIn(value);
  const run: Record<string, CheckConfig> = {};
  const none: Record<string, string> = {};
  for (const [name, value] of Object.entries(object(checks))) {
    const check = object(value);
    if (typeof check["none"] === "string") none[name] = check["none"];
    else
      run[name] = { run: texts(check["run"]), minutes: Number(check["minutes"] ?? CHECK_MINUTES) };
  }
  return {
    checks: run,
    none,
    protocols: texts(protocols),
    ...(path === undefined ? {} : { path: texts(path) }),
    ...(typeof hookSeconds === "number" ? { hookSeconds } : {}),
    ...(branches === undefined ? {} : { protected: texts(branches) }),
    ...(policy === undefined ? {} : { policy }),
    ...(store === undefined ? {} : { store: { postgres: text(object(store)["postgres"]) } }),
    ...(typeof coAuthor === "boolean" ? { coAuthor } : {}),
    settings,
  };
}

/** A name without surrounding spaces: `"tests "` would be another check than `"tests"`. */
const NAME: JsonObject = {
  type: "string",
  pattern: "^\\S(.*\\S)?$",
  "x-fix": "Write the name without blanks around it.",
};

const RUN = 'Name the program and its arguments: "run": ["npm", "test"].';

const STORE = 'Write "store": {"postgres": "postgresql://USER@HOST/DATABASE"}, without a password.';

const SECRET =
  "Take it out, and change it: it was committed. Give passwords as libpq takes them: PGPASSWORD, PGPASSFILE or a service file.";

/** The file is committed, so everybody can read a password in it. */
function hasPassword(url: string): boolean {
  return /^[^/]*\/\/[^/?#]*:[^/?#]*@|[?&]password=/.test(url);
}

const CHECK: JsonObject = {
  type: "object",
  properties: {
    run: {
      type: "array",
      description: "the program and its arguments; no shell reads them",
      minItems: 1,
      items: { type: "string" },
      "x-fix": RUN,
    },
    minutes: {
      type: "number",
      description: "how long it may take before it is stopped",
      default: CHECK_MINUTES,
      minimum: 0.01,
      maximum: 1_440,
    },
    none: {
      type: "string",
      description: "why there is no such check; said wherever it would have run",
      pattern: "\\S",
      "x-fix": 'Say why there is none: "none": "a prototype without tests".',
    },
  },
  additionalProperties: false,
  anyOf: [
    { required: ["run"], properties: { none: false } },
    { required: ["none"], properties: { run: false, minutes: false } },
  ],
  description: "a check says what to run, or why there is none",
  "x-fix": 'Write "run": ["program", "argument", ...], or "none": "why there is none".',
};

/** The schema of the file, including the families' settings. */
export function configSchema(families: Readonly<Record<string, JsonObject>>): JsonObject {
  return {
    type: "object",
    properties: {
      checks: {
        type: "object",
        description: "the commands that Holdpoint runs as evidence, by name",
        propertyNames: NAME,
        additionalProperties: CHECK,
      },
      protocols: {
        type: "array",
        description: "files that define protocols of this repository's own",
        items: NAME,
        "x-fix": 'Write a list of files, such as ["./release.yaml"].',
      },
      path: {
        type: "array",
        minItems: 1,
        items: { type: "string", pattern: "\\S" },
        "x-fix":
          'Write the directories in which programs of checks are found: ["/usr/bin", "/bin"].',
      },
      hookSeconds: {
        description: "how long a git hook may take before it is stopped",
        type: "number",
        minimum: 1,
        maximum: 3_600,
        "x-fix": "Write how many seconds a hook of git's may take, such as 60.",
      },
      store: {
        type: "object",
        description: "where the truth is, if not in the files of each clone",
        properties: { postgres: { type: "string", pattern: "^postgres(ql)?://", "x-fix": STORE } },
        required: ["postgres"],
        additionalProperties: false,
        "x-fix": STORE,
      },
      coAuthor: {
        description: "whether commits name an agent as co-author, where the protocol does",
        type: "boolean",
        default: true,
        "x-fix": "Write true or false.",
      },
      settings: { type: "object", description: "values for protocols of one's own" },
      ...POLICY_SCHEMA,
      ...families,
    },
    additionalProperties: false,
    "x-fix": FORM,
  };
}

/** An unknown key is usually a typing mistake. */
function fixOf(schema: JsonObject, { keyword, path, fix }: Violation): string {
  if (keyword !== "additionalProperties") return fix;
  const around = path.slice(0, -1).reduce<JsonObject>((node, key) => {
    const { properties, additionalProperties } = node;
    return object(object(properties)[key] ?? additionalProperties);
  }, schema);
  const known = Object.keys(isJsonObject(around["properties"]) ? around["properties"] : {});
  const like = nearest(text(path.at(-1)).trim(), known);
  return like === undefined
    ? `Take ${showPath(path)} out; known are ${known.join(", ")}.`
    : `Write ${like} in place of ${JSON.stringify(path.at(-1))}, or take it out.`;
}

const FORM =
  'Write it as {"checks": {"tests": {"run": ["npm", "test"], "minutes": 10}}}, every key once.';

function broken(why: string, line: number, fix: string): ReadConfig {
  return { kind: "broken", message: `Cannot read ${CONFIG_FILE}, line ${line}: ${why}`, fix };
}
