/**
 * Opens the store that holds a repository's journals: files in the git directory, or PostgreSQL if configured.
 */
import { existsSync, readdirSync } from "node:fs";
import type { Workflow } from "../core/state/state.ts";
import { createRunGit } from "../adapters/git/run/run.ts";
import { openEmbeddedJournal } from "../adapters/store/embedded/embedded.ts";
import { movedAway, movedTo } from "../adapters/store/embedded/moved.ts";
import { JOURNAL_SUFFIX, journalsDir } from "../adapters/store/embedded/paths.ts";
import { createBeside } from "../adapters/store/beside.ts";
import type { Beside } from "../adapters/store/beside.ts";
import { placeName } from "../adapters/store/place.ts";
import { createPresence } from "../adapters/store/presence.ts";
import type { Failed } from "../engine/outcome.ts";
import { workflowFold } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Config } from "../ports/family.ts";
import type { Fold, Journal } from "../ports/journal.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface StoreAt {
  readonly dir: string;
  readonly root: string;
  readonly readOnly: boolean;
  readonly env: Env;
  readonly config: Config;
  readonly gitDir: string | undefined;
  readonly clock: Clock;
  /** A journal to use instead of ours. */
  readonly journal: ((fold: Fold<Workflow>) => Promise<Journal<Workflow>>) | undefined;
  readonly onStep: (step: string) => void;
}

export type Store = Beside &
  Pick<Parts, "journal" | "sessions" | "processes" | "holders" | "inbox">;

export type OpenedStore = { readonly kind: "open"; readonly store: Store } | Failed;

/** The address of the store; undefined for the files of this clone. */
export function storeUrl(env: Env, { store }: Pick<Config, "store">): string | undefined {
  const named = env["HOLDPOINT_STORE"] ?? "";
  const url = named === "" ? store?.postgres : named;
  return url === "embedded" ? undefined : url;
}

export async function openStore(at: StoreAt): Promise<OpenedStore> {
  const { dir, readOnly, onStep, env, config } = at;
  const url = storeUrl(env, config);
  const wrong = at.journal === undefined ? wrongPlace(dir, url, config.store?.postgres) : undefined;
  if (wrong !== undefined) return wrong;
  if (url !== undefined && at.journal === undefined) return await openShared(at, url);
  const opened =
    at.journal === undefined
      ? await openEmbeddedJournal<Workflow>({ dir, fold: workflowFold, readOnly, onStep })
      : await openGiven(at.journal);
  if (opened.kind !== "open") return { ...opened, kind: "failed" };
  return { kind: "open", store: { ...ownParts(at), journal: opened.journal } };
}

/** Opens a journal that a program provides. An invalid one is reported here, and not by the first command. */
async function openGiven(
  open: NonNullable<StoreAt["journal"]>,
): Promise<{ readonly kind: "open"; readonly journal: Journal<Workflow> } | Failed> {
  const fix = "Answer a journal that passes test/conformance/journal.ts.";
  try {
    const journal = await open(workflowFold);
    const lacks = METHODS.filter((name) => typeof journal?.[name] !== "function");
    if (lacks.length === 0) return { kind: "open", journal };
    const message = `The journal that was given has no ${lacks.join(", ")}`;
    return { kind: "failed", code: "journal-unusable", message, fix };
  } catch (error) {
    const message = `The journal that was given cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: "failed", code: "journal-unusable", message, fix };
  }
}

const METHODS = ["load", "append", "read", "find", "list", "streams", "verify", "close"] as const;

/**
 * Refuses to use two stores at once: files whose journals have moved to a server, or a server while journals are
 * still in files here.
 */
function wrongPlace(
  dir: string,
  url: string | undefined,
  named: string | undefined,
): Failed | undefined {
  const moved = movedTo(dir);
  if (url === undefined && named !== undefined)
    return {
      kind: "failed",
      code: "store-bypassed",
      message:
        "HOLDPOINT_STORE says embedded, and the committed configuration names a store on a server",
      fix: "Unset HOLDPOINT_STORE; to leave the server, move: holdpoint store move --to embedded.",
    };
  if (url === undefined)
    return moved === undefined ? undefined : { kind: "failed", ...movedAway(moved).problem };
  const count = moved === undefined ? journalsIn(dir) : 0;
  if (count === 0) return undefined;
  return {
    kind: "failed",
    code: "store-not-moved",
    message: `The store is on a server, and ${count} journals in the files of this clone are not there yet`,
    fix: "Move them: holdpoint store move --to postgres.",
  };
}

function journalsIn(dir: string): number {
  const journals = journalsDir(dir);
  if (!existsSync(journals)) return 0;
  return readdirSync(journals).filter((name) => name.endsWith(JOURNAL_SUFFIX)).length;
}

/** The parts that are stored in files of this clone. */
function ownParts(
  { dir, gitDir, onStep, clock, root }: StoreAt,
  shared: { readonly place?: string } = {},
): Omit<Store, "journal"> {
  return {
    ...createBeside(dir, gitDir, onStep),
    ...createPresence(dir, { clock, onStep, root, ...shared }),
  };
}

async function openShared(at: StoreAt, url: string): Promise<OpenedStore> {
  const { dir, gitDir, root, readOnly, env, clock, onStep } = at;
  // Loaded only here, so that single-machine use does not pay for it.
  const { createShared, openPostgres } = await import("../adapters/store/postgres/index.ts");
  const projects = async (): Promise<readonly string[]> => await firstCommits(root);
  const clone = { dir, readOnly, projects };
  const opened = await openPostgres({ url, env, fold: workflowFold, clone });
  if (opened.kind === "refused") return { ...opened, kind: "failed" };
  const { journal, database, bell } = opened;
  const shared = createShared(database, { dir, gitDir, clock, onStep, list: journal.list });
  // What was shown, and the inbox, belong to this clone.
  return {
    kind: "open",
    store: { ...ownParts(at, { place: placeName(at) }), ...shared, wakes: bell, journal },
  };
}

/** The first commits of a repository, which are the same in all its clones. Unknown in a shallow clone. */
export async function firstCommits(root: string): Promise<readonly string[]> {
  const run = createRunGit("git", process.env);
  const shallow = await run(["rev-parse", "--is-shallow-repository"], { cwd: root });
  if (shallow.stdout.toString().trim() !== "false") return [];
  const roots = await run(["rev-list", "--max-parents=0", "HEAD"], { cwd: root });
  return roots.code === 0
    ? roots.stdout
        .toString()
        .split("\n")
        .filter((oid) => oid !== "")
    : [];
}
