/** `<root>/.holdpoint/`: our own folder in the worktree, on the same file system as the views. */
import { appendFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../store/durable.ts";
import { isLink, FileRefused, notAFile } from "./file-problem.ts";
import { kindOf, lstatIfThere } from "./path.ts";

/** Creates what is missing. A link in its place would lead people's texts out of the worktree. */
export function privateDirectory(root: string, name: "tmp" | "aside"): string {
  for (const path of [PRIVATE, `${PRIVATE}/${name}`]) {
    const place = join(root, path);
    const stats = lstatIfThere(place);
    if (stats === undefined) mkdirSync(place, { recursive: true });
    else if (stats.isSymbolicLink()) throw new FileRefused(isLink(path));
    else if (stats.isFile()) throw new FileRefused(notAFile(path, "a file"));
    else if (!stats.isDirectory()) throw new FileRefused(notAFile(path, kindOf(stats)));
  }
  return join(root, PRIVATE, name);
}

/**
 * Its entries, sorted. Empty if it does not exist, because looking must not create it, and empty behind a link;
 * `install` reports that.
 */
export function listPrivate(root: string, name: "tmp" | "aside"): readonly string[] {
  for (const path of [PRIVATE, `${PRIVATE}/${name}`]) {
    if (lstatIfThere(join(root, path))?.isDirectory() !== true) return [];
  }
  return readdirSync(join(root, PRIVATE, name)).sort();
}

/**
 * Keeps `.holdpoint/` out of `git status` and `git add`, once for each clone, without a tracked file. If the file
 * cannot be written, git just shows one more untracked directory.
 */
export function excludeFromGit(commonDir: string): void {
  const file = join(commonDir, "info", "exclude");
  try {
    const stats = lstatIfThere(file);
    if (stats !== undefined && !stats.isFile()) return;
    const text = stats === undefined ? "" : readFileSync(file, "utf8");
    if (text.split("\n").some((line) => line.trim() === EXCLUDE)) return;
    mkdirSync(join(commonDir, "info"), { recursive: true });
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    appendFileSync(file, `${gap}${EXCLUDE}\n`);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

export const PRIVATE = ".holdpoint";
const EXCLUDE = ".holdpoint/";
