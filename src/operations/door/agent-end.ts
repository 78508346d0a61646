/** The end of a subagent: its last words are taken as the report of its work. */
import type { Refusal, Remedy } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { isJsonObject, member, parseJson } from "../../core/values/json.ts";
import { act } from "../../engine/engine.ts";
import type { Context } from "../operation.ts";
import { openEdited } from "../parts/open.ts";
import { REPORT_BYTES_MAX, report } from "../report.ts";
import { liveWorkflows, outIn } from "./live.ts";
import type { Out } from "./live.ts";

/** Either fine, or refused with the reasons and the command by which a person can lift the refusal. */
export type Ending =
  | { readonly kind: "fine" }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[]; readonly lift: Remedy };

const FINE: Ending = { kind: "fine" };

export interface LastWords {
  readonly said: string;
  /** How often this agent's end was refused before. */
  readonly tries: number;
  readonly triesMax: number;
}

/**
 * Takes the report of an agent that is ending. The command id is made from its words, so that the same end
 * reported twice counts once. After the last try the refusal is recorded and the work is freed.
 */
export async function endAgent(context: Context, words: LastWords): Promise<Ending> {
  const { agent } = context.caller.actor;
  const mine = outIn(await liveWorkflows(context.parts)).filter(
    ({ dispatch }) => agent !== undefined && dispatch.agent === agent,
  );
  const out = mine.find(({ dispatch }) => words.said.includes(dispatch.id)) ?? mine[0];
  if (out === undefined || (await isReportedByFiles(context, out, words.said))) return FINE;
  const text = reportIn(out, words.said);
  const ends = words.tries >= words.triesMax;
  const refusals =
    text === undefined && words.tries === 0
      ? [formOf(out)]
      : await give(context, out, text ?? words.said);
  if (refusals.length === 0) return FINE;
  if (ends) await giveFree(context, out);
  return ends ? FINE : { kind: "refused", refusals, lift: liftOf(out) };
}

/** In some protocols the report is a file; then the last words need not be one. */
async function isReportedByFiles(context: Context, out: Out, said: string): Promise<boolean> {
  if (isObject(said)) return false;
  const { id } = out.found.state;
  const { id: _, ...caller } = context.caller;
  const now = await openEdited({ ...context, caller }, id);
  return !("ok" in now) && member(now.state.dispatches, out.dispatch.id)?.status !== "open";
}

/** The words themselves, or the last JSON block in them; undefined if neither is a report. */
function reportIn({ found: { family, state }, dispatch }: Out, said: string): string | undefined {
  if (said.length > REPORT_BYTES_MAX) return said;
  const blocks = [...said.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)\n[ \t]*```/g)].map(
    ([, block = ""]) => block,
  );
  const bare = said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1);
  return [said, blocks.findLast(isObject), bare].find((text) => {
    if (text === undefined || text.trim() === "") return false;
    const read = family.work.read(text, dispatch, state);
    return (
      (read.kind === "report" && read.formless !== true) ||
      read.kind === "advice" ||
      (read.kind === "refused" && isObject(text))
    );
  });
}

function isObject(text: string): boolean {
  return text.length <= REPORT_BYTES_MAX && isJsonObject(parseJson(text));
}

/** Reports through the ordinary operation, so that refusals are recorded. */
async function give(context: Context, out: Out, text: string): Promise<readonly Refusal[]> {
  const { found, dispatch } = out;
  const workflow = `${found.family.protocol.name}:${found.state.id}`;
  const { caller } = context;
  // The id includes the work, because the same words may report another piece of work later.
  const once =
    caller.id === undefined ? {} : { id: `${caller.id}.${found.state.id}.${dispatch.id}` };
  const as = { ...context, caller: { ...caller, ...once } };
  const answer = await report.run(as, { workflow, dispatch: dispatch.id, text });
  return "error" in answer ? [] : answer.ok ? [] : (answer.refusals ?? []);
}

/** The agent goes without a report, so another agent may take the work. */
async function giveFree({ parts, caller }: Context, { found, dispatch }: Out): Promise<void> {
  const { id: _, ...as } = caller;
  await act(parts, found, { type: "dispatch.take", dispatch: dispatch.id, agent: null }, as);
}

function formOf({ found: { state }, dispatch: { id, role } }: Out): Refusal {
  return {
    code: "report-missing",
    message: `Your last words are the report on ${id} (${role}, ${state.id}), and they are none`,
    fix: remedy(
      "order",
      { workflow: state.id, dispatch: id },
      "End with the JSON that the order asks for, and nothing else; read the order again",
    ),
    rule: "core",
  };
}

function liftOf({ found, dispatch }: Out): Remedy {
  return remedy(
    "order",
    { workflow: found.state.id, dispatch: dispatch.id, take: true },
    "A person gives the work to another agent",
  );
}
