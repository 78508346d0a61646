import type { Answer, Refusal, RunRequest } from "../core/decide/answer.ts";
import type { Command, Envelope } from "../core/state/commands.ts";
import { decide } from "../core/decide/decide.ts";
import type { Event } from "../core/state/events.ts";
import { evolve } from "../core/state/evolve.ts";
import type { Stamp } from "../core/state/evolve.ts";
import { replay } from "../core/replay/replay.ts";
import type { Json } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Workflow } from "../core/state/state.ts";
import { must, mustBeSame } from "./same.ts";
import { remedyText } from "../core/table/remedy.ts";

/** How often facts may lead to further facts. */
const ROUNDS_MAX = 6;

export interface Asked {
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly command: Command;
  /** Keys of the checks that were run for this command. Without it, none is asked for. */
  readonly ran?: readonly string[];
}

export type Decided = Exclude<Answer, { kind: "needs" }>;

/** Decides until no fact is missing, as the engine does, and checks that deciding twice gives the same answer. */
export function decideFully(
  protocol: Protocol,
  asked: Asked,
  look: (key: string) => Json,
): Decided {
  let evidence: Readonly<Record<string, Json>> = {};
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = JSON.stringify(asked);
    const answer = decide({ protocol, ...asked, evidence });
    must(JSON.stringify(asked) === before, "Deciding must not change what it was given");
    const again = decide({ protocol, ...copyOf(asked), evidence: copyOf(evidence) });
    mustBeSame(again, answer, "Deciding twice must answer the same");
    if (answer.kind !== "needs") return answer;
    const repeated = answer.facts.filter((key) => Object.hasOwn(evidence, key));
    mustBeSame(repeated, [], "A fact that was given must not be asked for again");
    must(answer.facts.length > 0, "Deciding must say which facts it needs");
    const found = answer.facts.map((key) => [key, look(key)] as const);
    evidence = { ...evidence, ...Object.fromEntries(found) };
  }
  throw new Error(`Deciding ${asked.command.type} still asks for facts after ${ROUNDS_MAX} rounds`);
}

function copyOf<T>(value: T): T {
  return structuredClone(value);
}

export interface JournalRecord {
  readonly stamp: Stamp;
  readonly events: readonly Event[];
}

/** Folds a record in the form it has when read back from a journal. */
export function foldAsRead(folded: Workflow, record: JournalRecord): Workflow {
  const read: JournalRecord = JSON.parse(JSON.stringify(record));
  return read.events.reduce((state, event) => evolve(state, event, read.stamp), folded);
}

/** Checks that replaying accepts what deciding produced. */
export function checkReplays(protocol: Protocol, before: Workflow, made: Made): void {
  const { envelope, command, events, used } = made;
  const { id, at, session, actor } = envelope;
  const record = {
    id,
    at,
    session,
    events,
    used,
    seq: before.seq + 1,
    command: command.type,
    actor: `${actor.kind}:${actor.name}`,
    ...(actor.agent === undefined ? {} : { agent: actor.agent }),
  };
  const { wrong } = replay(
    { protocol, guarded: true, recordedAs: (value) => value },
    before,
    record,
  );
  mustBeSame(wrong, [], "A record that deciding made must replay");
}

interface Made {
  readonly envelope: Envelope;
  readonly command: Command;
  readonly events: readonly Event[];
  readonly used: Readonly<Record<string, Json>>;
}

/** Checks that every refusal says what is wrong and what to do about it. */
export function checkRefusals(refusals: readonly Refusal[]): void {
  must(refusals.length > 0, "A refusal without a reason");
  for (const { code, message, fix, rule } of refusals)
    for (const text of [code, message, remedyText(fix), rule])
      must(
        /\S/.test(text),
        `A refusal lacks words: ${JSON.stringify({ code, message, fix, rule })}`,
      );
}

/** The command by which the engine records a check's result, bound to what it ran on. */
export function runCommand(
  { check, binds }: RunRequest,
  value: "passed" | "failed",
  look: (key: string) => Json,
): Command {
  const bound = Object.fromEntries(binds.map((key) => [key, look(key)]));
  return { type: "finding.record", unit: ".", kind: check, by: "holdpoint", value, bound };
}
