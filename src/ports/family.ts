import type { Refusal } from "../core/answer.ts";
import type { Claim, Command } from "../core/commands.ts";
import type { JsonObject } from "../core/json.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Dispatch, Effect, Remark, Workflow } from "../core/state.ts";
import type {
  Adopted,
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
  StartOptions,
  Started,
  ToldLine,
  VerifiedWorkflow,
  VerifyFinding,
} from "./family-answers.ts";
import type { View } from "./view.ts";
import type { CheckConfig, Config, World } from "./world.ts";

export type * from "./family-answers.ts";
export type * from "./view.ts";
export type * from "./world.ts";

/**
 * A family ties a protocol to the world: the files it is written in, the facts it asks for, the orders its
 * agents get and the reports they give. The engine and the surfaces know families only through this, and
 * every member is always there: `defineFamily` fills in what an author left out.
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
  /** What could be started here, from the family's own list of work. */
  readonly choice: (world: World) => Promise<Choice | undefined>;
  readonly attest: Attest;
  readonly words: Words;
  readonly roots: Roots;
}

/** What an author may say about a family beside its protocol; `defineFamily` fills in the rest. */
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
  readonly choice?: Family["choice"];
  readonly attest?: Partial<Attest>;
  readonly words?: Partial<Words>;
  readonly roots?: Partial<Roots>;
}

export interface Names {
  /** Whether a workflow may have this name; names become paths, so nothing odd gets in. */
  readonly check: (id: string) => Refusal | undefined;
  /** A free name for a new workflow, made from what the user wants, where the family makes names itself. */
  readonly make: (world: World, options: StartOptions) => Promise<Named>;
  /** The name of the one workflow that is always there: it begins when it is first taken. */
  readonly standing: string | null;
}

export interface Starting {
  /** What `start` takes for this protocol, by name. */
  readonly options: Readonly<Record<string, StartOption>>;
  /** First values of a new workflow, from what the user gave. */
  readonly vars: (world: World, id: string, options: StartOptions) => Promise<Started>;
}

export interface StartOption {
  readonly type: "string" | "boolean";
  readonly about: string;
  readonly values?: readonly string[];
}

/** Makes one or more views of a workflow. */
export type ViewOf = (state: Workflow, protocol: Protocol) => View | readonly View[];

export interface Work {
  /** What the agent is told: everything it needs, nothing it does not. */
  readonly order: (world: World, state: Workflow, dispatch: Dispatch) => Promise<Order>;
  readonly read: (text: string, dispatch: Dispatch, state: Workflow) => ReadReport;
  /** Write down what a report carries in itself, such as a short text that belongs into a file. */
  readonly deliver: (world: World, state: Workflow, claim: Claim) => Promise<void>;
  /** What the files claim on behalf of an agent that never reported, for a person to vouch for. */
  readonly claimOfFiles: (
    world: World,
    state: Workflow,
    dispatch: Dispatch,
  ) => Promise<Claim | undefined>;
  /** Whether work need not be handed out where the workflow stands, unless somebody asks for it by name. */
  readonly unneeded: (state: Workflow, spec: string, unit: string) => boolean;
}

export interface EffectAdapter {
  /** Every attempt may be the second one. */
  readonly perform: (world: World, state: Workflow, effect: Effect) => Promise<Performed>;
  /** Files the effect takes away, so that a commit in the same record leaves them out. */
  readonly removes?: (
    world: World,
    state: Workflow,
    args: JsonObject,
  ) => Promise<readonly string[]>;
}

export interface Checks {
  /** Checks that come from the workflow's own files rather than from the configuration. */
  readonly own: (world: World, state: Workflow, check: string) => Promise<readonly CheckConfig[]>;
  /** Where a check runs, from the top of the worktree; empty for the top itself. */
  readonly at: (state: Workflow, unit: string) => string;
}

export interface Edits {
  /** Changes in files that amount to commands; where one file alone says it, its view `claims` it. */
  readonly commands: (world: World, state: Workflow) => Promise<readonly Command[]>;
  /** Only the engine writes its part of the state files: an edit there that came true by no command is told. */
  readonly told: boolean;
  /** The root's move that stops a workflow whose decision the files cannot show, if it has one. */
  readonly unshown: string | null;
}

export interface Adopt {
  /** Names of workflows that this tree shows, with or without a journal. */
  readonly discover: (world: World) => Promise<readonly string[]>;
  /** Read a workflow that has files but no journal. */
  readonly read: (world: World, id: string, options: JsonObject) => Promise<Adopted>;
}

export interface Verify {
  /** Judge the files alone, changing nothing. The engine adds where they disagree with the journal. */
  readonly judge: (world: World) => Promise<readonly VerifiedWorkflow[]>;
  /** What the exit codes mean in this family, in a few words each. */
  readonly headings: Readonly<Record<VerifiedWorkflow["exit"], string>>;
  /** What is said of a finished workflow that has no file left to look at, if that is worth saying. */
  readonly ended: (state: Workflow) => VerifyFinding | undefined;
  /**
   * Findings whose file outlived its workflow, by code, and what such a file is called. Verifying the workflow
   * by name removes the file.
   */
  readonly leftOver: Readonly<Record<string, string>>;
}

export interface Audit {
  /** What an auditor wants to know, yes or no for every rule the journal can show. */
  readonly compliance: (state: Workflow, evidence: AuditEvidence) => Compliance | undefined;
  /** What was refused is part of the story: the next record takes it in, as far as it is bounded. */
  readonly keepsRefusals: boolean;
}

export interface Attest {
  /** What a person vouches for by looking at it, and the facts that must not change for it to count. */
  readonly finding: (world: World, state: Workflow, what: string) => Promise<Attestation>;
  /** What a person may do without; undefined where the family cannot tell, and any name is taken. */
  readonly waivable: (world: World, state: Workflow) => Promise<readonly string[] | undefined>;
}

export interface Words {
  readonly describe: (state: Workflow) => Description;
  /** What whoever looks at it now should see and do; read from files that are nobody's evidence. */
  readonly brief: (world: World, state: Workflow) => Promise<Brief>;
  /** A step that is a gate, told check by check up to the first that fails; nothing for any other. */
  readonly gate: (move: string, refusals: readonly Refusal[]) => readonly string[];
  /** Words for steps that users know, each with the steps it may mean. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** What is said about the remarks that a report got. */
  readonly remarks: (remarks: readonly Remark[]) => readonly ToldLine[];
}

/** Where the family's files live, known before the family itself is loaded. */
export interface Roots {
  /** Files or folders whose directory is the root of the work, where there is no git. */
  readonly marks: readonly string[];
  /** The folder below which a git worktree belongs to the repository around it, if the family has one. */
  readonly worktrees: (config: Config) => string | null;
}
