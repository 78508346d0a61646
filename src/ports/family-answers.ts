import type { Refusal } from "../core/answer.ts";
import type { Claim, Import } from "../core/commands.ts";
import type { Event } from "../core/events.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Workflow } from "../core/state.ts";
import type { RefusalEntry } from "./refusals.ts";
import type { World } from "./world.ts";

/** What a family answers when it is asked: orders, reports, descriptions, judgements. */

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
  /** This family does not make names: the user must. */
  | { readonly kind: "unnamed" }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

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

/** A line of output, and how it is meant. */
export interface ToldLine {
  readonly tone: "plain" | "warn" | "bad" | "dim";
  readonly text: string;
}
