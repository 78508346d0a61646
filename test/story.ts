/**
 * Given, when, then over `decide` and `evolve`. A story stands for the engine: it looks facts up in a
 * small world, decides, folds the events, and checks after every step what must hold after any step.
 */
import { expect } from "vitest";
import type { Answer, Refusal } from "../src/core/answer.ts";
import type { Actor, Claim, Command, Envelope } from "../src/core/commands.ts";
import { decide } from "../src/core/decide.ts";
import type { Event } from "../src/core/events.ts";
import { emptyWorkflow, evolve } from "../src/core/evolve.ts";
import type { Stamp } from "../src/core/evolve.ts";
import type { Json } from "../src/core/json.ts";
import type { Protocol } from "../src/core/protocol.ts";
import type { Decision, Workflow } from "../src/core/state.ts";

/** How often facts may lead to further facts. */
const ROUNDS_MAX = 6;
const MINUTE_MS = 60_000;

export type Facts =
  | Readonly<Record<string, Json>>
  | ((key: string, state: Workflow) => Json | undefined);

export interface StoryWorld {
  readonly workflow?: string;
  readonly facts: Facts;
  /** The clock shows this at the first command, and a minute more at each further one. */
  readonly begins?: string;
}

/** Who gives a command; what is left out is the person at the terminal, in the story's one session. */
export interface As {
  readonly actor?: Actor;
  readonly session?: string;
  readonly fence?: number;
  readonly id?: string;
  readonly at?: string;
}

export const PERSON: As = { actor: { kind: "person", name: "ada" } };
export const AGENT: As = { actor: { kind: "agent", name: "claude" } };
export const ENGINE: As = { actor: { kind: "engine", name: "holdpoint" } };

export interface Story {
  readonly state: Workflow;
  readonly answer: Answer;
  /** Events of the last accepted step. */
  readonly events: readonly Event[];
  readonly refusals: readonly Refusal[];
  /** Events of all accepted steps, in order. */
  readonly history: readonly Event[];
  readonly open: readonly Decision[];
  /** Change what the world says. */
  readonly given: (facts: Readonly<Record<string, Json>>) => Story;
  readonly when: (command: Command, as?: As) => Story;
  readonly move: (move: string, as?: As & { unit?: string; reason?: string }) => Story;
  readonly send: (spec: string, unit?: string, as?: As) => Story;
  /** Report on the newest dispatch that has not ended, as the agent it was given to. */
  readonly report: (claim?: Readonly<Record<string, Json>>, as?: As) => Story;
  /** Answer the newest open question of that name. */
  readonly reply: (question: string, text: string, as?: As & { reason?: string }) => Story;
  /** The engine says what became of every effect that is wanted. */
  readonly settle: (status?: "done" | "failed") => Story;
  readonly expectAccepted: () => Story;
  readonly expectHeld: (question: string) => Story;
  readonly expectRefused: (...codes: readonly string[]) => Story;
  /** A story of its own that begins where this one stands. */
  readonly fork: () => Story;
}

export function story(protocol: Protocol, world: StoryWorld): Story {
  return tell(protocol, {
    world,
    given: {},
    records: [],
    state: emptyWorkflow(world.workflow ?? "Toy"),
    folded: emptyWorkflow(""),
    steps: 0,
  });
}

interface Past {
  readonly world: StoryWorld;
  readonly given: Readonly<Record<string, Json>>;
  readonly records: readonly Record_[];
  readonly state: Workflow;
  /** The state again, folded from what a journal would give back. */
  readonly folded: Workflow;
  readonly steps: number;
}

interface Record_ {
  readonly stamp: Stamp;
  readonly events: readonly Event[];
}

