import type { Json, JsonObject } from "../values/json.ts";
import type { Agreed, Strength } from "./policy.ts";

/**
 * One workflow, folded from its journal: a flat tree of units (the root `.` and its children) and, beside
 * it, the ledgers of what was asked, sent, found, wanted, sealed and spent. Nothing else is stored;
 * whatever can be derived (staleness, drift, what comes next) is derived.
 */
export interface Workflow {
  readonly id: string;
  readonly protocol: ProtocolRef;
  readonly seq: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly vars: JsonObject;
  readonly units: Readonly<Record<string, Unit>>;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly dispatches: Readonly<Record<string, Dispatch>>;
  /** How the place of each unit read when the last step there was done. */
  readonly left: Readonly<Record<string, Left>>;
  /** What changed while nobody was ordered to change it, oldest first. */
  readonly unordered: readonly Unordered[];
  /** The latest finding per (unit, kind, by); older ones are in the journal. */
  readonly findings: Readonly<Record<string, Finding>>;
  readonly effects: Readonly<Record<string, Effect>>;
  readonly seals: Readonly<Record<string, Seal>>;
  readonly spent: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
  readonly refused: readonly Refused[];
  /** Every release that was given, by its nonce: none counts twice. */
  readonly given: Readonly<Record<string, Given>>;
  /** What the repository had agreed on about releases when that was last recorded here. */
  readonly agreed: (Agreed & { readonly at: string }) | null;
  readonly lease: Lease | null;
  /** Whose lease somebody else has ended, with its number: nothing of theirs counts until they take it anew. */
  readonly ousted?: Readonly<Record<string, number>>;
}

export interface ProtocolRef {
  readonly name: string;
  readonly version: number;
  /** Of the definition as it read then; journals from before it was recorded have none. */
  readonly digest?: string;
  /** Of each setting of the repository that decides about its gates. */
  readonly settings?: Readonly<Record<string, string>>;
}

export const ROOT = ".";

/** What has a state of its own: the workflow itself, a task, an agent, a phase, a correction. */
export interface Unit {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  /** Where detours come back to, innermost last. */
  readonly back: readonly string[];
  /** The sequence number of the last entry into each state: `since` compares with it. */
  readonly entered: Readonly<Record<string, number>>;
  readonly data: JsonObject;
}

/** Facts by key as they read when something was vouched for; it counts only while they read the same. */
export type Bound = Readonly<Record<string, Json>>;

export interface Decision {
  readonly id: string;
  readonly question: string;
  readonly unit: string;
  readonly status: "open" | "answered" | "cancelled" | "void";
  readonly prompt: string;
  readonly options: readonly ShownOption[];
  readonly bound: Bound;
  readonly nonce: string;
  readonly askedAt: string;
  readonly askedSeq: number;
  readonly about: JsonObject;
  readonly settled: Settled | null;
  /** Who has chosen what so far, where several people must choose the same; the last word of each counts. */
  readonly joined?: Readonly<Record<string, string>>;
  /** A person's answer that waits until the state files can be written. */
  readonly kept?: KeptAnswer;
}

export interface KeptAnswer {
  readonly text: string;
  readonly reason: string;
  /** The person, and the session in which the answer was given. */
  readonly name: string;
  readonly session: string;
}

/** An option as it was shown: the numbering a person answers must not move under them. */
export interface ShownOption {
  readonly id: string;
  readonly label: string;
  /** It has no number: only its id chooses it. */
  readonly word?: true;
  readonly recommended?: boolean;
  readonly discovery?: string;
}

export interface Settled {
  readonly option: string;
  readonly text: string;
  readonly by: string;
  readonly at: string;
  readonly seq: number;
}

