import type { Event } from "../state/events.ts";
import type { Json } from "../values/json.ts";
import type { RuledNeed, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import { questionsOf, releasing } from "./domains.ts";
import type { Seen, Watcher } from "./explore.ts";

/**
 * Which questions must not be bypassed. If a move's guard names a question, then the state the move leads to, and
 * every end, may only be reached after that question was answered. The same holds for an option that several
 * people must choose together. A question in a state's `gates` must be answered once it was asked.
 * Two ways past are legal: a waiver (a step only a person may take, with a reason), and, into an end, the answer
 * to another question.
 */
export interface Gates extends Watcher {
  /** Which gate was bypassed on the way here, read from the marks of a place. */
  readonly bypassed: (marks: string) => Bypass | undefined;
}

export interface Bypass {
  readonly question: string;
  readonly state: string;
}

interface Gate {
  readonly question: string;
  /** Options that release it; if empty, any option does. */
  readonly options: readonly string[];
  /** States of the root that may only be reached after the release. */
  readonly behind: readonly string[];
  /** From a state's `gates`: it must be passed only once its question was asked. */
  readonly standing: boolean;
}

/** Not asked yet; asked and not answered since; released. */
type Mark = "-" | "?" | "+";

export function gatesOf(protocol: Protocol): Gates {
  const released = [...releases(protocol), ...shared(protocol)];
  const guarded = released.map(({ question }) => question);
  const gates = [
    ...released,
    ...standing(protocol).filter(({ question }) => !guarded.includes(question)),
  ];
  const ends = protocol.kinds[protocol.root]?.ends ?? [];
  return {
    first: gates.map((): Mark => "-").join(""),
    watch: (before, events, seen) => {
      const marks = (before.split("!")[0] ?? "").split("");
      for (const event of events) {
        gates.forEach((gate, index) => {
          marks[index] = markAfter(gate, marks[index] ?? "-", event, seen);
        });
        const found = bypass(gates, marks, event, { seen, ends });
        if (found !== undefined) {
          const { question, state } = found;
          // Mark every gate released, so that this bypass is reported once and not again by every later step.
          return `${gates.map((): Mark => "+").join("")}!${JSON.stringify([question, state])}`;
        }
      }
      return seen.offer?.waives === true ? gates.map((): Mark => "+").join("") : marks.join("");
    },
    bypassed: (marks) => {
      const said: Json = JSON.parse(marks.split("!").slice(1).join("!") || "[]");
      const [question, state] = Array.isArray(said) ? said : [];
      return question === undefined
        ? undefined
        : { question: String(question), state: String(state) };
    },
  };
}

function markAfter(gate: Gate, mark: string, event: Event, { state }: Seen): string {
  if (event.type === "decision.asked" && event.question === gate.question)
    return gate.standing && event.unit === ROOT ? "?" : mark;
  if (event.type !== "decision.settled" || event.status !== "answered") return mark;
  const { question } = state.decisions[event.decision] ?? {};
  const releases = gate.options.length === 0 || gate.options.includes(event.option);
  return question === gate.question && releases ? "+" : mark;
}

function bypass(
  gates: readonly Gate[],
  marks: readonly string[],
  event: Event,
  { seen, ends }: { readonly seen: Seen; readonly ends: readonly string[] },
): Bypass | undefined {
  if (event.type !== "unit.moved" || event.unit !== ROOT || event.move === "undo") return undefined;
  const { offer } = seen;
  if (offer === undefined || offer.waives) return undefined;
  const { to: state } = event;
  const passed = (gate: Gate): boolean => marks[gates.indexOf(gate)] === "+";
  const guarding = gates.filter((gate) => gate.behind.includes(state));
  const [first] = guarding;
  // If two ways lead into a state, each with its own question, one answer is enough.
  if (first !== undefined && !guarding.some(passed)) return { question: first.question, state };
  if (!ends.includes(state) || offer.command.type === "decision.answer") return undefined;
  const open = gates.find((gate) =>
    gate.standing ? marks[gates.indexOf(gate)] === "?" : !passed(gate),
  );
  return open === undefined ? undefined : { question: open.question, state };
}

/** Guards on moves of the root that name a question and apply unconditionally. */
function releases(protocol: Protocol): readonly Gate[] {
  const found = new Map<string, Gate>();
  for (const { from, to, needs } of protocol.kinds[protocol.root]?.moves ?? []) {
    if (from.includes(to) || to === "@back") continue;
    for (const row of (needs ?? []).filter(isUnconditional)) {
      for (const question of questionsOf(row)) {
        const { options = [], behind = [] } = found.get(question) ?? {};
        found.set(question, {
          question,
          options: [...options, ...releasing(protocol, question, row)],
          behind: [...behind, to],
          standing: false,
        });
      }
    }
  }
  return [...found.values()];
}

function isUnconditional({ soft, any, when }: RuledNeed): boolean {
  return soft !== true && any === undefined && (when ?? []).length === 0;
}

/** Options that several people must choose together, with the states their moves lead to. */
function shared({ root, kinds, questions }: Protocol): readonly Gate[] {
  const rows = kinds[root]?.moves ?? [];
  return Object.entries(questions).flatMap(([question, { options, people = 1 }]) => {
    const joint = options.filter((option) => (option.people ?? people) > 1);
    const taken = joint.flatMap(({ does }) =>
      does.flatMap((one) => ("move" in one && one.on !== "unit" ? [one.move] : [])),
    );
    const behind = rows.filter(({ id }) => taken.includes(id)).map(({ to }) => to);
    return joint.length === 0
      ? []
      : [{ question, options: joint.map(({ id }) => id), behind, standing: false }];
  });
}

function standing({ root, kinds }: Protocol): readonly Gate[] {
  const asked = Object.values(kinds[root]?.gates ?? {});
  return [...new Set(asked)].map((question) => ({
    question,
    options: [],
    behind: [],
    standing: true,
  }));
}
