import type { Protocol } from "../table/protocol.ts";
import { rowName } from "./explore.ts";
import type { Explored } from "./explore.ts";
import type { CheckFinding } from "./finding.ts";

/**
 * Finds rows that are never taken although a unit reaches the state they start in, and work that is never handed
 * out. Steps inside a state are not recorded, so they are left out. So are rows to a state that is never reached:
 * that is a finding of its own.
 */
export function unused(
  { kinds, work, questions }: Protocol,
  { nodes, used, entered }: Explored,
): readonly CheckFinding[] {
  const rests = new Set(
    nodes.flatMap(({ state }) => Object.values(state.units).map(({ kind, at }) => `${kind} ${at}`)),
  );
  // Questions asked at the start are not explored, so moves that their answers lead to may be used after all.
  const unasked = Object.entries(questions).filter(([name]) => !used.has(`question ${name}`));
  const unknown = new Set(
    unasked.flatMap(([, { options }]) =>
      options.flatMap(({ does }) => does.flatMap((one) => ("move" in one ? [one.move] : []))),
    ),
  );
  const rows = Object.entries(kinds).flatMap(([kind, { moves }]) =>
    moves
      .filter(
        ({ id, from, to, inside }) =>
          inside !== true &&
          !unknown.has(id) &&
          (to === "@back" || entered.has(`${kind} ${to}`)) &&
          from.some((state) => rests.has(`${kind} ${state}`)) &&
          !from.some((state) => used.has(rowName(kind, id, state, to))),
      )
      .map(({ id, from, to }) => finding(`The move "${id}" from ${from.join(", ")} to ${to}`)),
  );
  const specs = Object.keys(work).filter((one) => !used.has(`work ${one}`));
  return [...rows, ...specs.map((one) => finding(`The work "${one}"`))];
}

function finding(what: string): CheckFinding {
  return {
    property: "reachable",
    code: "row-unused",
    message: `${what} is never taken: nobody may ask for it, nothing leads to it, an earlier row is taken instead, or its conditions never hold together`,
    fix: "Let somebody come to it, or leave it out.",
    steps: [],
  };
}
