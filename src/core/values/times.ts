import type { Decision, Dispatch, Finding, Left, Note, Seal, Workflow } from "../state/state.ts";

/**
 * The order of records is their number, and a clock may have been wrong. When a record is older than the one before it,
 * what was noted later than it cannot have been: those times are taken back to it, so that a clock which once ran
 * ahead does not stand in the files for ever. The records keep what their clocks said, and the audit names the jump.
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
