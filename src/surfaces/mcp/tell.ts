/** An answer in the few lines that an agent needs: the result, and what to do now. */
import type { Act, Refusal, Remedy } from "../../core/decide/answer.ts";
import type { FailedAnswer, Held, RefusedAnswer, Taken } from "../../operations/parts/answers.ts";
import type { NextCandidate, NextSteps, Startable, StepChecked } from "../../operations/next.ts";
import type { Answer } from "../../operations/operation.ts";
import type { OrderTold } from "../../operations/order.ts";
import { commandLine, sayFix } from "../cli/text/phrase.ts";
import { isFailed, isRefused } from "../cli/text/reply.ts";
import { safe } from "../cli/terminal/style.ts";
import { VERBS } from "../cli/verbs/index.ts";
import { detailLines } from "./details.ts";
import { LINE_MAX, clip, some } from "./lines.ts";
import { TOOLS } from "./tools.ts";

const REASONS_MAX = 6;
const WHY_MIN = 120;
const PROMPT_MAX = 240;
const LABEL_MAX = 48;

export interface Telling {
  /** What the workflow needs now, if the answer itself does not say so. */
  readonly ahead?: NextSteps;
  /** Set if several workflows are under way: a call must then name one. */
  readonly named?: boolean;
  /** Set if the workflow has just been started: its name may be new to the agent. */
  readonly begun?: boolean;
  /** Set if the reader may be a subagent, for which the next step is not meant. */
  readonly reported?: boolean;
}

/** Plain text, whatever agents and files have put into it. */
export function tell(answer: Answer, telling: Telling = {}): string {
  return safe(linesOf(answer, telling).join("\n"));
}

function linesOf(answer: Answer, telling: Telling): readonly string[] {
  if (isFailed(answer)) return failedLines(answer);
  if (isTaken(answer)) return takenLines(answer, telling);
  if (isRefused(answer)) return refusedLines(answer, telling);
  if (isNext(answer)) return nextLines(answer, telling);
  if (isOrder(answer)) return orderLines(answer);
  if (isStep(answer)) return [`${answer.do} may be done.`];
  if (isStartable(answer)) return startableLines(answer);
  return detailLines(answer);
}

function failedLines({ error: { message, fix }, choices = [] }: FailedAnswer): readonly string[] {
  return [
    `Failed: ${clip(message)} ${clip(fixed(fix))}`,
    ...some(choices.map(called), REASONS_MAX),
  ];
}

function refusedLines(answer: RefusedAnswer, telling: Telling): readonly string[] {
  const { refusals, closing, workflow, held } = answer;
  const out = telling.ahead?.orders ?? [];
  // While agents are working there is no next step; what matters is who they are.
  if (out.length > 0 && telling.ahead !== undefined) return nextLines(telling.ahead, telling);
  if (workflow !== undefined && held !== undefined && refusals.every((one) => one.code === "held"))
    return heldLines(workflow, held, telling);
  const rest = closing === undefined ? [] : [clip(`${closing.message}. ${fixed(closing.fix)}`)];
  return ["Refused:", ...reasonLines(refusals), ...rest];
}

function takenLines(answer: Taken, telling: Telling): readonly string[] {
  const { pending, refusals = [], warnings, settled = [] } = answer;
  const undone = pending.map(({ message, fix }) => `! ${clip(message)}: ${clip(fixed(fix))}`);
  return [
    [
      pending.length + refusals.length === 0 ? "Done." : "Recorded, but not all is done.",
      ...(saysEnough(answer, telling) ? [] : [standing(answer, telling)]),
    ].join(" "),
    ...settled.map(({ decision, status, said }) => clip(`${decision} ${status}: ${said}`)),
    ...some(undone, REASONS_MAX),
    ...reasonLines(refusals),
    ...some(
      together(warnings).map((one) => `! ${clip(one)}`),
      2,
    ),
    ...wantedLines(answer, telling),
  ];
}

