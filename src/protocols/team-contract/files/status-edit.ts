import { canonicalJson, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { objects, texts } from "../../../core/values/json-read.ts";
import type { Edited } from "../../../files/edited.ts";
import { applyEdits } from "../../../files/text.ts";
import { appendItems, removeMembers, setMembers } from "../../../files/json/edit.ts";
import { problem } from "./json-problems.ts";
import { type JsonText, nodeAt, readJsonText, toJson } from "../../../files/json/source.ts";

/** The members of status.json that the engine owns. Undefined removes a member; one not named stays. */
export interface OwnedStatus {
  readonly current_state: string;
  readonly session: string;
  readonly mode: string;
  readonly user_decisions: readonly JsonObject[];
  readonly gate_tracking: JsonObject | undefined;
  readonly runtime_flags: JsonObject | undefined;
  readonly retry_counts: JsonObject;
  readonly last_ci_result: string;
  readonly last_update: string;
  readonly blocker: string | undefined;
  readonly blocker_detail: string | undefined;
  readonly blocked_from: string | undefined;
}

/** Entries that the free lists must contain. What others wrote there stays. */
export interface StatusLists {
  readonly assumptions: readonly string[];
  readonly known_issues: readonly string[];
}

/** Updates the owned members and nothing else. If there are problems, the text is unchanged. */
export function editStatus(text: string, owned: OwnedStatus, lists: StatusLists): Edited {
  const json = readJsonText(text);
  if (json.root?.kind !== "object") {
    const message = "status.json cannot be edited: it is not one JSON object";
    const fix = "Mend it by hand, or let Holdpoint write it anew from the journal.";
    return {
      text,
      problems: [problem({ code: "status-unreadable", line: 1, message, fix, rule: "TC-059" })],
    };
  }
  const members: Record<string, Json | undefined> = {
    ...owned,
    user_decisions: owned.user_decisions.map((entry) => keepExtras(json, entry)),
    gate_tracking: merged(json, "gate_tracking", owned.gate_tracking),
    runtime_flags: merged(json, "runtime_flags", owned.runtime_flags),
    retry_counts: counted(valueOf(json, "retry_counts"), owned.retry_counts),
  };
  const gone = Object.keys(members).filter((key) => members[key] === undefined);
  const first = removeMembers(applyEdits(text, setMembers(json, members)), gone);
  return {
    text: addEntries(addEntries(first, "assumptions", lists), "known_issues", lists),
    problems: [],
  };
}

/** Keeps the file's counts if they mean the same: an untried repair may be listed as 0. */
export function counted(theirs: Json | undefined, ours: JsonObject): Json {
  if (!isJsonObject(theirs)) return ours;
  return canonicalJson(withoutZeros(theirs)) === canonicalJson(withoutZeros(ours)) ? theirs : ours;
}

function withoutZeros(counts: JsonObject): JsonObject {
  const tried = Object.entries(counts).flatMap(([task, loops]): [string, Json][] => {
    if (!isJsonObject(loops)) return [[task, loops]];
    const rest = Object.entries(loops).filter(([, times]) => times !== 0);
    return rest.length === 0 ? [] : [[task, Object.fromEntries(rest)]];
  });
  return Object.fromEntries(tried);
}

/** The first status.json; SpecAgent's own version is merged into it later. */
export function createStatus(owned: OwnedStatus, lists: StatusLists): string {
  const { current_state, session, user_decisions, retry_counts, last_ci_result, ...rest } = owned;
  const entries = Object.entries({
    current_state,
    session,
    assumptions: lists.assumptions,
    user_decisions,
    retry_counts,
    known_issues: lists.known_issues,
    last_ci_result,
    ...rest,
  }).filter(([, value]) => value !== undefined);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/** Keeps unknown keys of a decision in its entry. */
function keepExtras(json: JsonText, entry: JsonObject): JsonObject {
  const existing = objects(valueOf(json, "user_decisions")).find(
    (one) => one["decision_id"] === entry["decision_id"],
  );
  if (existing === undefined) return entry;
  const ordered = Object.keys(existing).map((key): [string, Json] => [
    key,
    entry[key] ?? (key in entry ? null : (existing[key] ?? null)),
  ]);
  return { ...Object.fromEntries(ordered), ...entry };
}

function merged(json: JsonText, key: string, ours: JsonObject | undefined): JsonObject | undefined {
  const theirs = valueOf(json, key);
  if (ours === undefined || !isJsonObject(theirs)) return ours;
  const inner = Object.entries(ours).map(([name, value]): [string, Json] => {
    const before = theirs[name];
    return [name, isJsonObject(value) && isJsonObject(before) ? { ...before, ...value } : value];
  });
  return { ...theirs, ...Object.fromEntries(inner) };
}

function valueOf(json: JsonText, key: string): Json | undefined {
  const node = nodeAt(json.root, [key]);
  return node === undefined ? undefined : toJson(node);
}

function addEntries(text: string, key: keyof StatusLists, lists: StatusLists): string {
  const json = readJsonText(text);
  const now = valueOf(json, key);
  const there = new Set(texts(now));
  const missing = lists[key].filter((one) => !there.has(one));
  const edits =
    now === undefined ? setMembers(json, { [key]: missing }) : appendItems(json, key, missing);
  return applyEdits(text, edits ?? []);
}
