/** Copies the files of a task's directory to the archive. Existing files are not replaced. */
import { link, lstat, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArchiveFiles, Done, FilesArchived } from "../../../ports/worktrees.ts";
import { errorCode, makeDirectory, syncDirectory, writeSynced } from "../../store/durable.ts";
import { systemProblem } from "../../workspace/file-problem.ts";
import { exists, type Repository } from "../place/place.ts";
import { listEntries, placeOf } from "./list.ts";
import { badPath, refused, WorktreeRefused } from "./refusal.ts";
import { randomIds } from "../../process/ids.ts";

export async function archiveFiles(
  home: Repository,
  { from, to }: ArchiveFiles,
): Promise<Done<FilesArchived>> {
  const source = await placeOf(home, from);
  const target = await placeOf(home, to);
  if (`${target}/`.startsWith(`${source}/`)) {
    return badPath(to, `it lies inside ${from}, which is to be archived`);
  }
  const worktrees = new Set((await listEntries(home)).map((one) => one.place));
  try {
    const files: string[] = [];
    for (const path of await filesBelow(source, worktrees)) {
      home.onStep("archive.file");
      files.push(await keepFile(join(source, path), target, path));
    }
    return { kind: "done", to, files: files.toSorted() };
  } catch (error) {
    if (error instanceof WorktreeRefused) throw error;
    return refused(systemProblem(from, error));
  }
}

/** Regular files only: worktrees are removed by git, and links lead elsewhere. */
async function filesBelow(
  root: string,
  worktrees: ReadonlySet<string>,
  below = "",
): Promise<readonly string[]> {
  const directory = join(root, below);
  if (!exists(directory)) return [];
  const found: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const place = join(root, path);
    if (entry.isFile()) found.push(path);
    if (!entry.isDirectory() || worktrees.has(place)) continue;
    // Neither is a worktree that was moved aside, or that git no longer lists.
    if (exists(join(place, ".git"))) continue;
    found.push(...(await filesBelow(root, worktrees, path)));
  }
  return found;
}

/** Returns the file's name in the archive, with a number if another text already has that name. */
async function keepFile(source: string, target: string, path: string): Promise<string> {
  makeDirectory(dirname(join(target, path)));
  const bytes = await readFile(source);
  for (let number = 0; number < NAMES_MAX; number += 1) {
    const name = number === 0 ? path : `${path}.${number}`;
    const place = join(target, name);
    const there = await lstat(place).catch(() => undefined);
    if (there?.isFile() === true && (await readFile(place)).equals(bytes)) return name;
    if (there === undefined && (await linkNew(source, place))) return name;
  }
  throw new WorktreeRefused(badPath(path, "too many versions of it are archived already"));
}

/** Written under a temporary name first. False if somebody else took the name meanwhile. */
async function linkNew(source: string, place: string): Promise<boolean> {
  const beside = `${place}.${randomIds.next()}.tmp`;
  try {
    await copyExactly(source, beside);
    await link(beside, place);
    syncDirectory(dirname(place));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(beside, { force: true });
  }
}

async function copyExactly(source: string, beside: string): Promise<void> {
  const { mode } = await lstat(source);
  writeSynced(beside, await readFile(source), mode & 0o777);
}

const NAMES_MAX = 100;
