/**
 * One tool call, from its arguments to the text of the answer. Everything is read anew each time, because others
 * write here too.
 */
import { compose } from "../../compose/compose.ts";
import type { Refusal } from "../../core/decide/answer.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Caller } from "../../engine/engine.ts";
import { failedAnswer, refusedAnswer } from "../../operations/parts/answers.ts";
import type { Taken } from "../../operations/parts/answers.ts";
import { inputProblem } from "../../operations/index.ts";
import { next } from "../../operations/next.ts";
import type { NextSteps } from "../../operations/next.ts";
import type { Answer, Context } from "../../operations/operation.ts";
import { underWay, unnamed } from "../../operations/parts/under-way.ts";
import { takeInLeft } from "../cli/left.ts";
import { failureOf } from "../failure.ts";
import { memoryIn } from "../hook/memory.ts";
import type { Memory } from "../hook/memory.ts";
import { agentIn, callerOfCall } from "./caller.ts";
import type { ToolCall } from "./caller.ts";
import { isTaken, tell } from "./tell.ts";
import type { Telling } from "./tell.ts";
import type { Asked } from "./tools.ts";

export interface Call {
  readonly asked: Asked;
  readonly from: ToolCall;
  readonly progress: (line: string) => void;
}

export interface Told {
  readonly text: string;
  /** The call made no sense, or the machine failed. A refusal is a normal answer. */
  readonly failed: boolean;
  /** A question to a person is open. */
  readonly asks: boolean;
}

/** Handles the calls of one server. */
export interface Desk {
  readonly call: (call: Call) => Promise<Told>;
  /** Resolves when all running calls have ended. */
  readonly idle: () => Promise<void>;
}

/** How many calls may run at once; further ones are told to wait. */
const CALLS_MAX = 32;

/** With `agent`, for a server that its client started for that agent only. */
export function openDesk(cwd: string, agent?: string): Desk {
  const running = new Set<Promise<Told>>();
  // A task's worktree is removed when the task is over. Then the repository it belonged to is used.
  let root = cwd;
  const met = new Map<string, Set<string>>();
  const at = async (call: Call): Promise<Told> => {
    const looked = await compose({ cwd: root, readOnly: true, remote: true });
    if (looked.kind === "failed") return toldOf(failedAnswer(looked));
    root = looked.parts.workspace.root;
    const memory = memoryIn(looked.dir);
    const seen = ofOnly(met, callerOfCall(call.from, process.env, memory));
    const caller = agent === undefined ? seen : agentIn(seen, agent);
    const waits = looked.parts.inbox.list().ids.length > 0;
    const looks = !waits && onlyLooks(call.asked, caller);
    const opened = looks ? looked : await compose({ cwd: root, remote: true });
    if (opened.kind === "failed") return toldOf(failedAnswer(opened));
    try {
      const context = { parts: opened.parts, caller, progress: call.progress };
      if (waits) await takeInLeft(context);
      return await answerTo(call, context, memory);
    } finally {
      await looked.parts.journal.close();
      if (!looks) await opened.parts.journal.close();
    }
  };
  return {
    call: async (call) => {
      if (running.size >= CALLS_MAX) return toldOf(BUSY);
      const answering = at(call).catch((error: unknown) => toldOf(failureOf(error)));
      running.add(answering);
      return await answering.finally(() => running.delete(answering));
    },
    idle: async () => void (await Promise.all(running)),
  };
}

/**
 * If a server has seen only one conversation of a client, a call that no hook identified belongs to it too, from
 * an unknown agent. Otherwise what a session has started would seem to belong to somebody else.
 */
function ofOnly(met: Map<string, Set<string>>, caller: Caller): Caller {
  const { agent, name } = caller.actor;
  const sessions = met.get(name) ?? new Set();
  if (agent !== undefined && sessions.size < SESSIONS_MAX)
    met.set(name, sessions.add(caller.session));
  const [only, second] = sessions;
  if (agent !== undefined || only === undefined || second !== undefined) return caller;
  return { ...caller, session: only };
}

/** With a second conversation, the call could belong to either. */
const SESSIONS_MAX = 2;

