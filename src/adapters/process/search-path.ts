/**
 * Where the programs of a check are looked for. Whoever asks for a step chooses its PATH: a directory in the tree that
 * is judged, a relative one, or one that anybody can write to would put another program in the place of the real one.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

export interface SearchOptions {
  /** The repository's files: where the programs would be judged by what they judge. */
  readonly root: string;
  /** What the committed configuration says, in place of what was inherited; relative to the root. */
  readonly path?: readonly string[];
}

export interface Search {
  readonly kept: readonly string[];
  readonly left: readonly string[];
}

export function searchPath(inherited: string, cwd: string, { root, path }: SearchOptions): Search {
  if (path !== undefined) return { kept: path.map((one) => resolve(root, one)), left: [] };
  const entries = inherited.split(delimiter).filter((entry) => entry !== "");
  const counts = (entry: string): boolean =>
    isAbsolute(entry) && !isInside(entry, [root, cwd]) && !isOpen(entry);
  return {
    kept: entries.filter(counts),
    left: entries.filter((entry) => !counts(entry)).map((entry) => resolve(cwd, entry)),
  };
}

/** Installed packages are no part of what is judged; whoever swaps one of them is not found here. */
function isInside(entry: string, roots: readonly string[]): boolean {
  if (entry.endsWith(join("node_modules", ".bin"))) return false;
  const places = [resolve(entry), existsSync(entry) ? realpathSync(entry) : entry];
  return roots.some((root) => places.some((place) => `${place}${sep}`.startsWith(`${root}${sep}`)));
}

/** Writable for everybody, itself or a directory above it: any user could put a program there. */
function isOpen(entry: string): boolean {
  for (let at = resolve(entry); ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & OTHERS_WRITE) !== 0) return true;
    if (dirname(at) === at) return false;
  }
}

const OTHERS_WRITE = 0o002;
