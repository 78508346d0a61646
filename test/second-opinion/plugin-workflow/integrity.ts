/** The integrity check that runs before work is handed out: its four objections, each with its exit code. */
import { type Objection, objection } from "../opinion.ts";
import { CONTRACTS, type PluginFiles } from "./files.ts";
import { placesOf } from "./registry.ts";

export type Exit = 0 | 1 | 2 | 3 | 4;

export function judgeIntegrity(files: PluginFiles): readonly Objection[] {
  const { handoff } = files;
  if (handoff === undefined) return [objection("integrity:no-handoff", "there is no handoff")];
  return [...judgeStage(files), ...judgeContracts(files), ...judgeStale(files)];
}

/** The status is looked for in the one line below the heading; of a phase only the stage is compared. */
function statusLine({ registry, name }: PluginFiles): string {
  const line = placesOf(registry, name).entries[0]?.[0] ?? "";
  return line.startsWith("**Status:**") ? line : "";
}

function judgeStage(files: PluginFiles): readonly Objection[] {
  const line = statusLine(files);
  const stage = /Stage (\d+)/.exec(line)?.[1] ?? line;
  const said = /^stage:\s*(\S*)/m.exec(files.handoff?.text ?? "")?.[1] ?? "";
  if (said === stage) return [];
  return [objection("integrity:stage", `the handoff says stage ${said}, the registry "${line}"`)];
}

/** A sum that was never stored cannot have changed. It is what follows the key, wherever the key stands. */
function judgeContracts({ handoff, digests }: PluginFiles): readonly Objection[] {
  const lines = handoff?.text.split("\n") ?? [];
  return Object.keys(CONTRACTS).flatMap((key) => {
    const stored = lines
      .filter((line) => line.includes(`${key}:`))
      .map((line) => line.trim().split(/\s+/)[1] ?? "")
      .join(" ");
    if (["null", ""].includes(stored) || stored === digests[key]) return [];
    return [objection(`integrity:contract ${key}`, `${key} is not what was sealed`)];
  });
}

function judgeStale(files: PluginFiles): readonly Objection[] {
  const over = /^status: workflow_complete/m.test(files.handoff?.text ?? "");
  if (!over || !/Working|Installed/.test(statusLine(files))) return [];
  return [objection("integrity:stale", "the plugin is done, and its handoff still there")];
}
