/** Moves a file or directory to a free place. Nothing is copied, nothing overwritten. */
import { link, rename, unlink } from "node:fs/promises";
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

export async function movePath({ root, from, to, onStep }: Move): Promise<Installed> {
  try {
    const source = await locatePath(root, from);
    const target = await locatePath(root, to);
    const stats = await lstatIfThere(source);
    if (stats === undefined) return { kind: "installed" };
    await makeDirectory(dirname(target));
    onStep("move.rename");
    if (!(await moveFree(source, target, stats))) return { kind: "changed" };
    onStep("move.sync");
    await syncDirectory(dirname(target));
    await syncDirectory(dirname(source));
    return { kind: "installed" };
  } catch (error) {
    return { kind: "failed", ...systemProblem(from, error) };
  }
}

async function moveFree(source: string, target: string, stats: Stats): Promise<boolean> {
  if (stats.isFile()) return await moveFile(source, target, stats);
  if ((await lstatIfThere(target)) !== undefined) return false;
  try {
    // A directory never replaces one that has something in it, whoever put it there just now.
    await rename(source, target);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** By link, because a rename would replace a file that came meanwhile. */
async function moveFile(source: string, target: string, stats: Stats): Promise<boolean> {
  try {
    await link(source, target);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // A crash after the link left both names on one file: only the old one is still to go.
    const there = await lstatIfThere(target);
    if (there?.ino !== stats.ino || there.dev !== stats.dev) return false;
  }
  await unlink(source);
  return true;
}
