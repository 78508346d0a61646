import type { StatusPosition } from "../files/plugin-status.ts";

/** Where a plugin without a journal stands: the root's state, and the last finished phase. */
export interface Place {
  readonly at: string;
  readonly phase: string | null;
}

type Read = Omit<StatusPosition, "id"> & { readonly id: StatusPosition["id"] | "unknown" };

/** The state behind a status or a handoff. A stage in progress is not finished, so the one before it counts. */
export function placeOf({ id, stage, phase }: Read, inProgress = false): Place | undefined {
  if (id !== "stage") {
    const at = STATES[id];
    return at === undefined ? undefined : { at, phase: null };
  }
  if (stage === undefined) return undefined;
  if (phase !== undefined && !(inProgress && phase.endsWith(".1"))) {
    return { at: PREDECESSORS[stage] ?? "ideated", phase: inProgress ? phaseBefore(phase) : phase };
  }
  const at = inProgress && stage !== 5 ? PREDECESSORS[stage] : FINISHED[stage];
  return at === undefined ? undefined : { at, phase: null };
}

function phaseBefore(phase: string): string {
  const [stage, number] = phase.split(".");
  return `${String(stage)}.${Number(number) - 1}`;
}

const STATES: Readonly<Record<string, string>> = {
  ideated: "ideated",
  "ideated-draft": "drafted",
  improving: "improving",
  working: "working",
  "working-headless": "working",
  installed: "installed",
};

const FINISHED: Readonly<Record<number, string>> = {
  0: "s0",
  1: "s0",
  2: "s2",
  3: "s3",
  4: "s4",
  5: "s5",
};
const PREDECESSORS: Readonly<Record<number, string>> = {
  0: "ideated",
  2: "s0",
  3: "s2",
  4: "s3",
  5: "s4",
};

/** The same place, or one that the other is still working toward. */
export function placesAgree(a: Place, b: Place): boolean {
  if (a.at === b.at && a.phase === b.phase) return true;
  const planning = ["ideated", "drafted"];
  return planning.includes(a.at) && planning.includes(b.at);
}

/**
 * Converts the old stage numbers: research and planning were 0 and 1, foundation 2, shell 3, audio 4, interface
 * 5, validation 6.
 */
export function renumber(read: Read, old: boolean): Read {
  if (!old || read.id !== "stage" || read.stage === undefined) return read;
  const stage = OLD_STAGES[read.stage] ?? read.stage;
  const number = read.phase?.split(".")[1];
  return { id: "stage", stage, phase: number === undefined ? undefined : `${stage}.${number}` };
}

const OLD_STAGES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 0, 3: 2, 4: 3, 5: 4, 6: 5 };
