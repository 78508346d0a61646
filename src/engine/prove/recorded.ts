import { LIBRARY } from "../../core/guards/library.ts";
import { canonicalJson, toJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Event } from "../../core/state/events.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Protocol } from "../../core/table/protocol.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { JournalRecord, Loaded } from "../../ports/journal.ts";
import { workflowFold } from "../parts.ts";

/** How a record states what it was decided on, and by which guards. */

type Sha256 = (text: string) => string;

const EVIDENCE_CHARS_MAX = 200;

/** Short facts are recorded in full, long ones as a digest. */
export function recordedAs(sha256: Sha256, value: Json): Json {
  const text = canonicalJson(value);
  return text.length <= EVIDENCE_CHARS_MAX ? value : { sha256: sha256(text) };
}

const known = new WeakMap<Protocol, string>();

/**
 * The digest of the guards' source in this build. The table's own digest leaves guards out. A record made by
 * older guards must not be called forged because a guard has changed since.
 */
export function guardsDigest(protocol: Protocol, sha256: Sha256): string {
  const found = known.get(protocol);
  if (found !== undefined) return found;
  const guards = Object.entries({ ...LIBRARY, ...protocol.guards });
  const text = guards.map(([name, guard]) => `${name} ${sourceOf(guard)}`).join("\n");
  const digest = sha256(text).slice(0, DIGEST_CHARS);
  known.set(protocol, digest);
  return digest;
}

const DIGEST_CHARS = 16;

function sourceOf(guard: Protocol["guards"][string]): string {
  return String(typeof guard === "function" ? guard : guard.check);
}

/** Journals shorter than this are folded faster than a state can be stored. */
export const SHORT = 200;

/**
 * In a long journal, a record that wants a commit also stores the state before it and names it. The commit
 * vouches for the record by its hash, and so for that state too. A later proof can start there.
 */
export async function keepState(
  blobs: Pick<Blobs, "put">,
  { head, state }: Loaded<Workflow>,
  events: readonly Event[],
): Promise<JsonObject> {
  const isWanted = events.some((one) => one.type === "effect.wanted" && "savepoint" in one.args);
  if (head.seq < SHORT || !isWanted) return {};
  return { state: `${workflowFold.version} ${await blobs.put(textOf(state))}` };
}

/** The stored state before a record; undefined if there is none, or none that this build can read. */
export async function keptState(
  blobs: Pick<Blobs, "get">,
  { body }: JournalRecord,
): Promise<Workflow | undefined> {
  const digest = stateIn(body);
  const read = digest === undefined ? undefined : await blobs.get(digest);
  if (read?.kind !== "found") return undefined;
  // The blob store has already compared the bytes with the digest.
  const state: Workflow = JSON.parse(new TextDecoder().decode(read.bytes));
  return state;
}

export function wrongState(
  sha256: Sha256,
  { body }: JournalRecord,
  before: Workflow,
): readonly string[] {
  const digest = stateIn(body);
  return digest === undefined || digest === sha256(textOf(before))
    ? []
    : ["it says that it was decided on another state than the records before it come to"];
}

/** A state stored by another version of the fold is not usable. */
function stateIn({ state }: JournalRecord["body"]): string | undefined {
  const [version, digest] = typeof state === "string" ? state.split(" ") : [];
  return version === workflowFold.version ? digest : undefined;
}

function textOf(state: Workflow): string {
  return canonicalJson(toJson(state));
}
