import type { RunRequest } from "../answer.ts";
import { fill, readFact } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { commandKey } from "../../guards/checked.ts";
import { isFresh } from "../../guards/fresh.ts";
import type { RunRow } from "../../table/protocol.ts";
import { ROOT } from "../../state/state.ts";
import type { Unit } from "../../state/state.ts";

export function runKey({ check, unit }: RunRequest): string {
  return `${check} ${unit}`;
}

/**
 * Ask for the checks a row wants to have been run, whichever way the row came to be taken. Which of them
 * there are, and whether a result for exactly this tree is there already, the engine knows.
 */
export function wantRuns(draft: Draft, unit: Unit, rows: readonly RunRow[] = []): void {
  for (const { check, binds } of rows) {
    wantRun(draft, {
      check,
      unit: unit.id,
      binds: [...binds.map((key) => fill(draft, unit, key)), commandKey(check)],
    });
  }
}

/** A row that is tried after every command asks only for what has not been run on this tree at all. */
export function wantNewRuns(draft: Draft, unit: Unit, rows: readonly RunRow[] = []): void {
  const known = (row: RunRow): boolean => {
    const binds = [...row.binds.map((key) => fill(draft, unit, key)), commandKey(row.check)];
    return Object.values(draft.state.findings).some(
      (one) =>
        one.kind === row.check &&
        one.unit === ROOT &&
        binds.every((key) => key in one.bound) &&
        isFresh((key) => readFact(draft, key), one.bound),
    );
  };
  wantRuns(
    draft,
    unit,
    rows.filter((row) => !known(row)),
  );
}

function wantRun({ ran, runs }: Draft, request: RunRequest): void {
  const key = runKey(request);
  if (ran !== undefined && !ran.includes(key)) runs.set(key, request);
}
