import type { Event } from "../state/events.ts";
import { emptyWorkflow } from "../state/evolve.ts";
import { ROOT } from "../state/state.ts";
import type { Workflow } from "../state/state.ts";
import type { Abstract } from "./abstract.ts";
import { indexOf, offersAt } from "./offers.ts";
import type { Index, Offer } from "./offers.ts";
import { hasFailed, outcomesOf } from "./outcomes.ts";
import type { Outcome } from "./outcomes.ts";
import { placeOf } from "./place.ts";
import type { Remembered } from "./place.ts";

/** One step of a counterexample: who does what, and where the workflow is afterwards. */
export interface Step {
  readonly by: string;
  readonly does: string;
  readonly at: string;
  /** Questions that are open afterwards. */
  readonly asks: readonly string[];
}

export interface Edge {
  readonly to: number;
  readonly step: Step;
  /** Only a person could take this step. */
  readonly person: boolean;
  /** The step spent a budget, or found it used up. */
  readonly spends: boolean;
  /** The budget that was found used up. */
  readonly exhausts: string | undefined;
  readonly resets: readonly string[];
  /** An effect failed during the step, which no row of the table can cause. */
  readonly failed: boolean;
}

export interface Node {
  readonly state: Workflow;
  readonly marks: string;
  /** The node it was first reached from, and by which step: the shortest way here. */
  readonly parent: number;
  readonly step: Step | null;
  readonly edges: readonly Edge[];
  /** Options of open questions that were tried here, and whether the answer was accepted. */
  readonly answered: ReadonlyMap<string, boolean>;
}

export interface Explored {
  readonly nodes: readonly Node[];
  /** Every state that was entered, even if only in passing, as "kind state". */
  readonly entered: ReadonlySet<string>;
  /**
   * Rows that were taken, as `rowName`, and "work name" and "question name" for each that was handed out or
   * asked.
   */
  readonly used: ReadonlySet<string>;
  readonly thrown: readonly Thrown[];
  /** True if every reachable place was visited. */
  readonly complete: boolean;
}

/** A step on which `decide` threw. */
export interface Thrown {
  readonly node: number;
  readonly offer: Offer;
  readonly message: string;
}

/**
 * Follows what happened on the way to a place, for properties that depend on the path and not only on the place.
 */
export interface Watcher {
  readonly first: string;
  readonly watch: (marks: string, events: readonly Event[], seen: Seen) => string;
}

export interface Seen {
  readonly offer: Offer | undefined;
  readonly state: Workflow;
}

export interface ExploreInput {
  readonly abstract: Abstract;
  readonly remembered: Remembered;
  readonly watcher: Watcher;
  readonly max: number;
  /** Start here instead of at the beginning, with this budget used up until it is reset. */
  readonly from?: { readonly node: Node; readonly budget: string };
  /** Stop once this holds. */
  readonly until?: (edge: Edge, node: Node) => boolean;
}

/** Walks a protocol breadth first, so every place is first reached by a shortest path. */
export function explore(input: ExploreInput): Explored {
  const { abstract, from } = input;
  const walk = beginWalk(input);
  const index = indexOf(abstract);
  if (from === undefined) {
    for (const vars of abstract.starts)
      for (const outcome of tryOffer(walk, emptyWorkflow("it"), startOffer(vars)))
        meet(walk, outcome, -1, input.watcher.first);
  } else {
    const state = { ...from.node.state, spent: { [from.budget]: 1 } };
    walk.nodes.push({ ...from.node, state, parent: -1, edges: [] });
  }
  for (; walk.at < walk.nodes.length; walk.at += 1) {
    const node = walk.nodes[walk.at];
    if (node === undefined) break;
    const done = expand(walk, index, node);
    walk.nodes[walk.at] = done;
    if (done.edges.some((edge) => input.until?.(edge, walk.nodes[edge.to] ?? done) === true)) break;
  }
  const { nodes, entered, used, thrown, complete } = walk;
  return { nodes, entered, used, thrown, complete };
}

interface Walk {
  readonly input: ExploreInput;
  readonly known: Map<string, number>;
  readonly nodes: Node[];
  readonly entered: Set<string>;
  readonly used: Set<string>;
  readonly thrown: Thrown[];
  readonly once: Map<string, number>;
  /** The node whose steps are being tried. */
  at: number;
  complete: boolean;
}

function beginWalk(input: ExploreInput): Walk {
  return {
    input,
    known: new Map(),
    nodes: [],
    entered: new Set(),
    used: new Set(),
    thrown: [],
    once: new Map(),
    at: 0,
    complete: true,
  };
}

