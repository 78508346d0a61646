/** Reads an agent's last words from the file in which its client stores the conversation. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isJsonObject, parseJson } from "../../core/values/json.ts";

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
function tailOf(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return "";
    const size = Math.min(stats.size, TAIL_BYTES_MAX);
    const bytes = Buffer.alloc(size);
    const count = readSync(descriptor, bytes, 0, size, stats.size - size);
    return bytes.toString("utf8", 0, count);
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
