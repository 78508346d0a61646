import type { JsonObject } from "../core/values/json.ts";
import type { Schema } from "../files/json/schema.ts";
import type { Caller } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";

/**
 * Something that a person, an agent or a program can ask of Holdpoint. Surfaces only translate; the meaning is
 * decided here and below, so that it is the same for all of them.
 */
export interface Operation<Input = JsonObject, Result extends Answer = Answer> {
  readonly name: string;
  /** What it is for, in one line. */
  readonly purpose: string;
  readonly input: InputSchema;
  readonly result: Schema;
  /** Example inputs. */
  readonly examples: readonly Input[];
  /** True if it only reads with this input. Then nothing is created, not even the store. */
  // Declared as methods, so that operations with different inputs fit into one list. `invoke` checks the input
  // first.
  readOnly?(input: Input): boolean;
  run(context: Context, input: Input): Promise<Result>;
}

export interface Context {
  readonly parts: Parts;
  readonly caller: Caller;
  /** Called with progress messages, which are not part of the answer. */
  readonly progress?: (line: string) => void;
}

/** What every answer has: whether everything went as asked. */
export interface Answer {
  readonly ok: boolean;
}

/** A flat object of named values, which can be typed, sent as a tool call, or put into a form. */
export interface InputSchema extends JsonObject {
  readonly type: "object";
  readonly properties: Readonly<Record<string, InputProperty>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export interface InputProperty extends JsonObject {
  readonly type: "string" | "boolean" | "object";
  readonly description: string;
}

/** The schema of an input, checked by the compiler against its type: names, kinds, and which are optional. */
export function inputOf<Input>(given: {
  readonly required: Fields<Input, RequiredKeys<Input>>;
  readonly optional: Fields<Input, Exclude<keyof Input, RequiredKeys<Input>>>;
}): InputSchema {
  const required: Readonly<Record<string, InputProperty>> = given.required;
  const optional: Readonly<Record<string, InputProperty>> = given.optional;
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

type Fields<Input, Keys extends keyof Input> = {
  readonly [K in Keys]-?: InputProperty & { readonly type: KindOf<Exclude<Input[K], undefined>> };
};

type KindOf<T> = T extends string ? "string" : T extends boolean ? "boolean" : "object";

type RequiredKeys<T> = {
  [K in keyof T]-?: object extends Pick<T, K> ? never : K;
}[keyof T];

/** One named value of an input. */
export function text(description: string): InputProperty & { readonly type: "string" } {
  return { type: "string", description };
}

export function flag(description: string): InputProperty & { readonly type: "boolean" } {
  return { type: "boolean", description };
}

export function values(description: string): InputProperty & { readonly type: "object" } {
  return { type: "object", description };
}