const BUSY: Answer = failedAnswer({
  code: "busy",
  message: `${CALLS_MAX} calls are being answered`,
  fix: "Call again when one of them has ended.",
});

/** Whether the call only reads. An identified agent that fetches its order takes it, and that is recorded. */
function onlyLooks({ operation, input }: Asked, { actor }: Caller): boolean {
  const takes = operation.name === "order" && actor.agent !== undefined;
  return !takes && operation.readOnly?.(input) === true;
}

async function answerTo({ asked }: Call, context: Context, memory: Memory): Promise<Told> {
  const { operation } = asked;
  const open = await underWay(context.parts);
  const meant = withWorkflow(asked, open);
  if (meant.kind === "refused") return toldOf(refusedAnswer([meant.refusal]));
  const { input } = meant;
  const wrong = inputProblem(operation, input);
  if (wrong !== undefined) return toldOf(wrong);
  const named = open.length > 1;
  const atWork = await othersAtWork(context, { operation, input });
  if (atWork !== undefined) return toldOf(atWork, { named });
  const answer = await operation.run(context, input);
  return toldOf(isTaken(answer) ? onlyNews(memory, context.caller, answer) : answer, {
    ...(await aheadOf(context, { operation, input }, answer)),
    named,
    begun: operation.name === "start",
    reported: operation.name === "report",
  });
}

/**
 * While agents are working there is no step to take. Whoever wants to go on is told who is working, instead of
 * being refused.
 */
async function othersAtWork(
  context: Context,
  { operation, input }: Asked,
): Promise<NextSteps | undefined> {
  const { workflow, step } = input;
  if (operation.name !== "advance" || step !== undefined || typeof workflow !== "string")
    return undefined;
  const ahead = await next.run(context, { workflow });
  const out = "orders" in ahead && ahead.held.length === 0 && ahead.orders.length > 0;
  return out && ahead.forward?.allowed !== true ? ahead : undefined;
}

/** Checks that do not run here are mentioned once in each conversation, not with every report. */
function onlyNews(memory: Memory, { session }: Caller, answer: Taken): Taken {
  const warnings = answer.warnings.filter((one) => {
    if (!/^[\w-]+ did not run: /.test(one)) return true;
    const key = `${session} ${answer.workflow} ${one}`;
    return memory.read("warned", key) === undefined && memory.write("warned", key, {});
  });
  return { ...answer, warnings };
}

/** Without a name, the only workflow under way is meant. */
function withWorkflow(
  { operation, input }: Asked,
  open: readonly string[],
): { readonly kind: "meant"; readonly input: JsonObject } | Unmeant {
  const wants = operation.input.properties["workflow"] !== undefined && operation.name !== "start";
  if (!wants || input["workflow"] !== undefined || input["all"] === true)
    return { kind: "meant", input };
  const [only, second] = open;
  if (only !== undefined && second === undefined)
    return { kind: "meant", input: { ...input, workflow: only } };
  if (!operation.input.required.includes("workflow")) return { kind: "meant", input };
  return { kind: "refused", refusal: unnamed(open) };
}

interface Unmeant {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/** What the workflow needs next, looked up after a step that asks nobody, or if there was no step to take. */
async function aheadOf(
  context: Context,
  { operation, input }: Asked,
  answer: Answer,
): Promise<{ readonly ahead?: NextSteps }> {
  const stuck = operation.name === "advance" && input["step"] === undefined && "refusals" in answer;
  if (isTaken(answer) ? answer.held.length > 0 : !stuck) return {};
  const workflow = isTaken(answer) ? answer.workflow : input["workflow"];
  if (typeof workflow !== "string") return {};
  const ahead = await next.run(context, { workflow });
  if (!("candidates" in ahead)) return {};
  // If several agents report at once, only the last one gets this text.
  const later = operation.name === "report" && isTaken(answer) && ahead.seq !== answer.seq;
  return later ? {} : { ahead };
}

function toldOf(answer: Answer, telling: Telling = {}): Told {
  const asks = isTaken(answer) && answer.held.length > 0;
  return { text: tell(answer, telling), failed: "error" in answer, asks };
}
