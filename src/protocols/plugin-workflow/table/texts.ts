import type { HandoffPosition } from "./position.ts";

/** The handoff's text for each stage, for somebody who knows nothing of the work so far. */
export interface StageText {
  readonly title: string;
  readonly currentState: string;
  readonly nextSteps: readonly string[];
  /** What should be tested. Ticked only if Holdpoint has seen it done. */
  readonly checklist: string;
  readonly isSeen: boolean;
}

export function textsOf(position: HandoffPosition): StageText {
  const { stage, phase, status } = position;
  const label = phase === null ? `Stage ${stage}` : `Stage ${phase}`;
  const text = STAGES[stage] ?? { name: label, done: `${label} done`, next: [], check: label };
  if (status === "in_progress") {
    return {
      title: `${label} In Progress - ${text.name}`,
      currentState: `${text.name} In Progress`,
      nextSteps: [`Finish ${text.name.toLowerCase()}`, ...text.next],
      checklist: "",
      isSeen: false,
    };
  }
  return {
    title: `${label} Complete - ${phase === null ? text.done : `${text.name}, phase ${phase}`}`,
    currentState: phase === null ? `${text.name} Complete` : `Phase ${phase} Complete`,
    nextSteps:
      position.nextPhase !== null && phase !== null ? [`Phase ${position.nextPhase}`] : text.next,
    checklist: phase === null ? text.check : "",
    isSeen: SEEN.includes(stage),
  };
}

/** Whether a line was written by Holdpoint, for this place or another. Other people's lines are kept. */
export function isOurState(summary: string): boolean {
  return (
    /^Phase \d\.\d+ Complete$/.test(summary) ||
    Object.values(STAGES).some(({ name }) =>
      [`${name} Complete`, `${name} In Progress`].includes(summary),
    )
  );
}

export function areOurSteps(steps: readonly string[]): boolean {
  const [first = "", ...rest] = steps;
  if (rest.length === 0 && (first === "" || /^Phase \d\.\d+$/.test(first))) return true;
  return Object.values(STAGES).some(({ name, next }) =>
    [next, [`Finish ${name.toLowerCase()}`, ...next]].some(
      (ours) => ours.length === steps.length && ours.every((one, index) => one === steps[index]),
    ),
  );
}

/**
 * Stages whose checklist Holdpoint can confirm: contracts are sealed at the end of stage 0, and validation is a
 * gate. Builds and sound must be tried by people.
 */
const SEEN: readonly number[] = [0, 5];

interface Texts {
  readonly name: string;
  readonly done: string;
  readonly next: readonly string[];
  readonly check: string;
}

const STAGES: Readonly<Record<number, Texts>> = {
  0: {
    name: "Planning",
    done: "Research & Planning",
    next: ["Review architecture.md and plan.md", "Stage 2: build the foundation"],
    check: "Architecture and plan written",
  },
  2: {
    name: "Foundation",
    done: "Build System Ready",
    next: ["Stage 3: build the audio engine"],
    check: "Plugin builds and loads",
  },
  3: {
    name: "Audio Engine",
    done: "Audio Engine Working",
    next: ["Choose between a custom UI and a headless editor", "Stage 4: build the interface"],
    check: "Audio passes and parameters respond",
  },
  4: {
    name: "Interface",
    done: "UI Integrated",
    next: ["Stage 5: validate the plugin"],
    check: "Interface opens and follows the parameters",
  },
  5: {
    name: "Validation",
    done: "Ready for Installation",
    next: ["Install the plugin"],
    check: "Validation passed",
  },
};
