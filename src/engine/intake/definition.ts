import { canonicalJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import type { Protocol } from "../../core/table/protocol.ts";
import type { Family } from "../../ports/family.ts";

/**
 * Adds its definition's digest to a family. The digest covers the table as data. For a repository's own protocol
 * it also covers the source of the guards, which may be edited while a workflow runs. Guards shipped with
 * Holdpoint change with every build and are covered by its version. `migrate` is not covered, because it changes
 * no rule.
 */
export function withDigest(
  family: Family,
  { isOwn, sha256 }: { readonly isOwn: boolean; readonly sha256: (text: string) => string },
): Family {
  const { digest: _, migrate: _migrate, ...table } = family.protocol;
  // Shipped tables are digested on every call. Sorting their keys would take a tenth of it and is not needed,
  // because their order is fixed.
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
