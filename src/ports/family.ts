import type { Refusal } from "../core/answer.ts";
import type { Claim, Command, Import } from "../core/commands.ts";
import type { Event } from "../core/events.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Dispatch, Effect, Workflow } from "../core/state.ts";
import type { Blobs } from "./blobs.ts";
import type { Git, GitPlace } from "./git.ts";
import type { StreamSummary } from "./journal.ts";
import type { RefusalEntry } from "./refusals.ts";
import type { Runner } from "./runner.ts";
import type { Workspace } from "./workspace.ts";

/**
 * A family ties a protocol to the world: the files it is written in, the facts it asks for, the orders
 * its agents get and the reports they give. The engine knows families only through this.
 */
export interface Family {
  readonly protocol: Protocol;
  /** What was refused is part of the story: the next record takes it in, as far as it is bounded. */
  readonly keepsRefusals?: boolean;
  /** Whether a workflow may have this name; names become paths, so nothing odd gets in. */
  readonly checkName: (id: string) => Refusal | undefined;
  /** The name of the one workflow that is always there: it begins when it is first taken. */
  readonly standing?: string;
  /** A free name for a new workflow, made from what the user wants, where the family makes names itself. */
  readonly nameFor?: (world: World, options: StartOptions) => Promise<Named>;
  /** First values of a new workflow, from what the user gave. */
  readonly start: (world: World, id: string, options: StartOptions) => Promise<Started>;
  /** The state files of a workflow, its own first, shared ones last. */
  readonly views: (state: Workflow) => readonly View[];
  /** How this family looks up its own facts, by the word before the colon. */
  readonly looks: Readonly<Record<string, Look>>;
  /** Effects that only this family has. Every attempt may be the second one. */
  readonly effects?: Readonly<Record<string, EffectAdapter>>;
  /** Files that an effect takes away, so that a commit in the same record leaves them out. */
  readonly removes?: (
    world: World,
    state: Workflow,
    effect: { readonly kind: string; readonly args: JsonObject },
  ) => Promise<readonly string[]>;
  /** Checks that come from the workflow's own files rather than from the configuration. */
  readonly checks?: (
    world: World,
    state: Workflow,
    check: string,
  ) => Promise<readonly CheckConfig[]>;
  /** What a person vouches for by looking at it, and the facts that must not change for it to count. */
  readonly attests?: (world: World, state: Workflow, what: string) => Promise<Attestation>;
  /** What a person may do without, where the family can tell; any other name is a mistake in typing. */
  readonly waivable?: (world: World, state: Workflow) => Promise<readonly string[]>;
  /** The root's move that stops a workflow whose decision the files cannot show, if it has one. */
  readonly unshown?: string;
  /** Whether work need not be handed out where the workflow stands, unless somebody asks for it by name. */
  readonly unneeded?: (state: Workflow, spec: string, unit: string) => boolean;
  /** Words for steps that users know, each with the steps it may mean. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Where a check runs, from the top of the worktree; without it, at the top. */
  readonly checkedAt?: (state: Workflow, unit: string) => string;
  /** What an auditor wants to know, yes or no for every rule the journal can show. */
  readonly compliance?: (state: Workflow, evidence: AuditEvidence) => Compliance;
  /** A step that is a gate, told check by check up to the first that fails; undefined for any other. */
  readonly gate?: (move: string, refusals: readonly Refusal[]) => readonly string[] | undefined;
  readonly readReport: (text: string, dispatch: Dispatch, state: Workflow) => ReadReport;
  /** Write down what a report carries in itself, such as a short text that belongs into a file. */
  readonly deliver?: (world: World, state: Workflow, claim: Claim) => Promise<void>;
  /** What the agent is told: everything it needs, nothing it does not. */
  readonly order: (world: World, state: Workflow, dispatch: Dispatch) => Promise<Order>;
  /** What the files claim on behalf of an agent that never reported, for a person to vouch for. */
  readonly claimOfFiles?: (world: World, state: Workflow, dispatch: Dispatch) => Promise<Claim>;
  readonly describe: (state: Workflow) => Description;
  /** What whoever looks at it now should see and do; read from files that are nobody's evidence. */
  readonly brief?: (world: World, state: Workflow) => Promise<Brief>;
  /** What could be started here, from the family's own list of work. */
  readonly choice?: (world: World) => Promise<Choice | undefined>;
  /** Only the engine writes its part of the state files: an edit there that came true by no command is told. */
  readonly tellsEdits?: boolean;
  /** Agents write the state files themselves: remarks on a report are about what they wrote there. */
  readonly agentsWriteState?: boolean;
  /** Changes in the files that amount to a legal command, such as a status set by hand. */
  readonly edits: (world: World, state: Workflow) => Promise<readonly Command[]>;
  /** Read a workflow that has files but no journal. */
  readonly adopt: (world: World, id: string, options: JsonObject) => Promise<Adopted>;
  /** Names of workflows that the files of this tree show, with or without a journal. */
  readonly discover: (world: World) => Promise<readonly string[]>;
  /** What the exit codes of `verify` mean in this family, in a few words each. */
  readonly headings?: Readonly<Record<VerifiedWorkflow["exit"], string>>;
  /** Judge the files alone, changing nothing. */
  readonly verify: (world: World) => Promise<readonly VerifiedWorkflow[]>;
}

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
  readonly settings: JsonObject;
}

