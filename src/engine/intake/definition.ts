import { canonicalJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import type { Protocol } from "../../core/table/protocol.ts";
import type { Family } from "../../ports/family.ts";

/**
 * A family whose protocol says which definition it is. The digest covers the table as data; of a protocol of
 * one's own the guards' source as well, because there a guard may be edited under a running workflow. Guards that
 * ship with Holdpoint read differently after every build, and belong to its version. `migrate` changes no rule.
 */
export function withDigest(
  family: Family,
  { isOwn, sha256 }: { readonly isOwn: boolean; readonly sha256: (text: string) => string },
): Family {
  const { digest: _, migrate: _migrate, ...table } = family.protocol;
  // What ships is read by every call, and sorting its keys would be a tenth of the call. Its order is fixed.
  const text = isOwn ? canonicalJson(dataOf(table)) : JSON.stringify(table);
  const protocol: Protocol = { ...family.protocol, digest: sha256(text).slice(0, DIGEST_CHARS) };
  return { ...family, protocol };
}

const DIGEST_CHARS = 16;

function dataOf(value: unknown): Json {
  if (typeof value === "function") return String(value);
  if (Array.isArray(value)) return value.map(dataOf);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => [key, dataOf(one)]),
    );
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
