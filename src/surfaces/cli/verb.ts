import type { JsonObject } from "../../core/values/json.ts";
import type { Screen } from "./terminal/screen.ts";
import type { FailedAnswer, RefusedAnswer } from "../../operations/parts/answers.ts";
import type { NextSteps } from "../../operations/next.ts";
import type { Answer, Context, InputProperty, Operation } from "../../operations/operation.ts";

/** How an operation is typed on the command line, and how its answer is printed. */
export interface Verb<Input = JsonObject, Result extends Answer = Answer> {
  readonly operation: Operation<Input, Result>;
  /**
   * Inputs typed without their names, in order. `...choice` takes all remaining words. `add!` is preceded by its
   * own name, as in `agents add-parser add security`.
   */
  readonly args: readonly string[];
  /** Options that only make sense on a command line. */
  readonly options?: Readonly<Record<string, InputProperty>>;
  /** Inputs for which there is no option. */
  readonly hides?: readonly string[];
  /** Shown in the usage instead of an argument's name. */
  readonly shows?: Readonly<Record<string, string>>;
  /** Completes what was typed: reads a file, asks at the terminal. Returning an answer ends the call. */
  readonly prepare?: (call: Call, typed: JsonObject) => Promise<JsonObject | Answer>;
  /** The exit code, if it differs from the usual one. */
  exit?(answer: Told<Result>): ExitCode;
  text(answer: Told<Result>, more: More): string;
  /** The text is meant for copying, so its lines are not broken. */
  readonly whole?: true;
}

/** What is printed besides an answer. */
export interface More {
  /** What could be done next, if that was looked up. */
  readonly ahead?: NextSteps;
  /** In short: what the open question is about and how an answer is proven, if a policy asks for proof. */
  readonly card?: string;
  readonly flags: Flags;
}

/** An answer that is neither a refusal nor a failure. Those are printed the same way for all verbs. */
export type Told<Result> = Exclude<Result, RefusedAnswer | FailedAnswer>;

export interface Call {
  readonly context: Context;
  readonly flags: Flags;
  readonly terminal: Terminal;
  /** Puts an answer's remedies into words, for output on the way. */
  readonly phrase: <T extends Answer>(answer: T) => T;
}

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The terminal: whether a person is there, and how to talk to them. */
export interface Terminal {
  readonly interactive: boolean;
  readonly json: boolean;
  /** All of standard input; undefined if it is longer than any report. */
  readonly readInput: () => Promise<string | undefined>;
  readonly ask: (prompt: string) => Promise<string>;
  /** Progress and remarks; never mixed with the answer on standard output. */
  readonly note: (line: string) => void;
  /** Prints a line of a continuing answer to standard output. */
  readonly print: (line: string) => void;
  /** Turns the whole terminal into one page with a line at its foot, if possible. */
  readonly screen: (foot: string) => Screen;
  /** Whether the person has pressed Ctrl-C, or nobody is reading any more. Listens from the first call on. */
  readonly interrupted: () => boolean;
  /** Waits that long, or until interrupted. */
  readonly pause: (ms: number) => Promise<void>;
}

/** What is printed: one object for programs, one text for people, one exit code. */
export interface Reply {
  readonly exit: ExitCode;
  readonly json: JsonObject;
  readonly text: string;
  /** Meant for copying, so its lines are not broken. */
  readonly whole?: true;
}

/**
 * 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease, 13 left in the
 * inbox.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 10 | 11 | 12 | 13;
