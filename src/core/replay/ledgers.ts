import { canonicalJson, member } from "../values/json.ts";
import type { Work, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { Unit, Workflow } from "../state/state.ts";
import { checkReporter, mayGive } from "../decide/work/taken.ts";
import { draftOf, guardsAgain } from "./guards.ts";
import { unorderedKey } from "../values/measured.ts";
import { isUsed } from "./people.ts";
import type { Check } from "./scene.ts";

/** Checks that work is sent out before it ends, effects are wanted before they are settled, and so on. */

export const sent: Check<"dispatch.sent"> = (event, scene) => {
  const { now, record, protocol } = scene;
  const { dispatch, spec: name } = event;
  const state = now();
  const unit = member(state.units, event.unit);
  if (Object.hasOwn(state.dispatches, dispatch)) return `${dispatch} is handed out twice`;
  if (unit === undefined) return `${dispatch} is for "${event.unit}", which is not there`;
  if (event.session !== record.session) return `${dispatch} is handed out for another session`;
  if (protocol === undefined) return undefined;
  const spec = member(protocol.work, name);
  if (spec === undefined) return `${dispatch} is work "${name}", which the table does not have`;
  if (!fits(spec, unit, state))
    return `${dispatch} is work "${name}", which is not handed out at "${unit.at}"`;
  const { when, needs } = spec;
  const wrong = guardsAgain(scene, { unit, state, when, guards: needs });
  return wrong && `${dispatch} is handed out, but ${wrong}`;
};

function fits(spec: Work, unit: Unit, { units }: Workflow): boolean {
  const kind = spec.unit === "root" ? unit.id === ROOT : unit.kind === spec.unit;
  const root = spec.rootIn?.includes(units[ROOT]?.at ?? "") ?? true;
  return kind && root && spec.in.includes(unit.at);
}

export const fetched: Check<"dispatch.taken"> = (
  { dispatch: id, agent },
  { now, record, actor },
) => {
  const dispatch = member(now().dispatches, id);
  if (dispatch === undefined || dispatch.status === "ended")
    return `${id} is taken, and is not out`;
  const reports = ["dispatch.report", "dispatch.park"].includes(record.command);
  if (record.command !== "dispatch.take" && !(reports && agent === actor.agent))
    return `${id} is taken in a "${record.command}"`;
  return mayGive(actor, dispatch.agent, agent)
    ? undefined
    : `${id} is given to ${agent ?? "nobody"} by ${actor.agent ?? record.actor}, and ${dispatch.agent ?? "nobody"} had it`;
};

export const parked: Check<"dispatch.parked"> = ({ dispatch }, { now }) =>
  member(now().dispatches, dispatch)?.status === "open"
    ? undefined
    : `${dispatch} is put aside, and is not out`;

export const ended: Check<"dispatch.ended"> = (event, scene) => {
  const { now, record, protocol, before } = scene;
  const { dispatch: id, outcome, claim } = event;
  const dispatch = member(now().dispatches, id);
  if (dispatch === undefined || dispatch.status === "ended") return `${id} ends, and is not out`;
  if (protocol === undefined) return undefined;
  const spec = member(protocol.work, dispatch.spec);
  const isResult = Object.hasOwn(spec?.outcomes ?? {}, outcome);
  if (!isResult)
    return FREE_ENDS.includes(outcome) || record.command === "decision.answer"
      ? undefined
      : `${id} ends in "${outcome}", which the table does not have`;
  if (!["dispatch.report", "decision.answer"].includes(record.command))
    return `${id} ends in "${outcome}" by "${record.command}", without a report`;
  if (claim["outcome"] !== outcome) return `${id} ends in "${outcome}", and no report says so`;
  if (claim["agent"] !== dispatch.role)
    return `${id} was given to ${dispatch.role}, and another reports`;
  const unit = member(before.units, dispatch.unit);
  if (record.command !== "dispatch.report" || unit === undefined) return undefined;
  const draft = draftOf({ ...scene, protocol }, { state: before }, { is: false });
  checkReporter(draft, dispatch);
  const [foreign] = draft.refusals;
  if (foreign !== undefined) return foreign.message;
  const { accepts } = spec ?? {};
  const wrong = guardsAgain(scene, { unit, state: before, when: undefined, guards: accepts });
  return wrong && `${id} ends in "${outcome}", but ${wrong}`;
};

/** How work may end without a report: cancelled, or because its unit or question is gone. */
const FREE_ENDS: readonly string[] = ["cancelled", "void"];

/** The recorded state of the files, and what had changed before, must have been read in this very step. */
export const left: Check<"work.left"> = ({ unit, baseline, changed }, scene) => {
  const { record, hasUnit } = scene;
  if (!STEPS.includes(record.command)) return `a step is left in a "${record.command}"`;
  if (unit !== ROOT && !hasUnit(unit)) return `"${unit}" is left, which is not there`;
  const read = { ...baseline, ...(changed === undefined ? {} : { [unorderedKey(unit)]: changed }) };
  const other = Object.entries(read).find(([key, value]) => !isUsed(scene, key, value));
  return other && `${unit} is left, and nobody looked at ${other[0]}`;
};

const STEPS: readonly string[] = [
  "workflow.adopt",
  "unit.move",
  "dispatch.send",
  "dispatch.report",
  "decision.answer",
  "effect.settle",
];

export const wanted: Check<"effect.wanted"> = ({ effect, kind }, scene) => {
  const { now, protocol, causes } = scene;
  if (Object.hasOwn(now().effects, effect)) return `${effect} is wanted twice`;
  if (protocol === undefined) return undefined;
  const named =
    causes.rows.some((row) => row.effects?.some((one) => one.kind === kind) === true) ||
    causes.consequences.some((one) => "effect" in one && one.effect.kind === kind);
  return named ? undefined : `nothing in the record wants ${kind} (${effect})`;
};

export const done: Check<"effect.settled"> = ({ effect, status }, { now, actor, record }) => {
  const known = member(now().effects, effect);
  if (known?.status !== "wanted") return `${effect} is ${status}, and was not wanted`;
  const skips = status === "skipped" && actor.kind === "person";
  return record.command === "effect.settle" && (actor.kind === "engine" || skips)
    ? undefined
    : `${effect} is ${status} in a "${record.command}" of ${record.actor}`;
};

export const aimed: Check<"effect.aimed"> = ({ effect }, { now, actor, record }) => {
  if (member(now().effects, effect)?.status !== "wanted")
    return `${effect} is aimed, and was not wanted`;
  return record.command === "effect.aim" && actor.kind === "engine"
    ? undefined
    : `${effect} is aimed in a "${record.command}" of ${record.actor}`;
};

export const sealed: Check<"artifact.sealed"> = ({ artifact, digest, by }, scene) => {
  const { record, actor, protocol, causes } = scene;
  if (by !== record.actor) return `${artifact} is sealed by ${by} in a command of ${record.actor}`;
  if (record.command === "artifact.reseal")
    return actor.kind === "person" ? undefined : `${artifact} is sealed anew by ${by}`;
  if (protocol === undefined || record.command === "workflow.adopt") return undefined;
  if (!causes.rows.some((row) => row.seals !== undefined))
    return `nothing in the record seals ${artifact}`;
  return digest === null || isUsed(scene, `digest:${artifact}`, digest)
    ? undefined
    : `${artifact} is sealed as something that nobody has read there`;
};

export const unsealed: Check<"artifact.unsealed"> = ({ artifact }, { now, causes, protocol }) => {
  if (!Object.hasOwn(now().seals, artifact)) return `${artifact} is unsealed, and was not sealed`;
  if (protocol === undefined || causes.rows.some((row) => row.unseals !== undefined))
    return undefined;
  return `nothing in the record unseals ${artifact}`;
};

export const spent: Check<"budget.spent"> = ({ budget }, { record, protocol }) =>
  protocol === undefined || record.command === "workflow.adopt" || isBudget(protocol, budget)
    ? undefined
    : `the budget "${budget}" is none of the table's`;

export const reset: Check<"budget.reset"> = ({ budget }, { protocol, causes }) =>
  protocol === undefined || causes.consequences.some((one) => "reset" in one)
    ? undefined
    : `nothing in the record gives the budget "${budget}" back`;

const budgets = new WeakMap<Protocol, readonly RegExp[]>();

function isBudget(protocol: Protocol, budget: string): boolean {
  const known = budgets.get(protocol) ?? budgetsOf(protocol);
  budgets.set(protocol, known);
  return known.some((pattern) => pattern.test(budget));
}

/** Patterns of every budget the table names; a blank matches anything. */
function budgetsOf(protocol: Protocol): readonly RegExp[] {
  const names = [...JSON.stringify(protocol).matchAll(/"budget":"([^"]*)"/g)];
  return names.map(([, name = ""]) => {
    const parts = name.split(/\{[^}]*\}/).map((part) => part.replaceAll(/[^\w/-]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "s");
  });
}

export const taken: Check<"lease.taken"> = ({ session, holder }, { now, record }) => {
  // Its holder may take it again, which renews it.
  if (now().lease !== null && now().lease?.session !== session)
    return `${session} takes a lease that ${now().lease?.session ?? ""} has`;
  // An adopted workflow may have another owner, taken from its files.
  const named = session === record.session || record.command === "workflow.adopt";
  return named && holder === record.actor
    ? undefined
    : `${holder} takes the lease in a command of ${record.actor}`;
};

export const released: Check<"lease.ended"> = ({ session }, { now }) =>
  now().lease?.session === session ? undefined : `a lease of ${session} ends, who has none`;

export const changed: Check<"vars.changed"> = ({ vars }, scene) => {
  const { protocol, causes, record, before, actor } = scene;
  if (protocol === undefined) return undefined;
  const set = causes.consequences.flatMap((one) => ("set" in one ? Object.keys(one.set) : []));
  const names = new Set([...set, ...causes.rows.flatMap((row) => Object.keys(row.set ?? {}))]);
  const undo = record.events.flatMap((event) =>
    event.type === "effect.settled" ? (member(before.effects, event.effect)?.undo ?? []) : [],
  );
  const isCarried = record.events.some((event) => event.type === "definition.changed");
  const wrong = Object.entries(vars).find(([name, value]) => {
    if (names.has(name) || isCarried) return false;
    if (undo.some((one) => Object.hasOwn(one.vars, name))) return false;
    const rule = member(protocol.open ?? {}, name);
    if (rule === undefined || record.command !== "vars.set") return true;
    const legal = rule.values.some((one) => canonicalJson(one) === canonicalJson(value));
    return !legal || !rule.by.includes(actor.kind);
  });
  return wrong && `nothing in the record sets ${wrong[0]} to ${JSON.stringify(wrong[1])}`;
};
