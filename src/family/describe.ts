import type { Protocol } from "../core/table/protocol.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Description } from "../ports/family.ts";
import { remedy } from "../core/table/remedy.ts";

/** Describes a workflow from its table: the state, its other units, what is sealed, what was set. */
export function describeByTable({ kinds, root }: Protocol, state: Workflow): Description {
  const at = state.units[ROOT]?.at ?? "";
  const finished = kinds[root]?.ends.includes(at) === true;
  const sealed = Object.keys(state.seals);
  const others = Object.values(state.units).filter((one) => one.id !== ROOT);
  return {
    headline: sentence(at),
    state: at,
    details: [
      ...others.map((one) => ({ name: one.id, value: one.at })),
      ...(sealed.length === 0 ? [] : [{ name: "sealed", value: sealed.join(", ") }]),
      ...Object.entries(state.vars).flatMap(([name, value]) =>
        typeof value === "string" && value !== "" ? [{ name, value }] : [],
      ),
    ],
    finished,
    ...(finished ? { closing: closingOf(state.id, at) } : {}),
  };
}

/** `ready-to-ship` as words: `Ready to ship`. */
function sentence(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? "" : `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

function closingOf(id: string, at: string): NonNullable<Description["closing"]> {
  return {
    message: `${id} is ${at}, and that is its end.`,
    fix: remedy("audit", { workflow: id }, "See how it got there"),
  };
}
