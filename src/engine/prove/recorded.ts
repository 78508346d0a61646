import { LIBRARY } from "../../core/guards/library.ts";
import { canonicalJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import type { Protocol } from "../../core/table/protocol.ts";

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
