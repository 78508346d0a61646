import { checkIdle } from "../decide/idle.ts";
import { member } from "../values/json.ts";
import type { Machine, Move, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { Unit, Workflow } from "../state/state.ts";
import { mayAsk } from "./causes.ts";
import { draftOf, guardsAgain } from "./guards.ts";
import type { Check, Scene } from "./scene.ts";

/** Checks that units open, move and close only by rows of the table. */

export const opened: Check<"unit.opened"> = ({ unit, kind, at }, scene) => {
  const { protocol, record, causes } = scene;
  if (protocol === undefined) return undefined;
  const machine = member(protocol.kinds, kind);
  if (machine === undefined)
    return `${unit} is of the kind "${kind}", which the table does not have`;
  if (!machine.states.includes(at))
    return `${unit} begins at "${at}", which is no state of ${kind}`;
  if (record.command === "workflow.adopt") return undefined;
  if (!beginnings(machine).includes(at)) return `${unit} begins at "${at}"; nothing begins there`;
  const opens =
    record.command === "unit.open" ||
    record.events.some((event) => event.type === "workflow.started" && unit === ROOT) ||
    causes.rows.some((row) => row.sows?.kind === kind) ||
    causes.consequences.some((one) => "open" in one && one.open === kind);
  return opens ? undefined : `nothing in the record opens "${unit}" (${kind})`;
};

function beginnings({ start, starts = [] }: Machine): readonly string[] {
  return [start, ...starts.flatMap(({ to }) => to ?? [])];
}

export const closed: Check<"unit.closed"> = ({ unit }, { hasUnit, record, causes, protocol }) => {
  if (!hasUnit(unit)) return `"${unit}" is closed, and was never opened`;
  if (unit === ROOT) return "the workflow itself cannot be closed";
  if (protocol === undefined) return undefined;
  const closes =
    record.events.some((event) => event.type === "definition.changed") ||
    causes.rows.some((row) => row.closes !== undefined || row.sows !== undefined);
  return closes ? undefined : `nothing in the record closes "${unit}"`;
};

export const moved: Check<"unit.moved"> = (event, scene) => {
  const state = scene.now();
  const unit = member(state.units, event.unit);
  if (unit === undefined) return `"${event.unit}" moves, and was never opened`;
  const whose = unit.id === ROOT ? state.id : unit.id;
  if (event.from !== unit.at)
    return `${whose} moves from "${event.from}", and stood at "${unit.at}"`;
  if (event.move === "undo") return undone(event, scene, whose);
  const { events, command } = scene.record;
  if (event.move === "migrate" && events.some((one) => one.type === "definition.changed"))
    return undefined;
  if (event.move === "adopt" && command === "workflow.adopt") return undefined;
  if (scene.protocol === undefined) return undefined;
  const rows = fittingRows(scene.protocol, unit, event);
  const step = `${whose} moves from "${event.from}" to "${event.to}" by "${event.move}"`;
  if (rows.length === 0) return `${step}, which is no row of the table`;
  const wrong = rows.map((row) => wrongRow(scene, { unit, state, row }));
  return wrong.includes(undefined) ? undefined : `${step}, but ${wrong[0] ?? ""}`;
};

function fittingRows(
  { kinds }: Protocol,
  { kind, at, back: way }: Unit,
  {
    move,
    to,
    back,
  }: { readonly move: string; readonly to: string; readonly back: readonly string[] },
): readonly Move[] {
  const same = (list: readonly string[]): boolean => list.join("\n") === back.join("\n");
  return (member(kinds, kind)?.moves ?? []).filter((row) => {
    if (row.id !== move || !row.from.includes(at)) return false;
    if (row.to === "@back") return way.at(-1) === to && same(way.slice(0, -1));
    return row.to === to && same(row.detour === true ? [...way, at] : way);
  });
}

function wrongRow(
  scene: Scene,
  { unit, state, row }: { readonly unit: Unit; readonly state: Workflow; readonly row: Move },
): string | undefined {
  const { causes, record, actor } = scene;
  const follows = row.auto === true || causes.moves.has(row.id);
  if (!follows) {
    if (record.command !== "unit.move") return `"${record.command}" does not lead to it`;
    if (!mayAsk(row, actor.kind))
      return `it is for ${row.by?.join(", ") || "nobody to ask for"}, not for ${record.actor}`;
    const busy = wasBusy(scene, row);
    if (busy !== undefined) return busy;
  }
  const { when, needs } = row;
  return guardsAgain(scene, { unit, state, when, guards: needs });
}

/**
 * Says so if a move went past an open question, a pending effect or work that is out, although its row does not
 * allow that.
 */
function wasBusy(scene: Scene, row: Move): string | undefined {
  const { protocol, before } = scene;
  if (protocol === undefined) return undefined;
  const draft = draftOf({ ...scene, protocol }, { state: before }, { is: false });
  checkIdle(draft, { held: row.whileHeld !== true, work: () => row.whileOut !== true });
  return draft.refusals[0]?.message;
}

function undone(
  { unit, to }: { readonly unit: string; readonly to: string },
  { record, before }: Scene,
  whose: string,
): string | undefined {
  const failed = record.events.flatMap((event) =>
    event.type === "effect.settled" && event.status === "failed"
      ? (member(before.effects, event.effect)?.undo?.units ?? [])
      : [],
  );
  return failed.some((one) => one.id === unit && one.at === to)
    ? undefined
    : `${whose} is taken back to "${to}", and no effect failed that says so`;
}
