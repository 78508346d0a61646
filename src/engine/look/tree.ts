import type { World } from "../../ports/family.ts";
import { LEFT_MAX } from "../../ports/reading.ts";
import type { TreeReading } from "../../ports/reading.ts";

/** Reads everything below a directory, including files that ignore rules exclude but git tracks. */
export async function readTree(
  { workspace, git, place }: Pick<World, "workspace" | "git" | "place">,
  directory: string,
  rules?: TreeReading["rules"],
): Promise<TreeReading> {
  const plain = await workspace.measure(directory, rules === undefined ? {} : { rules });
  if (place.kind !== "repository" || plain.left.length === 0) return plain;
  const left = new Set(plain.left);
  const also = (await git.tracked(directory)).filter((path) => isLeft(left, path));
  if (also.length === 0) return plain;
  return await workspace.measure(directory, { also, ...(rules === undefined ? {} : { rules }) });
}

/** Whether a rule excludes the file or a folder above it. */
function isLeft(left: ReadonlySet<string>, path: string): boolean {
  if (left.has(path) || left.size >= LEFT_MAX) return true;
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1))
    if (left.has(path.slice(0, at + 1))) return true;
  return false;
}
