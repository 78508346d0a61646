import type { JsonObject } from "../../core/values/json.ts";
import type { Screen } from "./terminal/screen.ts";
import type { FailedAnswer, RefusedAnswer } from "../../operations/parts/answers.ts";
import type { NextSteps } from "../../operations/next.ts";
import type { Answer, Context, InputProperty, Operation } from "../../operations/operation.ts";

/** How one operation is asked for on the command line, and how its answer is told to people. */
export interface Verb<Input = JsonObject, Result extends Answer = Answer> {
  readonly operation: Operation<Input, Result>;
  /**
   * Inputs that are given without their names, in order. `...choice` takes all words that are left; `add!` comes
   * behind its own name, as in `agents add-parser add security`.
   */
  readonly args: readonly string[];
  /** Options that only make sense in a terminal. */
  readonly options?: Readonly<Record<string, InputProperty>>;
  /** Inputs that no option stands for. */
  readonly hides?: readonly string[];
  /** What stands for an argument in the usage, where its name alone would not say it. */
  readonly shows?: Readonly<Record<string, string>>;
  /** Complete what was typed: read a file, ask at the terminal. An answer ends the call. */
  readonly prepare?: (call: Call, typed: JsonObject) => Promise<JsonObject | Answer>;
  /** The exit code, where it is not the one that all verbs have. */
  exit?(answer: Told<Result>): ExitCode;
  text(answer: Told<Result>, more: More): string;
  /** Its text is copied as it is, so its lines are not broken for a terminal. */
  readonly whole?: true;
}

/** What is told beside an answer. */
export interface More {
  /** What could be done next, where that was looked up. */
  readonly ahead?: NextSteps;
  /** What the open question is about and how its answer is proven, in short, where a policy asks for proof. */
  readonly card?: string;
  readonly flags: Flags;
}

/** What is left of an answer once refusals and failures are told, which is the same for all verbs. */
export type Told<Result> = Exclude<Result, RefusedAnswer | FailedAnswer>;

export interface Call {
  readonly context: Context;
  readonly flags: Flags;
  readonly terminal: Terminal;
  /** An answer with its remedies in words, for what is told on the way. */
  readonly phrase: <T extends Answer>(answer: T) => T;
}

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

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
  /** The whole terminal as one page with a line at its foot, where there is one. */
  readonly screen: (foot: string) => Screen;
  /** Whether the person has had enough: Ctrl-C, or nobody reads any more. Listens from the first call on. */
  readonly interrupted: () => boolean;
  /** Wait that long, or until interrupted. */
  readonly pause: (ms: number) => Promise<void>;
}

/** What is printed: one object for programs, one text for people, one exit code. */
export interface Reply {
  readonly exit: ExitCode;
  readonly json: JsonObject;
  readonly text: string;
  /** It is copied as it is, so its lines are not broken for a terminal. */
  readonly whole?: true;
}

/** 0 done, 1 failure, 2 usage, 10 refused, 11 held for a person, 12 another session has the lease, 13 left. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 10 | 11 | 12 | 13;
