import type { Refusal } from "../../core/decide/answer.ts";
import type { Command, Envelope } from "../../core/state/commands.ts";
import type { Event } from "../../core/state/events.ts";
import type { Refused, Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Loaded } from "../../ports/journal.ts";
import type { RefusalEntry } from "../../ports/refusals.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";

/**
 * How many refusals one record takes in, so that an agent that keeps trying cannot make the journal grow without
 * limit.
 */
const REFUSED_MAX = 20;

/**
 * Refusals since the last record, as events for the next one, so that the hash chain covers them. A refusal alone
 * appends no record, so nobody can fill the journal by asking.
 */
export async function refusedSince(
  parts: Parts,
  family: Family,
  state: Workflow,
): Promise<readonly Event[]> {
  if (!family.audit.keepsRefusals) return [];
  const key = (one: Refused): string => `${one.at} ${one.command} ${one.step} ${one.by}`;
  const known = new Set(state.refused.map(key));
  const kept = (await parts.refusals.read(streamOf(family, state.id))).map(
    ({ at, command, step, actor, refusals }) => {
      return { at, command, step, by: actor, codes: refusals.map((one) => one.code) };
    },
  );
  // Refusals are kept in order. Their times may come from a wrong clock.
  const last = kept.findLastIndex((one) => known.has(key(one)));
  const found = last < 0 ? kept.filter((one) => one.at >= state.startedAt) : kept.slice(last + 1);
  const more = found.length - REFUSED_MAX;
  const left = found[more - 1];
  return [
    ...(left === undefined
      ? []
      : [{ at: left.at, command: "more", step: "", by: "", codes: [`${more} more`] }]),
    ...found.slice(-REFUSED_MAX),
  ].map((one): Event => ({ type: "refusal.noted", ...one }));
}

/** Stores a refusal that came before there was a command: a report in the wrong form. */
export async function noteRefused(
  parts: Parts,
  family: Family,
  refused: Omit<RefusalEntry, "at" | "stream"> & { readonly workflow: string },
): Promise<void> {
  const { workflow, ...entry } = refused;
  const stream = streamOf(family, workflow);
  await parts.refusals.add({ ...entry, step: word(entry.step), at: parts.clock.now(), stream });
}

/** Stores a refusal beside the journal. */
export async function noteRefusal(
  parts: Parts,
  {
    stream,
    command,
    loaded: { state, head },
  }: { readonly stream: string; readonly command: Command; readonly loaded: Loaded<Workflow> },
  { at, actor, session }: Envelope,
  refusals: readonly Refusal[],
): Promise<void> {
  const by = `${actor.kind}:${actor.name}`;
  const step = stepOf(command);
  await parts.refusals.add({
    at,
    seq: state.seq,
    hash: head.hash,
    run: state.startedAt,
    stream,
    command: command.type,
    step,
    actor: by,
    ...(actor.agent === undefined ? {} : { agent: actor.agent }),
    session,
    refusals,
  });
}

/** The step, work or question that a command is about. */
export function stepOf(command: Command): string {
  if ("move" in command) return word(command.move);
  if ("spec" in command) return word(`${command.spec}/${command.unit}`);
  if ("question" in command) return word(command.question);
  if ("decision" in command) return word(command.decision);
  if (!("dispatch" in command)) return "";
  return word("claim" in command ? `${command.dispatch}/${command.claim.agent}` : command.dispatch);
}

/** One word, whatever was typed. */
function word(given: string): string {
  return given.replaceAll(/\s+/g, "_").slice(0, WORD_CHARS_MAX);
}

const WORD_CHARS_MAX = 80;
