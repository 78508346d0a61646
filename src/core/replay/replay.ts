import type { Actor, Command } from "../state/commands.ts";
import { checkLease } from "../decide/lease.ts";
import { draftOf } from "./guards.ts";
import { member } from "../values/json.ts";
import { refOf } from "../table/definition.ts";
import { strangeFields } from "../state/event-shapes.ts";
import type { Event, EventType } from "../state/events.ts";
import type { Json } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import type { ProtocolRef, Workflow } from "../state/state.ts";
import { ROOT } from "../state/state.ts";
import { NO_CAUSES, causesOf } from "./causes.ts";
import * as ledgers from "./ledgers.ts";
import * as people from "./people.ts";
import { walkFrom } from "./scene.ts";
import type { Check, Recorded, Scene } from "./scene.ts";
import * as units from "./units.ts";

export type { Recorded } from "./scene.ts";

export interface Replay {
  /** The current table. */
  readonly protocol: Protocol;
  /** True if the record was decided with the current guards. Otherwise only the rows are replayed. */
  readonly guarded: boolean;
  /** The form in which a fact is recorded: a long one as its digest. */
  readonly recordedAs: (value: Json) => Json;
}

export interface Replayed {
  /** What in the record cannot have happened, a sentence each. */
  readonly wrong: readonly string[];
  /** True if the record was made by the current table. Otherwise only what holds for any table was checked. */
  readonly byTable: boolean;
}

/**
 * Checks whether the protocol's table could have produced this record from the state before it. A hash chain only
 * shows that lines have not changed since they were written. This shows that they were not made up.
 */
export function replay(input: Replay, before: Workflow, record: Recorded): Replayed {
  const byTable = isInForce(input.protocol, before, record);
  const protocol = byTable ? input.protocol : undefined;
  const actor = readActor(record);
  if (actor === undefined)
    return { wrong: [`${JSON.stringify(record.actor)} is nobody who gives commands`], byTable };
  const walk = walkFrom(before, record);
  const scene: Scene = {
    record,
    actor,
    before,
    protocol,
    causes: protocol === undefined ? NO_CAUSES : causesOf(protocol, before, record),
    guarded: input.guarded,
    recordedAs: input.recordedAs,
    now: walk.now,
    hasUnit: walk.hasUnit,
  };
  const wrong = [...wrongCommand(scene)];
  for (const event of record.events) {
    const said = wrongEvent(event, scene);
    if (said !== undefined) wrong.push(said);
    walk.step(event);
  }
  wrong.push(...missing(scene));
  return { wrong, byTable };
}

/** A record is made by the definition its workflow follows, or by the one it switches to. */
export function isInForce(protocol: Protocol, before: Workflow, { events }: Recorded): boolean {
  const refs = events.flatMap((event) =>
    event.type === "workflow.started" || event.type === "definition.changed"
      ? [event.protocol]
      : [],
  );
  return same(refs.at(-1) ?? before.protocol, refOf(protocol));
}

function same(a: ProtocolRef, b: ProtocolRef): boolean {
  return a.name === b.name && a.version === b.version && (a.digest ?? "") === (b.digest ?? "");
}

function readActor({ actor: text, agent }: Recorded): Scene["actor"] | undefined {
  const colon = text.indexOf(":");
  const kind = KINDS.find((one) => one === text.slice(0, colon));
  const known = agent === undefined ? {} : { agent };
  return kind === undefined ? undefined : { kind, name: text.slice(colon + 1), ...known };
}

const KINDS: readonly Actor["kind"][] = ["person", "agent", "engine"];

/** Every command, and whether only people may give it. */
const COMMANDS: Readonly<Record<Command["type"], "anybody" | "people">> = {
  "workflow.start": "anybody",
  "workflow.adopt": "anybody",
  "unit.move": "anybody",
  "unit.open": "anybody",
  "dispatch.send": "anybody",
  "dispatch.take": "anybody",
  "dispatch.report": "anybody",
  "dispatch.park": "anybody",
  "dispatch.cancel": "anybody",
  "decision.ask": "anybody",
  "decision.answer": "people",
  "answer.keep": "people",
  "answer.drop": "people",
  "finding.record": "anybody",
  "effect.settle": "anybody",
  "effect.aim": "anybody",
  "definition.accept": "people",
  "lease.take": "anybody",
  "lease.release": "anybody",
  "lease.break": "people",
  "vars.set": "anybody",
  "artifact.reseal": "people",
  "gate.waive": "people",
  "note.add": "anybody",
  "edit.refuse": "anybody",
};

