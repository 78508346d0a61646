import type { Event } from "../state/events.ts";
import type { Json } from "../values/json.ts";
import type { RuledNeed, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import { questionsOf, releasing } from "./domains.ts";
import type { Seen, Watcher } from "./explore.ts";

/**
 * Which questions nobody may get around. A guard that names a question on a move makes the state it leads
 * to, and every end, lie behind that question; so does an option that several people must choose. A gate of a
 * state must be answered once it was met.
 * Two ways lead past them all the same: a step that only a person may take and must give a reason for
 * (a waiver), and, into an end, the answer to another question.
 */
export interface Gates extends Watcher {
  /** What the marks of a place say is wrong with the way to it. */
  readonly bypassed: (marks: string) => Bypass | undefined;
}

export interface Bypass {
  readonly question: string;
  readonly state: string;
}

interface Gate {
  readonly question: string;
  /** Options that release it; none means any of them. */
  readonly options: readonly string[];
  /** States of the root that lie behind it. */
  readonly behind: readonly string[];
  /** A gate of a state: it counts once it was met. */
  readonly standing: boolean;
}

/** Not met yet; met, and not answered since; released. */
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
          // It is said once; what follows from it would only say it again.
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
  // Two ways into one state may each have a question of their own; one of them is enough.
  if (first !== undefined && !guarding.some(passed)) return { question: first.question, state };
  if (!ends.includes(state) || offer.command.type === "decision.answer") return undefined;
  const open = gates.find((gate) =>
    gate.standing ? marks[gates.indexOf(gate)] === "?" : !passed(gate),
  );
  return open === undefined ? undefined : { question: open.question, state };
}

/** Guards on moves of the root that are about a question, whatever happens: not in some cases only. */
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

/** What several people must decide together: their option's moves lead to what lies behind it. */
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
