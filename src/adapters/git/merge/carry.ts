/**
 * Brings uncommitted changes of a shared text along when its branch moves: undress ours of its marks,
 * merge in three ways, put the marks back on. A conflict that remains is the user's, and refuses the move.
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
  /** What was read; the text is written only over this. */
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

/** A file may be older than the setting of its line ends; that alone is no change of it. */
function withEndsOf(ours: string, text: string | undefined): string | undefined {
  const plain = text?.replaceAll("\r\n", "\n");
  return ours.includes("\r\n") ? plain?.replaceAll("\n", "\r\n") : plain;
}

/** As it would be checked out. */
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

/** The first file that somebody has written meanwhile, with nothing changed; undefined when all are carried. */
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

/** A text written since is somebody's, and stays. */
export async function takeCarriedBack(repo: Repository, all: readonly Carried[]): Promise<void> {
  for (const { file, ours, text } of all) await exchange(repo, file, { from: text, to: ours });
}

/** As a view is installed: whoever writes the file meanwhile wins. */
async function exchange(
  { top, onStep }: Repository,
  file: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const installed = await createWorkspace(top, { onStep }).install(file, to, from);
  if (installed.kind === "failed") throw new WorktreeRefused(refused(installed));
  return installed.kind === "installed";
}
