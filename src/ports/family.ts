import type { Refusal } from "../core/decide/answer.ts";
import type { Claim, Command } from "../core/state/commands.ts";
import type { JsonObject } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Aim, Dispatch, Effect, Remark, Workflow } from "../core/state/state.ts";
import type { VerifiedWorkflow, VerifyFinding } from "../core/guards/verified.ts";
import type {
  Adopted,
  AgentRole,
  Attestation,
  AuditEvidence,
  Brief,
  Choice,
  Compliance,
  Description,
  Look,
  Named,
  Order,
  Performed,
  ReadReport,
  ShortCommand,
  StartOptions,
  Started,
  ToldLine,
} from "./family-answers.ts";
import type { Watched } from "../watch/watch.ts";
import type { Problem } from "./problem.ts";
import type { View } from "./view.ts";
import type { CheckConfig, Config, World } from "./world.ts";

export type * from "../core/guards/verified.ts";
export type * from "./family-answers.ts";
export type * from "./view.ts";
export type * from "./world.ts";

/**
 * A family connects a protocol to the outside world: its files, the facts it asks for, the orders its agents get
 * and the reports they give. The engine and the surfaces know families only through this interface. Every member
 * is always present: `defineFamily` fills in what an author left out.
 */
export interface Family {
  readonly protocol: Protocol;
  readonly names: Names;
  readonly starting: Starting;
  /** The state files of a workflow, its own first, shared ones last. */
  readonly views: (state: Workflow) => readonly View[];
  /** How this family looks up its own facts, by the word before the colon. */
  readonly looks: Readonly<Record<string, Look>>;
  readonly work: Work;
  /** Effects that only this family has, by kind. */
  readonly effects: Readonly<Record<string, EffectAdapter>>;
  readonly checks: Checks;
  readonly edits: Edits;
  readonly adopt: Adopt;
  readonly verify: Verify;
  readonly audit: Audit;
  /** What agents must not touch in the current state; empty once the workflow rests. */
  readonly watch: (state: Workflow) => readonly Watched[];
  /** What could be started here, from the family's own list of work. */
  readonly choice: (world: World) => Promise<Choice | undefined>;
  readonly attest: Attest;
  readonly words: Words;
  readonly roots: Roots;
}

/** What an author may define for a family besides its protocol. `defineFamily` fills in the rest. */
export interface Capabilities {
  readonly names?: Partial<Names>;
  readonly starting?: Partial<Starting>;
  readonly views?: readonly ViewOf[];
  readonly looks?: Family["looks"];
  readonly work?: Partial<Work>;
  readonly effects?: Readonly<Record<string, EffectAdapter>>;
  readonly checks?: Partial<Checks>;
  readonly edits?: Partial<Edits>;
  readonly adopt?: Partial<Adopt>;
  readonly verify?: Partial<Verify>;
  readonly audit?: Partial<Audit>;
  readonly watch?: (state: Workflow, usual: readonly Watched[]) => readonly Watched[];
  readonly choice?: Family["choice"];
  readonly attest?: Partial<Attest>;
  readonly words?: Partial<Words>;
  readonly roots?: Partial<Roots>;
}

export interface Names {
  /** Refuses a bad name for a workflow. Names become paths. */
  readonly check: (id: string) => Refusal | undefined;
  /** Makes a free name for a new workflow, if the family makes names itself. */
  readonly make: (world: World, options: StartOptions) => Promise<Named>;
  /** The name of the one workflow that always exists and begins when first used. */
  readonly standing: string | null;
}

export interface Starting {
  /** What `start` takes for this protocol, by name. */
  readonly options: Readonly<Record<string, StartOption>>;
  /** Initial values of a new workflow, from what the user gave. */
  readonly vars: (world: World, id: string, options: StartOptions) => Promise<Started>;
  /** Settings for a new configuration, in a repository with code in these languages. */
  readonly settings: (languages: readonly string[]) => JsonObject;
}

export interface StartOption {
  readonly type: "string" | "boolean";
  readonly about: string;
  readonly values?: readonly string[];
}

/** Makes one or more views of a workflow. */
export type ViewOf = (state: Workflow, protocol: Protocol) => View | readonly View[];

export interface Work {
  /** The order: everything the agent needs, and nothing else. */
  readonly order: (world: World, state: Workflow, dispatch: Dispatch) => Promise<Order>;
  readonly read: (text: string, dispatch: Dispatch, state: Workflow) => ReadReport;
  /** Writes the parts of a report that belong in files, such as a short text sent inside the report. */
  readonly deliver: (world: World, state: Workflow, claim: Claim) => Promise<void>;
  /** Reads from the files what an agent that never reported would have claimed, for a person to vouch for. */
  readonly claimOfFiles: (
    world: World,
    state: Workflow,
    dispatch: Dispatch,
  ) => Promise<Claim | undefined>;
  /** Whether this work can be skipped here. It is then sent out only when asked for by name. */
  readonly unneeded: (state: Workflow, spec: string, unit: string) => boolean;
}

