/** The repository's settings: where they are read, what they may contain, and what a workflow is bound to. */
import { createHash } from "node:crypto";
import { findGitByHand } from "../adapters/git/compare/by-hand.ts";
import { createCommitted } from "../adapters/git/compare/committed.ts";
import type { FoundPlace } from "../adapters/git/place/place.ts";
import { CONFIG_FILE, NO_CONFIG, readConfig } from "../adapters/workspace/config.ts";
import type { ReadConfig } from "../adapters/workspace/config.ts";
import { createSettings } from "../adapters/workspace/settings.ts";
import { canonicalJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Config, Roots } from "../ports/family.ts";
import type { Settings } from "../ports/settings.ts";
import type { Workspace } from "../ports/workspace.ts";

export function settingsIn(
  workspace: Workspace,
  found: FoundPlace,
  roots: readonly Roots[],
): Settings {
  const byHand = found.kind === "none" ? findGitByHand(workspace.root) : undefined;
  const known = [CONFIG_FILE, ...roots.flatMap((one) => one.files)];
  return createSettings({
    workspace,
    committed: createCommitted(found, { byHand, known }),
    sha256,
  });
}

/** The configuration, checked against what these families allow. */
export async function configFrom(settings: Settings, roots: readonly Roots[]): Promise<ReadConfig> {
  const file = await settings.read(CONFIG_FILE);
  if (file.kind === "absent") return { kind: "read", config: NO_CONFIG };
  if (file.kind === "unreadable") return { kind: "broken", message: file.message, fix: file.fix };
  const families: Readonly<Record<string, JsonObject>> = Object.assign(
    {},
    ...roots.map((one) => one.settings),
  );
  return readConfig(file.text, families);
}

/**
 * Digests of everything that a family's gates depend on, by name: the checks, the family's settings, its files.
 */
export async function digestsOf(
  roots: Roots,
  { checks, none = {}, settings: given }: Config,
  settings: Settings,
): Promise<Readonly<Record<string, string>>> {
  const told: readonly (readonly [string, Json])[] = [
    ...Object.entries(checks).map(
      ([name, { run, minutes }]) => [`checks.${name}`, { run, minutes }] as const,
    ),
    ...Object.entries(none).map(([name, why]) => [`checks.${name}`, why] as const),
    ...Object.keys(roots.settings).map((name) => [name, given[name] ?? null] as const),
  ];
  const files = await Promise.all(
    roots.files.map(async (path) => [path, (await settings.read(path)).digest] as const),
  );
  const { digest } = await settings.read(CONFIG_FILE);
  const mark = digest.startsWith("unread:") ? "unread:" : "";
  return Object.fromEntries([
    ...told.map(([name, value]) => [name, `${mark}${sha256(canonicalJson(value))}`]),
    ...files,
  ]);
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads files from the worktree, committed or not, for commands that look at a file still being written. */
export function asTheyLie(workspace: Workspace): Settings {
  const read: Settings["read"] = async (path) => {
    const file = await workspace.read(path);
    return file.kind === "text" ? file : { digest: "", ...file };
  };
  return { read, uncounted: () => [] };
}
