import type { Json, JsonObject } from "../values/json.ts";
import type { Agreed, Policy } from "./policy.ts";
import type { Aim, Bound, Decision } from "./state.ts";

/** Who asks. `person` is a human being, `agent` a program working in a role, `engine` Holdpoint itself. */
export interface Actor {
  readonly kind: "person" | "agent" | "engine";
  readonly name: string;
  readonly role?: string;
  /**
   * The agent's identity as its client states it. Without it, what an agent says about itself is only a claim.
   */
  readonly agent?: string;
}

/**
 * The circumstances of a command. Time and identity come in here, because `decide` has no clock and no
 * randomness.
 */
export interface Envelope {
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  readonly session: string;
  /** The process that asks, by a name no later process can get. */
  readonly process?: string;
  /** The clone that asks, where several clones share one journal. */
  readonly place?: string;
  /** The lease number this session believes it holds. An outdated one is refused. */
  readonly fence?: number;
  /** The repository's agreed policy, recorded with what is decided under it. */
  readonly agreed?: Agreed;
  /** What must prove a person's word; every policy in the list applies. Without a policy a plain word counts. */
  readonly policy?: readonly Policy[];
  /** Proof that this command came from a person. Set only by the surface that verified it. */
  readonly proof?: Proof;
  /** Only asks what would happen if the word were proven. Nothing of it is recorded. */
  readonly presumed?: true;
  /** Hash of the record this is decided on. */
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
  /** The names the key is listed under. */
  readonly names?: readonly string[];
  /** The key is on a device that requires a touch. */
  readonly hardware?: boolean;
}

/** What is known of the previous lease holder: `dead` is proven, `quiet` is a long silence, `none` is neither. */
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
  /** An agent fetched the order, or passed it to its subagent. Null frees the work. */
  | { readonly type: "dispatch.take"; readonly dispatch: string; readonly agent: string | null }
  | { readonly type: "dispatch.report"; readonly dispatch: string; readonly claim: Claim }
  /** The effect of this report could not be prepared (a commit hook rejected it): keep the report and ask. */
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
  /** What follows from a person's answer could not be written: keep the answer and give it again later. */
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
  /** Says which branch is about to be moved for an effect, and where to. */
  | { readonly type: "effect.aim"; readonly effect: string; readonly aim: Aim }
  /** A person accepts that the workflow goes on under a changed definition. */
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
  /** States to return to from the detours it is on, innermost last. */
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
  /** A question to ask after adoption: no file can prove that somebody answered it. */
  readonly asks?: string;
  /** Decisions shown in the files. One without an outcome is still open. */
  readonly decisions?: readonly ImportedDecision[];
  /** How often each budget has been spent. */
  readonly spent?: Readonly<Record<string, number>>;
  /** The session named as owner in the files. Nobody else may act until a person ends that. */
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
