/** Reads an agent's last words from the file in which its client stores the conversation. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isJsonArray, isJsonObject, parseJson, showJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Batch } from "../../ports/family.ts";

/** Only the end of the file is read; the last words are there. */
const TAIL_BYTES_MAX = 256 * 1024;

/** Undefined if the file cannot be read or has no such entry. */
export function lastWordsIn(file: string): string | undefined {
  for (const line of tailOf(file).split("\n").toReversed()) {
    const event = line.includes('"assistant.message"') ? parseJson(line) : undefined;
    const data = isJsonObject(event) ? event["data"] : undefined;
    if (!isJsonObject(event) || event["type"] !== "assistant.message") continue;
    const content = isJsonObject(data) ? data["content"] : undefined;
    return typeof content === "string" ? content : undefined;
  }
  return undefined;
}

/** A pipe in place of the file would block. */
function tailOf(file: string, bytesMax = TAIL_BYTES_MAX): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return "";
    const size = Math.min(stats.size, bytesMax);
    const bytes = Buffer.alloc(size);
    const count = readSync(descriptor, bytes, 0, size, stats.size - size);
    return bytes.toString("utf8", 0, count);
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const PASSED_BYTES_MAX = 8 * 1024 * 1024;
const LINES_MAX = 20_000;

/**
 * How many tools each message of the main agent used, from the conversation as stored by its client. One message
 * may take several lines.
 */
export function batchesIn(file: string): readonly Batch[] {
  const found = new Map<string, { at: string; calls: Set<string> }>();
  for (const line of tailOf(file, PASSED_BYTES_MAX).split("\n").slice(-LINES_MAX)) {
    if (!line.includes('"tool_use"') && !line.includes('"toolRequests"')) continue;
    const event = parseJson(line);
    const used = isJsonObject(event) ? usedIn(event) : undefined;
    if (used === undefined) continue;
    const known = found.get(used.message) ?? { at: used.at, calls: new Set() };
    for (const call of used.calls) known.calls.add(call);
    found.set(used.message, known);
  }
  return [...found.values()]
    .filter(({ calls }) => calls.size > 0)
    .map(({ at, calls }) => ({ at, calls: calls.size }));
}

interface Used {
  readonly message: string;
  readonly at: string;
  readonly calls: readonly string[];
}

/** Reads lines of Claude Code and Copilot. Subagents are left out. */
function usedIn(event: JsonObject): Used | undefined {
  const { type, timestamp, message, data } = event;
  const at = showJson(timestamp ?? "");
  if (type === "assistant" && isJsonObject(message) && event["isSidechain"] !== true)
    return { message: showJson(message["id"] ?? at), at, calls: idsIn(message["content"], "id") };
  if (
    type === "assistant.message" &&
    isJsonObject(data) &&
    data["parentToolCallId"] === undefined
  ) {
    const id = showJson(data["messageId"] ?? at);
    return { message: id, at, calls: idsIn(data["toolRequests"], "toolCallId") };
  }
  return undefined;
}

function idsIn(list: Json | undefined, key: string): readonly string[] {
  return (isJsonArray(list) ? list : [])
    .filter(isJsonObject)
    .filter(({ type }) => key !== "id" || type === "tool_use")
    .map((one, index) => showJson(one[key] ?? index));
}