function wrongCommand(scene: Scene): readonly string[] {
  const wrong: string[] = [];
  const { record, actor, before } = scene;
  const { command, events } = record;
  const whose = member<string>(COMMANDS, command);
  if (whose === undefined) wrong.push(`${JSON.stringify(command)} is no command`);
  if (whose === "people" && actor.kind !== "person")
    wrong.push(`"${command}" is for people, and ${record.actor} gave it`);
  if (scene.protocol !== undefined) {
    const draft = draftOf({ ...scene, protocol: scene.protocol }, { state: before }, { is: false });
    checkLease(draft);
    wrong.push(...draft.refusals.map((one) => one.message));
  }
  const begins = command === "workflow.start" || command === "workflow.adopt";
  if (begins !== events.some((event) => event.type === "workflow.started"))
    wrong.push(`"${command}" ${begins ? "starts nothing" : "starts a workflow"}`);
  if (!begins && !Object.hasOwn(before.units, ROOT)) wrong.push("there is no workflow yet");
  return wrong;
}

/** Consequences of an answer or a report that are missing from its record, unless a question took their place. */
function missing({ protocol, causes, record: { events } }: Scene): readonly string[] {
  const asks = events.some(
    (event) =>
      event.type === "decision.asked" || (event.type === "effect.wanted" && event.asks !== null),
  );
  if (protocol === undefined || asks) return [];
  if (causes.consequences.length === 0) return [];
  const rows = Object.values(protocol.kinds).flatMap((machine) => machine.moves);
  return causes.consequences.flatMap((one) => {
    if ("send" in one)
      return events.some((event) => event.type === "dispatch.sent")
        ? []
        : ["it hands out work, and none went out"];
    if (!("move" in one) || !causes.certain.has(one)) return [];
    const leaves = rows.some((row) => row.id === one.move && row.inside !== true);
    const moves = events.some((event) => event.type === "unit.moved" && event.move === one.move);
    return !leaves || moves ? [] : [`it leads to "${one.move}", and nothing moved`];
  });
}

function wrongEvent(event: Event, scene: Scene): string | undefined {
  const strange = strangeFields(event);
  if (strange.length > 0)
    return `${event.type} has a field ${strange.join(", ")} that nobody knows`;
  const check = CHECKS[event.type];
  // oxlint-disable-next-line no-unsafe-type-assertion -- each event type is judged by its own check
  return (check as Check<EventType>)(event, scene);
}

const none = (): undefined => undefined;

const started: Check<"workflow.started"> = (
  { id, protocol },
  { before, record, protocol: table },
) => {
  if (before.id !== "" && id !== before.id)
    return `"${id}" is started in the journal of ${before.id}`;
  const root = before.units[ROOT];
  if (root === undefined || table === undefined) return undefined;
  const again = table.kinds[table.root]?.starts?.some(({ from = [] }) => from.includes(root.at));
  if (again !== true || record.command !== "workflow.start")
    return `${id} is started anew at "${root.at}", where it cannot be`;
  return protocol.name === before.protocol.name ? undefined : `${id} is started under another name`;
};

const accepted: Check<"definition.changed"> = ({ by, reason }, { record, actor }) =>
  actor.kind === "person" && by === record.actor && reason.trim() !== ""
    ? undefined
    : `another definition is accepted by ${by} in a command of ${record.actor}`;

const byCommand =
  (command: Command["type"]) =>
  (event: Event, { record }: Scene): string | undefined =>
    record.command === command ? undefined : `${event.type} in a "${record.command}"`;

/** Only people waive gates, and only the engine notes what was run. */
const noted: Check<"note.added"> = ({ list }, { record, actor }) => {
  if (list === "waivers" && record.command !== "gate.waive" && record.command !== "workflow.adopt")
    return `a waiver is noted in a "${record.command}"`;
  return list === "runs" && actor.kind !== "engine" && record.command === "note.add"
    ? `a run is noted by ${record.actor}`
    : undefined;
};

const CHECKS: { readonly [T in EventType]: Check<T> } = {
  "workflow.started": started,
  "workflow.adopted": byCommand("workflow.adopt"),
  "definition.changed": accepted,
  "unit.opened": units.opened,
  "unit.moved": units.moved,
  "unit.closed": units.closed,
  "decision.asked": people.asked,
  "decision.settled": people.settled,
  "decision.joined": people.joined,
  "release.given": people.given,
  "policy.agreed": none,
  "option.looked": people.looked,
  "answer.kept": people.kept,
  "answer.dropped": byCommand("answer.drop"),
  "dispatch.sent": ledgers.sent,
  "dispatch.taken": ledgers.fetched,
  "dispatch.parked": ledgers.parked,
  "dispatch.ended": ledgers.ended,
  "work.left": ledgers.left,
  "finding.recorded": people.found,
  "effect.wanted": ledgers.wanted,
  "effect.aimed": ledgers.aimed,
  "effect.settled": ledgers.done,
  "artifact.sealed": ledgers.sealed,
  "artifact.unsealed": ledgers.unsealed,
  "budget.spent": ledgers.spent,
  "budget.reset": ledgers.reset,
  "lease.taken": ledgers.taken,
  "lease.ended": ledgers.released,
  "vars.changed": ledgers.changed,
  "note.added": noted,
  warned: none,
  "refusal.noted": none,
  // Any record may contain edits that it overwrote.
  "edit.refused": none,
};
