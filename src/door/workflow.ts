import type { JsonObject } from "../core/values/json.ts";
import type { Caller } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";
import { advance } from "../operations/advance.ts";
import type { AdvanceInput } from "../operations/advance.ts";
import { answer } from "../operations/answer.ts";
import type { AnswerInput } from "../operations/answer.ts";
import type { Answered, RefusedAnswer, Taken } from "../operations/parts/answers.ts";
import { ask } from "../operations/ask.ts";
import type { AskInput } from "../operations/ask.ts";
import { auditOne } from "../operations/audit.ts";
import type { Audited } from "../operations/audit.ts";
import { next } from "../operations/next.ts";
import { runOnce } from "../operations/parts/once.ts";
import type { Operation } from "../operations/operation.ts";
import { reconcile } from "../operations/reconcile.ts";
import { report } from "../operations/report.ts";
import { start } from "../operations/start.ts";
import type { StartInput } from "../operations/start.ts";
import { status } from "../operations/status.ts";
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
  /** Add a unit, such as one more language of a translation, where the table lets it be added. */
  readonly add: (
    unit: string,
    input?: Omit<UnitsInput, "workflow" | "add">,
    options?: CommandOptions,
  ) => Promise<Answered<Taken>>;
  /** Takes in edits by hand, and reports where files, journal and git still disagree. */
  readonly edits: (options?: Pick<CommandOptions, "as">) => ReturnType<typeof reconcile.run>;
  readonly next: (options?: Pick<CommandOptions, "as">) => ReturnType<typeof next.run>;
  readonly status: () => ReturnType<typeof status.run>;
  readonly audit: () => Promise<Audited | RefusedAnswer>;
}

type Command<Input> = (input?: Input, options?: CommandOptions) => Promise<Answered<Taken>>;

export function workflowAt(parts: Parts, owner: Caller, id: string): WorkflowHandle {
  const put = async <Input>(
    operation: Operation<Input, Answered<Taken>>,
    input: Input,
    options: CommandOptions = {},
  ): Promise<Answered<Taken>> => {
    const { as = owner, id: command } = options;
    const context = { parts, caller: as };
    return command === undefined
      ? await operation.run(context, input)
      : await runOnce(operation, context, input, { id: command, workflow: id });
  };
  const look = { parts, caller: owner };
  return {
    id,
    start: async (input = {}, options) => await put(start, startInput(id, input), options),
    advance: async (input = {}, options) => await put(advance, { ...input, workflow: id }, options),
    move: async (step, input = {}, options) =>
      await put(advance, { ...input, step, workflow: id }, options),
    report: async (given, { dispatch, ...options } = {}) => {
      const text = typeof given === "string" ? given : JSON.stringify(given);
      const which = dispatch === undefined ? {} : { dispatch };
      return await put(report, { workflow: id, text, ...which }, options);
    },
    answer: async (choice, input = {}, options) =>
      await put(answer, { ...input, choice, workflow: id }, options),
    ask: async (question, input = {}, options) =>
      await put(ask, { ...input, question, workflow: id }, options),
    add: async (unit, input = {}, options) =>
      await put(adding, { ...input, add: unit, workflow: id }, options),
    edits: async ({ as = owner } = {}) =>
      await reconcile.run({ parts, caller: as }, { workflow: id }),
    next: async ({ as = owner } = {}) => await next.run({ parts, caller: as }, { workflow: id }),
    status: async () => await status.run(look, { workflow: id }),
    audit: async () => await auditOne(parts, id),
  };
}

/** Splits `<protocol>:<name>`. */
function startInput(id: string, input: Omit<StartInput, "workflow">): StartInput {
  const colon = id.indexOf(":");
  if (colon < 0) return { ...input, workflow: id };
  return { protocol: id.slice(0, colon), ...input, workflow: id.slice(colon + 1) };
}
