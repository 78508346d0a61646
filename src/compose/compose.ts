import { join, relative } from "node:path";
import { REPOSITORY } from "../core/state/policy.ts";
import type { Workflow } from "../core/state/state.ts";
import { systemClock } from "../adapters/process/clock.ts";
import type { WorktreeOptions } from "../adapters/git/worktree/list.ts";
import { fencingAt } from "./fence.ts";
import { createGit } from "../adapters/git/git.ts";
import { randomIds } from "../adapters/process/ids.ts";
import { createRunner } from "../adapters/process/runner.ts";
import { createSignatures } from "../adapters/process/ssh-keygen.ts";
import { watchSteps } from "../adapters/process/steps.ts";
import { excludeFromGit } from "../adapters/workspace/private.ts";
import { createWitness } from "../adapters/process/witness.ts";
import { createFamilies } from "../engine/families.ts";
import type { Families, FamilySources } from "../engine/families.ts";
import type { Failed } from "../engine/outcome.ts";
import type { Parts } from "../engine/parts.ts";
import { sharedTurns } from "../engine/turns.ts";
import type { Config, Family, Roots } from "../ports/family.ts";
import type { Clock } from "../ports/clock.ts";
import type { GitPlace } from "../ports/git.ts";
import type { Fold, Journal } from "../ports/journal.ts";
import type { Settings } from "../ports/settings.ts";
import type { Workspace } from "../ports/workspace.ts";
import { pluginRoots } from "../protocols/plugin-workflow/roots.ts";
import { taskRoots } from "../protocols/task-protocol/roots.ts";
import { teamRoots } from "../protocols/team-contract/roots.ts";
import { asTheyLie, digestsOf, sha256 } from "./settings.ts";
import { locate } from "./place.ts";
import type { Located } from "./place.ts";
import { openStore, storeUrl } from "./store.ts";

/** The families that ship with Holdpoint. The task protocol is tied to this repository's worktrees. */
function shippedFamilies(
  options: WorktreeOptions,
  standsAt: string | undefined,
): FamilySources["shipped"] {
  return {
    "plugin-workflow": async () =>
      (await import("../protocols/plugin-workflow/index.ts")).pluginFamily,
    "team-contract": async () => (await import("../protocols/team-contract/index.ts")).teamFamily,
    [REPOSITORY]: async () => (await import("../protocols/repository/index.ts")).repositoryFamily,
    "main-worktree": async () =>
      (await import("../protocols/task-protocol/main-family.ts")).mainFamily,
    "task-protocol": async () => {
      const { taskFamilyIn } = await import("./tasks.ts");
      return taskFamilyIn(options, standsAt);
    },
  };
}

/** Known before the families are loaded, because the root directory is found by them. */
const SHIPPED_ROOTS: Readonly<Record<string, Roots>> = {
  "plugin-workflow": pluginRoots,
  "team-contract": teamRoots,
  "task-protocol": taskRoots,
};

