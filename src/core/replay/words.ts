import { isForPeople } from "../decide/decisions/release.ts";
import { isJsonObject, canonicalJson, member, parseJson } from "../values/json.ts";
import type { JsonObject } from "../values/json.ts";
import type { Event } from "../state/events.ts";
import type { Workflow } from "../state/state.ts";
import type { Move, Protocol } from "../table/protocol.ts";
import { causesOf } from "./causes.ts";
import type { Recorded, Scene } from "./scene.ts";

/** What a record did on a person's word. Each entry lists the gates at which it may have been released. */
export function gatesIn(
  protocol: Protocol | undefined,
  before: Workflow,
  { command, actor, events }: Pick<Recorded, "command" | "actor" | "events">,
): readonly (readonly string[])[] {
  const gates = events.flatMap((event) => gateOf(before, event, actor));
  if (command === "artifact.reseal") gates.push("reseal");
  if (command === "lease.break") gates.push("lease");
  const steps = protocol === undefined ? [] : stepsIn(protocol, before, { command, actor, events });
  return [...gates.map((one) => [one]), ...steps];
}

function gateOf(state: Workflow, event: Event, actor: string): readonly string[] {
  const { type } = event;
  if (type === "decision.settled" || type === "decision.joined")
    return event.by === actor ? [member(state.decisions, event.decision)?.question ?? ""] : [];
  if (type === "note.added") return event.list === "waivers" ? ["waive"] : [];
  if (type === "finding.recorded") return event.by === actor ? ["attest"] : [];
  if (type === "effect.settled") return event.status === "skipped" ? ["skip"] : [];
  return type === "definition.changed" ? ["accept"] : [];
}

/**
 * Steps reserved for people: those that moved, and those inside a state, recognised by the variables they set.
 */
function stepsIn(
  protocol: Protocol,
  before: Workflow,
  record: Pick<Recorded, "command" | "actor" | "events">,
): readonly (readonly string[])[] {
  if (record.command !== "unit.move") return [];
  const { rows, moves } = causesOf(protocol, before, record);
  const asked = rows.filter(
    (row): row is Move => "id" in row && row.auto !== true && !moves.has(row.id),
  );
  const forPeople = (fit: readonly Move[]): readonly (readonly string[])[] =>
    fit.length > 0 && fit.every((row) => isForPeople(row.by)) ? [fit.map((row) => row.id)] : [];
  return record.events.flatMap((event) => {
    if (event.type === "unit.moved") return forPeople(asked.filter(({ id }) => id === event.move));
    if (event.type !== "vars.changed") return [];
    const names = Object.keys(event.vars);
    return names.flatMap((name) =>
      forPeople(asked.filter(({ inside, set }) => inside === true && name in (set ?? {}))),
    );
  });
}

type Given = Extract<Event, { type: "release.given" }>;

/** Checks that what was released is what happened: the chosen option, or the step with its input. */
export function happened({ gate, hold, choice }: Given, scene: Scene): string | undefined {
  const { record, protocol } = scene;
  const is = (what: string): boolean => choice === what || choice.startsWith(`${what}: `);
  for (const event of record.events) {
    if (event.type !== "decision.settled" || event.decision !== hold) continue;
    if (event.status !== "answered" || event.option === "other" || is(event.option)) continue;
    return `"${choice}" is released at "${gate}", and ${hold} is answered with "${event.option}"`;
  }
  if (record.command !== "unit.move" || hold !== "") return undefined;
  const [step = ""] = choice.split(" ");
  if (step !== gate) return `"${choice}" is released at "${gate}"`;
  const moves = record.events.flatMap((event) => (event.type === "unit.moved" ? event.move : []));
  const rows = Object.values(protocol?.kinds ?? {}).flatMap((machine) => machine.moves);
  const own = rows.filter((row) => row.id === step);
  if (own.length === 0) return undefined;
  // Only a step inside its state, a hold for others or a question may leave no move behind.
  const isOther = moves.length > 0 && !moves.includes(step);
  if (isOther && !own.some((row) => row.inside === true))
    return `"${step}" is released, and another step was taken`;
  const odd = own.flatMap((row) => otherThanGiven(row, record.events, inputIn(choice)))[0];
  return odd && `"${step}" is released with another ${odd} than was set`;
}

function otherThanGiven(
  { set = {} }: Move,
  events: readonly Event[],
  input: JsonObject,
): readonly string[] {
  const vars = Object.assign(
    {},
    ...events.map((one) => (one.type === "vars.changed" ? one.vars : {})),
  );
  return Object.entries(set).flatMap(([name, ref]) => {
    if (!("input" in ref) || !(name in vars)) return [];
    return canonicalJson(input[ref.input] ?? null) === canonicalJson(vars[name]) ? [] : [name];
  });
}

/** The input of a step, which stands at the end of its choice. */
function inputIn(choice: string): JsonObject {
  const at = choice.indexOf(" {");
  const value = at < 0 ? undefined : parseJson(choice.slice(at + 1));
  return isJsonObject(value) ? value : {};
}
