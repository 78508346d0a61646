import type { Event } from "./events.ts";
import type { Workflow } from "./state.ts";

/**
 * Sessions whose lease was ended by somebody else. A late command of theirs is told apart from one given after
 * taking the lease again.
 */
export interface Holder {
  readonly session: string;
  readonly place?: string;
}

/** Names one session in one clone. */
export function holderKey({ session, place }: Holder): string {
  return place === undefined ? session : `${session} in ${place}`;
}

export function evolveLease(
  state: Workflow,
  event: Extract<Event, { type: "lease.taken" | "lease.ended" }>,
  { seq, at }: { readonly seq: number; readonly at: string },
): Partial<Workflow> {
  if (event.type === "lease.ended")
    return { lease: null, ...(event.by === undefined ? {} : oust(state)) };
  const { type: _, ...lease } = event;
  return { lease: { ...lease, fence: seq, takenAt: at }, ...readmit(state, holderKey(event)) };
}

const OUSTED_MAX = 100;

function oust({ lease, ousted = {} }: Workflow): Pick<Workflow, "ousted"> {
  if (lease === null) return {};
  const key = holderKey(lease);
  const others = Object.entries(ousted).filter(([one]) => one !== key);
  return { ousted: Object.fromEntries([...others, [key, lease.fence]].slice(-OUSTED_MAX)) };
}

function readmit({ ousted }: Workflow, key: string): Pick<Workflow, "ousted"> {
  if (ousted === undefined || !Object.hasOwn(ousted, key)) return {};
  return { ousted: Object.fromEntries(Object.entries(ousted).filter(([one]) => one !== key)) };
}
