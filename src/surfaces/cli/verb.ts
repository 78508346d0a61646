import type { JsonObject } from "../../core/json.ts";
import type { Caller } from "../../engine/engine.ts";
import type { Parts } from "../../engine/parts.ts";

/** One word of the command line: what it does, how it is called, and the function behind it. */
export interface Verb {
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, VerbOption>>;
  readonly examples: readonly string[];
  /** Opens the store for looking only, so that nothing is created or changed. */
  readonly readOnly?: (flags: Flags) => boolean;
  readonly run: (call: Call) => Promise<Reply>;
}

export interface VerbOption {
  readonly type: "string" | "boolean";
  readonly about: string;
}

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export interface Call {
  readonly parts: Parts;
  readonly caller: Caller;
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly terminal: Terminal;
}

/** The world around the program: whether a person sits there, and how to talk to them. */
export interface Terminal {
  readonly interactive: boolean;
  readonly json: boolean;
  /** Standard input to its end; undefined when that is further away than any report. */
  readonly readInput: () => Promise<string | undefined>;
  readonly ask: (prompt: string) => Promise<string>;
  /** Progress and remarks; never mixed with the answer on standard output. */
  readonly note: (line: string) => void;
  /** A line of an answer that goes on, to standard output. */
  readonly print: (line: string) => void;
  /** Whether the person has had enough: Ctrl-C, or nobody reads any more. Listens from the first call on. */
  readonly interrupted: () => boolean;
  /** Wait that long, or until interrupted. */
  readonly pause: (ms: number) => Promise<void>;
}

/** What a verb answers: one object for programs, one text for people, one exit code. */
export interface Reply {
  readonly exit: ExitCode;
  readonly json: JsonObject;
  readonly text: string;
}

/** 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 10 | 11 | 12;
