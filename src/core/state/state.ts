import type { Json, JsonObject } from "../values/json.ts";
import type { Agreed, Strength } from "./policy.ts";

/**
 * One workflow, folded from its journal: a flat tree of units (the root `.` and its children), and ledgers of
 * what was asked, sent, found, wanted, sealed and spent. Whatever can be derived (staleness, drift, what comes
 * next) is not stored.
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
  /** What each unit's files looked like when the last step there ended. */
  readonly left: Readonly<Record<string, Left>>;
  /** Changes made while no order was out, oldest first. */
  readonly unordered: readonly Unordered[];
  /** The latest finding for each (unit, kind, by). Older ones are in the journal. */
  readonly findings: Readonly<Record<string, Finding>>;
  readonly effects: Readonly<Record<string, Effect>>;
  readonly seals: Readonly<Record<string, Seal>>;
  readonly spent: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
  readonly refused: readonly Refused[];
  /** Every release given, by its nonce, so that none is used twice. */
  readonly given: Readonly<Record<string, Given>>;
  /** The repository's agreed policy when it was last recorded here. */
  readonly agreed: (Agreed & { readonly at: string }) | null;
  readonly lease: Lease | null;
  /**
   * Sessions whose lease somebody else ended, with its number. Their commands are refused until they take the
   * lease again.
   */
  readonly ousted?: Readonly<Record<string, number>>;
}

export interface ProtocolRef {
  readonly name: string;
  readonly version: number;
  /** Digest of the definition at that time. Old journals have none. */
  readonly digest?: string;
  /** Digest of each repository setting that its gates depend on. */
  readonly settings?: Readonly<Record<string, string>>;
}

export const ROOT = ".";

/** Something with a state of its own: the workflow itself, a task, an agent, a phase, a correction. */
export interface Unit {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  /** States to return to from detours, innermost last. */
  readonly back: readonly string[];
  /** The record number of the last entry into each state, which the `since` guard compares with. */
  readonly entered: Readonly<Record<string, number>>;
  readonly data: JsonObject;
}

/** Facts as they were when something was vouched for. It counts only while they stay the same. */
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
  /** Who has chosen what so far, where several people must agree. Only each person's last choice counts. */
  readonly joined?: Readonly<Record<string, string>>;
  /** A person's answer that waits until the state files can be written. */
  readonly kept?: KeptAnswer;
}

export interface KeptAnswer {
  readonly text: string;
  readonly reason: string;
  /** Who gave the answer, and in which session. */
  readonly name: string;
  readonly session: string;
}

/** An option as it was shown. It is stored so that the numbers cannot change before the person answers. */
export interface ShownOption {
  readonly id: string;
  readonly label: string;
  /** The option has no number and is chosen by its id. */
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
  /** The measured change since the order. A long list is cut, with the number of omitted entries. */
  readonly measured?: Json;
  readonly notes: readonly Remark[];
  readonly session: string;
  readonly sentAt: string;
  readonly sentSeq: number;
  readonly endedAt: string | null;
  /** What the files looked like when the work was sent out, to compare with the report. */
  readonly baseline: Bound;
  /** The clone those files are in, where several share one journal. */
  readonly place?: string;
  /** The agent that has or had the work, as its client names it. */
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
  /** The measured change. A long list is cut, with the number of omitted entries. */
  readonly changed: Json;
}

export interface Remark {
  readonly code: string;
  readonly message: string;
  readonly rule: string;
}

/** A recorded result that vouches for something: a verdict, a build, a check, a waiver. */
export interface Finding {
  readonly unit: string;
  readonly kind: string;
  readonly by: string;
  readonly value: Json;
  readonly bound: Bound;
  /** The evidence itself, if there is more than the result. */
  readonly detail?: JsonObject;
  readonly seq: number;
  readonly at: string;
}

/** A change to the outside world that follows a record, tried until its outcome is recorded. */
export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly args: JsonObject;
  readonly unit: string;
  readonly status: "wanted" | "done" | "failed" | "skipped";
  readonly detail: JsonObject;
  /** The question to ask once the effect is done, so that people are asked about what really happened. */
  readonly asks: PendingAsk | null;
  readonly undo: Undo | null;
  /** The last branch it was about to move, unless the record that wanted the effect already says so. */
  readonly aim?: Aim;
  /** Who wanted it, and in which record. Old journals have none. */
  readonly by?: Performer & { readonly seq: number };
}

/**
 * One planned move of one branch. It is recorded before it happens, so that the fence can tell it from any other
 * move.
 */
export interface Aim {
  readonly ref: string;
  /** Empty for a branch without commits. */
  readonly from: string;
  readonly to: string;
}

/** The process that carries out an effect, and its session. */
export interface Performer {
  readonly session: string;
  readonly process: string;
  /** The clone whose files and branches it changes, where several share one journal. */
  readonly place?: string;
}

export interface PendingAsk {
  readonly question: string;
  readonly unit: string;
  readonly about: JsonObject;
  /** May be open several times at once, each time about something else. */
  readonly apart?: true;
}

/**
 * How to undo a move when its effect fails: where each moved unit was before, and the variables that were set.
 */
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

/** One person's proven word: at which gate, for what, and until when it counts together with others. */
export interface Given {
  readonly gate: string;
  readonly hold: string;
  readonly choice: string;
  readonly strength: Strength;
  readonly by: string;
  /** Digest of what was shown. Empty if a plain word was enough. */
  readonly card: string;
  readonly expires: string;
  /** Fingerprint of the signing key, and the names it is listed under. */
  readonly key?: string;
  readonly names?: readonly string[];
  readonly seq: number;
}

/** A refused command, added to the next record: what it was about, by whom, and the codes. */
export interface Refused {
  readonly at: string;
  readonly command: string;
  readonly step: string;
  readonly by: string;
  readonly codes: readonly string[];
}

/** The right of one session to change a workflow. The fence is the number of the record that granted it. */
export interface Lease {
  readonly session: string;
  readonly holder: string;
  readonly fence: number;
  readonly takenAt: string;
  /** The clone it is for, where several share one journal. */
  readonly place?: string;
}
