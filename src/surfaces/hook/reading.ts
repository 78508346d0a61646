/**
 * Makes a subagent read the files listed in its order before it writes, if its protocol requires that. A file
 * counts as read if a hook saw a tool call that names it. An agent that reads in a way no hook sees is stopped at
 * most twice.
 */
import { homedir } from "node:os";
import { isJsonArray } from "../../core/values/json.ts";
import { storeNear } from "../../compose/hook.ts";
import { ALLOWED } from "../../watch/call.ts";
import type { Denial, HookCall, Verdict } from "../../watch/call.ts";
import { readIn, writesBelow } from "../../watch/reading.ts";
import type { Env } from "./clients/client.ts";
import { memoryIn } from "./memory.ts";
import type { Memory } from "./memory.ts";

export const UNREAD_STOPS_MAX = 2;
const FILES_MAX = 100;

export interface Reading {
  /** The worktree that the paths are relative to. */
  readonly root: string;
  readonly files: readonly string[];
  readonly rule: string;
}

export function noteReading(memory: Memory, call: HookCall, { root, files, rule }: Reading): void {
  memory.write("reading", keyOf(call), { root, files: files.slice(0, FILES_MAX), rule });
}

/** If the agent has nothing to read, this costs only one look for a file. */
export function verdictOnReading(call: HookCall, env: Env): Verdict {
  const store = call.agent === undefined ? undefined : storeNear(call.cwd, env);
  const memory = store === undefined ? undefined : memoryIn(store.dir);
  const note = memory?.read("reading", keyOf(call));
  if (memory === undefined || note === undefined) return ALLOWED;
  const { root, files, rule } = note;
  if (typeof root !== "string" || typeof rule !== "string" || !isJsonArray(files)) return ALLOWED;
  const known = files.filter((one) => typeof one === "string");
  // One note for each file, because several tools may be used at the same time.
  for (const file of readIn(call, known)) memory.write("read", `${keyOf(call)} ${file}`, {});
  if (!writesBelow(call, root, env["HOME"] ?? homedir())) return ALLOWED;
  const unread = known.filter((one) => memory.read("read", `${keyOf(call)} ${one}`) === undefined);
  const stops = memory.read("unread", keyOf(call))?.["stops"];
  const before = typeof stops === "number" ? stops : 0;
  if (unread.length === 0 || before >= UNREAD_STOPS_MAX) {
    memory.forget("reading", keyOf(call));
    return ALLOWED;
  }
  memory.write("unread", keyOf(call), { stops: before + 1 });
  return { kind: "deny", reasons: [unreadDenial(unread, rule)] };
}

function keyOf({ client, session, agent }: HookCall): string {
  return `${client} ${session} ${agent?.id ?? ""}`;
}

const TOLD_MAX = 10;

function unreadDenial(unread: readonly string[], rule: string): Denial {
  const more = unread.length > TOLD_MAX ? ` and ${unread.length - TOLD_MAX} more` : "";
  return {
    code: "reading-first",
    rule,
    message: "The order lists files that are read before anything is written, and some were not.",
    fix: `Read ${unread.slice(0, TOLD_MAX).join(", ")}${more}; then do this again.`,
    lift: `nobody needs to: it is said ${UNREAD_STOPS_MAX} times at most.`,
  };
}
