/**
 * Makes a branch exactly one commit on top of its base, even if the base has moved. The tree is built in the
 * object store, so a conflict leaves nothing to clean up. Files only change when the branch moves.
 */
import type {
  BranchMoved,
  Done,
  NotDone,
  SettleText,
  SquashBranch,
} from "../../../ports/worktrees.ts";
import { readCommit, readTree } from "../place/head.ts";
import { readSettings } from "../run/settings.ts";
import { layOut, setViews } from "../index/views.ts";
import { moveBranch } from "./move.ts";
import { commitsBetween, readBranch, readMergeBase } from "./read.ts";
import type { Repository } from "../place/place.ts";
import { withPrivateIndex, writeTree } from "../index/private-index.ts";
import { mergeTrees } from "./trees.ts";
import { writeCommit } from "../place/ref.ts";
import { READ_ONLY, succeed } from "../run/run.ts";
import * as say from "../worktree/refusal.ts";
import { isIn, saveLoose } from "../worktree/salvage.ts";

export async function squashBranch(
  home: Repository,
  plan: SquashBranch,
): Promise<Done<BranchMoved>> {
  const { branch, base: name, at, task } = plan;
  const tip = await readCommit(home, `refs/heads/${branch}`);
  if (tip === undefined) return say.noBranch(branch);
  const base = await readBranch(home, name);
  if (base === undefined) return say.baseMissing(name);
  const since = await readMergeBase(home, base, tip);
  const own = await commitsBetween(home, base, tip);
  if (own.length === 0) return say.nothingToSquash(branch, name);
  const tree = await treeOf(home, plan, { tip, base, since });
  if (typeof tree !== "string") return tree;
  if (tree === (await readTree(home, base))) return say.nothingToSquash(branch, name);
  const before = own.length === 1 ? await messageOf(home, tip) : undefined;
  const wanted = `${plan.message.trim()}\n`;
  const message = plan.keepsMessage === true ? (before ?? wanted) : wanted;
  if (before === message && since === base && tree === (await readTree(home, tip)))
    return { kind: "done", commit: tip, moved: false };
  const { author, sign } = await readSettings(home);
  const written = await writeCommit(home, { base, tree, message, author, at, sign });
  if (written.refusal !== undefined) return say.refused(written.refusal);
  // The commits that are about to leave the branch record who did what, so they are saved.
  await saveLoose(home, [tip], { task, name: "squashed", into: written.oid });
  const note = `squash to ${written.oid.slice(0, 12)}`;
  return await moveBranch(home, { branch, from: tip, to: written.oid, note });
}

interface Sides {
  readonly tip: string;
  readonly base: string;
  readonly since: string | undefined;
}

/** The tree with both changes merged, and the settled files in it. */
async function treeOf(
  home: Repository,
  { branch, base: name, settles = {} }: SquashBranch,
  sides: Sides,
): Promise<string | NotDone> {
  const { tip, base } = sides;
  const merged = (await isIn(home, base, tip))
    ? { tree: await readTree(home, tip), clashes: [] }
    : await mergeTrees(home, base, tip);
  if ("kind" in merged) return merged;
  const clashes = merged.clashes.filter((path) => !Object.hasOwn(settles, path));
  if (clashes.length > 0) return say.conflict(branch, name, clashes);
  const texts: Record<string, string> = {};
  for (const [path, settle] of Object.entries(settles)) {
    const clean = !merged.clashes.includes(path);
    const text = await settled(home, {
      path,
      settle,
      sides,
      tree: clean ? merged.tree : undefined,
    });
    if (text !== undefined) texts[path] = text;
  }
  if (Object.keys(texts).length === 0) return merged.tree;
  return await withPrivateIndex(home, merged.tree, async (index) => {
    await setViews(index, layOut(index, texts));
    return await writeTree(index);
  });
}

interface Settling {
  readonly path: string;
  readonly settle: SettleText;
  readonly sides: Sides;
  readonly tree: string | undefined;
}

async function settled(
  home: Repository,
  { path, settle, sides: { tip, base, since }, tree }: Settling,
): Promise<string | undefined> {
  const [merged, ours, theirs, before] = await Promise.all(
    [tree, tip, base, since].map((at) => readAt(home, at, path)),
  );
  const text = settle({ merged, ours, theirs, since: before });
  if (text === undefined) return merged === undefined ? theirs : undefined;
  return text === merged ? undefined : text;
}

async function readAt(
  home: Repository,
  at: string | undefined,
  path: string,
): Promise<string | undefined> {
  if (at === undefined) return undefined;
  const args = ["cat-file", "blob", `${at}:${path}`];
  const answer = await home.run(args, { cwd: home.top, env: READ_ONLY });
  return answer.end === "exit" && answer.code === 0 ? answer.stdout.toString("utf8") : undefined;
}

async function messageOf(home: Repository, commit: string): Promise<string> {
  const args = ["log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%B", commit];
  const out = await succeed(home.run(args, { cwd: home.top, env: READ_ONLY }));
  return `${out.trim()}\n`;
}
