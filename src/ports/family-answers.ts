import type { Act, Refusal, Remedy } from "../core/decide/answer.ts";
import type { Claim, Import } from "../core/state/commands.ts";
import type { Event } from "../core/state/events.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Workflow } from "../core/state/state.ts";
import type { RefusalEntry } from "./refusals.ts";
import type { World } from "./world.ts";

/** The answers of a family: orders, reports, descriptions, judgements. */

/** The result of one attempt to carry out an effect. */
export type Performed =
  | {
      readonly kind: "done";
      readonly detail: JsonObject;
      readonly commit?: { readonly oid: string; readonly short: string };
      readonly warnings: readonly string[];
    }
  | { readonly kind: "pending"; readonly pending: PendingEffect }
  /**
   * The effect cannot be done, now or later. `failed`: the protocol says what happens to the step. `skipped`:
   * nothing depends on it any more.
   */
  | {
      readonly kind: "failed" | "skipped";
      readonly code: string;
      readonly message: string;
      readonly fix: Remedy;
    };

/** What a family judges compliance by: the records of one workflow, and the refused commands. */
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
  readonly fix: Remedy;
}

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
  /** The family does not make up names, so the user has to give one. */
  | { readonly kind: "unnamed" }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export type ReadReport =
  | {
      readonly kind: "report";
      readonly claim: Claim;
      readonly warnings: readonly string[];
      /** There is no report in the text. It counts as a failed attempt. */
      readonly formless?: true;
    }
  /** The text has no readable report. It is recorded as a failed attempt, and refused. */
  | { readonly kind: "void"; readonly claim: Claim; readonly refusals: readonly Refusal[] }
  /** The text is advice to people. It is kept as a note and moves nothing. */
  | { readonly kind: "advice"; readonly text: string }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export interface Order {
  readonly dispatch: string;
  readonly role: string;
  /** The agent's name in clients, if it differs from the role's. */
  readonly agent?: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly data: JsonObject;
}

export interface Description {
  /** The state in everyday words: "Build System Ready". */
  readonly headline: string;
  /** The state in the words of the state files: "🚧 Stage 2". */
  readonly state: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
  /** What the lead agent is to do in this state; shorter if the workflow has been here before. */
  readonly asked?: string;
  readonly finished: boolean;
  /** For a workflow that has ended or stopped: how, and what can be done about it. */
  readonly closing?: { readonly message: string; readonly fix: Remedy };
}

export interface Brief {
  /** What a person should see before answering the open question. */
  readonly shown: readonly string[];
  readonly advice: readonly Advice[];
}

/** One thing to do next: a word for it, why, and what to type. */
export interface Advice {
  readonly action: string;
  readonly why: string;
  readonly run: readonly Remedy[];
}

/** The next piece of work from a list, or why there is none. Every entry looked at is explained. */
export interface Choice {
  readonly next: string | null;
  readonly run: readonly Remedy[];
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
  | {
      readonly kind: "refused";
      readonly refusals: readonly Refusal[];
      /** If the files contradict each other: what each says, and the readings a person may choose from. */
      readonly evidence?: readonly string[];
      readonly choices?: readonly AdoptChoice[];
    };

/** A state to adopt, with the last finished phase of a stage in progress. */
export interface AdoptChoice {
  readonly at: string;
  readonly phase?: string;
}

/** A line of output and its tone. */
export interface ToldLine {
  readonly tone: "plain" | "warn" | "bad" | "dim";
  readonly text: string;
}

/** A role as dispatches name it, and the name of its agent in clients, in kebab-case. */
export interface AgentRole {
  readonly role: string;
  readonly name: string;
  /** What it does, in a few words. */
  readonly about: string;
}

/** A short command that users type to their agent. `<workflow>` stands for the word typed after it. */
export interface ShortCommand {
  readonly about: string;
  readonly act: Act;
}
