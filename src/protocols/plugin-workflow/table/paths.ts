import type { ContractKey } from "../files/handoff/handoff.ts";

/** Paths relative to the repository's root. */

export const REGISTRY = "PLUGINS.md";

export function homeOf(plugin: string): string {
  return `plugins/${plugin}`;
}

export function handoffOf(plugin: string): string {
  return `plugins/${plugin}/.continue-here.md`;
}

export function notesOf(plugin: string): string {
  return `plugins/${plugin}/NOTES.md`;
}

export function contractOf(plugin: string, key: ContractKey): string {
  return `plugins/${plugin}/.ideas/${CONTRACT_FILES[key]}`;
}

const CONTRACT_FILES: Readonly<Record<ContractKey, string>> = {
  creative_brief: "creative-brief.md",
  parameter_spec: "parameter-spec.md",
  architecture: "architecture.md",
  plan: "plan.md",
};

export function draftOf(plugin: string): string {
  return `plugins/${plugin}/.ideas/parameter-spec-draft.md`;
}

export function artifactsOf(
  plugin: string,
): readonly { readonly format: string; readonly path: string }[] {
  const base = `build/${plugin}/plugins/${plugin}/${plugin}_artefacts`;
  return [
    { format: "VST3", path: `${base}/VST3/${plugin}.vst3` },
    { format: "AU", path: `${base}/AU/${plugin}.component` },
    { format: "Standalone", path: `${base}/Standalone/${plugin}.app` },
  ];
}
