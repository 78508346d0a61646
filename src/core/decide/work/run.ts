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
 * Asks for the checks that a row requires, however the row came to be taken. The engine knows the configured
 * checks and whether one has already run on exactly this tree.
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

/**
 * An automatic row is tried after every command, so it only asks for checks that have not run on this tree at
 * all, whatever their result was.
 */
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
