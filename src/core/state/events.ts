import type { Json, JsonObject } from "../values/json.ts";
import type { Proof } from "./commands.ts";
import type { Agreed } from "./policy.ts";
import type {
  Aim,
  Bound,
  Decision,
  Effect,
  Finding,
  Given,
  KeptAnswer,
  Note,
  PendingAsk,
  Performer,
  ProtocolRef,
  Refused,
  Remark,
  Seal,
  ShownOption,
  Undo,
} from "./state.ts";

/**
 * What happened, as data. Events carry their consequences, so that a journal can be folded without its protocol
 * and gives the same state under a newer version of it. Protocol families add values, but no event types.
 */
export type Event =
  | {
      readonly type: "workflow.started";
      readonly id: string;
      readonly protocol: ProtocolRef;
      readonly vars: JsonObject;
    }
  | {
      readonly type: "unit.opened";
      readonly unit: string;
      readonly kind: string;
      readonly at: string;
      readonly data: JsonObject;
    }
  | {
      readonly type: "unit.moved";
      readonly unit: string;
      readonly move: string;
      readonly from: string;
      readonly to: string;
      readonly back: readonly string[];
      readonly reason: string;
    }
  | { readonly type: "unit.closed"; readonly unit: string }
  | {
      readonly type: "decision.asked";
      readonly decision: string;
      readonly question: string;
      readonly unit: string;
      readonly prompt: string;
      readonly options: readonly ShownOption[];
      readonly bound: Bound;
      readonly nonce: string;
      readonly about: JsonObject;
    }
  | {
      readonly type: "decision.settled";
      readonly decision: string;
      readonly status: Exclude<Decision["status"], "open">;
      readonly option: string;
      readonly text: string;
      readonly by: string;
    }
  /** One of several people who must choose the same option has chosen it. */
  | {
      readonly type: "decision.joined";
      readonly decision: string;
      readonly option: string;
      readonly text: string;
      readonly by: string;
    }
  /**
   * A person's word was proven as the policy asks. What follows is in the same record, or waits for more people.
   */
  | ({
      readonly type: "release.given";
      readonly nonce: string;
      readonly proof?: Proof;
    } & Omit<Given, "seq">)
  /** The repository's agreed policy has changed since it was last recorded here. */
  | ({ readonly type: "policy.agreed" } & Agreed)
  /** A person asked to see something first. The question stays open. */
  | {
      readonly type: "option.looked";
      readonly decision: string;
      readonly option: string;
      readonly by: string;
    }
  /** An answer arrived while a state file could not be written. It is given again later. */
  | ({ readonly type: "answer.kept"; readonly decision: string } & KeptAnswer)
  /** A kept answer was refused when it was given again. */
  | { readonly type: "answer.dropped"; readonly decision: string; readonly why: string }
  | {
      readonly type: "dispatch.sent";
      readonly dispatch: string;
      readonly spec: string;
      readonly role: string;
      readonly unit: string;
      readonly session: string;
      readonly baseline: Bound;
      readonly place?: string;
    }
  /** From now on only this agent may report the work. Null: any agent may. */
  | { readonly type: "dispatch.taken"; readonly dispatch: string; readonly agent: string | null }
  | { readonly type: "dispatch.parked"; readonly dispatch: string; readonly claim: JsonObject }
  | {
      readonly type: "dispatch.ended";
      readonly dispatch: string;
      readonly outcome: string;
      readonly claim: JsonObject;
      /** What changed since the order, as measured by Holdpoint. Cancelled work is not measured. */
      readonly measured?: Json;
      readonly notes: readonly Remark[];
    }
  /** A step ended: what the unit's files look like now, and what had changed there while no order was out. */
  | {
      readonly type: "work.left";
      readonly unit: string;
      readonly baseline: Bound;
      readonly changed?: Json;
    }
  | {
      readonly type: "finding.recorded";
      readonly unit: string;
      readonly kind: string;
      readonly by: string;
      readonly value: Finding["value"];
      readonly bound: Bound;
      readonly detail?: JsonObject;
    }
  | {
      readonly type: "effect.wanted";
      readonly effect: string;
      readonly kind: string;
      readonly args: JsonObject;
      readonly unit: string;
      readonly asks: PendingAsk | null;
      readonly undo: Undo | null;
      readonly by?: Performer;
    }
  | { readonly type: "effect.aimed"; readonly effect: string; readonly aim: Aim }
  | {
      readonly type: "effect.settled";
      readonly effect: string;
      readonly status: Exclude<Effect["status"], "wanted">;
      readonly detail: JsonObject;
    }
  | {
      readonly type: "artifact.sealed";
      readonly artifact: string;
      readonly digest: Seal["digest"];
      readonly by: string;
      readonly why: string;
    }
  | { readonly type: "artifact.unsealed"; readonly artifact: string }
  | { readonly type: "budget.spent"; readonly budget: string }
  | { readonly type: "budget.reset"; readonly budget: string }
  | {
      readonly type: "lease.taken";
      readonly session: string;
      readonly holder: string;
      readonly place?: string;
    }
  | {
      readonly type: "lease.ended";
      readonly session: string;
      readonly why: string;
      /** The session that ended another one's lease. */
      readonly by?: string;
    }
  | { readonly type: "vars.changed"; readonly vars: JsonObject }
  | {
      readonly type: "note.added";
      readonly list: Note["list"];
      readonly tag: string;
      readonly text: string;
      readonly at?: string;
    }
  /** An effect was not possible here (no git), and the workflow went on without it. */
  | { readonly type: "warned"; readonly about: string; readonly text: string }
  /** A command that was refused before this record. */
  | ({ readonly type: "refusal.noted" } & Refused)
  /** An edit of a state file was refused and the file restored. The edit's text is kept under `blob`. */
  | {
      readonly type: "edit.refused";
      readonly view: string;
      readonly blob: string;
      readonly reasons: readonly Remark[];
    }
  /** The workflow goes on under a changed definition; this is what was carried over. */
  | {
      readonly type: "definition.changed";
      readonly protocol: ProtocolRef;
      readonly by: string;
      readonly reason: string;
    }
  /** A workflow that existed as files got a journal. */
  | { readonly type: "workflow.adopted"; readonly from: JsonObject; readonly why: string };

export type EventType = Event["type"];
