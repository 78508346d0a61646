/** Takes in commands left by somebody who may not write to the store. Run by whoever may. */
import { isJsonObject, parseJson, toJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Refusal } from "../../core/decide/answer.ts";
import type { Caller } from "../../engine/engine.ts";
import { INBOX } from "../../ports/inbox.ts";
import { failedAnswer, refusedAnswer } from "./answers.ts";
import type { FailedAnswer } from "./answers.ts";
import { inputProblem, operations } from "../index.ts";
import { runOnce } from "./once.ts";
import { isForPerson } from "./whose.ts";
import type { Answer, Context, Operation } from "../operation.ts";

/** A command that was taken in, and what came of it. */
export interface TakenIn {
  readonly id: string;
  readonly operation: string;
  readonly session: string;
  readonly answer: Answer;
}

export interface InboxTaken {
  readonly taken: readonly TakenIn[];
  /** Files there that were not touched, a sentence each. */
  readonly warnings: readonly string[];
}

/** `say` converts an answer to the form in which it is written beside its entry. */
export async function takeInInbox(
  { parts, progress }: Pick<Context, "parts" | "progress">,
  say: (answer: Answer) => JsonObject,
): Promise<InboxTaken> {
  const { ids, odd } = parts.inbox.list();
  const taken: TakenIn[] = [];
  const warnings = odd.map(
    (name) => `${INBOX}/${JSON.stringify(name).slice(1, -1)} is no entry; remove it`,
  );
  for (const id of ids) {
    const left = parts.inbox.take(id);
    if (left.kind === "gone") continue;
    if (left.kind === "odd") {
      warnings.push(`${INBOX}/${id}.json is not taken in: ${left.why}`);
      continue;
    }
    const one = await takeIn(
      { parts, ...(progress === undefined ? {} : { progress }) },
      id,
      left.text,
    );
    parts.inbox.answer(id, `${JSON.stringify(say(one.answer))}\n`);
    taken.push(one);
  }
  for (const warning of warnings) progress?.(`! ${warning}`);
  return { taken, warnings };
}

async function takeIn(
  context: Omit<Context, "caller">,
  id: string,
  text: string,
): Promise<TakenIn> {
  const entry = readEntry(text);
  if (entry === undefined) return { id, ...NOBODY, answer: refusedAnswer([broken(id)]) };
  const { operation: name, caller, input } = entry;
  const told = { id, operation: name, session: caller.session };
  const operation = operations.find((one) => one.name === name);
  if (
    operation === undefined ||
    isForPerson({ operation: name, input }) ||
    operation.readOnly?.(input) === true
  )
    return { ...told, answer: refusedAnswer([notLeft(name)]) };
  return { ...told, answer: await run(operation, { ...context, caller }, input, id) };
}

const NOBODY = { operation: "", session: "" };

async function run(
  operation: Operation,
  context: Context,
  input: JsonObject,
  id: string,
): Promise<Answer> {
  const wrong = inputProblem(operation, input);
  if (wrong !== undefined) return wrong;
  const { workflow } = input;
  const once = `inbox.${id}`;
  try {
    return typeof workflow === "string"
      ? await runOnce(operation, context, input, { id: once, workflow })
      : await operation.run({ ...context, caller: { ...context.caller, id: once } }, input);
  } catch (error) {
    return failure(error);
  }
}

/** An entry that fails must not block the others. */
function failure(error: unknown): FailedAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return failedAnswer({ code: "inbox-failed", message, fix: "Give the command again." });
}

/** What is left in the inbox: the operation, its input, and who the caller says it is. */
export function writeEntry(
  operation: string,
  input: JsonObject,
  { actor, session }: Caller,
): string {
  const { name, role } = actor;
  const by = { name, ...(role === undefined ? {} : { role }), session };
  return `${JSON.stringify({ format: 1, operation, input: toJson(input), by })}\n`;
}

interface Entry {
  readonly operation: string;
  readonly input: JsonObject;
  /** An agent whose identity nobody confirms. */
  readonly caller: Caller;
}

function readEntry(text: string): Entry | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { format, operation, input, by } = value;
  if (format !== 1 || typeof operation !== "string" || !isJsonObject(input) || !isJsonObject(by))
    return undefined;
  const { name, role, session } = by;
  if (!isName(name) || !isName(session) || (role !== undefined && !isName(role))) return undefined;
  const actor = { kind: "agent", name, ...(role === undefined ? {} : { role }) } as const;
  return { operation, input, caller: { actor, session } };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w@.+:/-]{1,160}$/.test(value);
}

function broken(id: string): Refusal {
  return {
    code: "inbox-broken",
    message: `${id} is no command that was left here by this program`,
    fix: "Give the command again; the program writes the entry itself.",
    rule: "core",
  };
}

/** Refuses an operation that cannot be left in the inbox, both when leaving it and when finding it. */
export function notLeft(name: string): Refusal {
  return {
    code: "inbox-unfit",
    message: isForPerson({ operation: name, input: {} })
      ? `"${name}" is a person's, and cannot be left for others to do`
      : `"${name.slice(0, 40)}" cannot be left for others to do`,
    fix: "Ask a person to do it, or ask again from where the store can be read.",
    rule: "core",
  };
}

export function mayBeLeft(name: string): boolean {
  return !isForPerson({ operation: name, input: {} });
}