export interface EffectAdapter {
  /**
   * Carries out the effect. A crash may have interrupted an earlier attempt, so doing it twice must have the same
   * result.
   */
  readonly perform: (
    world: World,
    state: Workflow,
    effect: Effect,
    memory?: Memory,
  ) => Promise<Performed>;
  /** Files that the effect removes, so that a commit in the same record leaves them out. */
  readonly removes?: (
    world: World,
    state: Workflow,
    args: JsonObject,
  ) => Promise<readonly string[]>;
}

/**
 * What an attempt saw before it changed anything. The next attempt may find the work already done and must still
 * make the same record. Forgotten once that record is made.
 */
export interface Memory {
  readonly recall: () => Promise<JsonObject | undefined>;
  /** Durable when the promise resolves. */
  readonly keep: (seen: JsonObject) => Promise<void>;
  /**
   * Has the journal record which branch is about to move. If this returns a problem, the branch must not be
   * moved.
   */
  readonly aim?: (aim: Aim) => Promise<Problem | undefined>;
}

export interface Checks {
  /** Checks that come from the workflow's own files rather than from the configuration. */
  readonly own: (world: World, state: Workflow, check: string) => Promise<readonly CheckConfig[]>;
  /** The directory a check runs in, relative to the top of the worktree; empty for the top itself. */
  readonly at: (state: Workflow, unit: string) => string;
}

export interface Edits {
  /**
   * Commands that follow from edits of several files together. Edits of a single view are read by its `claims`.
   */
  readonly commands: (world: World, state: Workflow) => Promise<readonly Command[]>;
  /** The root's move that stops a workflow whose decision the files cannot show, if there is one. */
  readonly unshown: string | null;
}

export interface Adopt {
  /** Names of the workflows visible in this tree, with or without a journal. */
  readonly discover: (world: World) => Promise<readonly string[]>;
  /** Reads a workflow that has files but no journal. */
  readonly read: (world: World, id: string, options: JsonObject) => Promise<Adopted>;
}

export interface Verify {
  /** Judges the files alone and changes nothing. The engine adds where they disagree with the journal. */
  readonly judge: (world: World) => Promise<readonly VerifiedWorkflow[]>;
  /** What the exit codes mean in this family, in a few words each. */
  readonly headings: Readonly<Record<VerifiedWorkflow["exit"], string>>;
  /** A finding for a finished workflow whose files are all gone, if the family has something to say. */
  readonly ended: (state: Workflow) => VerifyFinding | undefined;
}

export interface Audit {
  /** For each rule that the journal can show: whether this workflow followed it. */
  readonly compliance: (state: Workflow, evidence: AuditEvidence) => Compliance | undefined;
  /** Whether the next record includes the refusals since the last one, up to a limit. */
  readonly keepsRefusals: boolean;
}

export interface Attest {
  /** What a person can vouch for, each in the words that `finding` takes. */
  readonly listed: (world: World, state: Workflow) => Promise<readonly string[]>;
  /** The finding that results from a person's word, and the facts it is bound to. */
  readonly finding: (world: World, state: Workflow, what: string) => Promise<Attestation>;
  /** Names of the gates that a person may waive; undefined if any name is accepted. */
  readonly waivable: (world: World, state: Workflow) => Promise<readonly string[] | undefined>;
}

export interface Words {
  readonly describe: (state: Workflow) => Description;
  /** What to show and suggest to whoever looks at the workflow now. It may read files that prove nothing. */
  readonly brief: (world: World, state: Workflow) => Promise<Brief>;
  /** For a step that is a gate: its checks as lines, up to the first that fails. Empty for other steps. */
  readonly gate: (move: string, refusals: readonly Refusal[]) => readonly string[];
  /** Words users have for steps, each with the steps it may mean. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** How to print the remarks on a report. */
  readonly remarks: (remarks: readonly Remark[]) => readonly ToldLine[];
  /** A remark on how the main agent used its tools, message by message. Only shown; nothing depends on it. */
  readonly pace: (state: Workflow, batches: readonly Batch[]) => string | undefined;
  /** Names for people, for states and finished effects that the table names differently. */
  readonly called: Readonly<Record<string, string>>;
  readonly agents: readonly AgentRole[];
  /** Short commands that users of this protocol type to their agent, by name. */
  readonly commands: Readonly<Record<string, ShortCommand>>;
}

/** One message of an agent, and how many tools it used. */
export interface Batch {
  readonly at: string;
  readonly calls: number;
}

/** Where the family's files are, known before the family itself is loaded. */
export interface Roots {
  /** Without git: files or folders that mark the root directory of the work. */
  readonly marks: readonly string[];
  /** The folder below which a git worktree belongs to the repository around it, if the family has one. */
  readonly worktrees: (config: Config) => string | null;
  /** The family's settings in the configuration: a JSON Schema by key. */
  readonly settings: Readonly<Record<string, JsonObject>>;
  /** Further files of the repository that its gates depend on. */
  readonly files: readonly string[];
}