export interface Dispatch {
  readonly id: string;
  readonly spec: string;
  readonly role: string;
  readonly unit: string;
  /** `parked`: reported, but something must be settled before the report can count. */
  readonly status: "open" | "parked" | "ended";
  readonly outcome: string | null;
  readonly claim: JsonObject | null;
  /** What changed since the order, as it was measured: a long list cut, with the number of the rest. */
  readonly measured?: Json;
  readonly notes: readonly Remark[];
  readonly session: string;
  readonly sentAt: string;
  readonly sentSeq: number;
  readonly endedAt: string | null;
  /** What the world looked like when the work was handed out, for comparing afterwards. */
  readonly baseline: Bound;
  /** The clone whose tree that was, where several share one journal. */
  readonly place?: string;
  /** The agent that has it, or had it to the end, by the name its client knows it by. */
  readonly agent?: string;
}

export interface Left {
  readonly seq: number;
  readonly at: string;
  readonly baseline: Bound;
}

export interface Unordered {
  readonly seq: number;
  readonly unit: string;
  /** As it was measured: a long list cut, with the number of the rest. */
  readonly changed: Json;
}

export interface Remark {
  readonly code: string;
  readonly message: string;
  readonly rule: string;
}

/** A recorded result that vouches for something: verdict, build, check, waiver. */
export interface Finding {
  readonly unit: string;
  readonly kind: string;
  readonly by: string;
  readonly value: Json;
  readonly bound: Bound;
  /** The evidence itself, where there is more to keep than the result. */
  readonly detail?: JsonObject;
  readonly seq: number;
  readonly at: string;
}

/** Something to be done to the world after the append, tried until its outcome is recorded. */
export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly args: JsonObject;
  readonly unit: string;
  readonly status: "wanted" | "done" | "failed" | "skipped";
  readonly detail: JsonObject;
  /** The question that waits for this effect: people are asked about what has really happened. */
  readonly asks: PendingAsk | null;
  readonly undo: Undo | null;
  /** The last branch it was about to move, where the record that wanted it does not say so already. */
  readonly aim?: Aim;
  /** Who wanted it, and in which record; journals from before it was recorded have none. */
  readonly by?: Performer & { readonly seq: number };
}

/** One move of one branch: recorded before it happens, so that whoever guards the branch can tell it from others. */
export interface Aim {
  readonly ref: string;
  /** Empty for a branch without commits. */
  readonly from: string;
  readonly to: string;
}

/** The one process that carries an effect out, and its session. */
export interface Performer {
  readonly session: string;
  readonly process: string;
  /** The clone whose files and branches it is about, where several share one journal. */
  readonly place?: string;
}

export interface PendingAsk {
  readonly question: string;
  readonly unit: string;
  readonly about: JsonObject;
  /** Asked beside others of its name that are open, as long as they are about something else. */
  readonly apart?: true;
}

/** How to take a move back when its effect cannot be done: where every moved unit stood before, and what was set. */
export interface Undo {
  readonly units: readonly Pick<Unit, "id" | "at" | "back">[];
  readonly vars: JsonObject;
  readonly asks: string;
}

export interface Seal {
  readonly artifact: string;
  readonly digest: string | null;
  readonly at: string;
  readonly by: string;
  readonly why: string;
}

export interface Note {
  readonly list: string;
  readonly tag: string;
  readonly text: string;
  readonly at: string;
}

/** One person's word that was proven: at which gate, for what, and until when it counts beside others'. */
export interface Given {
  readonly gate: string;
  readonly hold: string;
  readonly choice: string;
  readonly strength: Strength;
  readonly by: string;
  /** The digest of what was shown; empty where a word alone was enough. */
  readonly card: string;
  readonly expires: string;
  /** The fingerprint of the key it was signed with, and under which names that counts. */
  readonly key?: string;
  readonly names?: readonly string[];
  readonly seq: number;
}

/** A command that was refused, as the next record took it in: what it was about, by whom, and the codes. */
export interface Refused {
  readonly at: string;
  readonly command: string;
  readonly step: string;
  readonly by: string;
  readonly codes: readonly string[];
}

/** The right of one session to move a workflow. The fence is the number of the record that gave it. */
export interface Lease {
  readonly session: string;
  readonly holder: string;
  readonly fence: number;
  readonly takenAt: string;
  /** The clone it is for, where several share one journal. */
  readonly place?: string;
}
