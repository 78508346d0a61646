import type { JsonObject } from "../core/json.ts";
import type { Caller } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";

/** One word of the command line: what it does, how it is called, and the function behind it. */
export interface Verb {
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, VerbOption>>;
  readonly examples: readonly string[];
  /** Opens the store for looking only, so that nothing is created or changed. */
  readonly readOnly?: boolean;
  readonly run: (call: Call) => Promise<Reply>;
}

export interface VerbOption {
  readonly type: "string" | "boolean";
  readonly about: string;
}

export interface Call {
  readonly parts: Parts;
  readonly caller: Caller;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly terminal: Terminal;
}

/** The world around the program: whether a person sits there, and how to talk to them. */
export interface Terminal {
  readonly interactive: boolean;
  readonly json: boolean;
  readonly readInput: () => Promise<string>;
  readonly ask: (prompt: string) => Promise<string>;
  /** Progress and remarks; never mixed with the answer on standard output. */
  readonly note: (line: string) => void;
}

/** What a verb answers: one object for programs, one text for people, one exit code. */
export interface Reply {
  readonly exit: ExitCode;
  readonly json: JsonObject;
  readonly text: string;
}

/** 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 10 | 11 | 12;
