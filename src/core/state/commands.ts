import type { Json, JsonObject } from "../values/json.ts";
import type { Agreed, Policy } from "./policy.ts";
import type { Aim, Bound, Decision } from "./state.ts";

/** Who asks. `person` is a human being; `agent` is a program that works in a role; `engine` is Holdpoint. */
export interface Actor {
  readonly kind: "person" | "agent" | "engine";
  readonly name: string;
  readonly role?: string;
  /** Which agent it is, where its client says so; without it, whatever an agent says about itself is a claim. */
  readonly agent?: string;
}

/**
 * A request to change something; it may be refused. Time and identity come in with it, because deciding
 * has neither a clock nor randomness of its own.
 */
export interface Envelope {
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  readonly session: string;
  /** Which process asks, by a name that no later process gets. Only the engine's edge can read it. */
  readonly process?: string;
  /** Which clone on which machine asks, where several share one journal. */
  readonly place?: string;
  /** The lease number the session believes it holds; a stale one is refused. */
  readonly fence?: number;
  /** What the repository has agreed on, to be remembered with what is decided under it. */
  readonly agreed?: Agreed;
  /** What must prove a person's word: all of these at once. Without any, the word counts as it is given. */
  readonly policy?: readonly Policy[];
  /** How this command is proven to be a person's; put there only by the edge that has verified it. */
  readonly proof?: Proof;
  /** Only asks what would follow if it were proven: nothing of it is recorded. */
  readonly presumed?: true;
  /** The hash of the record that it is decided on. */
  readonly head?: string;
}

/** A person's word, bound to what was shown: confirmed at a terminal, or signed with a key. */
export interface Proof {
  readonly strength: "presence" | "signed";
  /** The text that was confirmed or signed, byte for byte. */
  readonly statement: string;
  readonly signature?: string;
  /** The fingerprint of the key. */
  readonly key?: string;
  /** Under which names the key counts. */
  readonly names?: readonly string[];
  /** The key is kept in a device that asks for a touch. */
  readonly hardware?: boolean;
}

/** What is known of whoever had it before: `dead` is proven, `quiet` is a long silence, `none` is neither. */
export type Previous = "dead" | "quiet" | "none";

export type Command =
  | { readonly type: "workflow.start"; readonly workflow: string; readonly vars: JsonObject }
  | { readonly type: "workflow.adopt"; readonly workflow: string; readonly import: Import }
  | {
      readonly type: "unit.move";
      readonly unit: string;
      readonly move: string;
      readonly reason?: string;
      readonly input?: JsonObject;
    }
  | {
      readonly type: "unit.open";
      readonly kind: string;
      readonly unit: string;
      readonly data: JsonObject;
      readonly reason?: string;
    }
  | { readonly type: "dispatch.send"; readonly spec: string; readonly unit: string }
  /** An agent has fetched the order, or hands it to an agent below it; null gives the work free. */
  | { readonly type: "dispatch.take"; readonly dispatch: string; readonly agent: string | null }
  | { readonly type: "dispatch.report"; readonly dispatch: string; readonly claim: Claim }
  /** The engine could not make the report's effect ready (a commit hook said no): keep it, and ask. */
  | {
      readonly type: "dispatch.park";
      readonly dispatch: string;
      readonly claim: Claim;
      readonly asks: string;
      readonly about: JsonObject;
    }
  | { readonly type: "dispatch.cancel"; readonly dispatch: string; readonly reason: string }
  | {
      readonly type: "decision.ask";
      readonly question: string;
      readonly unit: string;
      readonly about: JsonObject;
    }
  | {
      readonly type: "decision.answer";
      readonly decision: string;
      readonly nonce?: string;
      readonly text: string;
      readonly reason?: string;
    }
  /** The engine could not write what follows from a person's answer: keep it, and give it again later. */
  | {
      readonly type: "answer.keep";
      readonly decision: string;
      readonly nonce: string;
      readonly text: string;
      readonly reason: string;
    }
  | { readonly type: "answer.drop"; readonly decision: string; readonly why: string }
  | {
      readonly type: "finding.record";
      readonly unit: string;
      readonly kind: string;
      readonly by: string;
      readonly value: Json;
      readonly bound: Bound;
      readonly detail?: JsonObject;
    }
  | {
      readonly type: "effect.settle";
      readonly effect: string;
      readonly status: "done" | "failed" | "skipped";
      readonly detail: JsonObject;
    }
  /** The engine says which branch it is about to move for an effect, and where to. */
  | { readonly type: "effect.aim"; readonly effect: string; readonly aim: Aim }
  /** A person accepts that the workflow goes on under another definition than before. */
  | { readonly type: "definition.accept"; readonly reason: string }
  | { readonly type: "lease.take"; readonly previous: Previous; readonly why: string }
  | { readonly type: "lease.release" }
  | { readonly type: "lease.break"; readonly reason: string }
  | { readonly type: "vars.set"; readonly name: string; readonly value: Json }
  | {
      readonly type: "artifact.reseal";
      readonly artifacts: readonly string[];
      readonly reason: string;
    }
  | {
      readonly type: "gate.waive";
      readonly unit: string;
      readonly gate: string;
      readonly reason: string;
    }
  | {
      readonly type: "note.add";
      readonly list: string;
      readonly tag: string;
      readonly text: string;
    }
  | {
      readonly type: "edit.refuse";
      readonly view: string;
      readonly blob: string;
      readonly reasons: readonly {
        readonly code: string;
        readonly message: string;
        readonly rule: string;
      }[];
    };

/** An agent's structured answer, read by its family's codec. Nothing in it is believed; it is checked. */
export interface Claim extends JsonObject {
  readonly agent: string;
  readonly outcome: string;
}

/** A workflow read from files that had no journal. */
export interface Import {
  readonly at: string;
  /** Where the detours it is on come back to, innermost last. */
  readonly back?: readonly string[];
  readonly vars: JsonObject;
  readonly units: readonly {
    readonly id: string;
    readonly kind: string;
    readonly at: string;
    readonly data: JsonObject;
  }[];
  readonly notes: readonly {
    readonly list: string;
    readonly tag: string;
    readonly text: string;
    readonly at: string;
  }[];
  readonly seals: Readonly<Record<string, string | null>>;
  /** What a person is asked where it stands: that somebody has answered, no file can show. */
  readonly asks?: string;
  /** Decisions the files show; one without an outcome is still open. */
  readonly decisions?: readonly ImportedDecision[];
  /** How often each budget has been spent. */
  readonly spent?: Readonly<Record<string, number>>;
  /** The session that the files say has it: nobody else moves it before a person ends that. */
  readonly owner?: string;
  readonly why: string;
  readonly from: JsonObject;
}

export interface ImportedDecision {
  readonly id: string;
  readonly question: string;
  readonly prompt: string;
  readonly about: JsonObject;
  readonly settled: {
    readonly status: Exclude<Decision["status"], "open">;
    readonly option: string;
    readonly text: string;
  } | null;
}
