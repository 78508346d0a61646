import { canonicalJson, isJsonObject, parseJson } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";
import { readingKey } from "../core/values/measured.ts";
import type { Workflow } from "../core/state/state.ts";
import { unknown } from "../core/values/unknown.ts";

/** The facts, by key, or a function that returns them. */
export type Facts =
  | Readonly<Record<string, Json>>
  | ((key: string, state: Workflow) => Json | undefined);

/** The world of a story. Whatever a protocol looks at must be in it: an unknown fact never counts as yes. */
export interface StoryWorld {
  readonly workflow?: string;
  readonly facts?: Facts;
  /** Texts of files by path. Digests, trees, and what has changed since the start follow from them. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The results of the repository's checks, or "none" if it says that it does not have one. A check not listed is
   * not configured.
   */
  readonly checks?: Readonly<Record<string, "passed" | "failed" | "none">>;
  /** The time at the first command. Each further command is one minute later. */
  readonly begins?: string;
}

/** The world at one point of a story. */
export interface Now {
  readonly world: StoryWorld;
  /** Facts set during the story; they take precedence over all others. */
  readonly given: Readonly<Record<string, Json>>;
  readonly files: Readonly<Record<string, string>>;
  readonly state: Workflow;
}

export function lookUp(now: Now, key: string): Json {
  const { world, given, state } = now;
  if (Object.hasOwn(given, key)) return given[key] ?? null;
  const told =
    typeof world.facts === "function" ? world.facts(key, state) : (world.facts ?? {})[key];
  const value = told === undefined ? commonFact(now, key) : told;
  if (value === undefined)
    throw new Error(
      `The world of this story has no fact "${key}": give it with given({ "${key}": ... })`,
    );
  return value;
}

/** Facts that every protocol may look at, derived from the story's files. */
function commonFact(now: Now, key: string): Json | undefined {
  const { world, files } = now;
  const colon = key.indexOf(":");
  const of = key.slice(colon + 1);
  switch (colon < 0 ? key : key.slice(0, colon)) {
    case "check":
      return checkFact(world.checks, of);
    case "command":
      return "as configured";
    case "git":
      return world.files === undefined ? undefined : "repository";
    case "drift":
      return null;
    case "digest":
      return world.files === undefined ? undefined : digestOf(files, of);
    case "changed":
      return world.files === undefined ? undefined : files[of] !== world.files[of];
    case "tree":
      return world.files === undefined ? undefined : treeOf(files, of);
    case "files":
      return world.files === undefined ? unknown("the story has no files") : readingOf(files);
    case "change":
      return changeOf(now, of);
    case "unordered":
      return unorderedOf(now);
    case "tip":
      return null;
    default:
      return undefined;
  }
}

/** All files of the story as one text, which can be compared later. */
function readingOf(files: Readonly<Record<string, string>>): string {
  return JSON.stringify(files, Object.keys(files).sort());
}

/** What has changed in the story's files since a piece of work was sent out. */
function changeOf({ files, state }: Now, id: string): Json {
  const dispatch = state.dispatches[id];
  return changedSince(files, dispatch?.baseline[readingKey(dispatch.unit)]);
}

/** The same since the last step, while no work is out. */
function unorderedOf({ files, state, world }: Now): Json {
  const [last] = Object.entries(state.left).toSorted(([, a], [, b]) => b.seq - a.seq);
  const isOut = Object.values(state.dispatches).some((one) => one.status !== "ended");
  if (world.files === undefined || last === undefined || isOut) return null;
  const changed = changedSince(files, last[1].baseline[readingKey(last[0])]);
  return isJsonObject(changed) && canonicalJson(changed["files"] ?? null) === "{}" ? null : changed;
}

function changedSince(files: Now["files"], reading: Json | undefined): Json {
  const before = typeof reading === "string" ? parseJson(reading) : undefined;
  if (!isJsonObject(before)) return unknown("the story has no files");
  const paths = [...new Set([...Object.keys(before), ...Object.keys(files)])];
  const changed = paths
    .map((path) => [path, [before[path] ?? null, files[path] ?? null]] as const)
    .filter(([, [was, is]]) => was !== is);
  return { files: Object.fromEntries(changed), moved: {}, commits: [] };
}

/** Whether the check exists, or that the repository says it has none. */
function checkFact(checks: StoryWorld["checks"], name: string): Json {
  // True means configured. The story records the result itself.
  if (checks === undefined) return true;
  const told = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return told === "none" ? { none: "the story has none" } : told !== undefined;
}

/** A text serves as its own digest: equal texts have equal digests, which is all that matters. */
function digestOf(files: Readonly<Record<string, string>>, path: string): Json {
  const text = files[path];
  if (text !== undefined) return `text:${text}`;
  return Object.keys(files).some((one) => one.startsWith(`${path}/`)) ? "directory" : null;
}

function treeOf(files: Readonly<Record<string, string>>, directory: string): Json {
  const below = Object.entries(files)
    .filter(([path]) => directory === "." || path.startsWith(`${directory}/`))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(below);
}
