/** Refusals, one line each, beside the journal. Limited: when the file is full, its older half is dropped. */
import { appendFileSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isJsonArray, isJsonObject, parseJson, showJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { readRemedy } from "../../core/table/remedy.ts";
import type { RefusalEntry, Refusals } from "../../ports/refusals.ts";
import { errorCode, makeDirectory, readOwn } from "./durable.ts";
import { encodeName } from "./embedded/names.ts";

const FILE_BYTES_MAX = 1_048_576;

export function createRefusals(dir: string): Refusals {
  const fileOf = (stream: string): string => join(dir, `${encodeName(stream).file}.jsonl`);
  return {
    add: async (entry) => {
      makeDirectory(dir);
      const file = fileOf(entry.stream);
      // Anything that is not a regular file, such as a link or a pipe, is set aside like a full file.
      const stats = lstatSync(file, { throwIfNoEntry: false });
      const isFull = stats !== undefined && (!stats.isFile() || stats.size > FILE_BYTES_MAX);
      if (isFull) setAside(file);
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
    read: async (stream) => {
      const texts = [`${fileOf(stream)}.old`, fileOf(stream)].map(readOwn);
      return texts.join("").split("\n").flatMap(parseEntry);
    },
  };
}

function setAside(file: string): void {
  try {
    renameSync(file, `${file}.old`);
  } catch (error) {
    // Another process was faster.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** A torn line is a refusal that was not completely written; losing it changes nothing. */
export function parseEntry(line: string): readonly RefusalEntry[] {
  const parsed = parseJson(line);
  if (!isJsonObject(parsed)) return [];
  const { at, seq, hash, run, stream, command, step, actor, agent, session, refusals } = parsed;
  const texts = {
    at: showJson(at),
    stream: showJson(stream),
    command: showJson(command),
    step: showJson(step ?? ""),
    actor: showJson(actor),
    session: showJson(session),
  };
  const last = typeof seq === "number" && typeof run === "string" ? { seq, run } : {};
  const head = typeof hash === "string" ? { hash } : {};
  const known = typeof agent === "string" ? { agent } : {};
  return [
    {
      ...texts,
      ...known,
      ...last,
      ...head,
      refusals: (isJsonArray(refusals) ? refusals : []).flatMap(readRefusal),
    },
  ];
}

function readRefusal(value: Json): RefusalEntry["refusals"] {
  if (!isJsonObject(value)) return [];
  const { code, message, fix, rule } = value;
  const texts = { code: showJson(code), message: showJson(message), rule: showJson(rule) };
  return [{ ...texts, fix: readRemedy(fix) }];
}
