import { LIBRARY } from "../../core/guards/library.ts";
import { canonicalJson, toJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Event } from "../../core/state/events.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Protocol } from "../../core/table/protocol.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { JournalRecord, Loaded } from "../../ports/journal.ts";
import { workflowFold } from "../parts.ts";

/** How a record says what it was decided on and by what. */

type Sha256 = (text: string) => string;

const EVIDENCE_CHARS_MAX = 200;

/** Short facts are journaled as they are, long ones by their digest. */
export function recordedAs(sha256: Sha256, value: Json): Json {
  const text = canonicalJson(value);
  return text.length <= EVIDENCE_CHARS_MAX ? value : { sha256: sha256(text) };
}

const known = new WeakMap<Protocol, string>();

/**
 * Which guards decide in this build: the digest of their source. The table's own digest leaves them out, and a guard
 * that has changed since must not accuse what an older one rightly let pass.
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

/** A journal that is shorter is folded sooner than a state is kept. */
export const SHORT = 200;

/**
 * In a long journal a record that wants a commit says what all before it came to, and keeps that: whoever vouches for
 * this record by its hash, as the commit does, vouches for the state as well.
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

/** The state before a record, as it was kept; undefined where it says none, or none that this build can read. */
export async function keptState(
  blobs: Pick<Blobs, "get">,
  { body }: JournalRecord,
): Promise<Workflow | undefined> {
  const digest = stateIn(body);
  const read = digest === undefined ? undefined : await blobs.get(digest);
  if (read?.kind !== "found") return undefined;
  // The blob store has compared the bytes with the digest.
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

/** By another fold the same records come to something else. */
function stateIn({ state }: JournalRecord["body"]): string | undefined {
  const [version, digest] = typeof state === "string" ? state.split(" ") : [];
  return version === workflowFold.version ? digest : undefined;
}

function textOf(state: Workflow): string {
  return canonicalJson(toJson(state));
}