/** Checks with the same message are named together. */
function together(warnings: readonly string[]): readonly string[] {
  const names = new Map<string, readonly string[]>();
  for (const one of warnings) {
    const [, name = "", rest = one] = /^([\w-]+)( did not run: .+)$/s.exec(one) ?? [];
    names.set(rest, [...(names.get(rest) ?? []), name]);
  }
  return [...names].map(([rest, checks]) => checks.join(", ") + rest);
}

/** An order or an open question already says where things stand, and an agent that reports need not know. */
function saysEnough({ held, order, orders = [], closing }: Taken, telling: Telling): boolean {
  const { named = false, begun = false, reported = false } = telling;
  const told = held.length > 0 || order !== undefined || orders.length > 0;
  return !named && !begun && (told || closing !== undefined || reported);
}

/** What to do after a step: answer a question, work that is out, or the next step. */
function wantedLines(answer: Taken, telling: Telling): readonly string[] {
  const { ahead, reported = false } = telling;
  const { workflow, held, order, orders = order === undefined ? [] : [order] } = answer;
  // The other agents were named when work was sent out, and are named again to anybody who asks.
  const others = ahead?.held.length === 0 && ahead.orders.length > 0;
  if (reported && others && held.length + orders.length === 0 && ahead.forward?.allowed !== true)
    return [];
  const [first, ...rest] =
    held.length > 0
      ? heldLines(workflow, held, telling)
      : orders.length > 0
        ? [...outLines("Start", orders, workflow, telling), ...beforeLines(orders, telling)]
        : ahead === undefined
          ? closingLines(answer.closing)
          : nextLines(ahead, telling);
  return first === undefined ? [] : [reported ? `Orchestrator: ${first}` : first, ...rest];
}

/** Work sent out earlier: whoever was to start its agent may have died before doing so. */
function beforeLines(fresh: NextSteps["orders"], telling: Telling): readonly string[] {
  const { workflow = "", orders = [] } = telling.ahead ?? {};
  const before = orders.filter((one) => fresh.every(({ dispatch }) => dispatch !== one.dispatch));
  return outLines(UNLESS, before, workflow, telling);
}

const UNLESS = "Start, unless it runs:";

function closingLines(closing: Taken["closing"]): readonly string[] {
  return closing === undefined ? [] : [clip(`${closing.message}. ${fixed(closing.fix)}`)];
}

/** Leaves out the workflow's name if no other could be meant, to save tokens. */
function standing(
  { workflow, headline }: Pick<NextSteps, "workflow" | "headline">,
  { named = false, begun = false }: Telling,
): string {
  return `${named || begun ? `${workflow}: ` : ""}${clip(headline)}.`;
}

/** What to do now, and nothing else. */
function nextLines(answer: NextSteps, telling: Telling): readonly string[] {
  const { workflow, held, orders, forward, candidates, blocked } = answer;
  if (blocked !== undefined) return ["Nothing can be done here yet:", ...reasonLines([blocked])];
  if (held.length > 0) return heldLines(workflow, held, telling);
  const out = outLines(UNLESS, orders, workflow, telling);
  if (out.length > 0 && forward?.allowed !== true) return out;
  if (forward !== undefined) return [...out, ...forwardLines(forward, workflow, telling)];
  const may = candidates.filter((one) => one.allowed).map(({ do: step }) => step);
  if (may.length === 0)
    return [...closingLines(answer.closing), "Nothing is to be done."].slice(0, 1);
  return [
    `Steps that may be asked for: advance with step ${[...new Set(may)].slice(0, 8).join(", ")}.`,
  ];
}

function forwardLines(
  { label, allowed, ready, do: step, refusals }: NextCandidate,
  workflow: string,
  telling: Telling,
): readonly string[] {
  const call = callOf({ operation: "advance", input: { workflow } }, telling);
  // A subagent only passes this on.
  const what = telling.reported === true ? "" : `: ${clip(label)}`;
  return allowed || ready === true
    ? [`Now call ${call}${what}.`]
    : [`Then call ${call}. "${step}" still lacks:`, ...reasonLines(refusals)];
}

