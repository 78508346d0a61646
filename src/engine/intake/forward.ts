import { member } from "../../core/values/json.ts";
import type { Candidate } from "../../core/decide/next.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Found } from "../engine.ts";

/** The next step forward: work to send out first, then a move that needs neither a person nor a reason. */
export function pickForward(
  { family, state }: Found,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const forward = candidates.filter(({ command }) => {
    if (command.type === "dispatch.send")
      return (
        leadsOn(family, state, command.spec) &&
        !family.work.unneeded(state, command.spec, command.unit)
      );
    if (command.type !== "unit.move") return true;
    const kind = member(state.units, command.unit)?.kind ?? "";
    const row = family.protocol.kinds[kind]?.moves.find((one) => one.id === command.move);
    return (
      row?.why !== true && row?.by === undefined && command.unit === ROOT && row?.optional !== true
    );
  });
  const allowed = forward.filter((one) => one.refusals.length === 0);
  const ways = forward.filter((one) => !staysPut(family, state, one));
  // A step that ends in the state it began in could be taken forever. It counts as forward only if another step
  // needs it, or if there is no other and it asks nothing.
  const leads =
    allowed.find((one) => ways.includes(one)) ??
    allowed.find((one) => isLacked(one, forward)) ??
    (ways.length > 0 ? undefined : allowed.find((one) => !asks(family, state, one)));
  // If nothing is allowed, a step may still need another step first, or a check that runs when the step is taken.
  const chosen =
    leads ??
    forward.find((one) => staysPut(family, state, one) && isLacked(one, forward)) ??
    forward.find((one) => runsChecks(family, state, one)) ??
    forward.find((one) => one.refusals.length > 0) ??
    forward[0];
  if (chosen === undefined || (leads !== undefined && leads.command.type !== "dispatch.send"))
    return chosen;
  // A step needed first comes before the step that needs it, and before sending out work, which would otherwise
  // be judged twice. If a step needs more than that, taking it would not help.
  const alone = chosen.refusals.length === 1 ? [chosen] : [];
  const lacking = leads === undefined ? alone : forward;
  const before = candidates.find(
    (one) =>
      one.refusals.length === 0 &&
      staysPut(family, state, one) &&
      isLacked(one, lacking.map(firstOf)),
  );
  return before ?? chosen;
}

function firstOf(one: Candidate): Candidate {
  return { ...one, refusals: one.refusals.slice(0, 1) };
}

/** Another step is refused because this one has not been taken. */
function isLacked({ command }: Candidate, others: readonly Candidate[]): boolean {
  const fixes = others.flatMap(({ refusals }) => refusals.map(({ fix }) => fix));
  return fixes.some(
    (fix) =>
      typeof fix !== "string" && command.type === "unit.move" && fix.input["step"] === command.move,
  );
}

function asks({ protocol }: Family, { units }: Workflow, { command }: Candidate): boolean {
  const rows = protocol.kinds[units[ROOT]?.kind ?? ""]?.moves ?? [];
  return rows.some(
    ({ id, ask }) => command.type === "unit.move" && id === command.move && ask !== undefined,
  );
}

/** Whether taking the step runs checks. Then checks that have not run yet do not block it. */
export function runsChecks(
  { protocol }: Family,
  { units }: Workflow,
  { command }: Pick<Candidate, "command">,
): boolean {
  if (command.type !== "unit.move") return false;
  const rows = protocol.kinds[units[ROOT]?.kind ?? ""]?.moves ?? [];
  return rows.some(
    ({ id, runs, needs = [] }) =>
      id === command.move && (runs !== undefined || needs.some((one) => one.guard === "passed")),
  );
}

/**
 * Whether this work leads to another state. Work that does not, such as planning again, must be asked for by
 * name.
 */
function leadsOn({ protocol }: Family, { units }: Workflow, spec: string): boolean {
  const root = units[ROOT];
  const ends = Object.values(member(protocol.work, spec)?.outcomes ?? {})
    .flat()
    .flatMap((one) => ("move" in one && one.on !== "unit" ? [one.move] : []));
  const rows = protocol.kinds[root?.kind ?? ""]?.moves.filter(
    (row) => ends.includes(row.id) && row.from.includes(root?.at ?? ""),
  );
  return rows === undefined || rows.length === 0 || rows.some((row) => row.to !== root?.at);
}

function staysPut({ protocol }: Family, { units }: Workflow, { command }: Candidate): boolean {
  const root = units[ROOT];
  if (command.type !== "unit.move" || root === undefined) return false;
  const rows = protocol.kinds[root.kind]?.moves.filter((row) => row.id === command.move) ?? [];
  return rows.some((row) => row.from.includes(root.at) && row.to === root.at);
}
