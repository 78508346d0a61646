/**
 * Whether a savepoint contains exactly what was judged: the worktree's files as they are, and the state files as
 * they will be shown. A hook that stages something else, or a filter, would otherwise commit what no check has
 * seen.
 */
import type { Prepared } from "../../../ports/git.ts";
import { SUBMODULE } from "../compare/differ.ts";
import { oidOf, readDisk } from "../compare/disk.ts";
import type { TreeEntry } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";
import { commitDiffers, type Refusal } from "../refusal.ts";
import { compareWithDisk, type Pair } from "../compare/same.ts";
import type { Texts } from "../index/views.ts";
import { standingAt } from "../worktree/dirty.ts";
import type { Built } from "./build.ts";

export interface ToJudge {
  readonly base: string;
  readonly views: Texts;
  /** The savepoint before the hook ran, and after. */
  readonly staged: Built;
  readonly built: Built;
}

export type Taken = Extract<Prepared, { kind: "ready" }>["taken"];

export interface Judged {
  readonly taken: Taken;
  readonly warnings: readonly string[];
}

export async function judgeSavepoint(
  repo: Repository,
  { base, views, staged, built }: ToJudge,
): Promise<Judged | Refusal> {
  // Including what a hook has taken out of the savepoint again.
  const final = new Map<string, TreeEntry | undefined>();
  for (const [path, { before }] of staged.changes) final.set(path, before);
  for (const [path, { after }] of built.changes) final.set(path, after);
  const own = [...final].filter(([path]) => !Object.hasOwn(views, path));
  const files = own.filter(([, entry]) => entry?.mode !== SUBMODULE);
  const disk = await readDisk(
    repo,
    files.map(([path]) => ({ path })),
    "sha256 too",
  );
  const pairs = files.map(([path, entry], at): Pair => ({ path, entry, disk: disk[at] }));
  const shown = [...final].flatMap(([path, entry]) =>
    viewPair(repo, path, { entry, text: views[path] }),
  );
  const all = [...pairs, ...shown];
  const same = await compareWithDisk(repo, base, all);
  const others = all.flatMap(({ path }, at) => (same[at] === "other" ? [path] : []));
  for (const [path, entry] of own)
    if (entry?.mode === SUBMODULE && (await standingAt(repo, path, entry.oid)) === undefined)
      others.push(path);
  if (others.length > 0) return commitDiffers(others);
  const ends = pairs.flatMap(({ path }, at) => (same[at] === "line-ends" ? [path] : []));
  const taken = Object.fromEntries(
    pairs.map(({ path, disk: there }) => [
      path,
      there?.oid === undefined ? null : (there.sha256 ?? null),
    ]),
  );
  return { taken, warnings: ends.map(otherEnds) };
}

/** A state file must be committed with the very text that it will be shown with. */
function viewPair(
  repo: Repository,
  path: string,
  {
    entry,
    text,
  }: { readonly entry: TreeEntry | undefined; readonly text: string | null | undefined },
): readonly Pair[] {
  if (text === undefined || text === null || entry === undefined) return [];
  const bytes = Buffer.from(text, "utf8");
  return [{ path, entry, bytes, disk: { mode: entry.mode, oid: oidOf(repo, bytes) } }];
}

function otherEnds(path: string): string {
  return `${path} is committed with other line ends than it has here.`;
}
