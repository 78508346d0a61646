import type { Move, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import { consequencesOf } from "./domains.ts";
import { explore } from "./explore.ts";
import type { Edge, ExploreInput, Explored, Node, Step } from "./explore.ts";
import type { CheckFinding } from "./finding.ts";
import type { Gates } from "./gates.ts";
import { unboundedLoops } from "./loops.ts";
import { whoMoves } from "./offers.ts";
import { unhelpfulRows } from "./remedies.ts";
import { unused } from "./unused.ts";

export interface FindingsInput {
  /** The table as its author wrote it. */
  readonly protocol: Protocol;
  readonly explored: Explored;
  readonly input: ExploreInput;
  readonly gates: Gates;
}

/** How many places are visited after a budget is used up. */
const EXIT_PLACES_MAX = 3_000;

/**
 * Everything that is wrong with an explored protocol. Properties that need every place are skipped if the
 * exploration was cut short.
 */
export function findingsOf(given: FindingsInput): readonly CheckFinding[] {
  const { complete } = given.explored;
  return [
    ...thrown(given),
    ...(complete ? [...unreachable(given), ...unused(given.protocol, given.explored)] : []),
    ...nobodyMoves(given),
    ...(complete ? stuck(given) : []),
    ...bypassed(given),
    ...loops(given),
    ...(complete ? refusedOptions(given) : []),
    ...remedies(given),
    ...budgets(given),
  ];
}

function thrown({ explored }: FindingsInput): readonly CheckFinding[] {
  const first = explored.thrown.filter(
    (one, at, all) => all.findIndex((other) => other.offer.does === one.offer.does) === at,
  );
  return first.map(({ node, offer, message }) => ({
    property: "settles",
    code: "never-settles",
    message: `Deciding cannot be brought to an end: ${message}`,
    fix: "Look for rows that move by themselves back and forth, or grants that answer one another.",
    steps: [
      ...wayTo(explored.nodes, node),
      { ...lastStep(explored.nodes, node), by: offer.by, does: offer.does },
    ],
  }));
}

function unreachable({ protocol, explored }: FindingsInput): readonly CheckFinding[] {
  return Object.entries(protocol.kinds).flatMap(([kind, machine]) =>
    machine.states
      .filter((state) => !explored.entered.has(`${kind} ${state}`))
      .map((state) => {
        const into = machine.moves.filter((move) => move.to === state).map((move) => move.id);
        const rows = [...new Set(into)].join(", ");
        return {
          property: "reachable" as const,
          code: "state-unreachable",
          message: `${kind} never comes to "${state}": ${rows === "" ? "no move leads there" : `${rows} cannot be taken`}`,
          fix: "Let a move lead there that somebody can take, or leave the state out.",
          steps: [],
        };
      }),
  );
}

/**
 * States that a unit can never leave: their rows are for roles that nobody has, and no consequence triggers them.
 */
function nobodyMoves({ protocol, explored }: FindingsInput): readonly CheckFinding[] {
  const roles = new Set(Object.values(protocol.work).map((spec) => spec.role));
  const follows = new Set(
    consequencesOf(protocol).flatMap((one) => ("move" in one ? [one.move] : [])),
  );
  for (const { via } of Object.values(protocol.questions)) if (via !== undefined) follows.add(via);
  const taken = ({ auto, by, id }: Move): boolean =>
    auto === true || follows.has(id) || whoMoves(by, roles) !== undefined;
  return Object.entries(protocol.kinds).flatMap(([kind, { states, ends, moves }]) => {
    const left = new Set([...ends, ...moves.filter(taken).flatMap(({ from }) => from)]);
    return states
      .filter((state) => !left.has(state))
      .map((state): CheckFinding => {
        const rows = moves.filter((move) => move.from.includes(state));
        const who = [...new Set(rows.flatMap(({ by }) => by ?? []))].join(", ");
        const node = explored.nodes.findIndex((one) =>
          Object.values(one.state.units).some((unit) => unit.kind === kind && unit.at === state),
        );
        return {
          property: "way-on",
          code: "nobody-moves",
          message:
            who === ""
              ? `${kind} stays at "${state}" for ever: no row leads on`
              : `${kind} stays at "${state}" for ever: its rows are for ${who}, and nobody has that role`,
          fix: "Let a role that work is handed to, or a person, take one of its rows.",
          steps: wayTo(explored.nodes, node),
        };
      });
  });
}

/**
 * Places from which no end can be reached, the nearest one for each state. In a protocol without ends, places
 * without any step.
 */
function stuck({ protocol, explored }: FindingsInput): readonly CheckFinding[] {
  const { nodes } = explored;
  const ends = protocol.kinds[protocol.root]?.ends ?? [];
  const leads =
    ends.length === 0 ? nodes.map((one) => one.edges.length > 0) : leadingTo(nodes, ends);
  const found = new Map<string, CheckFinding>();
  nodes.forEach((node, at) => {
    const state = rootAt(node);
    const leaves = node.edges.some((edge) => edge.person);
    const unanswered = openQuestions(node).find((one) => !leaves && !isAnswerable(node, one));
    if (unanswered !== undefined && !found.has(`? ${unanswered}`))
      found.set(`? ${unanswered}`, {
        property: "questions",
        code: "question-unanswerable",
        message: `No answer to "${unanswered}" is accepted at "${state}"`,
        fix: "Give it an option whose move starts from there, or one that does nothing.",
        steps: wayTo(nodes, at),
      });
    if (leads[at] === true || found.has(`at ${state}`) || unanswered !== undefined) return;
    found.set(`at ${state}`, {
      property: "way-on",
      code: "stuck",
      message:
        node.edges.length === 0
          ? `Nobody can do anything at "${state}"`
          : `From "${state}" no way leads to an end`,
      fix: `Add a way on that somebody can take: a move, an answer, or work whose report leads on.`,
      steps: wayTo(nodes, at),
    });
  });
  return [...found.values()];
}

/** For each node, whether an end can be reached from it (a search backwards from the ends). */
function leadingTo(nodes: readonly Node[], ends: readonly string[]): readonly boolean[] {
  const from: number[][] = nodes.map(() => []);
  nodes.forEach((node, at) => {
    for (const { to } of node.edges) from[to]?.push(at);
  });
  const leads = nodes.map((node) => ends.includes(rootAt(node)));
  const queue = nodes.flatMap((_, at) => (leads[at] === true ? [at] : []));
  for (const at of queue) {
    for (const before of from[at] ?? []) {
      if (leads[before] === true) continue;
      leads[before] = true;
      queue.push(before);
    }
  }
  return leads;
}

function isAnswerable(node: Node, question: string): boolean {
  const answers = [...node.answered].filter(([name]) => name.startsWith(`${question} `));
  return answers.length === 0 || answers.some(([, accepted]) => accepted);
}

function bypassed({ explored, gates }: FindingsInput): readonly CheckFinding[] {
  const found = new Map<string, CheckFinding>();
  explored.nodes.forEach((node, at) => {
    const bypass = gates.bypassed(node.marks);
    if (bypass === undefined || found.has(JSON.stringify(bypass))) return;
    found.set(JSON.stringify(bypass), {
      property: "gates",
      code: "gate-bypassed",
      message: `"${bypass.state}" is reached without the answer to "${bypass.question}"`,
      fix: `Guard the last step with released("${bypass.question}"), or make it a person's, with a reason.`,
      steps: wayTo(explored.nodes, at),
    });
  });
  return [...found.values()];
}

function loops({ explored }: FindingsInput): readonly CheckFinding[] {
  return unboundedLoops(explored.nodes).map(({ node, edges }) => ({
    property: "loops",
    code: "loop-unbounded",
    message: `This can go round for ever: ${edges.map(({ step }) => `${step.by} ${step.does}`).join(", ")}`,
    fix: "Give one of its steps a budget with a question for when it is used up, or let a person take part.",
    steps: wayTo(explored.nodes, node),
    loop: edges.map(({ step }) => step),
  }));
}

/** Options that are refused wherever their question is open, so nobody can ever choose them. */
function refusedOptions({ explored }: FindingsInput): readonly CheckFinding[] {
  const accepted = new Set<string>();
  const first = new Map<string, number>();
  explored.nodes.forEach((node, at) => {
    for (const [name, ok] of node.answered) {
      if (ok) accepted.add(name);
      if (!first.has(name)) first.set(name, at);
    }
  });
  return [...first]
    .filter(([name]) => !accepted.has(name))
    .map(([name, at]) => {
      const [question, option] = name.split(" ");
      return {
        property: "questions",
        code: "option-refused",
        message: `"${option ?? ""}" is no answer to "${question ?? ""}": it is refused wherever that is asked`,
        fix: "Let it lead to a move that starts from where the question is asked.",
        steps: wayTo(explored.nodes, at),
      };
    });
}

function remedies({ protocol, explored }: FindingsInput): readonly CheckFinding[] {
  return unhelpfulRows(protocol).map(({ row, where, met }) => ({
    property: "remedies",
    code: "remedy-missing",
    message: `"${row.code}" refuses ${where} and does not say what to do`,
    fix: "Give the guard a fix: what to type or to do so that it passes.",
    steps: wayTo(
      explored.nodes,
      explored.nodes.findIndex((node) => met(node.state)),
    ),
  }));
}

/**
 * Follows each budget from where it is first used up: an end must still be reachable, or the budget be given
 * back.
 */
function budgets({ protocol, explored, input }: FindingsInput): readonly CheckFinding[] {
  const ends = protocol.kinds[protocol.root]?.ends ?? [];
  const first = new Map<string, { readonly from: number; readonly edge: Edge }>();
  explored.nodes.forEach((node, from) => {
    for (const edge of node.edges)
      if (edge.exhausts !== undefined && !first.has(edge.exhausts))
        first.set(edge.exhausts, { from, edge });
  });
  const trapped = [...first].flatMap(([budget, { from, edge }]) => {
    const node = explored.nodes[edge.to];
    if (node === undefined || ends.includes(rootAt(node))) return [];
    let out = false;
    const until = (taken: Edge, reached: Node): boolean => {
      out ||= taken.resets.includes(budget) || ends.includes(rootAt(reached));
      out ||= ends.length === 0 && openQuestions(reached).length === 0;
      return out;
    };
    const { complete } = explore({ ...input, max: EXIT_PLACES_MAX, from: { node, budget }, until });
    if (out || !complete) return [];
    return [exitFinding(budget, [...wayTo(explored.nodes, from), edge.step])];
  });
  const empty = consequencesOf(protocol).flatMap((one) =>
    "within" in one && one.within.else.length === 0 ? [exitFinding(one.within.budget, [])] : [],
  );
  return [...trapped, ...empty];
}

function exitFinding(budget: string, steps: readonly Step[]): CheckFinding {
  return {
    property: "budgets",
    code: "budget-without-exit",
    message: `Once the budget "${budget}" is used up nothing leads on`,
    fix: "Let its question have an option that resets it, or one that leads elsewhere.",
    steps,
  };
}

function openQuestions({ state }: Node): readonly string[] {
  return Object.values(state.decisions)
    .filter((one) => one.status === "open")
    .map((one) => one.question);
}

function rootAt({ state }: Node): string {
  return state.units[ROOT]?.at ?? "";
}

function wayTo(nodes: readonly Node[], to: number): readonly Step[] {
  const steps: Step[] = [];
  for (let at = to; at >= 0; at = nodes[at]?.parent ?? -1) {
    const step = nodes[at]?.step;
    if (step !== null && step !== undefined) steps.unshift(step);
  }
  return steps;
}

function lastStep(nodes: readonly Node[], at: number): Step {
  return nodes[at]?.step ?? { by: "", does: "", at: "", asks: [] };
}
