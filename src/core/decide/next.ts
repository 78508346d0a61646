import type { Answer, Evidence, Refusal } from "./answer.ts";
import type { Command, Envelope } from "../state/commands.ts";
import { decide } from "./decide.ts";
import { isChanged } from "../table/definition.ts";
import { fitsUnit } from "./work/dispatch.ts";
import { beginDraft, fill } from "./draft.ts";
import { readingKey, TIP, unorderedKey } from "../values/measured.ts";
import { legalMoves } from "./move.ts";
import { member } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import type { Decision, Workflow } from "../state/state.ts";

/** Something that could be asked for now. */
export interface Offer {
  readonly command: Command;
  readonly label: string;
}

/** An offer, with the reasons why it would be refused. */
export interface Candidate extends Offer {
  readonly refusals: readonly Refusal[];
  /** It only lacks checks, and asking for it runs them. */
  readonly ready?: true;
}

export interface Next {
  /** Questions waiting for a person, oldest first. */
  readonly open: readonly Decision[];
  readonly candidates: readonly Candidate[];
  /** Facts to look up before this answer is complete. */
  readonly needs: readonly string[];
}

export interface NextInput {
  readonly protocol: Protocol;
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly evidence: Evidence;
}

/**
 * Everything that could be asked for by name. Whether it would be accepted is decided later, because that takes
 * more facts.
 */
export interface Offered {
  readonly offers: readonly Offer[];
  readonly needs: readonly string[];
}

/**
 * What may be done now: every command the tables offer here, tried with `decide`, so there is no second set of
 * rules.
 */
export function next(input: NextInput): Next {
  const open = Object.values(input.state.decisions).filter((one) => one.status === "open");
  const { offers, needs: asked } = offered(input);
  const needs = new Set(asked);
  const evidence = { ...unread(input.state), ...input.evidence };
  const candidates = offers.map(({ command, label }): Candidate => {
    const answer = decide({ ...input, evidence, command });
    if (answer.kind === "needs") for (const key of answer.facts) needs.add(key);
    const refusals = refusalsOf(answer);
    const ready = refusals.length > 0 && runsFirst({ ...input, evidence, command }, refusals);
    return { command, label, refusals, ...(ready ? { ready } : {}) };
  });
  return { open, candidates, needs: [...needs] };
}

function runsFirst(
  input: NextInput & { readonly command: Command },
  refusals: readonly Refusal[],
): boolean {
  const { protocol, state, command } = input;
  if (command.type !== "unit.move") return false;
  const kind = member(state.units, command.unit)?.kind ?? "";
  const row = protocol.kinds[kind]?.moves.find((one) => one.id === command.move);
  const checks = (row?.needs ?? []).filter((one) => one.guard === "passed").map((one) => one.code);
  const isCheck = ({ code }: Refusal): boolean =>
    checks.includes(code) || (row?.runs !== undefined && refusals.length === 1);
  return refusals.every(isCheck) && decide({ ...input, ran: [] }).kind === "runs";
}

/**
 * The measurements taken when work is sent out are slow and decide nothing here, so they are answered with null.
 */
function unread({ units }: Workflow): Evidence {
  const readings = Object.keys(units).flatMap((unit) => [
    [readingKey(unit), null] as const,
    [unorderedKey(unit), null] as const,
  ]);
  return { ...Object.fromEntries(readings), [TIP]: null };
}

function refusalsOf(answer: Answer): readonly Refusal[] {
  return answer.kind === "refused" ? answer.refusals : [];
}

export function offered(input: NextInput): Offered {
  // The new table may lack what the workflow uses; a person accepts the change first.
  if (isChanged(input.protocol, input.state)) return { offers: [], needs: [] };
  const command: Command = { type: "note.add", list: "", tag: "", text: "" };
  const draft = beginDraft({ ...input, command });
  const units = Object.values(input.state.units);
  const moves = units.flatMap((unit) =>
    legalMoves(draft, unit)
      // Moves only for the engine are not offered.
      .filter(({ by }) => by?.every((one) => one === "engine") !== true)
      .map((move) => ({
        command: { type: "unit.move", unit: unit.id, move: move.id } as const,
        label: move.label ?? move.id,
      })),
  );
  const dispatches = Object.entries(input.protocol.work).flatMap(([name, spec]) => {
    const fitting = units.filter((one) => fitsUnit(draft, spec, one));
    return (spec.parallel === true ? fitting : fitting.slice(0, 1)).map((unit) => ({
      command: { type: "dispatch.send", spec: name, unit: unit.id } as const,
      label: `hand ${unit.id === "." ? "work" : unit.id} to ${fill(draft, unit, spec.role)} (${name})`,
    }));
  });
  return { offers: [...dispatches, ...moves], needs: [...draft.needs] };
}
