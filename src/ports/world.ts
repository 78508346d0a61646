import type { JsonObject } from "../core/json.ts";
import type { Blobs } from "./blobs.ts";
import type { Git, GitPlace } from "./git.ts";
import type { StreamSummary } from "./journal.ts";
import type { Runner } from "./runner.ts";
import type { Workspace } from "./workspace.ts";

/** What a family may look at and act on. */
export interface World {
  readonly workspace: Workspace;
  readonly git: Git;
  readonly place: GitPlace;
  readonly config: Config;
  readonly blobs: Blobs;
  readonly runner: Runner;
  readonly now: string;
  readonly sha256: (text: string) => string;
  readonly workflows: () => Promise<readonly StreamSummary[]>;
}

/** `holdpoint.config.json` at the root of the repository. Checks are argument lists, never shell texts. */
export interface Config {
  readonly checks: Readonly<Record<string, CheckConfig>>;
  /** Files with protocols of one's own. */
  readonly protocols?: readonly string[];
  readonly settings: JsonObject;
}

export interface CheckConfig {
  /** What its own file calls it; its result is kept under this name. */
  readonly name?: string;
  readonly run: readonly string[];
  readonly minutes: number;
}
