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
  /** Everything below a directory by its bytes; with the rules of an earlier reading, nothing that they let be seen is hidden. */
  readonly tree: (directory: string, rules?: TreeReading["rules"]) => Promise<TreeReading>;
  /** What Holdpoint itself has written since a moment, for any workflow: that is nobody's work. */
  readonly written: (since: string) => Promise<Written>;
  /** What is committed and what was accepted about releases. */
  readonly bases: () => Promise<Bases>;
  /** How far every other journal goes: number and hash of its last record. */
  readonly heads: () => Promise<Readonly<Record<string, string>>>;
}

export interface Written {
  /** State files by path, with the digest of the text last shown in each; null where one was removed. */
  readonly views: ReadonlyMap<string, string | null>;
  /** The hashes of the records. */
  readonly records: ReadonlySet<string>;
  /** The commits that effects of those records are recorded to have made. */
  readonly commits: ReadonlySet<string>;
  /** The same by what the effect was: a commit may be made in one place and brought to another. */
  readonly made: readonly Made[];
  /** Work that came back since then, and work that is out. */
  readonly work: readonly WorkOut[];
}

export interface Made {
  readonly kind: string;
  readonly args: JsonObject;
  readonly oids: readonly string[];
}

/** Work of some workflow: what its report was measured to have changed, or the order as long as it is out. */
export interface WorkOut {
  readonly workflow: string;
  readonly measured?: Json;
  readonly out?: Dispatch;
}

/** `holdpoint.config.json` at the root of the repository, as it is committed. Checks are argument lists, never shell texts. */
export interface Config {
  readonly checks: Readonly<Record<string, CheckConfig>>;
  /** Checks that the repository says it has none of, and why. */
  readonly none?: Readonly<Record<string, string>>;
  /** Files with protocols of one's own. */
  readonly protocols?: readonly string[];
  /** Where the programs of checks are looked for, in place of the caller's PATH. */
  readonly path?: readonly string[];
  /** How long a hook of git's may take. */
  readonly hookSeconds?: number;
  /** Branches that only what is released may move; without it, `main` and `master` where they are. */
  readonly protected?: readonly string[];
  /** How strongly a person's word must be proven. */
  readonly policy?: Policy;
  /** Where the truth is, if not in the files of this clone. */
  readonly store?: { readonly postgres: string };
  /** Whether the commits of Holdpoint name an agent as co-author, where their protocol does. */
  readonly coAuthor?: boolean;
  readonly settings: JsonObject;
}

export interface CheckConfig {
  /** What its own file calls it; its result is kept under this name. */
  readonly name?: string;
  readonly run: readonly string[];
  readonly minutes: number;
}
