import type { Event } from "../state/events.ts";
import { member } from "../values/json.ts";
import type { Consequence, Move, Protocol, Start } from "../table/protocol.ts";
import type { Workflow } from "../state/state.ts";

/**
 * The parts of the table that a record's events point to: the rows that moved, and the consequences of its
 * reports, answers and sent work. Everything else in the record must follow from these.
 */
export interface Causes {
  readonly consequences: readonly Consequence[];
  /** Consequences that do not depend on a budget. */
  readonly certain: ReadonlySet<Consequence>;
  readonly rows: readonly (Move | Start)[];
  /** Moves that may follow without anybody asking for them. */
  readonly moves: ReadonlySet<string>;
}

/** The parts of a record that say what it is about. */
interface Made {
  readonly command: string;
  readonly actor: string;
  readonly events: readonly Event[];
}

export const NO_CAUSES: Causes = {
  consequences: [],
  certain: new Set(),
  rows: [],
  moves: new Set(),
};

export function causesOf(protocol: Protocol, before: Workflow, record: Made): Causes {
  const { events } = record;
  const questions = questionsIn(before, events);
  const specs = specsIn(before, events);
  const consequences = events.flatMap((event): readonly Consequence[] => {
    if (event.type === "dispatch.sent") return member(protocol.work, event.spec)?.sent ?? [];
    if (event.type === "dispatch.ended") {
      const spec = member(protocol.work, specs.get(event.dispatch) ?? "");
      return member(spec?.outcomes ?? {}, event.outcome) ?? [];
    }
    if (event.type !== "decision.settled") return [];
    const question = member(protocol.questions, questions.get(event.decision) ?? "");
    if (event.option === "") return question?.within?.else ?? [];
    return question?.options.find((one) => one.id === event.option)?.does ?? [];
  });
  const all = consequences.flatMap(withOtherwise);
  const via = events.flatMap((event) => {
    if (event.type !== "decision.asked") return [];
    return member(protocol.questions, event.question)?.via ?? [];
  });
  const moves = new Set([...via, ...all.flatMap((one) => ("move" in one ? [one.move] : []))]);
  return {
    consequences: all,
    certain: new Set(consequences),
    rows: rowsIn(protocol, record, moves),
    moves,
  };
}

function withOtherwise(one: Consequence): readonly Consequence[] {
  return "within" in one ? [one, ...one.within.else.flatMap(withOtherwise)] : [one];
}

/** Rows that moved, starts, and steps that stay in their state, which leave no move event. */
function rowsIn(
  { kinds }: Protocol,
  { command, actor, events }: Made,
  follow: ReadonlySet<string>,
): readonly (Move | Start)[] {
  const moved = new Set(events.flatMap((event) => (event.type === "unit.moved" ? event.move : [])));
  const begins = ["workflow.start", "unit.open"].includes(command);
  const kind = actor.split(":")[0] ?? "";
  const may = (row: Move): boolean =>
    row.auto === true || follow.has(row.id) || (command === "unit.move" && mayAsk(row, kind));
  return Object.values(kinds).flatMap((machine) => [
    ...machine.moves.filter((row) => moved.has(row.id) || (row.inside === true && may(row))),
    ...(begins ? (machine.starts ?? []) : []),
  ]);
}

/** A record says which agent acted, but not in which role, so any role counts. */
export function mayAsk({ by }: Move, kind: string): boolean {
  return by?.some((one) => one === kind || (one.startsWith("role:") && kind === "agent")) ?? true;
}

function questionsIn(before: Workflow, events: readonly Event[]): ReadonlyMap<string, string> {
  const known = Object.values(before.decisions).map(({ id, question }) => [id, question] as const);
  const asked = events.flatMap((event) =>
    event.type === "decision.asked" ? [[event.decision, event.question] as const] : [],
  );
  return new Map([...known, ...asked]);
}

function specsIn(before: Workflow, events: readonly Event[]): ReadonlyMap<string, string> {
  const known = Object.values(before.dispatches).map(({ id, spec }) => [id, spec] as const);
  const sent = events.flatMap((event) =>
    event.type === "dispatch.sent" ? [[event.dispatch, event.spec] as const] : [],
  );
  return new Map([...known, ...sent]);
}
