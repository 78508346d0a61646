/** Records that nobody decided, held against a table. */
import { replay } from "../src/core/replay/replay.ts";
import type { Recorded, Replay } from "../src/core/replay/replay.ts";
import type { Event, EventType } from "../src/core/state/events.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { toy } from "./toy.ts";

/** A record of the person at the terminal, in the session that most stories are told in. */
export function recorded(state: Workflow, record: Partial<Recorded>): Recorded {
  return {
    id: "c99",
    seq: state.seq + 1,
    at: "2026-03-02T10:00:00.000Z",
    command: "note.add",
    actor: "person:ada",
    session: "s-1",
    events: [],
    used: {},
    ...record,
  };
}

/** What replaying says about a record that is put behind a story. */
export function wrongIn(
  { state }: { readonly state: Workflow },
  record: Partial<Recorded>,
  options: Partial<Replay> = {},
): readonly string[] {
  const input = { protocol: toy, guarded: true, recordedAs: <T>(value: T) => value, ...options };
  return replay(input, state, recorded(state, record)).wrong;
}

type Fields<T extends EventType> = Omit<Extract<Event, { type: T }>, "type">;

/** One event of each type as it might be, and what is said about it instead. */
const USUAL: { readonly [T in EventType]?: Fields<T> } = {
  "workflow.started": { id: "Toy", protocol: { name: "toy", version: 1 }, vars: {} },
  "unit.opened": { unit: "c", kind: "part", at: "open", data: {} },
  "unit.moved": { unit: ".", move: "replan", from: "doing", to: "doing", back: [], reason: "" },
  "unit.closed": { unit: "a" },
  "decision.asked": {
    decision: "D-9",
    question: "go-on",
    unit: ".",
    prompt: "Go on?",
    options: [{ id: "continue", label: "Go on" }],
    bound: {},
    nonce: "c99.1",
    about: {},
  },
  "decision.settled": {
    decision: "D-1",
    status: "answered",
    option: "yes",
    text: "yes",
    by: "person:ada",
  },
  "decision.joined": { decision: "D-1", option: "yes", text: "yes", by: "person:ada" },
  "option.looked": { decision: "D-1", option: "look", by: "person:ada" },
  "answer.kept": { decision: "D-1", text: "yes", reason: "", name: "ada", session: "s-1" },
  "answer.dropped": { decision: "D-1", why: "late" },
  "dispatch.sent": {
    dispatch: "W-9",
    spec: "write",
    role: "writer",
    unit: ".",
    session: "s-1",
    baseline: {},
  },
  "dispatch.taken": { dispatch: "W-1", agent: "c:s/a" },
  "dispatch.parked": { dispatch: "W-1", claim: {} },
  "dispatch.ended": {
    dispatch: "W-1",
    outcome: "success",
    claim: { agent: "writer", outcome: "success", pages: 1 },
    notes: [],
  },
  "finding.recorded": { unit: ".", kind: "tests", by: "engine", value: "passed", bound: {} },
  "effect.wanted": {
    effect: "E-9",
    kind: "publish",
    args: {},
    unit: ".",
    asks: null,
    undo: null,
  },
  "effect.settled": { effect: "E-1", status: "done", detail: {} },
  "artifact.sealed": { artifact: "plan.md", digest: "p1", by: "person:ada", why: "planned" },
  "artifact.unsealed": { artifact: "plan.md" },
  "budget.spent": { budget: "write" },
  "budget.reset": { budget: "rework/Toy" },
  "lease.taken": { session: "s-1", holder: "person:ada" },
  "lease.ended": { session: "s-1", why: "done" },
  "vars.changed": { vars: {} },
  "note.added": { list: "timeline", tag: "", text: "" },
  "definition.changed": {
    protocol: { name: "toy", version: 1 },
    by: "person:ada",
    reason: "newer",
  },
  "workflow.adopted": { from: {}, why: "files" },
};

export function event<T extends EventType>(type: T, fields: Partial<Fields<T>> = {}): Event {
  // oxlint-disable-next-line no-unsafe-type-assertion -- each type has its own usual fields
  return { type, ...USUAL[type], ...fields } as unknown as Event;
}
