import type { TreeReading } from "./reading.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Bases, Policy } from "../core/state/policy.ts";
import type { Dispatch } from "../core/state/state.ts";
import type { Blobs } from "./blobs.ts";
import type { Git, GitPlace } from "./git.ts";
import type { StreamSummary } from "./journal.ts";
import type { Runner } from "./runner.ts";
import type { Settings } from "./settings.ts";
import type { Workspace } from "./workspace.ts";

/** What a family may look at and act on. */
export interface World {
  readonly workspace: Workspace;
  readonly git: Git;
  readonly place: GitPlace;
  readonly config: Config;
  readonly settings: Settings;
  readonly blobs: Blobs;
  readonly runner: Runner;
  readonly now: string;
  readonly sha256: (bytes: string | Uint8Array) => string;
  readonly workflows: () => Promise<readonly StreamSummary[]>;
  /**
   * Reads everything below a directory by its bytes. With the rules of an earlier reading, nothing that those
   * rules showed is hidden.
   */
  readonly tree: (directory: string, rules?: TreeReading["rules"]) => Promise<TreeReading>;
  /** What Holdpoint itself has written since a time, for any workflow. It counts as nobody's work. */
  readonly written: (since: string) => Promise<Written>;
  /** The committed and the accepted policy on releases. */
  readonly bases: () => Promise<Bases>;
  /** The number and hash of the last record of every other journal. */
  readonly heads: () => Promise<Readonly<Record<string, string>>>;
}

export interface Written {
  /** State files by path, with the digest of the text last shown in each; null where one was removed. */
  readonly views: ReadonlyMap<string, string | null>;
  readonly records: ReadonlySet<string>;
  /** Commits that these records' effects are recorded to have made. */
  readonly commits: ReadonlySet<string>;
  /** The same commits with their effect: a commit may be made in one worktree and then brought to another. */
  readonly made: readonly Made[];
  /** Work reported since then, and work still out. */
  readonly work: readonly WorkOut[];
}

export interface Made {
  readonly kind: string;
  readonly args: JsonObject;
  readonly oids: readonly string[];
}

/** Work of any workflow: the measured change of its report, or its order while it is out. */
export interface WorkOut {
  readonly workflow: string;
  readonly measured?: Json;
  readonly out?: Dispatch;
}

/** `holdpoint.config.json` at the root of the repository, as it is committed. Checks are argument lists, never shell texts. */
export interface Config {
  readonly checks: Readonly<Record<string, CheckConfig>>;
  /** Checks that the repository says it does not have, and why. */
  readonly none?: Readonly<Record<string, string>>;
  /** Files with the repository's own protocols. */
  readonly protocols?: readonly string[];
  /** Where to look for the programs of checks, instead of the caller's PATH. */
  readonly path?: readonly string[];
  /** How many seconds a git hook may take. */
  readonly hookSeconds?: number;
  /** Branches that only released commits may move. Without this, `main` and `master` if they exist. */
  readonly protected?: readonly string[];
  /** How strongly a person's word must be proven. */
  readonly policy?: Policy;
  /** Where the journals are kept, if not in this clone's files. */
  readonly store?: { readonly postgres: string };
  /** Whether Holdpoint's commits name an agent as co-author, where the protocol does. */
  readonly coAuthor?: boolean;
  readonly settings: JsonObject;
}

export interface CheckConfig {
  /** The name in its own file; the result is stored under this name. */
  readonly name?: string;
  readonly run: readonly string[];
  readonly minutes: number;
}
