import type { Actor, Command } from "../../state/commands.ts";
import { emit, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member } from "../../values/json.ts";
import type { Protocol } from "../../table/protocol.ts";
import { remedy } from "../../table/remedy.ts";
import { refuseStale } from "../stale.ts";
import type { Dispatch } from "../../state/state.ts";

/**
 * Records which agent has a piece of work. The first identified agent to fetch the order gets it. From then on no
 * other agent may report it, and no unidentified one. A main agent may pass work to its own subagents
 * (`client:session` to `client:session/agent`), and a person can free it again.
 */
export function takeDispatch(
  draft: Draft,
  { dispatch: id, agent }: Extract<Command, { type: "dispatch.take" }>,
): void {
  const dispatch = member(draft.state.dispatches, id);
  if (dispatch === undefined || dispatch.status === "ended")
    return refuseStale(draft, id, dispatch);
  if ((dispatch.agent ?? null) === agent) return;
  if (!mayGive(draft.envelope.actor, dispatch.agent, agent)) return refuseTaken(draft, dispatch);
  if (agent !== null) checkJudge(draft, dispatch, agent);
  if (draft.refusals.length === 0) emit(draft, { type: "dispatch.taken", dispatch: id, agent });
}

/** Whether this actor may assign the work: it is its own, or held by one of its subagents. */
export function mayGive(
  { kind, agent: giver }: Pick<Actor, "kind" | "agent">,
  holder: string | undefined,
  taker: string | null,
): boolean {
  if (kind === "person") return taker === null;
  if (giver === undefined) return false;
  const own = taker === null || taker === giver || isBelow(taker, giver);
  const free = holder === undefined || holder === giver || isBelow(holder, giver);
  return own && (free || isBelow(giver, holder));
}

function isBelow(agent: string, main: string): boolean {
  return agent.startsWith(`${main}/`);
}

/**
 * Checks that this agent may report: nobody else has the work, the role is right, and it does not judge its own
 * work.
 */
export function checkReporter(draft: Draft, dispatch: Dispatch): void {
  const { actor } = draft.envelope;
  if (actor.kind !== "agent") return;
  const { agent, role } = actor;
  const { agent: holder } = dispatch;
  const isHis =
    agent !== undefined && holder !== undefined && (agent === holder || isBelow(agent, holder));
  if (holder !== undefined && !isHis) refuseTaken(draft, dispatch);
  if (role !== undefined && !sameRole(role, dispatch.role) && !isCarrier(draft.protocol, role))
    refuse(draft, {
      code: "role-mismatch",
      message: `${actor.name} acts as ${role}, but ${dispatch.id} was given to ${dispatch.role}`,
      fix: `Let ${dispatch.role} report.`,
      rule: "core",
    });
  if (agent !== undefined) checkJudge(draft, dispatch, agent);
}

/** Clients spell agent names in their own way: `spec-agent` is SpecAgent. */
export function sameRole(one: string, other: string): boolean {
  const plain = (role: string): string => role.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  return plain(one) === plain(other);
}

/** A role that runs the workflow and never gets work passes on what other agents report. */
function isCarrier({ kinds, work }: Protocol, role: string): boolean {
  const runs = Object.values(kinds).some(({ moves }) =>
    moves.some(({ by }) => by?.some((one) => one === `role:${role}`) === true),
  );
  return runs && !Object.values(work).some((spec) => sameRole(spec.role, role));
}

/** The agent that made something must not judge it. */
function checkJudge(draft: Draft, { id, unit, spec, role }: Dispatch, agent: string): void {
  const { work } = draft.protocol;
  const scope = member(work, spec)?.judges;
  if (scope === undefined) return;
  const made = Object.values(draft.state.dispatches).find(
    (one) =>
      one.agent === agent &&
      one.role !== role &&
      (scope === "workflow" || one.unit === unit) &&
      member(work, one.spec)?.judges === undefined,
  );
  if (made === undefined) return;
  refuse(draft, {
    code: "judges-itself",
    message: `${agent} worked as ${made.role} (${made.id}), and ${id} judges that work`,
    fix: `Let another agent be ${role}: start a new one for ${id}.`,
    rule: "core",
  });
}

function refuseTaken(draft: Draft, { id, agent, role }: Dispatch): void {
  const { id: workflow } = draft.state;
  const you = draft.envelope.actor.agent ?? "an agent that no client vouches for";
  refuse(draft, {
    code: agent === undefined ? "agent-unknown" : "dispatch-taken",
    message:
      agent === undefined
        ? `${id} can be given to nobody by ${you}`
        : `${id} (${role}) is with ${agent}; you are ${you}`,
    fix: {
      ...remedy(
        "order",
        { workflow, dispatch: id, take: true },
        "Let that agent report; where it is gone, give the work free",
      ),
      ...(draft.envelope.actor.kind === "person" ? {} : { by: "person" }),
    },
    rule: "core",
  });
}

/** Remembers which agent reported. */
export function keepReporter(draft: Draft, { id }: Dispatch): void {
  const { kind, agent } = draft.envelope.actor;
  if (kind !== "agent" || agent === undefined) return;
  if (member(draft.state.dispatches, id)?.agent !== agent)
    emit(draft, { type: "dispatch.taken", dispatch: id, agent });
}
