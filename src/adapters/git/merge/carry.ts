/**
 * Keeps uncommitted changes of a shared text when its branch moves: removes our marks, merges three ways, and
 * puts the marks back. If a conflict remains, it belongs to the user, and the move is refused.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DressText } from "../../../ports/worktrees.ts";
import type { EntryChange, TreeEntry } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY, succeed } from "../run/run.ts";
import { refused, WorktreeRefused } from "../worktree/refusal.ts";
import { createWorkspace } from "../../workspace/workspace.ts";

export interface Carried {
  readonly file: string;
  /** The text that was read; the new text only replaces exactly this one. */
  readonly ours: string;
  readonly text: string;
}

interface Carry {
  readonly file: string;
  readonly change: EntryChange;
  readonly dress: DressText;
}

export async function carryText(
  repo: Repository,
  { file, change: { before, after }, dress }: Carry,
): Promise<Carried | undefined> {
  if (before === undefined || after === undefined) return undefined;
  const read = await createWorkspace(repo.top).read(file);
  if (read.kind !== "text") return undefined;
  const ours = read.text;
  const entries = [await readEntry(repo, file, before), await readEntry(repo, file, after)];
  const [base, theirs] = entries.map((text) => withEndsOf(ours, text));
  if (base === undefined || theirs === undefined) return undefined;
  const merged = await mergeTexts(repo, { base, theirs, ours: dress(ours, base) });
  return merged === undefined ? undefined : { file, ours, text: dress(merged, ours, base) };
}

/** A file may be older than its line-end setting. That difference alone is not a change. */
function withEndsOf(ours: string, text: string | undefined): string | undefined {
  const plain = text?.replaceAll("\r\n", "\n");
  return ours.includes("\r\n") ? plain?.replaceAll("\n", "\r\n") : plain;
}

/** The file as git would check it out. */
async function readEntry(
  repo: Repository,
  file: string,
  { mode, oid }: TreeEntry,
): Promise<string | undefined> {
  if (!mode.startsWith("100")) return undefined;
  const args = ["cat-file", "--filters", `--path=${file}`, oid];
  return await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
}

async function mergeTexts(
  repo: Repository,
  texts: { readonly base: string; readonly theirs: string; readonly ours: string },
): Promise<string | undefined> {
  if (texts.ours === texts.base) return texts.theirs;
  await mkdir(repo.tmpDir, { recursive: true });
  const dir = await mkdtemp(join(repo.tmpDir, "merge-"));
  try {
    for (const [name, text] of Object.entries(texts)) await writeFile(join(dir, name), text);
    const args = ["merge-file", "--stdout", "--quiet", "ours", "base", "theirs"];
    const answer = await repo.run(args, { cwd: dir });
    return answer.end === "exit" && answer.code === 0 ? answer.stdout.toString("utf8") : undefined;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Writes the files. If one was changed meanwhile, returns it and undoes the others; undefined if all were
 * written.
 */
export async function writeCarried(
  repo: Repository,
  all: readonly Carried[],
): Promise<string | undefined> {
  for (const [index, { file, ours, text }] of all.entries()) {
    if (await exchange(repo, file, { from: ours, to: text })) continue;
    await takeCarriedBack(repo, all.slice(0, index));
    return file;
  }
  return undefined;
}

/** Undoes the writing, except where somebody has written since. */
export async function takeCarriedBack(repo: Repository, all: readonly Carried[]): Promise<void> {
  for (const { file, ours, text } of all) await exchange(repo, file, { from: text, to: ours });
}

/** Like installing a view: if somebody writes the file meanwhile, their text wins. */
async function exchange(
  { top, onStep }: Repository,
  file: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const installed = await createWorkspace(top, { onStep }).install(file, to, from);
  if (installed.kind === "failed") throw new WorktreeRefused(refused(installed));
  return installed.kind === "installed";
}
