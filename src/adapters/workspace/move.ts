/** Moves a file or directory to a free place. Nothing is copied or overwritten. */
import { linkSync, renameSync, unlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import type { Installed } from "../../ports/workspace.ts";
import { errorCode, makeDirectory, syncDirectory } from "../store/durable.ts";
import { systemProblem } from "./file-problem.ts";
import { locatePath, lstatIfThere } from "./path.ts";

export interface Move {
  readonly root: string;
  readonly from: string;
  readonly to: string;
  readonly onStep: (step: string) => void;
}

export function movePath({ root, from, to, onStep }: Move): Installed {
  try {
    const source = locatePath(root, from);
    const target = locatePath(root, to);
    const stats = lstatIfThere(source);
    if (stats === undefined) return { kind: "installed" };
    makeDirectory(dirname(target));
    onStep("move.rename");
    if (!moveFree(source, target, stats)) return { kind: "changed" };
    onStep("move.sync");
    syncDirectory(dirname(target));
    syncDirectory(dirname(source));
    return { kind: "installed" };
  } catch (error) {
    return { kind: "failed", ...systemProblem(from, error) };
  }
}

function moveFree(source: string, target: string, stats: Stats): boolean {
  if (stats.isFile()) return moveFile(source, target, stats);
  if (lstatIfThere(target) !== undefined) return false;
  try {
    // A rename never replaces a directory that is not empty, whoever created it.
    renameSync(source, target);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** By link, because a rename would replace a file created meanwhile. */
function moveFile(source: string, target: string, stats: Stats): boolean {
  try {
    linkSync(source, target);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // A crash after linking left one file with both names: only the old name must still be removed.
    const there = lstatIfThere(target);
    if (there?.ino !== stats.ino || there.dev !== stats.dev) return false;
  }
  unlinkSync(source);
  return true;
}
