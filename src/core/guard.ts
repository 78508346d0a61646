import { readFact, holdsTrue, scopeOf } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { LIBRARY } from "./library.ts";
import type { GuardRow, Protocol } from "./protocol.ts";
import type { Guard } from "./row.ts";
import type { Bound, Unit } from "./state.ts";

/**
 * Run every row, even after one failed: one look then fetches all the facts, and one refusal names
 * everything that is wrong. Hard failures become refusals, those with a question become holds.
 */
export function runGuards(draft: Draft, unit: Unit, rows: readonly GuardRow[] = []): void {
  for (const row of rows) {
    if (row.soft === true || !holdsTrue(draft, unit, row.when)) continue;
    const sentence = failureOf(draft, unit, row);
    if (sentence === undefined) continue;
    if (row.asks !== undefined) draft.holds.push({ row, sentence, unit: unit.id });
    else
      draft.refusals.push({
        code: row.code,
        message: sentence,
        fix: fillFix(draft, unit, row),
        rule: row.rule,
      });
  }
}

/** Soft rows never refuse. They look at the outcome and leave remarks on it. */
export function runSoftGuards(draft: Draft, unit: Unit, rows: readonly GuardRow[] = []): void {
  for (const row of rows) {
    if (row.soft !== true || !holdsTrue(draft, unit, row.when)) continue;
    const sentence = failureOf(draft, unit, row);
    if (sentence !== undefined)
      draft.notes.push({ code: row.code, message: sentence, rule: row.rule });
  }
}

/** For automatic moves and gates: whether all rows pass, without saying why not. */
export function passes(draft: Draft, unit: Unit, rows: readonly GuardRow[] = []): boolean {
  return rows
    .filter((row) => holdsTrue(draft, unit, row.when))
    .map((row) => failureOf(draft, unit, row) === undefined)
    .every(Boolean);
}

function failureOf(draft: Draft, unit: Unit, row: GuardRow): string | undefined {
  if (row.any !== undefined) {
    const failures = row.any.map((one) => failureOf(draft, unit, one));
    return failures.includes(undefined) ? undefined : failures.join("; or ");
  }
  return guardOf(draft.protocol, row.guard)(scopeOf(draft, unit), row.args ?? {});
}

function guardOf({ guards }: Protocol, name: string): Guard {
  const own = guards[name];
  const guard = typeof own === "object" ? own.check : (own ?? LIBRARY[name]?.check);
  if (guard === undefined) throw new Error(`Cannot run guard "${name}": not defined`);
  return guard;
}

function fillFix(draft: Draft, unit: Unit, row: GuardRow): string {
  return scopeOf(draft, unit).fill(row.fix);
}

export function bind(draft: Draft, unit: Unit, keys: readonly string[] = []): Bound {
  const { fill } = scopeOf(draft, unit);
  return Object.fromEntries(keys.map((key) => [fill(key), readFact(draft, fill(key)) ?? null]));
}
