import type { JsonObject } from "../core/values/json.ts";
import type { Caller } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";
import { advance } from "../operations/advance.ts";
import type { AdvanceInput } from "../operations/advance.ts";
import { answer } from "../operations/answer.ts";
import type { AnswerInput } from "../operations/answer.ts";
import { usage } from "../operations/parts/answers.ts";
import type { Answered, FailedAnswer, Taken } from "../operations/parts/answers.ts";
import { ask } from "../operations/ask.ts";
import type { AskInput } from "../operations/ask.ts";
import { auditOne } from "../operations/audit.ts";
import type { Audited } from "../operations/audit.ts";
import { next } from "../operations/next.ts";
import { runOnce } from "../operations/parts/once.ts";
import type { Answer, Context, Operation } from "../operations/operation.ts";
import { readPlain } from "../core/table/plain.ts";
import { reconcile } from "../operations/reconcile.ts";
import { report } from "../operations/report.ts";
import { start } from "../operations/start.ts";
import type { StartInput } from "../operations/start.ts";
import { status } from "../operations/status.ts";
import { checkedInput, optionsProblem } from "./misfits.ts";
import { adding } from "../operations/units.ts";
import type { UnitsInput } from "../operations/units.ts";

/** Options of a command, beside what it asks for. */
export interface CommandOptions {
  /**
   * An id chosen by the caller: the same id again returns the first answer, even after a restart. A refusal is
   * not recorded, and the same id may succeed later. Ids of the last thousand records are remembered.
   */
  readonly id?: string;
  readonly as?: Caller;
}

/** One workflow. Each method returns its operation's answer, and nothing a caller does makes it throw. */
export interface WorkflowHandle {
  readonly id: string;
  readonly start: Command<Omit<StartInput, "workflow">>;
  /** Takes the named step, or the next step forward. */
  readonly advance: Command<Omit<AdvanceInput, "workflow">>;
  /** Takes the step of this name. */
  readonly move: (
    step: string,
    input?: Omit<AdvanceInput, "workflow" | "step">,
    options?: CommandOptions,
  ) => Promise<Answered<Taken>>;
  /** A report as the agent wrote it, or as an object. */
  readonly report: (
    report: string | JsonObject,
    options?: CommandOptions & { readonly dispatch?: string },
  ) => Promise<Answered<Taken>>;
  readonly answer: (
    choice: string,
    input?: Omit<AnswerInput, "workflow" | "choice">,
    options?: CommandOptions,
  ) => Promise<Answered<Taken>>;
  readonly ask: (
    question: string,
    input?: Omit<AskInput, "workflow" | "question">,
    options?: CommandOptions,
  ) => Promise<Answered<Taken>>;
  /** Adds a unit, such as another language of a translation, if the table allows it. */
  readonly add: (
    unit: string,
    input?: Omit<UnitsInput, "workflow" | "add">,
    options?: CommandOptions,
  ) => Promise<Answered<Taken>>;
  /** Takes in edits by hand, and reports where files, journal and git still disagree. */
  readonly edits: (options?: Pick<CommandOptions, "as">) => ReturnType<typeof reconcile.run>;
  readonly next: (options?: Pick<CommandOptions, "as">) => ReturnType<typeof next.run>;
  readonly status: () => ReturnType<typeof status.run>;
  readonly audit: () => Promise<Answered<Audited>>;
}

type Command<Input> = (input?: Input, options?: CommandOptions) => Promise<Answered<Taken>>;

export function workflowAt(parts: Parts, owner: Caller, id: string): WorkflowHandle {
  const readCall = (
    operation: Operation,
    given: unknown,
    options: CommandOptions,
  ): { readonly context: Context; readonly input: JsonObject } | FailedAnswer => {
    const read =
      nameProblem(id) ?? optionsProblem(operation.name, options) ?? checkedInput(operation, given);
    if ("ok" in read) return read;
    return { context: { parts, caller: options.as ?? owner }, input: read.input };
  };
  const run = async <Result extends Answer>(
    operation: Operation<JsonObject, Result>,
    given: unknown,
    options: CommandOptions = {},
  ): Promise<Result | FailedAnswer> => {
    const call = readCall(operation, given, options);
    return "ok" in call ? call : await operation.run(call.context, call.input);
  };
  const put = async (
    operation: Operation<JsonObject, Answered<Taken>>,
    given: unknown,
    options: CommandOptions = {},
  ): Promise<Answered<Taken>> => {
    const call = readCall(operation, given, options);
    if ("ok" in call) return call;
    const { id: command } = options;
    return command === undefined
      ? await operation.run(call.context, call.input)
      : await runOnce(operation, call.context, call.input, { id: command, workflow: id });
  };
  return {
    id,
    start: async (input, options) => await put(start, startInput(id, input), options),
    advance: async (input, options) => await put(advance, named(id, input), options),
    move: async (step, input, options) =>
      await put(advance, named(id, input, { step: step ?? null }), options),
    report: async (given, options) => {
      const text = typeof given === "string" ? given : reportText(given);
      const { dispatch }: Partial<Record<"dispatch", unknown>> = { ...options };
      return await put(report, { workflow: id, text, dispatch }, options);
    },
    answer: async (choice, input, options) =>
      await put(answer, named(id, input, { choice }), options),
    ask: async (question, input, options) =>
      await put(ask, named(id, input, { question }), options),
    add: async (unit, input, options) =>
      await put(adding, named(id, input, { add: unit ?? null }), options),
    edits: async (options) => await run(reconcile, { workflow: id }, options),
    next: async (options) => await run(next, { workflow: id }, options),
    status: async () => await run(status, { workflow: id }),
    audit: async () => nameProblem(id) ?? (await auditOne(parts, id)),
  };
}

function nameProblem(id: unknown): FailedAnswer | undefined {
  return typeof id === "string"
    ? undefined
    : usage(
        `A workflow is named by a text, not by ${typeof id}.`,
        'Write engine.workflow("name").',
      );
}

/**
 * The given input with the method's own values. Anything that is not an object is passed on, so that the
 * operation refuses it.
 */
function named(id: string, input: unknown = {}, more: object = {}): unknown {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? { ...input, ...more, workflow: id } : input;
}

/** Splits `<protocol>:<name>`. */
function startInput(id: string, given: unknown): unknown {
  const colon = typeof id === "string" ? id.indexOf(":") : -1;
  if (colon < 0) return named(id, given);
  const input = named(id.slice(colon + 1), given);
  return typeof input === "object" ? { protocol: id.slice(0, colon), ...input } : input;
}

/**
 * A report given as an object, converted to the text an agent would have written. A value that is not data is
 * passed on as it is.
 */
function reportText(given: unknown): unknown {
  const { value, mistakes } = readPlain(given, { is: "object" });
  return mistakes.length === 0 ? JSON.stringify(value) : given;
}