export interface CheckConfig {
  /** What its own file calls it; its result is kept under this name. */
  readonly name?: string;
  readonly run: readonly string[];
  readonly minutes: number;
}

/** What became of one attempt at an effect. */
export type Performed =
  | {
      readonly kind: "done";
      readonly detail: JsonObject;
      readonly commit?: { readonly oid: string; readonly short: string };
      readonly warnings: readonly string[];
    }
  | { readonly kind: "pending"; readonly pending: PendingEffect }
  /** It cannot be done and will not be by trying again: the protocol says what becomes of it. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

/** The journal of one workflow, read aloud, and what was refused beside it. */
export interface AuditEvidence {
  readonly records: readonly {
    readonly seq: number;
    readonly at: string;
    readonly actor: string;
    readonly session: string;
    readonly command: string;
    readonly events: readonly Event[];
  }[];
  readonly refused: readonly RefusalEntry[];
  readonly chainWhole: boolean;
}

export interface Compliance {
  readonly passed: boolean;
  readonly markdown: string;
  readonly json: JsonObject;
}

/** An effect that could not be done yet, and what would help. */
export interface PendingEffect {
  readonly effect: string;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export type EffectAdapter = (world: World, state: Workflow, effect: Effect) => Promise<Performed>;

export type Attestation =
  | { readonly kind: "finding"; readonly name: string; readonly binds: readonly string[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export type Look = (world: World, of: string, state: Workflow) => Promise<Json>;

export interface StartOptions {
  readonly [name: string]: string | boolean | undefined;
}

export type Started =
  | { readonly kind: "ready"; readonly vars: JsonObject; readonly warnings?: readonly string[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export type Named =
  | { readonly kind: "named"; readonly id: string }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

/**
 * A state file. `render` is a pure function of the workflow and the text that is there: it changes only
 * what the workflow owns in it, and rendering twice changes nothing more.
 */
export interface View {
  readonly path: string;
  readonly shared: boolean;
  readonly render: (text: string | null) => Rendered;
  /** Where the text says something else than the journal; empty when it agrees. */
  readonly drift: (text: string | null) => readonly string[];
  /** Bring this workflow's part of `shown` onto `head`, for a commit that must hold nobody else's part. */
  readonly carry?: (head: string, shown: string) => string;
}

export type Rendered =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  /** The text cannot be understood well enough to change it without losing something. */
  | { readonly kind: "broken"; readonly message: string };

export type ReadReport =
  | { readonly kind: "report"; readonly claim: Claim; readonly warnings: readonly string[] }
  /** Nothing that could be read. It is recorded as an attempt that failed, and refused. */
  | { readonly kind: "void"; readonly claim: Claim; readonly refusals: readonly Refusal[] }
  /** Addressed to people, not to the state machine: kept as a note. */
  | { readonly kind: "advice"; readonly text: string }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export interface Order {
  readonly dispatch: string;
  readonly role: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly data: JsonObject;
}

export interface Description {
  /** In the words people use: "Build System Ready". */
  readonly headline: string;
  /** In the words of the files: "🚧 Stage 2". */
  readonly state: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
  readonly finished: boolean;
  /** Where it came to rest: how it ended or what stopped it, and what can be done about that. */
  readonly closing?: { readonly message: string; readonly fix: string };
}

export interface Brief {
  /** What a person sees before answering the question that is open. */
  readonly shown: readonly string[];
  readonly advice: readonly Advice[];
}

/** One thing to do next: in a word, why, and what to type for it. */
export interface Advice {
  readonly action: string;
  readonly why: string;
  readonly run: readonly string[];
}

/** The next piece of work of a list, or why there is none; every entry that was looked at is told. */
export interface Choice {
  readonly next: string | null;
  readonly run: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly checked: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly why: string;
  }[];
}

export type Adopted =
  | {
      readonly kind: "ready";
      readonly import: Import;
      readonly summary: readonly string[];
      readonly confirm: boolean;
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export interface VerifiedWorkflow {
  readonly id: string;
  readonly protocol: string;
  readonly exit: 0 | 1 | 2 | 3 | 4;
  readonly findings: readonly VerifyFinding[];
}

export interface VerifyFinding {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
}
