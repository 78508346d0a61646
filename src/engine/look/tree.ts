import type { World } from "../../ports/family.ts";
import type { TreeReading } from "../../ports/reading.ts";

/** Everything below a directory, and what git tracks there although the rules leave it out. */
export async function readTree(
  { workspace, git, place }: Pick<World, "workspace" | "git" | "place">,
  directory: string,
  rules?: TreeReading["rules"],
): Promise<TreeReading> {
  const plain = await workspace.measure(directory, rules === undefined ? {} : { rules });
  if (place.kind !== "repository" || plain.rules.size === 0) return plain;
  const also = await git.trackedAnyway(directory);
  if (also.length === 0) return plain;
  return await workspace.measure(directory, { also, ...(rules === undefined ? {} : { rules }) });
}