/** A family name that does not exist, or that two families have. */
function wrongFamily(wanted: NonNullable<ComposeOptions["families"]>): Failed | undefined {
  const names = wanted.map((one) => (typeof one === "string" ? one : one.protocol.name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return {
      kind: "failed",
      code: "protocol-twice",
      message: `Two protocols are called "${twice}"`,
      fix: "Give one of the two another name.",
    };
  const unknown = wanted.find((one) => typeof one === "string" && !SHIPPED.includes(one));
  if (typeof unknown !== "string") return undefined;
  return {
    kind: "failed",
    code: "protocol-unknown",
    message: `No protocol "${unknown}" ships with Holdpoint`,
    fix: `Those that do: ${SHIPPED.join(", ")}.`,
  };
}

const SHIPPED: readonly string[] = [
  "plugin-workflow",
  "team-contract",
  REPOSITORY,
  "main-worktree",
  "task-protocol",
];

function rootsOf(wanted: ComposeOptions["families"]): readonly Roots[] {
  if (wanted === undefined) return Object.values(SHIPPED_ROOTS);
  return wanted.flatMap((one) =>
    typeof one === "string" ? (SHIPPED_ROOTS[one] ?? []) : one.roots,
  );
}

/** Settings of shipped families are valid in every repository, whichever protocols a program has asked for. */
function withShipped(roots: readonly Roots[]): readonly Roots[] {
  return [...Object.values(SHIPPED_ROOTS), ...roots];
}

export interface ComposeOptions {
  readonly cwd: string;
  /** Only reads: creates no file, not even the store's directory. */
  readonly readOnly?: boolean;
  /**
   * The caller is not in any directory (it is on a network connection); `cwd` only says which repository is
   * meant.
   */
  readonly remote?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Shipped families by name, others as objects. Without this, all shipped ones and all that the repository
   * defines.
   */
  readonly families?: readonly (string | Family)[];
  /** A journal to use instead of the embedded one. */
  readonly journal?: (fold: Fold<Workflow>) => Promise<Journal<Workflow>>;
  readonly clock?: Pick<Clock, "now">;
}

export type Composed =
  | { readonly kind: "open"; readonly parts: Parts; readonly place: GitPlace; readonly dir: string }
  | Failed;

/**
 * Builds an engine on the files and git here. The journal is in the git directory unless another store is
 * configured.
 */
export async function compose(options: ComposeOptions): Promise<Composed> {
  const { cwd, readOnly = false, env = process.env } = options;
  const wrong = wrongFamily(options.families ?? []);
  if (wrong !== undefined) return wrong;
  const onStep = watchSteps(env);
  const roots = rootsOf(options.families);
  const located = await locate({ cwd, readOnly, env, roots, shipped: withShipped(roots), onStep });
  if (located.kind === "failed") return located;
  const { start, found, place, root, dir, gitDir, known, workspace, settings, config } = located;
  const clock = { ...systemClock, ...options.clock };
  const opened = await openStore({
    dir,
    root,
    gitDir,
    readOnly,
    env,
    clock,
    onStep,
    config,
    journal: options.journal,
  });
  if (opened.kind === "failed") return opened;
  if (!readOnly && place.kind === "repository") excludeFromGit(place.commonDir);
  const gitOptions = { cwd: root, tmpDir: join(dir, "tmp"), onStep, ...hookLimit(config) };
  // If there is no repository yet, ask again each time: the next command may create one.
  const asked = found.kind === "repository" ? found : undefined;
  const standsAt = options.remote === true ? undefined : relative(root, start);
  const parts: Parts = {
    families: familiesFor(options.families, {
      shipped: shippedFamilies({ ...gitOptions, found: asked }, standsAt),
      workspace,
      settings,
      config,
      tried: join(dir, "tried"),
    }),
    ...opened.store,
    workspace,
    git: createGit({ ...gitOptions, found: asked }),
    place,
    fencing: fencingAt(known, dir, env, storeUrl(env, config) !== undefined),
    runner: createRunner({ root, ...checkPath(config) }),
    clock,
    ids: randomIds,
    turns: sharedTurns(dir),
    config,
    settings,
    signatures: createSignatures(),
    witness: createWitness(start),
    sha256,
    onStep,
  };
  return { kind: "open", parts, place, dir };
}

function checkPath({ path }: Config): { readonly path?: readonly string[] } {
  return path === undefined ? {} : { path };
}

function hookLimit({ hookSeconds }: Config): { readonly hookMsMax?: number } {
  return hookSeconds === undefined ? {} : { hookMsMax: hookSeconds * 1000 };
}

/** The families asked for, or else all shipped ones and all that the repository defines. */
function familiesFor(
  wanted: ComposeOptions["families"],
  here: {
    readonly shipped: FamilySources["shipped"];
    readonly workspace: Workspace;
    readonly settings: Settings;
    readonly config: Config;
    /** Where to store which modules were already tried. */
    readonly tried: string;
  },
): Families {
  const { shipped, workspace, settings, config, tried } = here;
  const files = config.protocols ?? [];
  const load = async (from: Settings, named: readonly string[], taken: readonly string[]) => {
    const { loadProtocols } = await import("../door/protocols.ts");
    const { createModules } = await import("../adapters/process/modules.ts");
    const { root } = workspace;
    const modules = createModules(tried);
    return await loadProtocols({ root, settings: from, load: modules, files: named, taken });
  };
  const own = async (): ReturnType<typeof load> =>
    await load(settings, files, Object.keys(shipped));
  const given = (wanted ?? []).filter((one) => typeof one !== "string");
  const named = Object.entries(shipped).filter(
    ([name]) => name === REPOSITORY || (wanted?.includes(name) ?? true),
  );
  return createFamilies({
    shipped: Object.fromEntries(named),
    given,
    own: wanted === undefined && files.length > 0 ? own : undefined,
    read: async (file) => await load(asTheyLie(workspace), [file], []),
    sha256,
    // The repository's own workflow must not depend on settings that a commit can change.
    settings: async ({ roots, protocol }) =>
      protocol.name === REPOSITORY ? {} : await digestsOf(roots, config, settings),
  });
}

/** Locates the store for operations on the store itself, without opening it. */
export async function locateStore(
  cwd: string,
  env: NonNullable<ComposeOptions["env"]> = process.env,
): Promise<Located | Failed> {
  const roots = Object.values(SHIPPED_ROOTS);
  return await locate({ cwd, readOnly: true, env, roots, shipped: roots, onStep: () => undefined });
}
