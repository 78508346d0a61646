import type { Command } from "../core/commands.ts";
import type { Event } from "../core/events.ts";
import { REFUSED } from "../core/state.ts";
import type { Workflow } from "../core/state.ts";
import type { Family } from "../ports/family.ts";
import { streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";

/** One record takes in this many refusals; an agent that tries for ever must not grow the truth for ever. */
const REFUSED_MAX = 20;

/**
 * What was refused since the last record, as notes for the next one: then the chain vouches for it too.
 * A refusal itself appends nothing, so that nobody can fill the journal by asking.
 */
export async function refusedSince(
  parts: Parts,
  family: Family,
  state: Workflow,
): Promise<readonly Event[]> {
  if (!family.audit.keepsRefusals) return [];
  const kept = state.notes.filter((note) => note.list === REFUSED);
  const last = kept.at(-1)?.at ?? state.startedAt;
  const known = new Set(kept.map((note) => `${note.at} ${note.tag}`));
  const notes = (await parts.refusals.read(streamOf(family, state.id)))
    .filter((one) => one.at >= last)
    .map(({ at, command, step, actor, refusals }) => ({
      at,
      tag: `${command} ${step} ${actor}`,
      text: refusals.map((one) => one.code).join(", "),
    }))
    .filter((note) => !known.has(`${note.at} ${note.tag}`));
  const more = notes.length - REFUSED_MAX;
  const left = notes[more - 1];
  return [
    ...(left === undefined ? [] : [{ at: left.at, tag: "more", text: `${more} more` }]),
    ...notes.slice(-REFUSED_MAX),
  ].map((note): Event => ({ type: "note.added", list: REFUSED, ...note }));
}

/** What a command names: the step, the work or the question it is about. */
export function stepOf(command: Command): string {
  if ("move" in command) return word(command.move);
  if ("spec" in command) return word(`${command.spec}/${command.unit}`);
  if ("question" in command) return word(command.question);
  if ("decision" in command) return word(command.decision);
  return "dispatch" in command ? word(command.dispatch) : "";
}

/** Whatever was typed, one word of it. */
function word(given: string): string {
  return given.replaceAll(/\s+/g, "_").slice(0, WORD_CHARS_MAX);
}

const WORD_CHARS_MAX = 80;
