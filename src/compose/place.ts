/** Where a call is made: the repository, its store's directory, its committed settings. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findGitByHand } from "../adapters/git/compare/by-hand.ts";
import { placeOf } from "../adapters/git/git.ts";
import { findPlace } from "../adapters/git/place/place.ts";
import type { FoundPlace } from "../adapters/git/place/place.ts";
import { readPlainPlace } from "../adapters/git/place/plain.ts";
import { createRunGit } from "../adapters/git/run/run.ts";
import { NO_CONFIG } from "../adapters/workspace/config.ts";
import { createWorkspace } from "../adapters/workspace/workspace.ts";
import { bareAt } from "./fence.ts";
import { configFrom, settingsIn } from "./settings.ts";
import type { Failed } from "../engine/outcome.ts";
import type { Config, Roots } from "../ports/family.ts";
import type { GitPlace } from "../ports/git.ts";
import type { Settings } from "../ports/settings.ts";
import type { Workspace } from "../ports/workspace.ts";

export interface Asked {
  readonly cwd: string;
  readonly readOnly: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly roots: readonly Roots[];
  /** All shipped families, whose settings are valid in every repository. */
  readonly shipped: readonly Roots[];
  readonly onStep: (step: string) => void;
}

export interface Located {
  readonly kind: "located";
  readonly start: string;
  readonly found: FoundPlace;
  readonly place: GitPlace;
  readonly root: string;
  /** The store's directory. */
  readonly dir: string;
  readonly gitDir: string | undefined;
  /** The repository, even if git itself refuses to work with it. */
  readonly known: { readonly top: string; readonly commonDir: string } | undefined;
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly config: Config;
}

export async function locate(asked: Asked): Promise<Located | Failed> {
  const { cwd, readOnly, env, roots, shipped, onStep } = asked;
  if (!existsSync(cwd))
    return {
      kind: "failed",
      code: "no-directory",
      message: `There is no directory ${cwd}`,
      fix: "Check --cwd.",
    };
  const start = realpathSync(cwd);
  const found = await belongingTo(await findRepository(start), roots, shipped);
  if (found.kind === "none" && found.why === "unusable" && !readOnly)
    return unusable(found.message);
  const place = placeOf(found);
  const known =
    place.kind === "repository" ? place : (findGitByHand(start) ?? bareAt(start, place));
  const root = known?.top ?? findRoot(start, roots);
  const own = env["HOLDPOINT_DIR"] ?? "";
  const home = known === undefined ? join(root, ".holdpoint") : join(known.commonDir, "holdpoint");
  const dir = own === "" ? home : resolve(start, own);
  const workspace = createWorkspace(root, { onStep });
  const settings = settingsIn(workspace, found, roots);
  const read = await configFrom(settings, shipped);
  if (read.kind === "broken")
    return { kind: "failed", code: "config-broken", message: read.message, fix: read.fix };
  const { config } = read;
  const gitDir = known?.commonDir;
  return {
    kind: "located",
    start,
    found,
    place,
    root,
    dir,
    gitDir,
    known,
    workspace,
    settings,
    config,
  };
}

/** Refuses to work without git in a repository that git does not accept: fewer checks would apply. */
function unusable(message: string): Failed {
  return {
    kind: "failed",
    code: "git-unusable",
    message,
    fix: "Correct what git names, until `git status` works here.",
  };
}

async function findRepository(start: string): Promise<FoundPlace> {
  return (
    readPlainPlace(start, process.env) ?? (await findPlace(createRunGit("git", process.env), start))
  );
}

/** A worktree that a family keeps inside the repository uses that repository's files and journal. */
async function belongingTo(
  found: FoundPlace,
  roots: readonly Roots[],
  shipped: readonly Roots[],
): Promise<FoundPlace> {
  if (found.kind !== "repository") return found;
  const around = findGitByHand(dirname(found.top));
  if (around === undefined || around.commonDir !== found.commonDir) return found;
  const outer = await findRepository(around.top);
  const read = await configFrom(settingsIn(createWorkspace(around.top), outer, roots), shipped);
  const config = read.kind === "read" ? read.config : NO_CONFIG;
  const folders = roots.flatMap((one) => one.worktrees(config) ?? []);
  const inside = folders.some((folder) => found.top.startsWith(`${around.top}/${folder}/`));
  return inside ? outer : found;
}

/**
 * Without git, the root is the nearest parent directory that looks like one. A parent that everybody may write to
 * does not count: otherwise a stranger's file in /tmp would control everything below it.
 */
function findRoot(start: string, roots: readonly Roots[]): string {
  const marks = [".holdpoint", "holdpoint.config.json", ...roots.flatMap((one) => one.marks)];
  for (let at = start; ; at = dirname(at)) {
    const counts = at === start || !isOpenToAll(at);
    if (counts && marks.some((mark) => existsSync(join(at, mark)))) return at;
    if (dirname(at) === at) return start;
  }
}

function isOpenToAll(directory: string): boolean {
  return ((statSync(directory, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0;
}
