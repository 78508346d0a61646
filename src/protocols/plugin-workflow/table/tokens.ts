/**
 * What keeping the state costs the orchestrating model, per stage: by hand, as the aim, and measured.
 * The point of a program that keeps it is that the model does not.
 */
export const BASELINE: Readonly<Record<number, number>> = {
  0: 15_000,
  2: 12_000,
  3: 15_000,
  4: 12_000,
  5: 3_500,
};
export const TARGET: Readonly<Record<number, number>> = {
  0: 1_000,
  2: 1_000,
  3: 1_500,
  4: 1_200,
  5: 300,
};

/** At least this many must be saved in a whole workflow. */
export const SAVING_MIN = 50_000;

/** About four characters a token, which errs on the high side for commands and short menus. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

export interface Saving {
  readonly baseline: number;
  readonly spent: number;
  readonly saved: number;
  readonly percent: number;
  readonly enough: boolean;
}

export function savingOf(spent: Readonly<Record<number, number>>): Saving {
  const baseline = sum(BASELINE);
  const saved = baseline - sum(spent);
  return {
    baseline,
    spent: sum(spent),
    saved,
    percent: Math.round((saved / baseline) * 1000) / 10,
    enough: saved >= SAVING_MIN,
  };
}

/** Success needs the saving, every update verified, and no more errors than before. */
export function isSuccess(
  saving: Saving,
  checks: { readonly allVerified: boolean; readonly moreErrors: boolean },
): boolean {
  return saving.enough && checks.allVerified && !checks.moreErrors;
}

export function tokenReport(spent: Readonly<Record<number, number>>): readonly string[] {
  const stages = Object.keys(BASELINE).map(Number);
  const { saved, percent, enough, baseline } = savingOf(spent);
  return [
    ...stages.map(
      (stage) =>
        `stage ${stage}: ${spent[stage] ?? 0} tokens (by hand ${BASELINE[stage]}, aim ${TARGET[stage]})`,
    ),
    `whole workflow: ${sum(spent)} tokens (by hand ${baseline}, aim ${sum(TARGET)}); saved ${saved} = ${percent} %, ${enough ? "enough" : "NOT enough"} (at least ${SAVING_MIN})`,
  ];
}

function sum(values: Readonly<Record<number, number>>): number {
  return Object.values(values).reduce((total, value) => total + value, 0);
}
