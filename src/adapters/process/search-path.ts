/**
 * Where the programs of a check are looked for. PATH comes from whoever asks for the step. A directory in the
 * judged tree, a relative one, or one that anybody can write to could replace the real program by another, so
 * these are left out.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

export interface SearchOptions {
  /** The root of the repository, whose own files must not provide the programs that judge them. */
  readonly root: string;
  /** The search path from the committed configuration, replacing the inherited one; relative to the root. */
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

/** Installed packages do not count as part of the judged tree. Replacing one of them is not detected here. */
function isInside(entry: string, roots: readonly string[]): boolean {
  if (entry.endsWith(join("node_modules", ".bin"))) return false;
  const places = [resolve(entry), existsSync(entry) ? realpathSync(entry) : entry];
  return roots.some((root) => places.some((place) => `${place}${sep}`.startsWith(`${root}${sep}`)));
}

/** Whether everybody may write to the directory or one above it: any user could put a program there. */
function isOpen(entry: string): boolean {
  for (let at = resolve(entry); ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & OTHERS_WRITE) !== 0) return true;
    if (dirname(at) === at) return false;
  }
}

const OTHERS_WRITE = 0o002;
