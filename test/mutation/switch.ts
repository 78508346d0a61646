/** Which mutant is awake in this process, which ones were met, and an end for loops that have none any more. */

interface Switch {
  awake: string | undefined;
  /** Mutants that were passed since it was last emptied. */
  met: Set<string>;
  /** How many more may be passed. */
  left: number;
}

export const ENDLESS = 5_000_000;

export const state: Switch = {
  awake: process.env["HOLDPOINT_MUTANT"],
  met: new Set(),
  left: ENDLESS,
};

export function install(): void {
  Object.assign(globalThis, {
    mutant(id: string): boolean {
      if (state.awake === undefined) {
        state.met.add(id);
        return false;
      }
      if ((state.left -= 1) < 0) throw new Error("this mutant never ends");
      return state.awake === id;
    },
  });
}
