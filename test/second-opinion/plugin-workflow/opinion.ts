/** All that the published checks say of one plugin's files, and the exit code that follows. */
import type { Objection } from "../opinion.ts";
import type { PluginFiles } from "./files.ts";
import { judgeHandoff } from "./handoff.ts";
import { judgeSavepoint } from "./history.ts";
import { type Exit, judgeIntegrity } from "./integrity.ts";
import { judgeRegistry } from "./registry.ts";

export function judgePlugin(files: PluginFiles): readonly Objection[] {
  return [
    ...judgeIntegrity(files),
    ...judgeHandoff(files),
    ...judgeRegistry(files),
    ...judgeSavepoint(files),
  ];
}

const EXITS: readonly (readonly [RegExp, Exit])[] = [
  [/^integrity:no-handoff/, 1],
  [/^integrity:stale/, 4],
  [/^(?!integrity:contract)/, 2],
  [/^integrity:contract/, 3],
];

/** One code for everything: missing, then stale, then any mismatch (C-82), then contracts (C-26 has the order). */
export function exitOf(objections: readonly Objection[]): Exit {
  const found = EXITS.find(([pattern]) => objections.some(({ check }) => pattern.test(check)));
  return found?.[1] ?? 0;
}