function heldLines(
  workflow: string,
  [first, ...others]: readonly Held[],
  { named = false }: Telling,
): readonly string[] {
  if (first === undefined) return [];
  const { prompt, options, about } = first;
  const why = about["message"];
  const choices = options.map(({ number, id, label, word, recommended }) =>
    [
      word === true ? `${id}:` : number,
      clip(label, LABEL_MAX),
      ...(recommended === true ? ["(recommended)"] : []),
    ].join(" "),
  );
  return [
    `Held: a person must answer: ${clip(prompt, PROMPT_MAX)}${typeof why === "string" ? ` ${clip(why, PROMPT_MAX)}` : ""}`,
    `${choices.join("; ")}${named ? `. holdpoint answer ${workflow}` : ""}`,
    ...(others.length === 0 ? [] : [`${others.length} more after it.`]),
  ];
}

function outLines(
  start: string,
  orders: NextSteps["orders"],
  workflow: string,
  { named = false }: Telling,
): readonly string[] {
  if (orders.length === 0) return [];
  const all = orders.map(({ role, agent, dispatch }) => `${agent ?? role} on ${dispatch}`);
  const subagents = orders.length === 1 ? "subagent" : "subagents";
  return [`${start} ${subagents} ${all.join(", ")}${named ? ` of ${workflow}` : ""}.`];
}

/** An order is the one long text, because its agent works by it. */
function orderLines({ workflow, order: { prompt, dispatch } }: OrderTold): readonly string[] {
  return [
    prompt,
    `(Report with the tool report: ${JSON.stringify({ workflow, dispatch, text: "..." })})`,
  ];
}

function startableLines({ workflows, choices = [] }: Startable): readonly string[] {
  const running = detailLines({ workflows });
  const could = choices.flatMap(({ next, run, counts }) =>
    next === null
      ? [
          `Nothing can be started: ${Object.entries(counts)
            .map(([what, count]) => `${count} ${what}`)
            .join(", ")}.`,
        ]
      : [`${next} can be started: ${run.map(fixed).join("; ")}`],
  );
  return [
    ...running,
    ...some(
      could.map((one) => clip(one)),
      REASONS_MAX,
    ),
  ];
}

export function reasonLines(refusals: readonly Refusal[]): readonly string[] {
  const lines = refusals.map(({ message, fix }) => {
    // If a line is too long, the reason is cut and not the remedy: a call that is cut cannot be made.
    const way = clip(fixed(fix));
    const why = clip(message, Math.max(WHY_MIN, LINE_MAX - way.length)).replace(/\.$/, "");
    return `- ${why}. Fix: ${way}`;
  });
  return some(lines, REASONS_MAX);
}

function fixed(fix: Remedy): string {
  if (typeof fix === "string") return fix;
  return sayFix(fix, called(fix));
}

function called(act: Act | string): string {
  return typeof act === "string" ? act : callOf(act, {});
}

/** An operation as a tool call if there is such a tool, and otherwise as one would type it. */
function callOf(act: Act, { named = false }: Telling): string {
  const tool = act.by === undefined ? TOOLS.find((one) => one.name === act.operation) : undefined;
  const { workflow, ...rest } = act.input;
  const fits = Object.keys(rest).every((one) => one in Object(tool?.inputSchema["properties"]));
  if (tool === undefined || !fits) return commandLine(VERBS, act);
  const input = named && workflow !== undefined ? { workflow, ...rest } : rest;
  return Object.keys(input).length === 0
    ? act.operation
    : `${act.operation} ${JSON.stringify(input)}`;
}

export function isTaken(answer: Answer): answer is Taken {
  return "events" in answer;
}

function isNext(answer: Answer): answer is NextSteps {
  return "candidates" in answer;
}

function isOrder(answer: Answer): answer is OrderTold {
  return "order" in answer;
}

function isStep(answer: Answer): answer is StepChecked {
  return "do" in answer;
}

function isStartable(answer: Answer): answer is Startable {
  return "choices" in answer;
}