function expand(walk: Walk, index: Index, node: Node): Node {
  const answered = new Map<string, boolean>();
  const edges: Edge[] = [];
  for (const offer of offersAt(index, node.state)) {
    if (offer.command.type === "decision.ask" && !isFirst(walk, node, offer.does)) continue;
    const outcomes = tryOffer(walk, node.state, offer).filter(
      ({ events, offer: { does } }) => !hasFailed(events) || isFirst(walk, node, does),
    );
    const { option } = offer;
    if (option !== undefined) answered.set(`${option.question} ${option.id}`, outcomes.length > 0);
    for (const outcome of outcomes) {
      const edge = meet(walk, outcome, walk.at, node.marks);
      if (edge === undefined) walk.complete = false;
      else edges.push(edge);
    }
  }
  return { ...node, edges, answered };
}

/**
 * Things that may happen at any time (somebody asks a question, an effect fails) are followed only once for each
 * state of the root, from the place nearest the start. They lead back to where they came from and would otherwise
 * multiply the number of places.
 */
function isFirst({ once, at }: Walk, { state }: Node, does: string): boolean {
  const name = `${state.units[ROOT]?.at ?? ""} ${does}`;
  const first = once.get(name) ?? at;
  once.set(name, first);
  return first === at;
}

/**
 * `decide` throws only where a table contradicts itself in a way no single row shows. That is reported as a
 * finding.
 */
function tryOffer(walk: Walk, state: Workflow, offer: Offer): readonly Outcome[] {
  try {
    return outcomesOf(walk.input.abstract, state, offer);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    walk.thrown.push({ node: walk.at, offer, message });
    return [];
  }
}

/** The step to the place an outcome leads to; undefined if the limit on places is reached. */
function meet(walk: Walk, outcome: Outcome, parent: number, marks: string): Edge | undefined {
  const { input, nodes, known } = walk;
  const { state, offer, events } = outcome;
  const place = placeOf(keepSpent(state, events, input.from?.budget), input.remembered);
  const next = input.watcher.watch(marks, events, { offer, state });
  const key = `${next} ${place.key}`;
  const step = stepOf(offer, place.state);
  const to = known.get(key) ?? nodes.length;
  noteEntered(walk, outcome, parent);
  if (to === nodes.length) {
    if (nodes.length >= input.max) return undefined;
    known.set(key, to);
    nodes.push({ state: place.state, marks: next, parent, step, edges: [], answered: new Map() });
  }
  return edgeOf(outcome, to, step);
}

function noteEntered(
  { entered, used, nodes }: Walk,
  { state, events }: Outcome,
  parent: number,
): void {
  const before = nodes[parent]?.state.units ?? {};
  for (const event of events) {
    if (event.type === "unit.opened") entered.add(`${event.kind} ${event.at}`);
    if (event.type === "dispatch.sent") used.add(`work ${event.spec}`);
    if (event.type === "decision.asked") used.add(`question ${event.question}`);
    if (event.type !== "unit.moved") continue;
    // A unit closed in the same step is only in the state before it.
    const { kind = "" } = state.units[event.unit] ?? before[event.unit] ?? {};
    entered.add(`${kind} ${event.to}`);
    used.add(rowName(kind, event.move, event.from, event.to));
    used.add(rowName(kind, event.move, event.from, "@back"));
  }
}

/** Names a row by what a step's events show of it. Rows that differ only in other things share a name. */
export function rowName(kind: string, move: string, from: string, to: string): string {
  return JSON.stringify([kind, move, from, to]);
}

function startOffer(vars: Workflow["vars"]): Offer {
  const given = Object.entries(vars).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return {
    command: { type: "workflow.start", workflow: "it", vars },
    actor: { kind: "person", name: "person" },
    by: "person",
    does: `starts${given.join("")}`,
    person: true,
    waives: false,
  };
}

/**
 * Budgets are not counted here: each spending is also tried as if it were the last. Only the budget being
 * followed stays used up.
 */
function keepSpent(
  state: Workflow,
  events: readonly Event[],
  budget: string | undefined,
): Workflow {
  const reset = events.some((one) => one.type === "budget.reset" && one.budget === budget);
  return { ...state, spent: budget === undefined || reset ? {} : { [budget]: 1 } };
}

function stepOf({ by, does }: Offer, state: Workflow): Step {
  const open = Object.values(state.decisions).filter((one) => one.status === "open");
  return {
    by,
    does,
    at: state.units[ROOT]?.at ?? "",
    asks: open.map((one) => one.question),
  };
}

function edgeOf({ offer, events, exhausts }: Outcome, to: number, step: Step): Edge {
  return {
    to,
    step,
    person: offer.person,
    spends: exhausts !== undefined || events.some((one) => one.type === "budget.spent"),
    exhausts,
    failed: hasFailed(events),
    resets: events.flatMap((one) => (one.type === "budget.reset" ? [one.budget] : [])),
  };
}
