import type { Decision, Dispatch, Finding, Left, Note, Seal, Workflow } from "../state/state.ts";

/**
 * Records are ordered by number, because clocks can be wrong. If a record is older than the one before it, an
 * earlier clock ran ahead. Later times in the state are then set back to this record's time, so that a wrong date
 * does not stay in the files. The records keep their original times, and the audit reports the jump.
 */
export function notAfter(state: Workflow, at: string): Workflow {
  const back = (time: string): string => (time > at ? at : time);
  return {
    ...state,
    startedAt: back(state.startedAt),
    updatedAt: back(state.updatedAt),
    decisions: each(state.decisions, (one) => decisionNotAfter(one, back)),
    dispatches: each(state.dispatches, (one): Dispatch => {
      const endedAt = one.endedAt === null ? null : back(one.endedAt);
      return { ...one, sentAt: back(one.sentAt), endedAt };
    }),
    findings: each(state.findings, (one): Finding => ({ ...one, at: back(one.at) })),
    left: each(state.left, (one): Left => ({ ...one, at: back(one.at) })),
    seals: each(state.seals, (one): Seal => ({ ...one, at: back(one.at) })),
    notes: state.notes.map((one): Note => ({ ...one, at: back(one.at) })),
    lease: state.lease === null ? null : { ...state.lease, takenAt: back(state.lease.takenAt) },
  };
}

function decisionNotAfter(decision: Decision, back: (time: string) => string): Decision {
  const { askedAt, settled } = decision;
  const answered = settled === null ? null : { ...settled, at: back(settled.at) };
  return { ...decision, askedAt: back(askedAt), settled: answered };
}

function each<T>(
  ledger: Readonly<Record<string, T>>,
  change: (one: T) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(ledger).map(([key, one]) => [key, change(one)]));
}