function tell(protocol: Protocol, past: Past): Story {
  let { given, state, folded, steps } = past;
  const records = [...past.records];
  let last: Answer = { kind: "refused", refusals: [] };

  const when = (command: Command, as: As = {}): void => {
    const envelope = envelopeOf(past.world, steps, as);
    steps += 1;
    last = decideFully(protocol, { state, envelope, command }, (key) => lookUp(key));
    if (last.kind === "refused") return checkRefusals(last.refusals);
    if (last.kind === "needs" || last.kind === "runs")
      throw new Error("Cannot happen: facts or runs are still needed");
    if (last.events.length === 0) return;
    const stamp = { seq: state.seq + 1, at: envelope.at };
    for (const event of last.events) state = evolve(state, event, stamp);
    const record = { stamp, events: last.events };
    records.push(record);
    folded = foldAsRead(folded, record);
    expect(folded, "folding all events must give the state").toEqual(state);
  };

  const lookUp = (key: string): Json => {
    const { facts } = past.world;
    const value = given[key] ?? (typeof facts === "function" ? facts(key, state) : facts[key]);
    const known = key in given ? given[key] : value;
    if (known === undefined) throw new Error(`The world of this story has no fact "${key}"`);
    return known;
  };

  const self: Story = {
    get state() {
      return state;
    },
    get answer() {
      return last;
    },
    get events() {
      return last.kind === "accepted" || last.kind === "held" ? last.events : [];
    },
    get refusals() {
      return last.kind === "refused" ? last.refusals : [];
    },
    get history() {
      return records.flatMap((one) => one.events);
    },
    get open() {
      return Object.values(state.decisions).filter((one) => one.status === "open");
    },
    given: (facts) => {
      given = { ...given, ...facts };
      return self;
    },
    when: (command, as) => {
      when(command, as);
      return self;
    },
    move: (move, { unit = ".", reason, ...as } = {}) =>
      self.when({ type: "unit.move", unit, move, ...(reason === undefined ? {} : { reason }) }, as),
    send: (spec, unit = ".", as) => self.when({ type: "dispatch.send", spec, unit }, as),
    report: (claim = {}, as = AGENT) => {
      const dispatch = Object.values(state.dispatches).findLast((one) => one.status !== "ended");
      if (dispatch === undefined) throw new Error("Nothing is handed out in this story");
      const full: Claim = { agent: dispatch.role, outcome: "success", ...claim };
      return self.when({ type: "dispatch.report", dispatch: dispatch.id, claim: full }, as);
    },
    reply: (question, text, { reason, ...as } = {}) => {
      const decision = self.open.findLast((one) => one.question === question);
      if (decision === undefined) throw new Error(`"${question}" is not open in this story`);
      const { id, nonce } = decision;
      const given = reason === undefined ? {} : { reason };
      return self.when({ type: "decision.answer", decision: id, nonce, text, ...given }, as);
    },
    settle: (status = "done") => {
      const wanted = Object.values(state.effects).filter((one) => one.status === "wanted");
      const detail = status === "failed" ? { message: "disk full" } : {};
      for (const { id } of wanted)
        self.when({ type: "effect.settle", effect: id, status, detail }, ENGINE);
      return self;
    },
    expectAccepted: () => {
      expect(summary(last, state)).toEqual({ kind: "accepted" });
      return self;
    },
    expectHeld: (question) => {
      expect(summary(last, state)).toEqual({
        kind: "held",
        open: expect.arrayContaining([question]),
      });
      return self;
    },
    expectRefused: (...codes) => {
      expect(summary(last, state)).toEqual({ kind: "refused", codes });
      return self;
    },
    fork: () => tell(protocol, { world: past.world, given, records, state, folded, steps }),
  };
  return self;
}

/** What an answer comes to, in a form whose differences read well in a failed test. */
function summary(answer: Answer, state: Workflow): unknown {
  if (answer.kind === "refused")
    return { kind: "refused", codes: answer.refusals.map((one) => one.code) };
  if (answer.kind === "accepted") return { kind: "accepted" };
  const open = Object.values(state.decisions).filter((one) => one.status === "open");
  return { kind: answer.kind, open: open.map((one) => one.question) };
}

function envelopeOf({ begins = "2026-03-01T10:00:00.000Z" }: StoryWorld, step: number, as: As) {
  const at = new Date(Date.parse(begins) + step * MINUTE_MS).toISOString();
  const envelope: Envelope = { id: `c${step + 1}`, at, session: "s-1", actor: ada, ...as };
  return envelope;
}

const ada: Actor = { kind: "person", name: "ada" };

interface Asked {
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly command: Command;
}

interface Evidenced {
  readonly evidence: Readonly<Record<string, Json>>;
}

/** Decide until no fact is missing, as the engine does. The same input must answer the same, twice. */
function decideFully(protocol: Protocol, asked: Asked, lookUp: (key: string) => Json): Answer {
  let evidence: Record<string, Json> = {};
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const frozen = JSON.stringify(asked);
    const answer = decide({ protocol, ...asked, evidence });
    expect(JSON.stringify(asked), "deciding must not change what it was given").toBe(frozen);
    const copy: Asked & Evidenced = JSON.parse(JSON.stringify({ ...asked, evidence }));
    expect(decide({ protocol, ...copy }), "deciding twice must answer the same").toEqual(answer);
    if (answer.kind !== "needs") return answer;
    expect(answer.facts.length).toBeGreaterThan(0);
    const found = answer.facts.map((key) => {
      expect(evidence, "a fact that was given must not be asked for again").not.toHaveProperty([
        key,
      ]);
      return [key, lookUp(key)] as const;
    });
    evidence = { ...evidence, ...Object.fromEntries(found) };
  }
  throw new Error(`Deciding ${asked.command.type} still asks for facts after ${ROUNDS_MAX} rounds`);
}

function checkRefusals(refusals: readonly Refusal[]): void {
  expect(refusals.length).toBeGreaterThan(0);
  for (const { code, message, fix, rule } of refusals) {
    for (const text of [code, message, fix, rule])
      expect(
        text,
        `a refusal lacks words: ${JSON.stringify({ code, message, fix, rule })}`,
      ).toMatch(/\S/);
  }
}

/** The journal is the truth: its text, read back and folded from nothing, is the state. */
function foldAsRead(folded: Workflow, record: Record_): Workflow {
  const read: Record_ = JSON.parse(JSON.stringify(record));
  expect(read, "events must survive a journal").toEqual(record);
  return read.events.reduce((state, event) => evolve(state, event, read.stamp), folded);
}
