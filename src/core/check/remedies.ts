import type { RuledNeed, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { Workflow } from "../state/state.ts";

/** A row that refuses without saying what to do, and where it is first met. */
export interface Unhelpful {
  readonly row: RuledNeed;
  readonly where: string;
  /** Whether the row applies in this state. */
  readonly met: (state: Workflow) => boolean;
}

/** Rows that refuse with an empty fix. Rows that ask a question, only warn, or select a row are left out. */
export function unhelpfulRows(protocol: Protocol): readonly Unhelpful[] {
  const { root, kinds, work, questions } = protocol;
  return [
    ...Object.entries(kinds).flatMap(([kind, { moves, starts = [] }]) => [
      ...moves
        .filter((move) => move.auto !== true)
        .flatMap(({ id, from, needs }) =>
          unhelpful(needs, `move ${id}`, (state) => stands(state, kind, from)),
        ),
      ...starts.flatMap(({ from = [], needs }) =>
        unhelpful(
          needs,
          kind === root ? "the start" : `adding a ${kind}`,
          (state) => kind === root || stands(state, root, from),
        ),
      ),
    ]),
    ...Object.entries(work).flatMap(([name, { unit, in: from, needs, accepts }]) => [
      ...unhelpful(needs, `handing out ${name}`, (state) =>
        stands(state, unit === "root" ? root : unit, from),
      ),
      ...unhelpful(accepts, `the report of ${name}`, (state) =>
        Object.values(state.dispatches).some((one) => one.spec === name && one.status === "open"),
      ),
    ]),
    ...Object.entries(questions).flatMap(([name, { needs }]) =>
      unhelpful(needs, `asking ${name}`, () => true),
    ),
  ];
}

function unhelpful(
  rows: readonly RuledNeed[] = [],
  where: string,
  met: Unhelpful["met"],
): readonly Unhelpful[] {
  return rows
    .filter(
      (row) =>
        row.soft !== true &&
        row.ask === undefined &&
        typeof row.fix === "string" &&
        row.fix.trim() === "",
    )
    .map((row) => ({ row, where, met }));
}

function stands({ units }: Workflow, kind: string, states: readonly string[]): boolean {
  return Object.values(units).some(
    (unit) => unit.kind === kind && states.includes(unit.at) && (kind !== "" || unit.id === ROOT),
  );
}
