import type { Actor } from "../state/commands.ts";
import { ROOT } from "../state/state.ts";
import type { Workflow } from "../state/state.ts";
import type { Protocol } from "../table/protocol.ts";
import { member } from "../values/json.ts";

/** Whether a row lets this actor act. */
export function admits(by: readonly string[] | undefined, { kind, role }: Actor): boolean {
  return by?.some((one) => one === kind || one === `role:${role ?? ""}`) ?? true;
}

/** A step as somebody asks for it. Without a unit, it is the root's. */
export interface NamedStep {
  readonly step: string;
  readonly unit?: string;
}

/** Who must take a step that this actor may not: a person or a role. Undefined if the actor may. */
export function whoseStep(
  protocol: Protocol,
  { units }: Workflow,
  actor: Actor,
  { step, unit = ROOT }: NamedStep,
): string | undefined {
  const { kind = "", at = "" } = member(units, unit) ?? {};
  const named = member(protocol.kinds, kind)?.moves.filter((one) => one.id === step) ?? [];
  // Rows of one name may start from several states and be for different people. The ones that start here count.
  const here = named.filter(({ from }) => from.includes(at));
  const moves = here.length > 0 ? here : named;
  const asked = member(protocol.questions, step)?.by;
  const rows = moves.length > 0 || asked === undefined ? moves.map(({ by }) => by) : [asked];
  if (rows.length === 0 || rows.some((by) => admits(by, actor))) return undefined;
  const others = rows.flatMap((by) => by ?? []);
  const role = others.find((one) => one.startsWith("role:"))?.slice("role:".length);
  return others.includes("person") ? "person" : role;
}
