/** What the five translations share: reading fields of unknown type, and wording a verdict. */
import { isJsonArray, isJsonObject, parseJson, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { patchedPaths } from "../../../watch/arguments.ts";
import { pathsGiven, typed } from "../../../watch/unknown.ts";
import type { Denial, HookAnswer, HookCall, ToolUse, Verdict } from "../../../watch/call.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** One client: how to read its payloads and how to answer. Pure. */
export interface Translation {
  readonly read: (payload: JsonObject, env: Env) => HookCall;
  readonly write: (call: HookCall, verdict: Verdict) => HookAnswer;
}

export function text(payload: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const value = payload[name];
    if (typeof value === "string") return value;
  }
  return "";
}

export function object(payload: JsonObject, name: string): JsonObject {
  const value = unpacked(payload[name]);
  return isJsonObject(value) ? value : {};
}

/** A tool's input. Some versions send it as text; if that is not an object either, it is kept under one name. */
export function inputOf(payload: JsonObject, name: string): JsonObject {
  const value = unpacked(payload[name]);
  if (isJsonObject(value)) return value;
  return value === undefined || value === null ? {} : { input: value };
}

/** Decodes a text that holds an object or a list, even if it was encoded twice. */
function unpacked(value: Json | undefined): Json | undefined {
  let read = value;
  for (let round = 0; round < ROUNDS_MAX && typeof read === "string"; round += 1) {
    const inner = parseJson(read);
    if (typeof inner !== "string" && !isJsonObject(inner) && !isJsonArray(inner)) break;
    read = inner;
  }
  return read;
}

const ROUNDS_MAX = 3;

export function agentOf(payload: JsonObject, id: string, type: string): Pick<HookCall, "agent"> {
  const known = text(payload, id);
  if (known === "") return {};
  const named = text(payload, type);
  return { agent: { id: known, ...(named === "" ? {} : { type: named }) } };
}

/** The agents still running in the background, if the client lists them. */
export function workingIn(payload: JsonObject): Pick<HookCall, "working"> {
  const tasks = payload["background_tasks"];
  if (!isJsonArray(tasks)) return {};
  const running = tasks.filter(isJsonObject).filter((one) => text(one, "status") === "running");
  return { working: running.map((one) => text(one, "id")).slice(0, WORKING_MAX) };
}

const WORKING_MAX = 100;

/** The member if its value is not empty, else nothing. */
export function given<K extends "use" | "prompt" | "file" | "said" | "transcript">(
  name: K,
  value: string,
): { readonly [N in K]?: string } {
  const made: { [N in K]?: string } = {};
  if (value !== "") made[name] = value;
  return made;
}

export function unknownTool(name: string, input: Json): ToolUse {
  return { kind: "unknown", name, input: showJson(input) };
}

export function mcpTool(name: string, server: string, tool: string, input: Json): ToolUse {
  return { kind: "mcp", name, server, tool, input: showJson(input) };
}

/** Reading is never denied. The input is kept to know which files the agent has read. */
export function readTool(name: string, input: JsonObject): ToolUse {
  return { kind: "read", name, input: showJson(input) };
}

export function shellTool(name: string, input: JsonObject, ...cwds: readonly string[]): ToolUse {
  const given = COMMAND_KEYS.map((key) => input[key]).find(
    (one) => one !== undefined && one !== "",
  );
  if (given === undefined) return unknownTool(name, input);
  const cwd = text(input, ...cwds);
  return { kind: "shell", name, command: typed(given), ...(cwd === "" ? {} : { cwd }) };
}

const COMMAND_KEYS = ["command", "cmd", "script", "input"] as const;

/** A tool that writes files. Without a path nobody knows what it writes, and it is judged accordingly. */
export function editTool(name: string, input: JsonObject): ToolUse {
  return { kind: "edit", name, paths: pathsGiven(input) };
}

/** The files that a patch adds, changes, deletes or renames. */
export function patchTool(name: string, patch: string): ToolUse {
  return { kind: "edit", name, paths: patchedPaths(patch) };
}

export function wordsOf(reasons: readonly Denial[]): string {
  return reasons.slice(0, REASONS_MAX).map(wordsOfOne).join("\n");
}

const REASONS_MAX = 3;

function wordsOfOne({ code, rule, message, fix, lift }: Denial): string {
  return [`HOLD ${code} (${rule}): ${message}`, `Instead: ${fix}`, `To lift it: ${lift}`].join(
    "\n",
  );
}

export function answerWith(value: JsonObject, exit: number, stderr = ""): HookAnswer {
  return { stdout: JSON.stringify(value), stderr, exit };
}

export const SILENT: HookAnswer = { stdout: "", stderr: "", exit: 0 };
