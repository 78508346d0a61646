import { fill, readFact } from "../decide/draft.ts";
import type { Draft } from "../decide/draft.ts";
import { LIBRARY } from "./library.ts";
import type { RuledNeed, Protocol } from "../table/protocol.ts";
import { fillRemedy } from "../table/remedy.ts";
import type { Guard, Scope, Test } from "../table/row.ts";
import { wantNewRuns, wantRuns } from "../decide/work/run.ts";
import type { Bound, Unit } from "../state/state.ts";

/**
 * Runs every guard, even after one failed: all facts are then asked for at once, and one refusal names everything
 * that is wrong. Failed guards become refusals, or holds if they have a question.
 */
export function runGuards(draft: Draft, unit: Unit, rows: readonly RuledNeed[] = []): void {
  // Once something is refused, no check needs to run.
  const want = draft.refusals.length > 0 ? () => undefined : wantRuns;
  for (const row of rows) {
    if (row.soft === true || !holdsTrue(draft, unit, row.when)) continue;
    const sentence = failureOf(draft, unit, row, want);
    if (sentence === undefined) continue;
    if (row.ask !== undefined) draft.holds.push({ row, sentence, unit: unit.id });
    // One cause may fail several guards; it is reported once.
    else if (!draft.refusals.some((one) => one.message === sentence))
      draft.refusals.push({
        code: row.code,
        message: sentence,
        fix: fillRemedy(row.fix, (text) => fill(draft, unit, text)),
        rule: row.rule,
      });
  }
}

/** Runs the soft guards. They never refuse, but look at the outcome and leave remarks. */
export function runSoftGuards(draft: Draft, unit: Unit, rows: readonly RuledNeed[] = []): void {
  for (const row of rows) {
    if (row.soft !== true || !holdsTrue(draft, unit, row.when)) continue;
    const sentence = failureOf(draft, unit, row);
    if (sentence !== undefined)
      draft.notes.push({ code: row.code, message: sentence, rule: row.rule });
  }
}

/** Whether all guards pass, for automatic moves and gates, where nobody needs the reason. */
export function passes(draft: Draft, unit: Unit, rows: readonly RuledNeed[] = []): boolean {
  return rows
    .filter((row) => holdsTrue(draft, unit, row.when))
    .map((row) => failureOf(draft, unit, row, wantNewRuns) === undefined)
    .every(Boolean);
}

/**
 * Whether all conditions hold. Each is evaluated even after one failed, so that all facts are asked for at once.
 */
export function holdsTrue(draft: Draft, unit: Unit, tests: readonly Test[] = []): boolean {
  return tests
    .map((test) => failureOf(draft, unit, test, wantNewRuns) === undefined)
    .every(Boolean);
}

function failureOf(
  draft: Draft,
  unit: Unit,
  test: Test,
  want: typeof wantRuns = wantRuns,
): string | undefined {
  if (test.any !== undefined) {
    const failures = test.any.map((one) => failureOf(draft, unit, one, want));
    return failures.includes(undefined) ? undefined : failures.join("; or ");
  }
  return guardOf(draft.protocol, test.guard)(scopeOf(draft, unit, want), test.args ?? {});
}

function scopeOf(draft: Draft, unit: Unit, want: typeof wantRuns): Scope {
  return {
    workflow: draft.state,
    before: draft.before,
    unit,
    envelope: draft.envelope,
    command: draft.command,
    claim: draft.claim,
    input: draft.input,
    dispatch: draft.dispatch,
    fact: (key) => readFact(draft, key),
    fill: (template) => fill(draft, unit, template),
    run: (check, binds) => want(draft, unit, [{ check, binds }]),
  };
}

function guardOf({ guards }: Protocol, name: string): Guard {
  const own = guards[name];
  const guard = typeof own === "object" ? own.check : (own ?? LIBRARY[name]?.check);
  if (guard === undefined) throw new Error(`Cannot run guard "${name}": not defined`);
  return guard;
}

export function bind(draft: Draft, unit: Unit, keys: readonly string[] = []): Bound {
  const filled = keys.map((key) => fill(draft, unit, key));
  return Object.fromEntries(filled.map((key) => [key, readFact(draft, key) ?? null]));
}
